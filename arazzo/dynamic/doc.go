// Package dynamic holds the dynamic parts of a document, compiled once: values
// that contain runtime expressions or Selector Objects, and criteria.
//
// Both the linter and the executor need them, and neither may know the other.
// The package brings together arazzo, arazzo/expression and arazzo/selector; it
// must never know where a Scope has its values from, execution, or severities.
//
// # Text inserted into conditions
//
// Expressions embedded in a condition as {$…} are replaced by their text before
// the condition is read (Arazzo 1.1, Runtime Expressions in Conditions). On
// purpose safer than that text: between quotes of JSONPath and XPath the inserted
// text is escaped, so that a value from a response stays a string. XPath 1.0 has
// no way to write a quote between the same quotes; a value that holds it makes
// the criterion fail. Outside of quotes a string, a number, a boolean or null is
// inserted as it is, and becomes part of the query: an author who inserts text
// that he does not control writes quotes around it. A list or an object makes the
// criterion fail there. A regular expression takes any text as it is, which may
// itself be a pattern.
package dynamic
