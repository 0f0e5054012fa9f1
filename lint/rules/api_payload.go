package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// faultKind says which rule a fault of a payload belongs to.
type faultKind uint8

const (
	constantFault faultKind = iota + 1 // payload-schema
	flowFault                          // type-flow
)

// payloadFault is one way in which a payload cannot be what the operation takes.
type payloadFault struct {
	rule    faultKind
	at      lint.Place
	pointer value.Pointer // in the payload; of a missing property with its name
	message string
}

func checkPayloads(p *lint.Pass) {
	for _, s := range calls(p) {
		eachPayloadFault(p, s, func(f payloadFault) {
			if f.rule == constantFault {
				p.Report(lint.Finding{At: f.at, Message: f.message, Severity: unlessRefusalExpected(s)})
			}
		})
	}
	for _, s := range p.Steps() {
		eachMessageFault(p, s, func(f payloadFault) {
			if f.rule == constantFault {
				p.Report(lint.Finding{At: f.at, Message: f.message})
			}
		})
	}
}

// eachPayloadFault holds what a step sends against the schema of the body.
func eachPayloadFault(p *lint.Pass, s *lint.Step, found func(payloadFault)) {
	if s.Model.RequestBody == nil || s.Payload == nil || len(s.Payload.Faults) > 0 {
		return
	}
	media := bodyMedia(s)
	if media == nil || media.Schema == nil || strings.Contains(s.Model.RequestBody.ContentType.Value, "{$") {
		return
	}
	schema := lint.DescribedSchema(check.RequestSchema(s.Target.Operation, media))
	c := &payloadCheck{pass: p, site: s.Payload.Site, label: "operation " + quote(s.Target.Operation.Label()), asText: !check.IsJSON(media.Type)}
	if c.asText && !isForm(media) {
		return
	}
	c.sent(s, schema, found)
}

// eachMessageFault holds what a step sends to a channel against what the messages
// there are described to be.
func eachMessageFault(p *lint.Pass, s *lint.Step, found func(payloadFault)) {
	body := s.Model.RequestBody
	if s.Target.Kind != lint.ChannelTarget || s.Receives() || body == nil || s.Payload == nil || len(s.Payload.Faults) > 0 {
		return
	}
	if body.ContentType.Present() && !check.IsJSON(body.ContentType.Value) {
		return
	}
	c := &payloadCheck{pass: p, site: s.Payload.Site, label: s.MessageLabel()}
	c.sent(s, s.MessageSchema(), found)
}

// sent holds a payload with its replacements against the schema.
func (c *payloadCheck) sent(s *lint.Step, schema reason.Schema, found func(payloadFault)) {
	targets, ok := replaced(s)
	if !ok {
		return // what replacements reach is not known
	}
	c.replacements(s, schema, targets, found)
	body, err := s.Body()
	if body == nil {
		c.unread(s, err, found)
		return
	}
	if body != s.Payload {
		if c.asText {
			return // a form that is written as it is sent
		}
		c.text = s
	}
	for _, f := range c.value(body.Compiled, schema, nil) {
		if !slices.ContainsFunc(targets, func(t value.Pointer) bool { return touches(t, f.pointer) }) {
			found(f)
		}
	}
}

func isForm(m *source.MediaType) bool {
	media, _, _ := strings.Cut(m.Type, ";")
	media = strings.ToLower(strings.TrimSpace(media))
	return media == "application/x-www-form-urlencoded" || media == "multipart/form-data"
}

// replaced lists the places that replacements change. ok is false where they are
// not known.
func replaced(s *lint.Step) (targets []value.Pointer, ok bool) {
	body := s.Model.RequestBody
	for _, r := range body.Replacements {
		language, _ := dynamic.TargetLanguage(r.TargetType, body.ContentType.Value)
		pointer, err := value.ParsePointer(r.Target.Value)
		if language != selector.JSONPointer || err != nil || strings.Contains(r.Target.Value, "{$") {
			return nil, false
		}
		targets = append(targets, pointer)
	}
	return targets, true
}

// touches tells whether what is changed at one place may mend a fault at another:
// it stands in it, or around it.
func touches(target, fault value.Pointer) bool {
	n := min(len(target), len(fault))
	return slices.Equal(target[:n], fault[:n])
}

