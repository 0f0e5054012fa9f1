package executor

import (
	"errors"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

var errNoCookieName = errors.New("this is not the name of a cookie")

// refuseFields refuses header fields and cookies that no request can have, whatever
// the run brings: a step that failed for them would do so after others were sent.
func (c *compiler) refuseFields(w *workflow, s *step, arguments []argument) {
	for _, a := range arguments {
		if err := a.fieldFault(); err != nil {
			c.refuse(w.set, a.node, "step %q: the %s parameter %q can never be sent: %v", s.id, a.in, a.name, err)
		}
	}
	if body := s.model.RequestBody; body != nil && body.ContentType.Present() {
		if err := source.FieldTextFault(body.ContentType.Value); err != nil {
			c.refuse(w.set, body.ContentType.Node, "step %q: the content type %q can never be sent: %v", s.id, body.ContentType.Value, err)
		}
	}
}

// fieldFault tells why a parameter in a header field can never be sent. What is null is
// left out.
func (a argument) fieldFault() error {
	if constant, ok := a.value.Constant(); ok && constant.IsNothing() {
		return nil
	}
	switch a.in {
	case "header":
		if err := source.FieldNameFault(a.name); err != nil {
			return err
		}
		if a.declared == nil || a.declared.ContentType == "" {
			return writtenFault(a.value)
		}
	case "cookie":
		if a.value.IsTemplate() && !source.IsToken(a.name) { // else the names may be those of members
			return errNoCookieName
		}
	}
	return nil
}

// writtenFault tells why the text that is written in a value, around expressions too,
// cannot stand in a header field.
func writtenFault(v *dynamic.Value) error {
	texts := v.Literals()
	if constant, ok := v.Constant(); ok {
		texts = textsOf(constant)
	}
	for _, text := range texts {
		if err := source.FieldTextFault(text); err != nil {
			return err
		}
	}
	var fault error
	each := func(part *dynamic.Value) {
		if fault == nil {
			fault = writtenFault(part)
		}
	}
	for _, item := range v.Items() {
		each(item)
	}
	v.Members(func(_ string, member *dynamic.Value) { each(member) })
	return fault
}

// textsOf gives the texts that a header field has of a value.
func textsOf(v value.Value) []string {
	var texts []string
	switch v.Kind() {
	case value.KindArray:
		for _, item := range v.Items() {
			texts = append(texts, item.Text())
		}
	case value.KindObject:
		for _, m := range v.Members() {
			texts = append(texts, m.Name, m.Value.Text())
		}
	default:
		texts = append(texts, v.Text())
	}
	return texts
}
