// Package circle finds which things that lead to each other lie in a circle.
//
// It owns the search alone, and must never know what the things are.
package circle