// replacements holds what replacements put in its place against the schema there.
// Where several change one place, the last counts.
func (c *payloadCheck) replacements(s *lint.Step, schema reason.Schema, targets []value.Pointer, found func(payloadFault)) {
	for i, r := range s.Model.RequestBody.Replacements {
		at := slices.IndexFunc(s.Replacements, func(v *lint.Value) bool { return v.Node == r.Value })
		if at < 0 || len(s.Replacements[at].Faults) > 0 || slices.ContainsFunc(targets[i+1:], func(t value.Pointer) bool { return touches(t, targets[i]) }) {
			continue
		}
		next, presence, lost := schema.Path(targets[i])
		switch {
		case presence == reason.Impossible:
			around, _, _ := schema.Path(targets[i][:lost])
			name := targets[i][lost]
			if around.Types().Has(reason.Object) {
				found(payloadFault{rule: constantFault, at: lint.At(r.Target.Node), pointer: targets[i],
					message: c.about("unknown property " + quote(name) + lint.DidYouMean(name, around.Names(), "its properties"))})
			}
		case presence > reason.Undeclared:
			if c.mayBeMeant(s.Replacements[at].Compiled, next) {
				continue
			}
			of := *c
			of.site = s.Replacements[at].Site
			for _, f := range of.value(s.Replacements[at].Compiled, next, targets[i]) {
				if !slices.ContainsFunc(targets[i+1:], func(t value.Pointer) bool { return touches(t, f.pointer) }) {
					found(f)
				}
			}
		}
	}
}

// mayBeMeant tells whether a text may be meant as the number or boolean that it
// writes: the schema of Arazzo documents allows nothing but a text for the value of a
// replacement.
func (c *payloadCheck) mayBeMeant(v *dynamic.Value, schema reason.Schema) bool {
	constant, ok := v.Constant()
	if !ok || constant.Kind() != value.KindString || v.Node() == nil {
		return false
	}
	meant := plainly(constant)
	return meant.Kind() != value.KindString && len(c.constant(v.Node(), meant, schema, nil)) == 0
}

// payloadCheck holds a payload against a schema.
type payloadCheck struct {
	pass   *lint.Pass
	site   lint.Site
	label  string     // what takes the body, in words
	asText bool       // scalars are written as text
	text   *lint.Step // whose payload is JSON text; nil: it is written as data
}

// at gives where a part of the payload is written.
func (c *payloadCheck) at(n *arazzo.Node) lint.Place {
	if c.text != nil {
		return c.text.InBody(n)
	}
	return lint.At(n)
}

// named gives where the name of a member is written, by its value.
func (c *payloadCheck) named(n *arazzo.Node) lint.Place {
	if c.text != nil {
		return c.text.NameInBody(n)
	}
	return lint.Name(n)
}

// value gives the faults of a part of a payload.
func (c *payloadCheck) value(v *dynamic.Value, schema reason.Schema, at value.Pointer) []payloadFault {
	if !schema.IsKnown() || schema.IsImpossible() || v.Node() == nil {
		return nil
	}
	if constant, ok := v.Constant(); ok {
		return c.constant(v.Node(), constant, schema, at)
	}
	switch v.Node().Kind {
	case value.KindArray:
		return c.list(v, schema, at)
	case value.KindObject:
		if _, selection := v.Selection(); selection == nil {
			return c.object(v, schema, at)
		}
	}
	return c.flow(v, schema, at)
}

// constant holds a constant part against the schemas that it may be of, and gives
// the faults of the one that is nearest.
func (c *payloadCheck) constant(n *arazzo.Node, v value.Value, schema reason.Schema, at value.Pointer) []payloadFault {
	if c.asText {
		return c.formConstant(n, v, schema, at)
	}
	var best []payloadFault
	for i, places := range schema.Places() {
		var faults []payloadFault
		for _, place := range places {
			result, ok := c.pass.Against(place, v)
			if !ok {
				return nil
			}
			faults = append(faults, c.placed(n, at, result)...)
		}
		if i == 0 || len(faults) < len(best) {
			best = faults
		}
	}
	return best
}

// placed gives the findings of a check their places in the document.
func (c *payloadCheck) placed(n *arazzo.Node, at value.Pointer, r check.Result) []payloadFault {
	var faults []payloadFault
	for _, f := range r.Findings {
		pointer, err := value.ParsePointer(f.Pointer)
		if err != nil {
			continue
		}
		fault := payloadFault{rule: constantFault, at: c.nearest(n, pointer), pointer: slices.Concat(at, pointer), message: c.about(f.Message)}
		if len(pointer) > 0 && n.Lookup(pointer) == nil { // within a text
			fault.message += ", at " + pointer.String()
		}
		if name, ok := strings.CutPrefix(f.Message, "missing required property "); ok {
			fault.pointer = append(fault.pointer, name)
		}
		if found := n.Lookup(pointer); found != nil && strings.HasPrefix(f.Message, "unknown property ") {
			fault.at = c.named(found)
		}
		faults = append(faults, fault)
	}
	return faults
}

