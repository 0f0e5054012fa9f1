package expression

// WarningKind tells what is tolerated.
type WarningKind string

// The forms that are read although the grammar does not have them.
const (
	// DottedBody is a dot or bracket after a body or payload: $response.body.a
	// for $response.body#/a.
	DottedBody WarningKind = "dotted-body"
	// BracketAfterOutput is a bracket or dot after an input or output:
	// $steps.s.outputs.list[0] for $steps.s.outputs.list#/0.
	BracketAfterOutput WarningKind = "bracket-after-output"
	// NameOutsideGrammar is a declared name with characters that the grammar
	// does not allow in it.
	NameOutsideGrammar WarningKind = "name-outside-grammar"
	// DoubleQuotedString is a string in a condition in double quotes.
	DoubleQuotedString WarningKind = "double-quoted-string"
)

// Warning is a form that is tolerated in a text from byte Offset up to, not
// including, byte End.
type Warning struct {
	Offset, End int
	Kind        WarningKind
	Message     string
}

func (w Warning) shifted(by int) Warning {
	w.Offset += by
	w.End += by
	return w
}
