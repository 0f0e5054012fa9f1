// Package cli is the command line: commands and flags, the wiring of the other
// packages, and exit codes. What a run or a finding means is decided elsewhere:
// the package must never hold business rules.
package cli
