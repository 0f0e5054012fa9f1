// Package arazzo is the Arazzo document as it is written: a model of versions
// 1.0.x and 1.1.x and of the x-weft- extensions, with the start and end of every
// node and its JSON Pointer, and a parser for YAML and JSON that returns the
// model together with every fault it found.
//
// It imports arazzo/value and arazzo/expression (for the names that a document
// declares) alone and must never know HTTP, how an expression is evaluated, or
// how severe a fault is.
package arazzo
