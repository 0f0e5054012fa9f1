package lint

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
)

// Key is an idempotency key that is written in a document, as a step's call bears
// it: the step writes it itself, or a step of a workflow that it calls does, and
// then it is put together from what is handed to that workflow.
type Key struct {
	// Path are the steps from the one that was asked down to the one whose request
	// bears the key.
	Path []*Step
	// Uses are the expressions of which it is made, in the names of the workflow of
	// the first step of Path.
	Uses []*expression.Expression
	// Made are the expressions by which a step of Path further down takes the key,
	// or part of it, from steps of its own workflow.
	Made []*expression.Expression
	// Node is where the document of the first step gives the key, or a part of it:
	// the value of a parameter. It is nil where it gives none.
	Node *arazzo.Node
	// Business tells that it is the business key from which Weft makes what it sends.
	Business bool

	segments []expression.Segment
}

// Text gives the key in one form for one meaning, its expressions in braces; empty
// where it cannot be said, since a step further down makes it.
func (k *Key) Text() string {
	if len(k.Made) > 0 {
		return ""
	}
	var b strings.Builder
	for _, s := range k.segments {
		if s.Expression == nil {
			b.WriteString(s.Text)
		} else {
			b.WriteString("{" + s.Expression.String() + "}")
		}
	}
	return b.String()
}

// Bearer gives the step whose request bears the key.
func (k *Key) Bearer() *Step { return k.Path[len(k.Path)-1] }

// IsConstant tells whether the key is the same in every run.
func (k *Key) IsConstant() bool { return len(k.Uses) == 0 && len(k.Made) == 0 }

// Keys lists the keys that are written for what the step's call does: its own, and
// those in the workflow that it calls. Of one that calls itself those of the first
// round are among them.
func (s *Step) Keys() []*Key {
	w := s.Workflow.Document.world
	if keys, known := w.keys[s]; known {
		return keys
	}
	if w.keys == nil {
		w.keys = make(map[*Step][]*Key)
	}
	w.keys[s] = nil // for one that calls itself
	keys := s.findKeys()
	w.keys[s] = keys
	return keys
}

// keysKept is how many keys of one call are looked at.
const keysKept = 64

func (s *Step) findKeys() []*Key {
	if called := s.Target.Workflow(); called != nil {
		return s.handedKeys(called)
	}
	effect := s.Effect()
	k := &Key{Path: []*Step{s}}
	var from *Value
	switch {
	case effect == nil || !effect.Effectful:
		return nil
	case effect.Written != nil:
		from = effect.Written.Value
	case effect.Business != nil:
		from, k.Business = effect.Business, true
	}
	if !k.append(from) {
		return nil
	}
	k.Node = from.Node
	return []*Key{k}
}

// handedKeys gives the keys in a workflow as the step that calls it makes them.
func (s *Step) handedKeys(called *Workflow) []*Key {
	var keys []*Key
	for _, inner := range called.Steps {
		for _, k := range inner.Keys() {
			if handed := s.hand(k); handed != nil && len(keys) < keysKept {
				keys = append(keys, handed)
			}
		}
	}
	return keys
}

// hand gives a key of the workflow that the step calls in the step's own names; nil
// where that cannot be said.
func (s *Step) hand(inner *Key) *Key {
	k := &Key{Path: append([]*Step{s}, inner.Path...), Made: slices.Clip(inner.Made), Business: inner.Business}
	for _, segment := range inner.segments {
		e := segment.Expression
		switch {
		case e == nil:
			k.segments = append(k.segments, segment)
		case e.Root == expression.Steps || e.Root == expression.Workflows:
			k.Made = append(k.Made, e)
		case e.Root != expression.Inputs || e.String() != "$inputs."+e.Name || !k.appendHanded(s.handed(e.Name)):
			return nil
		}
	}
	return k
}

// handed gives the parameter by which the step gives an input to the workflow that
// it calls; nil: it does not.
func (s *Step) handed(input string) *Parameter {
	for _, p := range s.Parameters {
		if p.Model.Name.Value == input {
			return p
		}
	}
	return nil
}

// appendHanded adds what a parameter hands in. It is false where that cannot be
// said.
func (k *Key) appendHanded(p *Parameter) bool {
	if p == nil {
		return false
	}
	uses := len(k.Uses)
	if !k.append(p.Value) {
		return false
	}
	if k.Node == nil || len(k.Uses) > uses {
		k.Node = p.Model.Value
	}
	return true
}

// append adds what a value gives to the text. It is false where the value is no
// text, or is at fault.
func (k *Key) append(v *Value) bool {
	if v == nil || len(v.Faults) > 0 {
		return false
	}
	if constant, ok := v.Compiled.Constant(); ok {
		text := constant.Text()
		k.segments = append(k.segments, expression.Segment{Text: text})
		return constant.IsScalar() && text != "" && !LooksDynamic(text)
	}
	if e := v.Compiled.Expression(); e != nil {
		k.segments = append(k.segments, expression.Segment{Expression: e})
		k.Uses = append(k.Uses, e)
		return true
	}
	if !v.Compiled.IsTemplate() {
		return false
	}
	segments, err := expression.ParseEmbedded(v.Node.Text, v.names())
	for _, segment := range segments {
		if segment.Expression != nil {
			k.Uses = append(k.Uses, segment.Expression)
		}
	}
	k.segments = append(k.segments, segments...)
	return err == nil
}

// LooksDynamic tells whether a constant text was probably meant to be an
// expression.
func LooksDynamic(text string) bool {
	return strings.HasPrefix(text, "$") || strings.Contains(text, "{")
}

// names gives the names that the expressions of the value may use.
func (v *Value) names() *expression.Names {
	if v.Workflow == nil {
		return nil
	}
	return v.Workflow.Names
}
