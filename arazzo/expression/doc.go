// Package expression is the language of Arazzo's runtime expressions, of the
// strings they are embedded in, and of simple conditions: lexer, syntax tree,
// printing, and evaluation against a Scope.
//
// It imports arazzo/value alone of this module and must never know YAML, or
// where a Scope has its values from.
package expression
