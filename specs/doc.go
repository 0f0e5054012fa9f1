// Package specs holds the documents that are built into Weft: the JSON Schemas
// of Arazzo and of Weft's extensions, and the order flow to start from.
//
// It holds data alone and must never know any other package.
package specs
