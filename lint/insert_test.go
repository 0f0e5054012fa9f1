package lint

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestAHeaderIsAddedInTheWayOfTheFile(t *testing.T) {
	const head = "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: a, url: a.yaml}]\nworkflows:\n  - workflowId: w\n    steps:\n"
	const want = `{"name":"Key","in":"header","value":"a-{$inputs.b}"}`
	for name, text := range map[string]string{
		"no parameters":             head + "      - stepId: s\n        operationId: o\n        timeout: 1 # ms\n",
		"the target is last":        head + "      - stepId: s\n        operationId: o\n",
		"the target is alone":       head + "      - operationId: o\n",
		"before the body":           head + "      - stepId: s\n        operationId: o\n        outputs: {a: $url}\n        requestBody: {payload: 1}\n",
		"a list":                    head + "      - stepId: s\n        operationId: o\n        parameters: # these\n          - name: a\n            in: query\n            value: 1\n",
		"a list at the same column": head + "      - stepId: s\n        operationId: o\n        parameters:\n        - {name: a, in: query, value: 1}\n",
		"a list with wide dashes":   head + "      - stepId: s\n        operationId: o\n        parameters:\n          -   name: a\n              in: query\n              value: 1\n",
		"a list between brackets":   head + "      - stepId: s\n        operationId: o\n        parameters: [ {name: a, in: query, value: 1} ]\n",
		"a step between brackets":   head + "      - {stepId: s, operationId: o, timeout: 1}\n",
		"JSON":                      `{"arazzo": "1.1.0", "info": {"title": "t", "version": "1"}, "sourceDescriptions": [{"name": "a", "url": "a.yaml"}], "workflows": [{"workflowId": "w", "steps": [{"stepId": "s", "operationId": "o"}]}]}`,
		"JSON with a list":          `{"arazzo": "1.1.0", "workflows": [{"workflowId": "w", "steps": [{"stepId": "s", "parameters": [{"name": "a", "in": "query", "value": 1}], "operationId": "o"}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := documentOf(t, text)
			fixes := before.AddHeader(before.Workflows[0].Steps[0], "Key", "a-{$inputs.b}", "add it")
			if len(fixes) != 1 || len(fixes[0].Edits) != 1 {
				t.Fatalf("there is no fix in\n%s", text)
			}
			e := fixes[0].Edits[0]
			changed := text[:e.Span.Start.Offset] + e.Text + text[e.Span.End.Offset:]
			after := documentOf(t, changed).Model.Node.Lookup(value.Pointer{"workflows", "0", "steps", "0"})
			if got := after.Get("parameters").Items[0].Value().String(); got != want {
				t.Errorf("got %s in\n%s", got, changed)
			}
			for _, m := range before.Workflows[0].Steps[0].Model.Node.Members {
				if m.Key.Text != "parameters" && !value.Identical(m.Value.Value(), after.Get(m.Key.Text).Value()) {
					t.Errorf("%s is another in\n%s", m.Key.Text, changed)
				}
			}
			if strings.Count(changed, "#") != strings.Count(text, "#") {
				t.Errorf("a comment is lost in\n%s", changed)
			}
		})
	}
	for _, end := range []string{"\r\n", "\r"} {
		text := strings.ReplaceAll(head+"      - stepId: s\n        operationId: o\n        timeout: 1\n", "\n", end)
		d := documentOf(t, text)
		added := d.AddHeader(d.Workflows[0].Steps[0], "Key", "a", "add it")[0].Edits[0].Text
		if left := strings.ReplaceAll(added, end, ""); strings.ContainsAny(left, "\r\n") || left == added {
			t.Errorf("lines end in %q, what is added is %q", end, added)
		}
	}
	for name, text := range map[string]string{
		"an anchor":     head + "      - stepId: s\n        operationId: o\n        parameters:\n          - &a\n            name: a\n            in: query\n            value: 1\n",
		"an alias":      strings.Replace(head, "    steps:", "    parameters: &p [{name: a, in: query, value: 1}]\n    steps:", 1) + "      - stepId: s\n        operationId: o\n        parameters: *p\n",
		"an empty list": head + "      - stepId: s\n        operationId: o\n        parameters: []\n",
	} {
		d := documentOf(t, text)
		if fixes := d.AddHeader(d.Workflows[0].Steps[0], "Key", "a", "add it"); fixes != nil {
			t.Errorf("%s: there is a fix: %+v", name, fixes)
		}
	}
}
