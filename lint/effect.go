package lint

import (
	"slices"
	"sync"

	"github.com/weft-flow/weft/arazzo/keying"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/idempotency"
)

// API is what the user knows of an API and says in the configuration.
type API struct {
	Profile *idempotency.Profile // nil: nothing is said
	Effects map[string]string    // by operationId: idempotency.MarkRead, …
}

// Effect is what a step does to whom it calls, as far as repeating it goes.
type Effect struct {
	Step   *Step
	Method string // of HTTP, or idempotency.MethodSend
	// Effectful tells that each request may have an effect of its own.
	Effectful bool
	// Plan says how the key is made; its Source is FromNone where there is none.
	Plan idempotency.Plan
	// Written is the parameter that writes the key; nil: the step writes none.
	Written *Parameter
	// Business is the key of x-weft-idempotency from which Weft makes the one that
	// it sends; nil: none is named.
	Business *Value
	// Declared is the header that bears the key as the API declares it; nil: it
	// does not.
	Declared *source.Parameter
	// Named tells that x-weft-idempotency or the configuration names the header.
	Named bool

	profile *idempotency.Profile
	unknown Outcomes
}

// Effect gives what the step does to the API that it calls or to whom it sends a
// message; nil where it does neither, or where that cannot be known.
func (s *Step) Effect() *Effect { return s.effect() }

func newEffect(s *Step) *Effect {
	e := &Effect{Step: s}
	switch {
	case s.Target.Kind == CallTarget:
		e.Method = s.Target.Operation.Method
	case s.Target.Kind == ChannelTarget && s.Model.Action.Value == "send":
		e.Method = idempotency.MethodSend
	default:
		return nil
	}
	api := s.Workflow.Document.api(s.Target.Source)
	mark := s.Model.Effect.Value
	if mark == "" && s.Target.Operation != nil {
		mark = api.Effects[s.Target.Operation.ID]
	}
	e.Effectful, e.profile = idempotency.Effectful(e.Method, mark), api.Profile
	e.plan()
	e.unknown = usuallyUnknown()
	if e.profile != nil {
		e.unknown = unknownOutcomes(e.profile, e.Plan.Source != idempotency.FromNone)
	}
	return e
}

// Unsafe tells whether a repeated request may have a second effect that no key
// prevents.
func (e *Effect) Unsafe() bool {
	return e != nil && idempotency.UnsafeToRepeat(e.Effectful, e.Plan.Contract)
}

// ByWeftAlone tells that the document does not write the key though the API
// declares its header: Weft makes one, another tool does not.
func (e *Effect) ByWeftAlone() bool {
	return e != nil && e.Effectful && e.Plan.Contract && e.Written == nil && !e.Named
}

// Reads tells that the step changes nothing.
func (e *Effect) Reads() bool {
	if e == nil || e.Effectful {
		return false
	}
	return e.Step.Model.Effect.Value == idempotency.MarkRead || slices.Contains(safeMethods, e.Method)
}

// safeMethods change nothing: RFC 9110, section 9.2.1, and QUERY.
var safeMethods = []string{"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"}

// Unknown are the outcomes of an attempt after which nobody knows whether it had
// its effect.
func (e *Effect) Unknown() Outcomes { return e.unknown }

// usuallyUnknown are the outcomes of which that is so where no profile says
// otherwise.
var usuallyUnknown = sync.OnceValue(func() Outcomes { return unknownOutcomes(nil, false) })

func unknownOutcomes(profile *idempotency.Profile, keySent bool) Outcomes {
	unknown := NoResponse
	// A status below 400 that is no success is odd rather than meant.
	for status := 400; status <= maxStatus; status++ {
		class, _ := idempotency.Classify(idempotency.Observation{
			Written: true, Complete: true, Status: status, KeySent: keySent, Profile: profile,
		})
		if class == idempotency.Unknown {
			unknown = unknown.Union(Status(status))
		}
	}
	return unknown
}

// plan finds out what decides the key.
func (e *Effect) plan() {
	s := e.Step
	said := keying.Of(s.Target.Operation, s.Model.Idempotency, s.Workflow.Model.Idempotency, s.Workflow.Document.Model.Idempotency)
	choice := idempotency.Choice{Method: e.Method, Profile: e.profile, Extension: said.Extension, Declared: said.Declared}
	if said.Key.Present() {
		e.Business, choice.BusinessKey = s.keyAt(said.Level), "named"
	}
	for _, p := range s.Parameters {
		if p.Model.In.Value == "header" {
			choice.Written = append(choice.Written, idempotency.Field{Name: p.Model.Name.Value, Value: constantText(p.Value)})
		}
	}
	e.Plan = idempotency.ChooseKey(choice)
	header := e.Plan.Dialect.Header
	for _, p := range s.Parameters {
		if e.Plan.Source == idempotency.FromWritten && e.Written == nil && p.Model.In.Value == "header" && p.Model.Name.Value == header {
			e.Written = p
		}
	}
	if s.Target.Operation != nil && header != "" {
		e.Declared = s.Target.Operation.Parameter(header, "header")
	}
	e.Named = choice.Extension != nil && choice.Extension.Header != "" ||
		choice.Profile != nil && choice.Profile.Dialect.Header != ""
}

// keyAt gives the key of x-weft-idempotency at a level.
func (s *Step) keyAt(level keying.Level) *Value {
	switch level {
	case keying.OfStep:
		return s.Key
	case keying.OfWorkflow:
		return s.Workflow.Key
	default:
		return s.Workflow.documentKey()
	}
}

// constantText gives the text of a value in which nothing is dynamic.
func constantText(v *Value) string {
	if v == nil || len(v.Faults) > 0 {
		return ""
	}
	constant, _ := v.Compiled.Constant()
	return constant.Text()
}

// api gives what the configuration says of a source.
func (d *Document) api(s *source.Description) API {
	if s == nil {
		return API{}
	}
	return d.world.apis[s.Name]
}
