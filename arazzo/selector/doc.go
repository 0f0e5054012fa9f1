// Package selector finds and replaces parts of structured data: JSON Pointer
// (RFC 6901), JSONPath (RFC 9535, and what agrees with it of the draft
// draft-goessner-dispatch-jsonpath-00), XPath (1.0, and what 2.0 to 3.1 share
// with it) and regular expressions.
//
// The package owns the languages that a Selector, a Criterion and a Payload
// Replacement Object may name, and their limits. It imports arazzo/value and
// must never know expressions, documents, or where the data came from.
//
// # Three ways to be refused
//
// A text that the language does not allow is a *SyntaxError. A text that is
// valid, but asks for something that this package does not do, is an
// *UnsupportedError: it is never answered with a guess. Work beyond a limit is
// a *LimitError. Limits count steps of work and sizes, never time, so the same
// input always gives the same answer.
//
// # JSONPath
//
// The grammar and the filters are those of github.com/theory/jsonpath. The walk
// over the data is this package's own, so that the members of an object come in
// the order of the document, results keep the text of their numbers, and work is
// counted. Comparisons in filters are exact: 9007199254740992 and
// 9007199254740993 differ. Two things are not there: a number written in a
// filter that fits neither 64 bits nor a double is refused, and match() and
// search() take a pattern that is no regular expression as one that matches
// nothing, as RFC 9535 says.
//
// # XPath
//
// XPath 1.0 is complete but for the namespace axis. The default version of
// Arazzo is 3.1; for it and for 2.0 and 3.0 an expression is accepted where
// XPath 1.0 has the construct and both versions give the same answer, plus the
// functions abs, empty, ends-with, exists, lower-case, matches, replace,
// string-join and upper-case. All else is refused by name. What only shows
// while evaluating (two nodes where one is allowed, text where a number is
// needed, a division by zero) is an error in these versions, as they say.
//
// Arazzo has no place to declare a namespace prefix. A name is therefore
// compared as it is written: soap:Body finds the elements that the document
// writes with that prefix, Body those that it writes without one.
//
// XML is read without a network: a document type declaration is skipped, and
// refused where it declares anything, so no entity is ever expanded.
package selector
