package contract

import (
	"regexp"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// origin is what a value that a step sends is made from: an input of the workflow or
// an output of another of its steps.
type origin struct {
	step, name string // step is empty for an input
}

// origins are what the values are made from by which a request says what it is about.
type origins map[origin]bool

// readOrigins notes what a step sends is made from. What tells how much, in what
// currency or in which words ties no two requests together, and neither does what shows
// who asks: headers count only as keys.
func (r stepReader) readOrigins(s *stepModel) {
	s.origins = origins{}
	add := func(written *arazzo.Node, isKey bool) {
		if written == nil {
			return
		}
		compiled, _ := dynamic.CompileValue(written, r.set.Document.Version, r.names)
		for _, use := range compiled.Uses() {
			if made, ok := r.originOf(use.Expression); ok && (isKey || isWhole(use)) {
				s.origins[made] = true
			}
		}
	}
	for _, written := range s.model.Parameters {
		p, err := r.set.Document.ResolveParameter(written)
		if err != nil {
			continue
		}
		inHeader := p.In.Value == "header" || p.In.Value == "cookie"
		isKey := inHeader && strings.Contains(strings.ToLower(p.Name.Value), "idempot")
		if !inHeader || isKey {
			add(p.Value, isKey)
		}
	}
	if s.model.RequestBody != nil {
		add(s.model.RequestBody.Payload, false)
	}
	if s.model.Idempotency != nil {
		add(s.model.Idempotency.Key.Node, true)
	}
	add(s.model.CorrelationID, false)
}

// originOf gives what an expression takes its value from, where that says what a request
// is about.
func (r stepReader) originOf(e *expression.Expression) (origin, bool) {
	switch e.Root {
	case expression.Steps:
		return origin{step: e.Owner, name: e.Name}, !measures(e.Name)
	case expression.Inputs:
		return origin{name: e.Name}, !measures(e.Name) && identifies(inputSchema(r.set.Document, r.workflow, e.Name))
	}
	return origin{}, false
}

// inputSchema gives the schema of an input; absent: there is none.
func inputSchema(doc *arazzo.Document, w *arazzo.Workflow, name string) value.Value {
	root, pointer := doc.InputSchema(w)
	at, err := value.ParsePointer(pointer)
	if err != nil || root.IsAbsent() {
		return value.Absent
	}
	s := sampler{root: root}
	return s.follow(s.follow(at.In(root)).Get("properties").Get(name))
}

// identifies tells whether a value of a schema can say which thing is meant: not one of a
// few, a measure or an address.
func identifies(schema value.Value) bool {
	if !schema.Get("enum").IsAbsent() || !schema.Get("const").IsAbsent() || !schema.Get("x-weft-callback").IsAbsent() {
		return false
	}
	switch kind, _ := schema.Get("type").Str(); kind {
	case "boolean", "number", "array":
		return false
	}
	switch format, _ := schema.Get("format").Str(); format {
	case "uri", "url", "date", "date-time", "time", "duration", "password":
		return false
	}
	return true
}

var (
	nameParts = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
	// measureNames are the words in names of values that many things have in common.
	measureNames = map[string]bool{
		"amount": true, "cents": true, "currency": true, "quantity": true, "price": true, "total": true, "sum": true,
		"fee": true, "rate": true, "count": true, "country": true, "locale": true, "language": true, "unit": true,
		"text": true, "note": true, "reason": true, "description": true, "message": true, "status": true, "state": true,
		"token": true, "password": true, "secret": true, "url": true, "uri": true,
	}
)

// measures tells whether a name is that of a value which many things have in common.
func measures(name string) bool {
	for _, part := range nameParts.FindAllString(name, -1) {
		if measureNames[strings.ToLower(part)] {
			return true
		}
	}
	return false
}

// isWhole tells whether an expression is a value by itself, or stands by itself in a text
// of several values, such as XML or a form: "A-{$inputs.ref}" names another thing than
// $inputs.ref.
func isWhole(use dynamic.Use) bool {
	if use.Node == nil {
		return true
	}
	text := use.Node.Text
	begin, end := use.Offset, use.Offset+len(use.Expression.Source)
	if end > len(text) {
		return true
	}
	if begin > 0 && text[begin-1] == '{' && end < len(text) && text[end] == '}' {
		begin, end = begin-1, end+1
	}
	return (begin == 0 || strings.IndexByte("<>\"'=&,;/ \n\t", text[begin-1]) >= 0) &&
		(end == len(text) || strings.IndexByte("<>\"'=&,;/ \n\t", text[end]) >= 0)
}

// related tells whether two steps of a workflow are about the same thing: what they send
// is made from the same input or output, or one from what the other brought. What a step
// brought is about what it was asked for.
func (s *subject) related(a, b stepID) bool {
	if a.workflow != b.workflow || s.steps[a] == nil || s.steps[b] == nil {
		return false
	}
	first := s.allOrigins(a)
	for made := range s.allOrigins(b) {
		if first[made] || made.step == a.step && made.step != "" {
			return true
		}
	}
	for made := range first {
		if made.step == b.step && made.step != "" {
			return true
		}
	}
	return false
}

// allOrigins gives what a step sends is made from, and what that was made from.
func (s *subject) allOrigins(id stepID) origins {
	all := origins{}
	var add func(id stepID)
	add = func(id stepID) {
		m := s.steps[id]
		if m == nil {
			return
		}
		for made := range m.origins {
			from := stepID{id.workflow, made.step}
			if all[made] || made.step != "" && s.isMarked(from) {
				continue
			}
			all[made] = true
			if made.step != "" {
				add(from)
			}
		}
	}
	add(id)
	return all
}

// commonTexts gives the texts that two requests may both have and not be about the same
// thing: those that the document writes itself, and inputs that name no thing.
func commonTexts(steps map[stepID]*stepModel, doc *arazzo.Document, w *arazzo.Workflow, inputs value.Value) map[string]bool {
	common := map[string]bool{}
	var literals func(n *arazzo.Node)
	literals = func(n *arazzo.Node) {
		if n == nil {
			return
		}
		if n.Kind == value.KindString && !strings.Contains(n.Text, "$") {
			common[n.Text] = true
		}
		for _, item := range n.Items {
			literals(item)
		}
		for _, m := range n.Members {
			literals(m.Value)
		}
	}
	for _, s := range steps {
		if s.model.RequestBody != nil {
			literals(s.model.RequestBody.Payload)
		}
		for _, p := range s.model.Parameters {
			literals(p.Value)
		}
	}
	for _, m := range inputs.Members() {
		if text, ok := m.Value.Str(); ok && (measures(m.Name) || !identifies(inputSchema(doc, w, m.Name))) {
			common[text] = true
		}
	}
	return common
}
