// Package rules is the ordered list of all lint rules with their documentation:
// one file a family.
//
// It imports lint and must never know how diagnostics are shown, or the executor.
package rules
