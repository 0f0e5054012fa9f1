// Package dynamic holds the dynamic parts of a document, compiled once: values
// that contain runtime expressions or Selector Objects, and criteria.
//
// Both the linter and the executor need them, and neither may know the other.
// The package brings together arazzo, arazzo/expression and arazzo/selector; it
// must never know where a Scope has its values from, execution, or severities.
package dynamic
