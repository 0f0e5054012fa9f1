// Package spelling finds the word that a person may have meant by one that is not
// known, for hints of the kind "did you mean".
//
// It owns how near two words are, and how near is near enough. It must never know
// what the words name, nor how a message words its hint.
package spelling
