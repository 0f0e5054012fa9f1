// Package check tells whether a message keeps to its OpenAPI description: its
// status, media type, JSON body and headers, or a request's parameters and body.
// Each fault is one short finding, with a JSON Pointer where it lies in the body.
//
// A false finding is worse than a missed one. A schema allows what it does not
// forbid: an undocumented property or header is no finding. What a description
// says in a way that cannot be understood, or what would take too long to
// check, is left unchecked and told as such, never guessed.
//
// Schemas are taken from the description as written, so that numbers are exact,
// translated to JSON Schema 2020-12 once, and held against values by
// arazzo/schema.
//
// It imports arazzo/value, arazzo/schema and arazzo/source, and must never know
// execution, severities or rules: what a finding means for a run is for others.
package check
