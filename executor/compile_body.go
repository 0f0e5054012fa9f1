package executor

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// body is a compiled request body.
type body struct {
	contentType  string
	declared     *source.MediaType
	payload      *dynamic.Value
	replacements []replacement
}

// replacement is a compiled Payload Replacement Object.
type replacement struct {
	target   string
	selector *selector.Selector
	value    *dynamic.Value
}

func (c *compiler) compileBody(w *workflow, s *step, names *expression.Names) *body {
	model := s.model.RequestBody
	if model == nil || model.Payload == nil || s.kind != callsOperation || s.operation == nil {
		return nil
	}
	b := &body{contentType: c.contentType(w, s)}
	b.declared = s.operation.MediaType(b.contentType)
	payload, faults := dynamic.CompileValue(model.Payload, w.set.Document.Version, names)
	c.faults(w.set, faults, false)
	b.payload = payload
	c.refuseStyles(w, s, b)
	for _, r := range model.Replacements {
		if compiled, ok := c.compileReplacement(w, r, b.contentType, names); ok {
			b.replacements = append(b.replacements, compiled)
		}
	}
	return b
}

// refuseStyles refuses the members of a payload that the description has written in a
// way that nothing is known of.
func (c *compiler) refuseStyles(w *workflow, s *step, b *body) {
	if b.declared == nil || b.payload == nil {
		return
	}
	b.payload.Members(func(name string, _ *dynamic.Value) {
		if e := b.declared.Encoding[name]; e != nil && !source.KnownStyle(e.Style) {
			c.refuse(w.set, s.model.RequestBody.Node, "step %q: the field %q of the body cannot be written: nothing is known of its style, %s", s.id, name, e.Style)
		}
	})
}

// contentType gives the written content type, else the only declared one, else
// JSON where it is declared, before what is built on JSON.
func (c *compiler) contentType(w *workflow, s *step) string {
	model := s.model.RequestBody
	if model.ContentType.Present() {
		return model.ContentType.Value
	}
	var declared []string
	if s.operation.Body != nil {
		for _, m := range s.operation.Body.Content {
			declared = append(declared, m.Type)
		}
	}
	if len(declared) == 1 && !strings.Contains(declared[0], "*") {
		return declared[0]
	}
	for _, fits := range []func(string) bool{isPlainJSON, isJSON} {
		if at := slices.IndexFunc(declared, fits); at >= 0 {
			return declared[at]
		}
	}
	c.refuse(w.set, model.Node, "step %q: contentType is missing and cannot be told from the description, which has %s", s.id, quotedList(declared))
	return ""
}

func (c *compiler) compileReplacement(w *workflow, model *arazzo.Replacement, contentType string, names *expression.Names) (replacement, bool) {
	language, version := dynamic.TargetLanguage(model.TargetType, contentType)
	compiled, err := selector.Compile(language, version, model.Target.Value)
	if err != nil {
		c.refuse(w.set, model.Target.Node, "target: %v", err)
		return replacement{}, false
	}
	v, faults := dynamic.CompileValue(model.Value, w.set.Document.Version, names)
	c.faults(w.set, faults, false)
	return replacement{target: model.Target.Value, selector: compiled, value: v}, len(faults) == 0
}

// uses lists the expressions of the content.
func (b *body) uses() []dynamic.Use {
	if b == nil {
		return nil
	}
	all := b.payload.Uses()
	for _, r := range b.replacements {
		all = append(all, r.value.Uses()...)
	}
	return all
}

// eval gives the content to send. An error means that it cannot be made: the
// step fails before anything is sent.
func (b *body) eval(scope expression.Scope) (*Body, error) {
	payload, err := b.payload.Eval(scope)
	if err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	if payload.IsAbsent() {
		return nil, fmt.Errorf("payload: %s is absent", b.payload)
	}
	_, isText := payload.Str()
	made := &Body{ContentType: b.contentType, Declared: b.declared, Value: payload, Verbatim: isText && !b.payload.IsWhole()}
	for _, r := range b.replacements {
		if err := r.apply(made, scope); err != nil {
			return nil, fmt.Errorf("replacement %s: %w", r.target, err)
		}
		var room dynamic.Room
		if err := room.Take(made.Value); err != nil {
			return nil, fmt.Errorf("replacement %s: %w", r.target, err)
		}
	}
	return made, nil
}

func (r replacement) apply(made *Body, scope expression.Scope) error {
	with, err := r.value.Eval(scope)
	if err != nil {
		return err
	}
	if with.IsAbsent() {
		return fmt.Errorf("its value %s is absent", r.value)
	}
	if err := made.parse(); err != nil {
		return err
	}
	replaced, err := r.selector.Replace(made.Value, with)
	if err == nil {
		made.Value = replaced
	}
	return err
}

// parse reads a template that is JSON or a form, so that it can be changed.
func (b *Body) parse() error {
	text, isText := b.Value.Str()
	var parsed value.Value
	var err error
	switch {
	case !b.Verbatim || !isText:
		return nil
	case isJSON(b.ContentType):
		parsed, err = value.ParseJSON([]byte(text))
	case essence(b.ContentType) == "application/x-www-form-urlencoded":
		parsed, err = parseForm(text)
	default:
		return nil
	}
	if err != nil {
		return fmt.Errorf("the payload is not %s: %w", essence(b.ContentType), err)
	}
	b.Value, b.Verbatim = parsed, false
	return nil
}

// parseForm reads a form as an object in its order; a name that stands more than
// once has a list.
func parseForm(text string) (value.Value, error) {
	var names []string
	fields := map[string][]value.Value{}
	for _, pair := range strings.FieldsFunc(text, func(r rune) bool { return r == '&' }) {
		escapedName, escapedText, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(escapedName)
		if err != nil {
			return value.Absent, err
		}
		field, err := url.QueryUnescape(escapedText)
		if err != nil {
			return value.Absent, err
		}
		if fields[name] == nil {
			names = append(names, name)
		}
		fields[name] = append(fields[name], value.String(field))
	}
	members := make([]value.Member, len(names))
	for i, name := range names {
		members[i] = value.Member{Name: name, Value: fields[name][0]}
		if len(fields[name]) > 1 {
			members[i].Value = value.Array(fields[name]...)
		}
	}
	return value.Object(members...), nil
}

// essence is a content type in lower case without its parameters.
func essence(contentType string) string {
	contentType, _, _ = strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(contentType))
}

func isPlainJSON(contentType string) bool { return essence(contentType) == "application/json" }

// isJSON tells whether a content type is JSON or built on it (RFC 6839, section 3.1).
func isJSON(contentType string) bool {
	kind := essence(contentType)
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}
