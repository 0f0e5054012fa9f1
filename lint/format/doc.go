// Package format turns the result of a lint run into bytes: text for people,
// JSON for programs.
//
// It imports lint and must never know how findings are made, files, or whether
// it writes to a terminal: it is told.
package format
