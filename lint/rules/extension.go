package rules

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
)

// extensionRules are about fields of Weft's own that do nothing where they stand.
func extensionRules() []lint.Rule {
	return []lint.Rule{{
		Name: "extension-idle", Layer: lint.Semantics, Severity: lint.Warn,
		Summary: "An x-weft- field stands where it has no effect.",
		Why: "The field may stand there by its form, but says something of calls on a step that receives, of messages on a step " +
			"that calls, or of waits on an action that repeats nothing. Whoever wrote it expects an effect that it does not have.",
		Avoid:  "- stepId: pay\n  workflowId: payOrder\n  x-weft-idempotency: {key: $inputs.reference}\n",
		Prefer: "- workflowId: payOrder\n  x-weft-idempotency: {key: $inputs.reference}\n",
		Check:  checkIdleExtensions,
	}}
}

var (
	callExtensions    = []string{"x-weft-effect", "x-weft-idempotency"}
	messageExtensions = []string{"x-weft-correlation", "x-weft-message-id", "x-weft-on-duplicate"}
	retryExtensions   = []string{"x-weft-backoff", "x-weft-unsafe-retry"}
)

func checkIdleExtensions(p *lint.Pass) {
	for _, s := range p.Steps() {
		switch {
		case s.Target.Kind == lint.NoTarget:
		case s.Receives():
			reportIdle(p, s.Model.Node, callExtensions, "the step receives, it calls nothing")
		case s.Target.Kind == lint.WorkflowTarget:
			reportIdle(p, s.Model.Node, callExtensions, "the step calls a workflow: say it there")
			reportIdle(p, s.Model.Node, messageExtensions, "the step receives nothing")
		case s.Target.Kind == lint.ChannelTarget && s.Model.Node.Get("action") == nil: // it may be meant to
		default:
			reportIdle(p, s.Model.Node, messageExtensions, "the step receives nothing")
		}
	}
	seen := make(map[*arazzo.Action]bool)
	for _, a := range p.Actions() {
		if a.Model == nil || seen[a.Model] {
			continue
		}
		seen[a.Model] = true
		switch {
		case a.Type() == "end" || a.Type() == "goto":
			reportIdle(p, a.Model.Node, retryExtensions, "the action is no retry")
		case a.Type() == "retry" && isZero(a.Model.RetryAfter):
			reportIdle(p, a.Model.Node, retryExtensions[:1], "without retryAfter each wait is 0, whatever it is multiplied by")
		}
	}
	for _, w := range p.Workflows {
		checkIdleCallbacks(p, w)
	}
}

func isZero(n arazzo.Number) bool {
	for _, digit := range n.Raw {
		if digit >= '1' && digit <= '9' {
			return false
		}
	}
	return true
}

// reportIdle reports the fields of an object that do nothing there.
func reportIdle(p *lint.Pass, object *arazzo.Node, fields []string, why string) {
	for _, name := range fields {
		if field := object.Get(name); field != nil {
			p.Reportf(lint.Name(field), "%s has no effect here: %s", name, why)
		}
	}
}

// checkIdleCallbacks reports x-weft-callback where it fills no input: in the schema of
// a part of one.
func checkIdleCallbacks(p *lint.Pass, w *lint.Workflow) {
	fills := make(map[*arazzo.Node]bool)
	for _, c := range p.Model.Callbacks(w.Model) {
		fills[c.Step] = true
	}
	var look func(n *arazzo.Node)
	look = func(n *arazzo.Node) {
		if n == nil {
			return
		}
		for _, m := range n.Members {
			if m.Key.Text == "x-weft-callback" && !fills[m.Value] {
				p.Reportf(lint.Name(m.Value), "x-weft-callback has no effect here: it fills inputs, this is the schema of something else")
				continue
			}
			look(m.Value)
		}
		for _, item := range n.Items {
			look(item)
		}
	}
	look(w.Model.Inputs)
}
