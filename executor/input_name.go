package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/spelling"
)

// UndeclaredInputError tells that an input was given that none of the plan's workflows
// declares.
type UndeclaredInputError struct {
	Name     string
	Declared []string // the inputs that are declared, sorted
}

// Error names the input, those that are declared, and which may have been meant.
func (e *UndeclaredInputError) Error() string {
	text := fmt.Sprintf("input %q: no workflow declares it; declared are %s", e.Name, strings.Join(e.Declared, ", "))
	if near, ok := spelling.Nearest(e.Name, e.Declared); ok {
		text += fmt.Sprintf("; did you mean %q?", near)
	}
	return text
}

// CheckInputNames refuses an input that nothing asks for with an *UndeclaredInputError:
// a mistyped name would otherwise leave a default in force. Where no workflow of the plan
// declares inputs, all names are taken.
func (p *Plan) CheckInputNames(given value.Value) error {
	declared := p.InputNames()
	if len(declared) == 0 {
		return nil
	}
	for _, m := range given.Members() {
		if !slices.Contains(declared, m.Name) {
			return &UndeclaredInputError{Name: m.Name, Declared: declared}
		}
	}
	return nil
}
