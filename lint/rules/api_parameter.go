package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/internal/spelling"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// calls gives the steps that call an operation of OpenAPI.
func calls(p *lint.Pass) []*lint.Step {
	var all []*lint.Step
	for _, s := range p.Steps() {
		if s.Target.Kind == lint.CallTarget {
			all = append(all, s)
		}
	}
	return all
}

// expectsRefusal tells whether the criteria of a step speak of statuses, and let
// pass that the API refuses the request.
func expectsRefusal(s *lint.Step) bool {
	expected := s.Workflow.Flow().Success(s).May
	refused := lint.Statuses(400, 499)
	return len(s.Criteria) > 0 && expected.Meets(refused) && !expected.Contains(lint.AnyStatus)
}

// unlessRefusalExpected gives the severity of a request that the API refuses:
// where that is what a step wants to see, a warning.
func unlessRefusalExpected(s *lint.Step) lint.Severity {
	if expectsRefusal(s) {
		return lint.Warn
	}
	return lint.Error
}

// hiddenPart tells whether a description refers to something that was not found
// and may be of a kind: parameters, responses, headers.
func hiddenPart(s *source.Description, kind string) bool {
	return slices.ContainsFunc(s.OpenAPI.Unresolved, func(r source.BrokenReference) bool {
		_, within, isComponent := strings.Cut(r.Ref, "#/components/")
		return !isComponent || strings.HasPrefix(within, kind+"/")
	})
}

// nameOfParameter gives where a parameter is written, for its name: in a list, the
// reference to a component.
func nameOfParameter(p *lint.Parameter) lint.Place {
	if p.Written.Reference.Present() {
		return lint.At(p.Written.Reference.Node)
	}
	return lint.At(p.Written.Name.Node, p.Written.Node)
}

// valueOfParameter gives where the value of a parameter is written.
func valueOfParameter(p *lint.Parameter) lint.Place {
	if p.Written.Value == nil && p.Written.Reference.Present() {
		return lint.At(p.Written.Reference.Node)
	}
	return lint.At(p.Written.Value, p.Written.Node)
}

// parameterPlaces are those that OpenAPI and Arazzo both know.
var parameterPlaces = []string{"path", "query", "header", "cookie"}

func checkParametersKnown(p *lint.Pass) {
	eachUndeclared(p, func(s *lint.Step, parameter *lint.Parameter, elsewhere []string) {
		if len(elsewhere) > 0 {
			return
		}
		name, in := parameter.Model.Name.Value, parameter.Model.In.Value
		p.Reportf(nameOfParameter(parameter), "operation %s has no %s parameter %s%s", quote(s.Target.Operation.Label()),
			in, quote(name), lint.DidYouMean(name, declaredIn(s.Target.Operation, in), "those in "+in))
	})
	for _, w := range p.Workflows {
		checkSharedKnown(p, w)
	}
	eachReceiver(p, func(s *lint.Step) {
		for _, parameter := range s.Own.Parameters {
			if m := parameter.Model; m != nil && m.In.Value != "channel" && (m.In.Value != "path" || s.Target.Kind != lint.ChannelTarget) {
				p.Reportf(nameOfParameter(parameter), "step %s receives, it sends no parameter in %s", quote(s.ID()), m.In.Value)
			}
		}
	})
	for _, s := range p.Steps() {
		checkChannelKnown(p, s)
	}
}

// checkChannelKnown looks for parameters that the address of a channel has not.
func checkChannelKnown(p *lint.Pass, s *lint.Step) {
	names, ok := channelParameters(s)
	for _, q := range s.Own.Parameters {
		if m := q.Model; ok && m != nil && isText(m.Name) && m.In.Value == "channel" && !slices.Contains(names, m.Name.Value) {
			p.Reportf(nameOfParameter(q), "the channel of %s has no parameter %s%s", s.MessageLabel(), quote(m.Name.Value), lint.DidYouMean(m.Name.Value, names, "its parameters"))
		}
	}
}

// channelParameters lists the parameters of a channel; ok is false where they are not
// known.
func channelParameters(s *lint.Step) (names []string, ok bool) {
	if s.Target.Kind != lint.ChannelTarget || s.Target.Channel == nil || len(s.Target.Source.AsyncAPI.Faults) > 0 {
		return nil, false
	}
	for _, d := range s.Target.Channel.Parameters {
		names = append(names, d.Name)
	}
	for _, at := range inAddress.FindAllStringSubmatch(s.Target.Channel.Address.Value, -1) {
		if !slices.Contains(names, at[1]) {
			names = append(names, at[1])
		}
	}
	return names, true
}

var inAddress = regexp.MustCompile(`\{([^{}]+)\}`)

