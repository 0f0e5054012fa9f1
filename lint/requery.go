package lint

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
)

// A requery of a step is one that asks for what became of its call without the
// answer of that call: a step that reads or receives and shares a value with it
// that was known before, or that says so (x-weft-requery-of).

// MayAsk tells whether a step may ask for what became of the call of another: it
// is a requery of it, or it is not known what it does. A step that calls a
// workflow may do so there.
func (s *Step) MayAsk(of *Step) bool {
	switch {
	case s == of:
		return false
	case s.Model.RequeryOf.Value == of.ID() && s.Model.RequeryOf.Present():
		return true
	case s.Target.Kind == WorkflowTarget, s.Target.Kind == NoTarget:
		return true
	case s.Receives() || s.Effect().Reads():
		return s.sharesValue(of)
	default:
		return false
	}
}

// Asks tells the same where it is certain: the step says so, or it reads what the
// call of the other made, or the collection that this is in, by a value that both
// send, or it receives a message that is about the other alone. A run takes such a
// step for a requery too.
func (s *Step) Asks(of *Step) bool {
	if s.Model.RequeryOf.Present() {
		return s.Model.RequeryOf.Value == of.ID()
	}
	if s.Target.Kind == ReceiveTarget {
		return s.toldOf() == of
	}
	return s.Target.Kind == CallTarget && s.Effect().Reads() && of.Creates() &&
		s.Target.Source == of.Target.Source && isWithin(s.Target.Operation.Path, of.Target.Operation.Path) &&
		s.sharesData(of)
}

// toldOf gives the step that a message of OpenAPI tells the outcome of: the only one
// that calls the operation of the callback, or the only one that makes something at
// the API that the webhook comes from and sends a value by which the message is
// recognised. nil: there is none, or none is certain.
func (s *Step) toldOf() *Step {
	var told []*Step
	for _, of := range s.Workflow.Steps {
		if of.Creates() && s.Target.Source == of.Target.Source && s.isAbout(of) {
			told = append(told, of)
		}
	}
	if len(told) != 1 {
		return nil
	}
	return told[0]
}

func (s *Step) isAbout(of *Step) bool {
	if s.Target.Operation.Kind == source.Callback {
		return strings.HasPrefix(s.Target.Operation.Pointer, of.Target.Operation.Pointer+"/")
	}
	return shareKnown(s.Correlation.Uses(), of.dataUses(), of)
}

// Creates tells whether the step makes something in a collection: a POST to a path
// that does not end with a parameter.
func (s *Step) Creates() bool {
	return s.Target.Kind == CallTarget && s.Effect().Effectful &&
		s.Target.Operation.Method == "POST" && !strings.HasSuffix(s.Target.Operation.Path, "}")
}

// Receives tells whether the step waits for a message.
func (s *Step) Receives() bool {
	return s.Target.Kind == ReceiveTarget || s.Target.Kind == ChannelTarget && s.Model.Action.Value == "receive"
}

// sharesValue tells whether a step names a value that another names too, and that
// was known before the other's answer came. What one of them sends in a header
// counts only for a key: credentials are shared by all.
func (s *Step) sharesValue(of *Step) bool {
	theirs := of.dataUses()
	if effect := of.Effect(); effect != nil && effect.Written != nil {
		theirs = append(theirs, effect.Written.Value.Uses()...)
	}
	ours := slices.DeleteFunc(append(s.dataUses(), s.Correlation.Uses()...), func(e *expression.Expression) bool {
		return e.Root == expression.Steps && e.Owner == s.ID() // it reads on from what it read before
	})
	return shareKnown(ours, theirs, of)
}

func (s *Step) sharesData(of *Step) bool { return shareKnown(s.dataUses(), of.dataUses(), of) }

func shareKnown(ours, theirs []*expression.Expression, of *Step) bool {
	names := make(map[string]bool, len(theirs))
	for _, e := range theirs {
		names[e.String()] = true
	}
	return slices.ContainsFunc(ours, func(e *expression.Expression) bool {
		return KnownBefore(e, of) && names[e.String()]
	})
}