func (c *payloadCheck) about(message string) string {
	return fmt.Sprintf("the body of %s: %s", c.label, message)
}

// nearest gives where a pointer beneath a node leads, or else the nearest
// node around. What is said of a member that is not known is said of its name.
func (c *payloadCheck) nearest(n *arazzo.Node, pointer value.Pointer) lint.Place {
	for i := len(pointer); i > 0; i-- {
		if found := n.Lookup(pointer[:i]); found != nil {
			return c.at(found)
		}
	}
	return c.at(n)
}

// list holds the elements of a list against the schema.
func (c *payloadCheck) list(v *dynamic.Value, schema reason.Schema, at value.Pointer) []payloadFault {
	if !schema.Types().Has(reason.Array) {
		return []payloadFault{c.wrongType(v, schema, at, "an array")}
	}
	var faults []payloadFault
	for i, item := range v.Items() {
		next, presence := schema.Step(fmt.Sprint(i))
		if presence > reason.Undeclared {
			faults = append(faults, c.value(item, next, append(slices.Clone(at), fmt.Sprint(i)))...)
		}
	}
	return faults
}

func (c *payloadCheck) wrongType(v *dynamic.Value, schema reason.Schema, at value.Pointer, is string) payloadFault {
	return payloadFault{rule: constantFault, at: c.at(v.Node()), pointer: at,
		message: c.about("expected " + article(schema.Types()) + ", this is " + is)}
}

// object holds an object against each form that the schema has, and gives the
// faults of the one that is nearest.
func (c *payloadCheck) object(v *dynamic.Value, schema reason.Schema, at value.Pointer) []payloadFault {
	if !schema.Types().Has(reason.Object) {
		return []payloadFault{c.wrongType(v, schema, at, "an object")}
	}
	var best []payloadFault
	first := true
	for _, form := range schema.Forms() {
		if !form.Types().Has(reason.Object) {
			continue
		}
		faults := c.members(v, form, at)
		if first || len(faults) < len(best) {
			best, first = faults, false
		}
	}
	return best
}

func (c *payloadCheck) members(v *dynamic.Value, form reason.Schema, at value.Pointer) []payloadFault {
	var faults []payloadFault
	there := make(map[string]bool)
	v.Members(func(name string, member *dynamic.Value) {
		there[name] = true
		here := append(slices.Clone(at), name)
		next, presence := form.Step(name)
		switch {
		case presence == reason.Impossible:
			faults = append(faults, payloadFault{rule: constantFault, at: c.named(member.Node()), pointer: here,
				message: c.about("unknown property " + quote(name) + lint.DidYouMean(name, form.Names(), "its properties"))})
		case presence > reason.Undeclared:
			faults = append(faults, c.value(member, next, here)...)
		}
	})
	for _, name := range form.Required() {
		if !there[name] {
			faults = append(faults, payloadFault{rule: constantFault, at: c.named(v.Node()), pointer: append(slices.Clone(at), name),
				message: c.about("missing required property " + quote(name))})
		}
	}
	return faults
}

// flow tells where no value of an expression can be what is expected.
func (c *payloadCheck) flow(v *dynamic.Value, schema reason.Schema, at value.Pointer) []payloadFault {
	from := c.site.SchemaOfValue(v)
	if from.IsImpossible() || v.IsAlone() && from.Types().Has(reason.String) {
		return nil // what stands alone in a text may be a string that writes anything
	}
	excluded := reason.Disjoint(from, schema)
	if c.asText {
		excluded = reason.TextDisjoint(from, schema)
	}
	if !excluded {
		return nil
	}
	what := "the body"
	if len(at) > 0 {
		what = at.String() + " in the body"
	}
	return []payloadFault{{rule: flowFault, at: c.at(v.Node()), pointer: at,
		message: fmt.Sprintf("%s, and %s of %s %s", gives(v.String(), from), what, c.label, takes(from, schema))}}
}

// unread tells of a payload that is text which cannot be read as JSON.
func (c *payloadCheck) unread(s *lint.Step, err error, found func(payloadFault)) {
	var syntax *value.SyntaxError
	if !c.asText && errors.As(err, &syntax) {
		found(payloadFault{rule: constantFault, at: lint.At(s.Payload.Node),
			message: c.about("the payload is no JSON: " + strings.TrimPrefix(err.Error(), "JSON: "))})
	}
}