// checkChannelParametersGiven looks for what the address of a channel needs and the
// step does not give. One that was probably misspelt is told of by its name. A step that
// receives takes messages from any address of the channel that it does not narrow.
func checkChannelParametersGiven(p *lint.Pass, s *lint.Step) {
	if s.Model.Action.Value == string(asyncapi.Receive) {
		return
	}
	names, ok := channelParameters(s)
	if !ok || slices.ContainsFunc(s.Own.Parameters, func(q *lint.Parameter) bool { return q.Model == nil }) {
		return
	}
	for _, d := range s.Target.Channel.Parameters {
		if d.Default.Present() || d.Location != nil || !strings.Contains(s.Target.Channel.Address.Value, "{"+d.Name+"}") {
			continue
		}
		given := slices.ContainsFunc(s.Parameters, func(q *lint.Parameter) bool {
			near, ok := spelling.Nearest(q.Model.Name.Value, []string{d.Name})
			return q.Model.Name.Value == d.Name || ok && near == d.Name && !slices.Contains(names, q.Model.Name.Value)
		})
		if !given {
			p.Reportf(lint.At(s.Target.Ref.Node), "the channel of %s needs the parameter %s, which the step does not give", s.MessageLabel(), quote(d.Name))
		}
	}
}

func checkParameterLocations(p *lint.Pass) {
	checkMessagePlaces(p)
	eachUndeclared(p, func(s *lint.Step, parameter *lint.Parameter, elsewhere []string) {
		if len(elsewhere) == 0 {
			return
		}
		in := parameter.Model.In
		f := lint.Finding{
			At: lint.At(parameter.Written.In.Node, parameter.Written.Reference.Node, parameter.Written.Node),
			Message: fmt.Sprintf("operation %s takes the parameter %s in %s, not in %s", quote(s.Target.Operation.Label()),
				quote(parameter.Model.Name.Value), strings.Join(elsewhere, " or "), in.Value),
		}
		if len(elsewhere) == 1 && parameter.Written.In.Present() && !given(s, parameter.Model.Name.Value, elsewhere[0]) {
			f.Fixes = p.Write(in.Node, elsewhere[0], "write "+elsewhere[0])
		}
		p.Report(f)
	})
}

// eachUndeclared calls found for the parameters of steps that their operations do
// not declare there, with the places in which they do.
func eachUndeclared(p *lint.Pass, found func(s *lint.Step, parameter *lint.Parameter, elsewhere []string)) {
	for _, s := range calls(p) {
		for _, parameter := range s.Own.Parameters {
			m := parameter.Model
			if m == nil || !isText(m.Name) || !slices.Contains(parameterPlaces, m.In.Value) || accepts(s, parameter) {
				continue
			}
			var elsewhere []string
			for _, d := range s.Target.Operation.Params {
				if d.Name == m.Name.Value || d.In == "header" && strings.EqualFold(d.Name, m.Name.Value) {
					elsewhere = append(elsewhere, d.In)
				}
			}
			found(s, parameter, elsewhere)
		}
	}
}

// checkSharedKnown reports a parameter that a workflow has for all of its steps,
// and no operation declares.
func checkSharedKnown(p *lint.Pass, w *lint.Workflow) {
	var called []*lint.Step
	var inputs []string
	for _, s := range w.Steps {
		switch s.Target.Kind {
		case lint.CallTarget:
			called = append(called, s)
		case lint.WorkflowTarget:
			inputs = append(inputs, s.Target.Workflow().Names.Inputs...)
		case lint.NoTarget, lint.ChannelTarget:
			return // it may be for this one
		}
	}
	for _, parameter := range w.Parameters {
		m := parameter.Model
		if len(called) == 0 || m == nil || !isText(m.Name) || !slices.Contains(parameterPlaces, m.In.Value) ||
			slices.Contains(inputs, m.Name.Value) || slices.ContainsFunc(called, func(s *lint.Step) bool { return accepts(s, parameter) }) {
			continue
		}
		p.Reportf(nameOfParameter(parameter), "none of the operations of workflow %s has a %s parameter %s",
			quote(w.ID()), m.In.Value, quote(m.Name.Value))
	}
}

// accepts tells whether the operation of a step takes a parameter, as far as can
// be known.
func accepts(s *lint.Step, parameter *lint.Parameter) bool {
	op, name, in := s.Target.Operation, parameter.Model.Name.Value, parameter.Model.In.Value
	if op.Parameter(name, in) != nil || hiddenPart(s.Target.Source, "parameters") {
		return true
	}
	if e := s.Effect(); e != nil && e.Written != nil && e.Written.Written == parameter.Written {
		return true // the key of the operation
	}
	switch {
	case in == "path":
		return strings.Contains(op.Path, "{"+name+"}") // not declared, but there
	case in == "header" && (isHTTPHeader(name) || isKeyHeader(name)):
		return true
	case in == "query" && isMember(op, name):
		return true
	}
	return isCredential(s.Target.Source, name, in)
}

