// Package value holds exact values: what a document says, what an input is,
// what a response carried.
//
// A number is kept as the text it was written with, so 9007199254740993 and
// 10.10 reach the wire and every comparison unchanged. The members of an object
// keep their order. Absent is a value of its own and is not null.
//
// The package owns the kinds of value, JSON Pointers (RFC 6901), Arazzo's loose
// comparison, and the encoding to JSON (RFC 8259) and canonical JSON (RFC 8785).
// It imports nothing else of this module and must never know documents,
// expressions, or where a value came from.
package value
