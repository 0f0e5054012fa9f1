package lint

import (
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
)

// Outcomes says how the attempt has come out when the site is evaluated, as far
// as criteria let this be known; Never where no call has come before.
func (s Site) Outcomes() Outcomes {
	if s.Step == nil || !s.Kind.AfterCall() {
		return Never
	}
	success := s.Step.Workflow.Flow().Success(s.Step)
	switch {
	case s.Kind == InCriterion:
		return s.Step.judged().May.Minus(NoResponse)
	case s.Action == nil:
		return success.May
	case s.Action.Kind == arazzo.KindSuccessActions:
		return success.May.Intersect(s.Action.judged().May)
	default:
		return success.Must.Complement().Intersect(s.Action.judged().May)
	}
}

// Responses gives those of the operation's responses that can have come when the
// site is evaluated; none where that cannot be known.
func (s Site) Responses() []*source.Response {
	if s.Step == nil || s.Step.Target.Kind != CallTarget {
		return nil
	}
	return ResponsesUnder(s.Step.Target.Operation, s.Outcomes())
}

// ResponsesUnder gives the responses that an operation describes for some of the
// outcomes.
func ResponsesUnder(op *source.Operation, o Outcomes) []*source.Response {
	var all []*source.Response
	for _, r := range op.Responses {
		if Described(op, r).Meets(o) {
			all = append(all, r)
		}
	}
	return all
}

// Described gives the statuses that a response of an operation is described for:
// an exact one goes before its range, and both before the default.
func Described(op *source.Operation, r *source.Response) Outcomes {
	statuses := statusesOf(r.Status)
	if n, err := strconv.Atoi(r.Status); err == nil {
		return Status(n)
	}
	for _, other := range op.Responses {
		if o := statusesOf(other.Status); other != r && o.Count() < statuses.Count() {
			statuses = statuses.Minus(o)
		}
	}
	return statuses
}

// statusesOf reads a key of responses: 404, 4XX or default.
func statusesOf(key string) Outcomes {
	if key == "default" {
		return AnyStatus
	}
	if n, err := strconv.Atoi(key); err == nil {
		return Status(n)
	}
	if len(key) == 3 && strings.EqualFold(key[1:], "xx") && key[0] >= '1' && key[0] <= '5' {
		from := int(key[0]-'0') * 100
		return Statuses(from, from+99)
	}
	return Never
}