// isCredential tells whether a security scheme of a description has a parameter of
// that name, or is itself called so.
func isCredential(s *source.Description, name, in string) bool {
	for _, scheme := range s.OpenAPI.Security {
		if scheme.Name == name || scheme.Type == "apiKey" && scheme.In == in && strings.EqualFold(scheme.Key, name) {
			return true
		}
	}
	return false
}

func isKeyHeader(name string) bool {
	_, known := idempotency.KnownHeader(name)
	return known || strings.EqualFold(name, "Repeatability-First-Sent")
}

// isMember tells whether a name in the query may be a member of a declared object,
// which has a parameter for each of its members, or one name[member].
func isMember(op *source.Operation, name string) bool {
	for _, d := range op.Params {
		switch {
		case d.In == "querystring":
			return true
		case d.In != "query":
		case strings.HasPrefix(name, d.Name+"["):
			return true
		case d.Explode && d.Style == "form" && mayBeObject(op, d):
			return true
		}
	}
	return false
}

func mayBeObject(op *source.Operation, d *source.Parameter) bool {
	return d.Schema != nil && lint.DescribedSchema(check.ParameterSchema(op, d)).Types().Has(reason.Object)
}

// declaredIn lists the parameters that an operation declares in a place.
func declaredIn(op *source.Operation, in string) []string {
	var names []string
	for _, d := range op.Params {
		if d.In == in {
			names = append(names, d.Name)
		}
	}
	return names
}

func checkParametersRequired(p *lint.Pass) {
	checkHeadersGiven(p)
	for _, s := range calls(p) {
		if slices.ContainsFunc(s.Own.Parameters, func(q *lint.Parameter) bool { return q.Model == nil }) {
			continue // a reference that leads nowhere may be the one
		}
		for _, d := range s.Target.Operation.Params {
			if !d.Required || isGiven(s, d) || isPlaceless(s.Workflow, d.Name) {
				continue
			}
			f := lint.Finding{
				At:      lint.At(s.Target.Ref.Node),
				Message: fmt.Sprintf("operation %s requires the %s parameter %s, which the step does not give", quote(s.Target.Operation.Label()), d.In, quote(d.Name)),
			}
			if d.In != "path" {
				f.Severity = unlessRefusalExpected(s)
			}
			p.Report(f)
		}
	}
	for _, s := range p.Steps() {
		checkChannelParametersGiven(p, s)
	}
}

// isGiven tells whether a required parameter comes from somewhere: the step gives
// it, if in the wrong place or misspelt; the server has a default; it is a credential or a
// key, which are added to the request.
func isGiven(s *lint.Step, d *source.Parameter) bool {
	if d.Schema != nil && d.Schema.Default != nil {
		return true
	}
	if isCredential(s.Target.Source, d.Name, d.In) || d.In == "header" && isKeyHeader(d.Name) {
		return true
	}
	for _, q := range s.Parameters {
		name, in := q.Model.Name.Value, q.Model.In.Value
		switch {
		case name == d.Name, d.In == "header" && strings.EqualFold(name, d.Name), in == d.In && isMisspelt(s.Target.Operation, name, d):
			return true
		case d.In == "query" && (in == "querystring" || strings.HasPrefix(name, d.Name+"[")):
			return true
		}
	}
	return d.In == "query" && d.Explode && mayBeObject(s.Target.Operation, d)
}

// isMisspelt tells whether a name that an operation does not declare was probably
// meant as that of a parameter: then the name is what is reported.
func isMisspelt(op *source.Operation, name string, d *source.Parameter) bool {
	near, ok := spelling.Nearest(name, []string{d.Name})
	return (ok && near == d.Name || strings.EqualFold(name, d.Name)) && op.Parameter(name, d.In) == nil
}

// given tells whether a step gives a parameter in a place.
func given(s *lint.Step, name, in string) bool {
	return slices.ContainsFunc(s.Parameters, func(q *lint.Parameter) bool {
		return q.Model.Name.Value == name && q.Model.In.Value == in
	})
}

// declared gives the parameters of a step that its operation declares, each with
// its description.
func declared(s *lint.Step, found func(*lint.Parameter, *source.Parameter)) {
	for _, q := range s.Parameters {
		if q.Value == nil || len(q.Value.Faults) > 0 {
			continue
		}
		if d := s.Target.Operation.Parameter(q.Model.Name.Value, q.Model.In.Value); d != nil {
			found(q, d)
		}
	}
}
