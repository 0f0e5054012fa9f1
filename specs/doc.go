// Package specs holds what the program carries inside itself: our own JSON
// Schemas of Arazzo 1.0 and 1.1 and of the x-weft- extensions, and the bundled
// order flow.
//
// It owns those files and their embedding alone. It imports nothing of this
// module and must never know what reads them.
package specs
