package check

import (
	"fmt"

	"github.com/weft-flow/weft/arazzo/source"
)

// MaxFindings bounds how many findings are told of one message.
const MaxFindings = 20

// Kind says what part of a message a finding is about.
type Kind string

// The kinds of finding.
const (
	Status    Kind = "status"     // a status that the operation does not describe
	MediaType Kind = "media-type" // a representation that is not described
	Body      Kind = "body"       // a body that is missing, unreadable or breaks its schema
	Header    Kind = "header"     // a declared header of a response
	Parameter Kind = "parameter"  // a declared parameter of a request
)

// Finding is one way in which a message breaks its description.
type Finding struct {
	Kind Kind
	// Message says what is wrong and what was expected. It never repeats a string
	// of the message, which may be a secret.
	Message string
	// Pointer names the value at fault in a JSON body; the empty pointer is the
	// whole of it.
	Pointer string
	// Name is the header or parameter at fault, In the place of a parameter:
	// path, query, querystring, header or cookie.
	Name, In string
}

// String tells the finding on one line.
func (f Finding) String() string {
	switch f.Kind {
	case Header:
		return fmt.Sprintf("header %s: %s", f.Name, f.Message)
	case Parameter:
		return fmt.Sprintf("%s parameter %s: %s", f.In, f.Name, f.Message)
	case Body:
		if f.Pointer != "" {
			return fmt.Sprintf("body at %s: %s", f.Pointer, f.Message)
		}
		return "body: " + f.Message
	default:
		return f.Message
	}
}

// Gap is something that a description says and that was not checked.
type Gap struct {
	// Place is where the description says it; the zero Place where the message
	// is the reason.
	Place  source.Place
	Reason string
}

// String tells the gap on one line.
func (g Gap) String() string {
	if g.Place.Location == "" {
		return g.Reason
	}
	return g.Place.String() + ": " + g.Reason
}

// Result is what came of checking one message.
type Result struct {
	Findings []Finding
	// Gaps tells what was not checked. Findings without gaps are all there are,
	// up to MaxFindings.
	Gaps []Gap
}

func (r *Result) find(f Finding) {
	if len(r.Findings) < MaxFindings {
		r.Findings = append(r.Findings, f)
	}
}

func (r *Result) skip(reason string, args ...any) {
	r.Gaps = append(r.Gaps, Gap{Reason: fmt.Sprintf(reason, args...)})
}
