// Package pattern says how much work a regular expression of ECMAScript can be for
// a matcher that backtracks: the most steps for a text of some length, known from
// the pattern alone. Where that has no bound worth the name, the pattern is refused;
// no clock decides, so the same pattern and text always give the same answer.
//
// It owns that reckoning. It must never know documents, matchers, or what a pattern
// is for.
package pattern
