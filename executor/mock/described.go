package mock

import (
	"net/http"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// described is what an operation answers when all is well.
type described struct {
	status          int
	header          http.Header
	representations []*representation // JSON first
	// questions are the examples of requests by their names: one that is asked like this
	// is answered with the example of the same name.
	questions map[string][]question
}

// representation is one form in which it answers.
type representation struct {
	contentType string
	plain       string // the content type without parameters
	root        string // what the schema is called; empty: nothing says so
	shape       *together
	example     value.Value // as the description writes it; absent: it writes none
	body        value.Value // the example, else something that fits the schema
	// named are the same with each of the examples that have a name.
	named []namedRepresentation
}

type namedRepresentation struct {
	name string
	*representation
}

// described works out what the route's operation answers; once, since a made-up
// value may be large.
func (r *route) described() *described {
	r.once.Do(func() {
		r.answers = describe(r.operation, goodResponse(r.operation))
		r.answers.questions = questions(r.operation)
	})
	return r.answers
}

func describe(op *source.Operation, response *source.Response) *described {
	d := &described{status: statusOf(response), header: http.Header{}}
	if response == nil {
		return d
	}
	for _, h := range response.Headers {
		if v, ok := native(h.Example); ok {
			d.header.Set(h.Name, v.Text())
		} else if h.Required && h.Schema != nil {
			d.header.Set(h.Name, made(flatten(h.Schema)).Text())
		}
	}
	var others []*representation
	for _, m := range response.Content {
		r := represent(op, m, "responses", response.Status)
		if isJSON(r.plain) {
			d.representations = append(d.representations, r)
		} else {
			others = append(others, r)
		}
	}
	d.representations = append(d.representations, others...)
	return d
}

// represent reads a form of content, which the operation describes below a place.
func represent(op *source.Operation, m *source.MediaType, below ...string) *representation {
	r := &representation{contentType: m.Type, plain: plainType(m.Type), shape: flatten(m.Schema)}
	if isXML(r.plain) {
		r.root = rootNameOf(op, m, below...)
	}
	if strings.Contains(m.Type, "*") {
		r.contentType, r.plain = jsonType, jsonType
	}
	if example, ok := exampleOf(op, m, below...); ok {
		r.example = example
		r.body = withFixed(example, r.shape)
	} else if m.Schema != nil {
		r.body = made(r.shape)
	}
	for _, e := range examplesAt(op, append(below, "content", m.Type)...) {
		same := *r
		same.example, same.body = e.value, withFixed(e.value, r.shape)
		r.named = append(r.named, namedRepresentation{e.name, &same})
	}
	return r
}

// in gives the representation of a media type; nil: there is none.
func (d *described) in(mediaType string) *representation {
	for _, r := range d.representations {
		if mediaType != "" && r.plain == plainType(mediaType) {
			return r
		}
	}
	return nil
}

// negotiate picks the representation that a client likes best; of those that it
// likes the same, the first. Where it likes none, it gets one all the same (RFC
// 9110, section 12.5.1). nil: there is no body.
func (d *described) negotiate(accept []string) *representation {
	var best *representation
	bestQuality := -1.0
	for _, r := range d.representations {
		if q := quality(r.plain, accept); q > bestQuality {
			best, bestQuality = r, q
		}
	}
	return best
}
