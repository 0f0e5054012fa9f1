package executor

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// exchangeView is one exchange as expressions see it. What must be decoded is
// decoded when it is first asked for.
type exchangeView struct {
	arguments []Argument
	sent      Sent
	response  *Response
	message   *messageView // what was received; nil: the exchange is one of our own
	request   decoded
	received  decoded
	told      bool // why received is not what it says to be
}

type decoded struct {
	done  bool
	value value.Value
	fault error // what a person should know, in words that follow "the body": why it is not what it says to be
}

// Resolve gives what an expression names in the frame (expression.Scope).
func (f *frame) Resolve(e *expression.Expression) value.Value {
	switch e.Root {
	case expression.Inputs:
		return f.inputs.Get(e.Name)
	case expression.Steps:
		if at, ok := f.w.position[e.Owner]; ok {
			return f.steps[at].outputs.Get(e.Name)
		}
		return value.Absent
	case expression.Workflows:
		return f.run.resolveWorkflow(f.w, e)
	case expression.Outputs:
		return f.called.Get(e.Name)
	case expression.SourceDescriptions:
		return f.resolveSource(e)
	case expression.Self:
		if self := f.w.set.Document.Self; self.Present() {
			return value.String(self.Value)
		}
		return value.Absent
	case expression.Components:
		return value.Absent
	default:
		return f.view.resolve(e)
	}
}

func (f *frame) resolveSource(e *expression.Expression) value.Value {
	for _, s := range f.w.set.Document.Sources {
		if s.Name.Value != e.Owner {
			continue
		}
		if e.Name == "url" && s.URL.Present() {
			return value.String(s.URL.Value)
		}
		return s.Node.Get(e.Name).Value()
	}
	return value.Absent
}

func (r *run) resolveWorkflow(from *workflow, e *expression.Expression) value.Value {
	model := from.set.Document.Workflow(e.Owner)
	ended := r.ended[r.plan.workflows[model]]
	if model == nil || ended == nil {
		return value.Absent
	}
	if e.Part == expression.InputsPart {
		return ended.inputs.Get(e.Name)
	}
	return ended.outputs.Get(e.Name)
}

// Resolve gives what an expression names in the exchange alone (expression.Scope).
func (v *exchangeView) Resolve(e *expression.Expression) value.Value { return v.resolve(e) }

// resolve gives what an expression names in the current exchange. In a step that
// sends, $message is what it has sent.
func (v *exchangeView) resolve(e *expression.Expression) value.Value {
	switch {
	case v == nil:
		return value.Absent
	case v.message != nil:
		return v.message.Resolve(e)
	}
	switch e.Root {
	case expression.URL:
		return textOrAbsent(v.sent.URL)
	case expression.Method:
		return textOrAbsent(v.sent.Method)
	case expression.StatusCode:
		if v.response == nil {
			return value.Absent
		}
		return value.Int(int64(v.response.Status))
	case expression.Request, expression.Message:
		return v.resolveRequest(e)
	default:
		return v.resolveResponse(e)
	}
}

func (v *exchangeView) resolveRequest(e *expression.Expression) value.Value {
	switch e.Part {
	case expression.HeaderPart:
		return field(v.sent.Header, e.Name)
	case expression.QueryPart:
		return v.queryValue(e.Name)
	case expression.PathPart:
		for _, a := range v.arguments {
			if a.In == "path" && a.Name == e.Name {
				return a.Value
			}
		}
		return value.Absent
	case expression.BodyPart, expression.PayloadPart:
		if !v.request.done {
			v.request = decodeBody(v.sent.Header, v.sent.Body)
		}
		return v.request.value
	default:
		return value.Absent
	}
}

// queryValue gives the value of a query parameter as it was sent: text, or a
// list of texts where the name stands more than once.
func (v *exchangeView) queryValue(name string) value.Value {
	u, err := url.Parse(v.sent.URL)
	if err != nil {
		return value.Absent
	}
	return listed(u.Query()[name])
}

// listed gives texts as a value: absent, the one, or a list of several.
func listed(texts []string) value.Value {
	switch len(texts) {
	case 0:
		return value.Absent
	case 1:
		return value.String(texts[0])
	}
	items := make([]value.Value, len(texts))
	for i, text := range texts {
		items[i] = value.String(text)
	}
	return value.Array(items...)
}

func (v *exchangeView) resolveResponse(e *expression.Expression) value.Value {
	if v.response == nil {
		return value.Absent
	}
	switch e.Part {
	case expression.HeaderPart:
		return field(v.response.Header, e.Name)
	case expression.BodyPart:
		return v.responseBody()
	default:
		return value.Absent
	}
}

func (v *exchangeView) responseBody() value.Value {
	if v == nil || v.response == nil {
		return value.Absent
	}
	if !v.received.done {
		v.received = decodeBody(v.response.Header, v.response.Body)
	}
	return v.received.value
}

// responseFault tells why the body of the response, as far as anything asked for it,
// is not what it says to be.
func (v *exchangeView) responseFault() error {
	if v == nil {
		return nil
	}
	return v.received.fault
}

func field(h Header, name string) value.Value {
	text, ok := h.Get(name)
	if !ok {
		return value.Absent
	}
	return value.String(text)
}

func textOrAbsent(text string) value.Value {
	if text == "" {
		return value.Absent
	}
	return value.String(text)
}

// decodeBody gives content as a value: JSON as what it says, anything else, and
// JSON that is none, as its text. No content is absent, and so is content in a
// coding that is not understood.
func decodeBody(h Header, content []byte) decoded {
	d := decoded{done: true}
	if len(content) == 0 {
		return d
	}
	if coding, known := check.Coding(h["Content-Encoding"]); !known {
		d.fault = fmt.Errorf("is taken for absent, since its coding %s is not understood", coding)
		return d
	}
	contentType, _ := h.Get("Content-Type")
	announced := isJSON(contentType)
	if announced || strings.TrimSpace(contentType) == "" {
		v, err := value.ParseJSON(bytes.TrimPrefix(content, []byte("\ufeff")))
		if err == nil {
			d.value = v
			return d
		}
		if announced {
			d.fault = fmt.Errorf("is taken as text, since %s", whyNotJSON(err))
		}
	}
	text, err := textOf(contentType, content)
	if err != nil {
		d.fault = fmt.Errorf("is taken for absent, since %w", err)
		return d
	}
	d.value = value.String(text)
	return d
}

// whyNotJSON tells why content that says to be JSON cannot be read.
func whyNotJSON(err error) string {
	var fault *value.SyntaxError
	switch {
	case errors.Is(err, value.ErrTooDeep):
		return "it is " + err.Error()
	case errors.As(err, &fault) && fault.Ambiguous:
		return "it is " + err.Error()
	default:
		return "it is not the JSON that it says to be: " + err.Error()
	}
}
