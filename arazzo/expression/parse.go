package expression

import (
	"fmt"
	"strings"
)

// Parse reads a text that is wholly one runtime expression. Names that the
// document declares are matched first, the longest of them, even where they hold
// characters that the grammar does not allow. An error is an *Error.
func Parse(text string, names *Names) (*Expression, error) {
	e, err := parseWhole(text, names)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func parseWhole(text string, names *Names) (*Expression, *Error) {
	p := parser{text: text, names: names, e: &Expression{}}
	if err := p.expression(); err != nil {
		return nil, err
	}
	if p.at < len(text) {
		return nil, p.fault("unexpected %s after %s", quoteRune(p.rest()), clip(text[:p.at]))
	}
	return p.e, nil
}

// parsePrefix reads the expression that a text within a condition begins with.
// In brackets, ']' ends it as well. Dots and brackets after it are left over:
// they are operators of the condition.
func parsePrefix(text string, names *Names, inBrackets bool) (*Expression, *Error) {
	p := parser{text: text, names: names, e: &Expression{}, inCondition: true, inBrackets: inBrackets}
	if err := p.expression(); err != nil {
		return nil, err
	}
	return p.e, nil
}

// parser reads one expression from the start of text.
type parser struct {
	text  string
	names *Names
	at    int
	e     *Expression

	inCondition, inBrackets bool
}

func (p *parser) rest() string { return p.text[p.at:] }

func (p *parser) fault(format string, args ...any) *Error {
	return &Error{Offset: p.at, Message: fmt.Sprintf(format, args...)}
}

// expected gives a fault at the place reached.
func (p *parser) expected(what string) *Error {
	if p.at >= len(p.text) {
		return p.fault("expected %s after %s", what, clip(p.text))
	}
	return p.fault("expected %s, found %s", what, quoteRune(p.rest()))
}

// stops tells whether the expression cannot go on at byte i because the text
// around it does: white space, ')' or an operator in a condition.
func (p *parser) stops(i int) bool {
	if i >= len(p.text) {
		return true
	}
	if !p.inCondition {
		return false
	}
	c := p.text[i]
	return isSpace(c) || c == ')' || c == ']' && p.inBrackets || operatorAt(p.text[i:]) != ""
}

// take consumes a word if it is next.
func (p *parser) take(word string) bool {
	if !strings.HasPrefix(p.rest(), word) {
		return false
	}
	p.at += len(word)
	return true
}

// roots are the words that an expression begins with, by Root. Those that do not
// stand alone are followed by a dot.
var roots = [...]struct {
	word  string
	alone bool
}{
	URL:                {"$url", true},
	Method:             {"$method", true},
	StatusCode:         {"$statusCode", true},
	Request:            {"$request", false},
	Response:           {"$response", false},
	Message:            {"$message", false},
	Inputs:             {"$inputs", false},
	Outputs:            {"$outputs", false},
	Steps:              {"$steps", false},
	Workflows:          {"$workflows", false},
	SourceDescriptions: {"$sourceDescriptions", false},
	Components:         {"$components", false},
	Self:               {"$self", true},
}

func (p *parser) expression() *Error {
	if !strings.HasPrefix(p.text, "$") {
		return p.fault("an expression begins with '$'")
	}
	word := p.text[:1+span(p.text[1:], isLetterOrDigit)]
	for root, r := range roots {
		if r.word != word {
			continue
		}
		p.e.Root = Root(root)
		p.at = len(word)
		if err := p.afterRoot(r.alone); err != nil {
			return err
		}
		p.e.Source = p.text[:p.at]
		return nil
	}
	if near, ok := nearestRoot(word); ok {
		return p.fault("no expression begins with %s, did you mean %s?", clip(word), near)
	}
	return p.fault("no expression begins with %s, expected one of %s", clip(word), rootWords())
}

func (p *parser) afterRoot(alone bool) *Error {
	if alone {
		return nil
	}
	if !p.take(".") {
		return p.expected("'.'")
	}
	switch p.e.Root {
	case Inputs:
		return p.name("an input's name", p.names.inputs())
	case Outputs:
		return p.name("an output's name", p.names.outputs())
	case Steps:
		return p.step()
	case Workflows:
		return p.workflow()
	case SourceDescriptions:
		return p.sourceDescription()
	case Components:
		return p.component()
	default:
		return p.source()
	}
}

func rootWords() string {
	words := make([]string, len(roots))
	for i, r := range roots {
		words[i] = r.word
	}
	return strings.Join(words, ", ")
}

// source is what follows $request, $response and $message.
func (p *parser) source() *Error {
	switch {
	case p.take("header."):
		return p.header()
	case p.take("query."):
		p.e.Part = QueryPart
		return p.chars()
	case p.take("path."):
		p.e.Part = PathPart
		return p.chars()
	case p.take("body"):
		p.e.Part = BodyPart
		return p.pointerOrAccesses(DottedBody)
	case p.take("payload"):
		p.e.Part = PayloadPart
		return p.pointerOrAccesses(DottedBody)
	default:
		return p.expected("'header.', 'query.', 'path.', 'body' or 'payload'")
	}
}

func (p *parser) step() *Error {
	if err := p.owner("a step's id", p.names.steps(), ".outputs."); err != nil {
		return err
	}
	if !p.take(".outputs.") {
		return p.expected("'.outputs.'")
	}
	p.e.Part = OutputsPart
	return p.name("an output's name", p.names.stepOutputs(p.e.Owner))
}

func (p *parser) workflow() *Error {
	err := p.owner("a workflow's id", p.names.workflows(), ".inputs.", ".outputs.")
	if err != nil {
		return err
	}
	what := "an output's name"
	switch {
	case p.take(".outputs."):
		p.e.Part = OutputsPart
	case p.take(".inputs."):
		p.e.Part, what = InputsPart, "an input's name"
	default:
		return p.expected("'.inputs.' or '.outputs.'")
	}
	return p.name(what, p.names.workflowNames(p.e.Owner, p.e.Part))
}

func (p *parser) sourceDescription() *Error {
	if err := p.owner("a source's name", p.names.sources(), "."); err != nil {
		return err
	}
	if !p.take(".") {
		return p.expected("'.'")
	}
	if err := p.chars(); err != nil {
		return err
	}
	if p.e.Name == "" {
		return p.expected("an operation's id, a workflow's id or a field")
	}
	return nil
}

func (p *parser) component() *Error {
	p.e.OwnerAt = p.at
	for _, kind := range [...]string{"parameters", "successActions", "failureActions"} {
		if !p.take(kind + ".") {
			continue
		}
		p.e.Owner, p.e.NameAt = kind, p.at
		n := span(p.rest(), isIdentifier)
		if n == 0 {
			return p.expected("a component's name")
		}
		p.e.Name = p.text[p.at : p.at+n]
		p.at += n
		return nil
	}
	return p.expected("'parameters.', 'successActions.' or 'failureActions.'")
}
