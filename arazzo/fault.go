package arazzo

import "fmt"

// Fault is one thing that is wrong with the shape of a document. How much it
// matters is for others to say.
type Fault struct {
	Rule    string // the lint rule that it belongs to: "yaml", "yaml-duplicate-key", "unknown-field", "schema", …
	Message string // what is wrong, and what was expected
	Span    Span
	Pointer string
}

// Error gives the fault with its line and column.
func (f Fault) Error() string {
	return fmt.Sprintf("%d:%d: %s", f.Span.Start.Line, f.Span.Start.Column, f.Message)
}