// KnownBefore tells whether a value was known before a step's answer came.
func KnownBefore(e *expression.Expression, answer *Step) bool {
	return e.Root == expression.Inputs || e.Root == expression.Workflows ||
		e.Root == expression.Steps && e.Owner != answer.ID()
}

// Uses lists the expressions of a value; none of nil, and none of one with faults.
func (v *Value) Uses() []*expression.Expression {
	if v == nil || len(v.Faults) > 0 {
		return nil
	}
	var all []*expression.Expression
	for _, use := range v.Compiled.Uses() {
		all = append(all, use.Expression)
	}
	return all
}

// dataUses lists the expressions whose values a step sends as data: not in
// headers and cookies, where credentials and keys stand.
func (s *Step) dataUses() []*expression.Expression {
	var all []*expression.Expression
	for _, p := range s.Parameters {
		if in := p.Model.In.Value; in != "header" && in != "cookie" {
			all = append(all, p.Value.Uses()...)
		}
	}
	return append(all, s.bodyUses()...)
}

func (s *Step) bodyUses() []*expression.Expression {
	all := s.Payload.Uses()
	for _, r := range s.Replacements {
		all = append(all, r.Uses()...)
	}
	return all
}

// SentUses lists the expressions of all that a step sends.
func (s *Step) SentUses() []*expression.Expression {
	var all []*expression.Expression
	for _, p := range s.Parameters {
		all = append(all, p.Value.Uses()...)
	}
	return append(all, s.bodyUses()...)
}

// Offers lists the operations of the API by which could be asked for what became
// of the step's call: they are safe, read what it makes or acts on, and take a
// value by a name under which the step sends one.
func (s *Step) Offers() []*source.Operation {
	if s.Target.Kind != CallTarget || s.Target.Source == nil || s.Target.Source.OpenAPI == nil {
		return nil
	}
	sent := s.sentNames()
	var offers []*source.Operation
	for _, o := range s.Target.Source.OpenAPI.Operations {
		if o.Kind == source.Request && o.Method == "GET" && isAbout(o.Path, s.Target.Operation.Path) && takesOneOf(o, sent) {
			offers = append(offers, o)
		}
	}
	return offers
}

// isAbout tells whether what stands at a path is in the collection that another
// path names, or is that on which the other acts: /orders/{id} for
// /orders/{id}/close.
func isAbout(path, acted string) bool {
	return isWithin(path, acted) || strings.HasSuffix(path, "}") && isWithin(acted, path)
}

// takesOneOf tells whether an operation can be asked with the sent values alone,
// and needs one that tells apart.
func takesOneOf(o *source.Operation, sent map[string]bool) bool {
	takes := false
	for _, p := range o.Params {
		if p.In != "path" && p.In != "query" {
			continue
		}
		switch name := PlainName(p.Name); {
		case sent[name]:
			takes = takes || TellsApart(p.Name)
		case p.Required:
			return false
		}
	}
	return takes
}

// sentNames lists the names, in their plain form, under which a step sends data.
func (s *Step) sentNames() map[string]bool {
	names := make(map[string]bool)
	for _, p := range s.Parameters {
		if in := p.Model.In.Value; in == "path" || in == "query" {
			names[PlainName(p.Model.Name.Value)] = true
		}
	}
	if body, _ := s.Body(); body != nil {
		memberNames(body.Node, names)
	}
	return names
}

// isWithin tells whether a path template is another one or beneath it, whatever
// their parameters are called.
func isWithin(path, collection string) bool {
	segments, above := strings.Split(strings.Trim(path, "/"), "/"), strings.Split(strings.Trim(collection, "/"), "/")
	if len(above) > len(segments) {
		return false
	}
	for i, name := range above {
		if name != segments[i] && !(strings.HasPrefix(name, "{") && strings.HasPrefix(segments[i], "{")) {
			return false
		}
	}
	return true
}
