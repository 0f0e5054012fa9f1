package lint

import "testing"

func TestUnknownOutcomesOfEdges(t *testing.T) {
	for _, c := range []struct{ name, criteria, want string }{
		{"none", "", "408, 500-599, no response"},
		{"statuses", "{condition: $statusCode >= 500}", "500-599"},
		{"refusals", "{condition: $statusCode >= 400 && $statusCode < 408}", "never"},
		{"a body", "{condition: $response.body#/a == 'b'}", "never"},
		{"a body that may be missing", "{condition: $response.body#/a == null}", "no response"},
		{"a status and a body", "{condition: $statusCode == 500}, {condition: $response.body#/a == 'b'}", "500"},
		{"503", "{condition: $statusCode == 503}", "503"},
		{"503 with Retry-After", "{condition: $statusCode == 503}, {condition: $response.header.Retry-After != null}", "never"},
		{"503 with Retry-After, as a bare value", "{condition: $statusCode == 503 && $response.header.Retry-After}", "never"},
		{"503 with a number of seconds", "{condition: $statusCode == 503 && $response.header.retry-after < 10}", "never"},
		{"503 without Retry-After", "{condition: '$statusCode == 503 && !($response.header.Retry-After != null)'}", "503"},
		{"503 with another header", "{condition: $statusCode == 503 && $response.header.X-Wait != null}", "503"},
		{"503 by a pattern on Retry-After", "{condition: $statusCode == 503}, {context: $response.header.Retry-After, condition: '^[0-9]+$', type: regex}", "never"},
		{"statuses by a pattern", "{context: $statusCode, condition: '^5', type: regex}", "500-599"},
	} {
		t.Run(c.name, func(t *testing.T) {
			action := "{name: a, type: retry"
			if c.criteria != "" {
				action += ", criteria: [" + c.criteria + "]"
			}
			w := loaded(t, "      - {stepId: s, operationId: createTransfer, "+body+", onFailure: ["+action+"}]}\n", nil)
			for _, e := range w.Flow().Edges(w.Steps[0]) {
				if e.Kind == Retry && e.Unknown().String() != c.want {
					t.Errorf("got %s, want %s", e.Unknown(), c.want)
				}
			}
		})
	}
}

func TestEdgesWithoutAMessage(t *testing.T) {
	for _, c := range []struct {
		name, actions string
		want          bool // whether the step fails when no message comes
	}{
		{"no action", "", true},
		{"one for a message", "{name: a, type: goto, stepId: t, criteria: [{condition: $message.payload#/status == 'FAILED'}]}", true},
		{"one for any failure", "{name: a, type: goto, stepId: t}", false},
		{"one for no message", "{name: a, type: goto, stepId: t, criteria: [{condition: $message.payload == null}]}", false},
		{"one that cannot be known", "{name: a, type: goto, stepId: t, criteria: [{condition: $inputs.reference == 'x'}]}", false},
		{"a retry", "{name: a, type: retry}", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := loaded(t, "      - {stepId: s, operationId: chargeChanged, action: receive, correlationId: $inputs.reference, onFailure: ["+c.actions+"]}\n"+
				"      - {stepId: t, operationId: newKey}\n", nil)
			fails := false
			for _, e := range w.Flow().Edges(w.Steps[0]) {
				fails = fails || e.Kind == Fail && e.WithoutMessage()
			}
			if fails != c.want {
				t.Errorf("got %t, want %t", fails, c.want)
			}
		})
	}
}
