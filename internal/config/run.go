package config

import "github.com/weft-flow/weft/arazzo"

func (r *reader) run(n *arazzo.Node) (run Run) {
	r.object(n, "run", []field{
		{name: "server", read: setting(r, &run.Server, r.server)},
		{name: "stepTimeout", read: setting(r, &run.StepTimeout, r.positive)},
		{name: "timeout", read: setting(r, &run.Timeout, r.positive)},
		{name: "maxSteps", read: setting(r, &run.MaxSteps, r.count)},
		{name: "jitter", read: setting(r, &run.Jitter, r.duration)},
		{name: "maxBody", read: setting(r, &run.MaxBody, r.size)},
		{name: "contract", read: setting(r, &run.Contract, oneOf(r, "error", "warn", "off"))},
		{name: "unsafeRetry", read: setting(r, &run.UnsafeRetry, oneOf(r, "deny", "allow"))},
		{name: "failOn", read: setting(r, &run.FailOn, oneOf(r, "failed", "recovered"))},
		{name: "tenant", read: setting(r, &run.Tenant, r.text)},
		{name: "listen", read: setting(r, &run.Listen, r.text)},
		{name: "callbackUrl", read: setting(r, &run.CallbackURL, r.server)},
		{name: "linger", read: setting(r, &run.Linger, r.duration)},
	})
	return run
}
