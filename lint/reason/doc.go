// Package reason says what is known of a value by its schema alone, before there
// is a value: of which types it may be, which values are possible, whether there
// may be something at a place in it, whether it can fit another schema.
//
// What it says is certain or it says that it does not know. A keyword that only
// narrows what is allowed may be passed over: then more is thought possible than
// is. A keyword that may bring what is not seen makes the answer open.
//
// It knows JSON Schema as Arazzo and OpenAPI 3.1 have it, and what is different
// before. It holds no value against a schema: that is for arazzo/schema. It
// imports arazzo/value alone and must never know documents, descriptions or
// rules; where a schema stands is behind [Place].
package reason
