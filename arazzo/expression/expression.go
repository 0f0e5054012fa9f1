package expression

import (
	"fmt"
	"sync"

	"github.com/weft-flow/weft/arazzo/value"
)

// Root is what a runtime expression begins with.
type Root uint8

// The roots of the ABNF (specification, Runtime Expressions).
const (
	URL Root = iota
	Method
	StatusCode
	Request
	Response
	Message
	Inputs
	Outputs
	Steps
	Workflows
	SourceDescriptions
	Components
	Self
)

// Part is what follows the root or the owner.
type Part uint8

// The parts. NoPart stands where the root has none.
const (
	NoPart      Part = iota
	HeaderPart       // $request.header.NAME, $response.header.NAME, $message.header.NAME
	QueryPart        // $request.query.NAME
	PathPart         // $request.path.NAME
	BodyPart         // $request.body, $response.body
	PayloadPart      // $message.payload
	InputsPart       // $workflows.W.inputs.NAME
	OutputsPart      // $steps.S.outputs.NAME, $workflows.W.outputs.NAME
)

// Expression is one parsed runtime expression.
type Expression struct {
	Root     Root
	Owner    string // the step, the workflow, the source, or the kind of component
	Part     Part
	Name     string // the header, parameter, input, output, field, or component
	Pointer  value.Pointer
	Accesses []Access // dots and brackets after a body or name: tolerated, the grammar has only the pointer
	Source   string   // as it was written

	// Where Owner, Name and Pointer stand, in bytes from the start of the
	// expression; 0 where there is none. The pointer's place is that of its '#'.
	OwnerAt, NameAt, PointerAt int

	hasPointer bool
	warnings   []Warning
}

// HasPointer tells whether a '#' follows, with or without a pointer after it.
func (e *Expression) HasPointer() bool { return e.hasPointer }

// Warnings gives what is tolerated in the expression though the grammar has no
// place for it, in the order of their offsets.
func (e *Expression) Warnings() []Warning { return e.warnings }

// Access is one ".name" or "[index]" after an expression.
type Access struct {
	Name    string
	Index   int
	IsIndex bool
	Offset  int // bytes from the start of the expression
}

// Names are the names that a document declares. They are matched before the
// grammar's own idea of a name, the longest first. A nil *Names declares nothing.
type Names struct {
	Inputs          []string
	Outputs         []string
	Steps           []string
	Workflows       []string
	Sources         []string
	StepOutputs     map[string][]string // by step
	WorkflowOutputs map[string][]string // by workflow
	WorkflowInputs  map[string][]string // by workflow

	sets sync.Map // of the long lists among these
}

// Scope gives the values that expressions name.
type Scope interface {
	// Resolve gives what e names, before its pointer and accesses are applied;
	// value.Absent where it is not there.
	Resolve(e *Expression) value.Value
}

// Error is a fault in the text of an expression or condition.
type Error struct {
	Offset  int // bytes from the start of the text
	Message string
}

// Error gives the message with its offset.
func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Message, e.Offset) }

// shifted gives e for a text that begins by bytes earlier.
func (e *Error) shifted(by int) *Error {
	return &Error{Offset: e.Offset + by, Message: e.Message}
}
