// Package schema compiles JSON Schemas (2020-12) and holds exact values against
// them. It tells what is wrong as a flat list of faults, each at the deepest
// place that explains it, and fills in the defaults that a schema gives.
//
// Nothing is ever fetched: a reference to a document that was not handed over is
// an error. library.go and library_glance.go alone know the library that does the
// work. What surely fits is seen at a glance, without it.
//
// It imports arazzo/value alone and must never know Arazzo documents, where a
// value stands in a file, or how much a fault matters.
package schema
