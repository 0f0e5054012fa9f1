//go:build race

package durable

// raced tells that the tests look for races.
const raced = true
