package lint

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/idempotency"
)

const moneyHead = `arazzo: 1.1.0
info: {title: Money, version: 1.0.0}
sourceDescriptions: [{name: money, url: money.openapi.yaml, type: openapi}]
workflows:
  - workflowId: w
    inputs: {type: object, properties: {reference: {type: string}, amount: {type: string}, chargeId: {type: string}}}
    steps:
`

// loaded resolves a workflow with the given steps on rules/testdata/money.openapi.yaml.
func loaded(t *testing.T, steps string, apis map[string]API) *Workflow {
	t.Helper()
	text := []byte(moneyHead + steps)
	model, faults := arazzo.Parse("money", text)
	if model == nil || len(faults) > 0 {
		t.Fatal(faults)
	}
	location, err := source.Locate("rules/testdata/money.arazzo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	set, problems := source.NewLoader(source.Options{Offline: true}).Load(context.Background(), model, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return newDocument(set, text, apis).Workflows[0]
}

const body = "requestBody: {payload: {reference: $inputs.reference, amount: $inputs.amount}}"

// TestKeyOfTheDocument holds that what the document says of keys counts where neither the
// step nor its workflow says it.
func TestKeyOfTheDocument(t *testing.T) {
	for _, test := range []struct{ name, more, step, want string }{
		{"of the document", "x-weft-idempotency: {key: $inputs.reference}\n", "{stepId: s, operationId: createCharge}", "$inputs.reference"},
		{"of the step", "x-weft-idempotency: {key: $inputs.reference}\n", "{stepId: s, operationId: createCharge, x-weft-idempotency: {key: $inputs.chargeId}}", "$inputs.chargeId"},
		{"none", "", "{stepId: s, operationId: createCharge}", ""},
	} {
		effect := loaded(t, "      - "+test.step+"\n"+test.more, nil).Steps[0].Effect()
		got := ""
		if effect.Business != nil {
			got = effect.Business.Node.Text
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestEffects(t *testing.T) {
	for _, c := range []struct {
		name, step string
		apis       map[string]API

		effectful, contract, unsafe, byWeft, reads bool
	}{
		{name: "a POST", step: "{stepId: s, operationId: createTransfer, " + body + "}", effectful: true, unsafe: true},
		{name: "a POST that reads", step: "{stepId: s, operationId: createTransfer, x-weft-effect: read, " + body + "}", reads: true},
		{name: "a POST that may be repeated", step: "{stepId: s, operationId: createTransfer, x-weft-effect: idempotent, " + body + "}"},
		{name: "a POST that reads by configuration", step: "{stepId: s, operationId: createTransfer, " + body + "}",
			apis: map[string]API{"money": {Effects: map[string]string{"createTransfer": "idempotent"}}}},
		{name: "a GET", step: "{stepId: s, operationId: newKey}", reads: true},
		{name: "a GET that makes something", step: "{stepId: s, operationId: newKey, x-weft-effect: effect}", effectful: true, unsafe: true},
		{name: "a declared header", step: "{stepId: s, operationId: createCharge, " + body + "}", effectful: true, contract: true, byWeft: true},
		{name: "a declared header, written", step: "{stepId: s, operationId: createCharge, parameters: [{name: idempotency-key, in: header, value: $inputs.reference}], " + body + "}", effectful: true, contract: true},
		{name: "a declared header, switched off", step: "{stepId: s, operationId: createCharge, x-weft-idempotency: off, " + body + "}", effectful: true, unsafe: true},
		{name: "a header that is not declared", step: "{stepId: s, operationId: createTransfer, parameters: [{name: Idempotency-Key, in: header, value: $inputs.reference}], " + body + "}", effectful: true, unsafe: true},
		{name: "a header that the step names", step: "{stepId: s, operationId: createTransfer, x-weft-idempotency: {header: X-Once}, " + body + "}", effectful: true, contract: true},
		{name: "a header that a profile names", step: "{stepId: s, operationId: createTransfer, " + body + "}", effectful: true, contract: true,
			apis: map[string]API{"money": {Profile: &idempotency.Profile{Dialect: idempotency.Plain("X-Once")}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := loaded(t, "      - "+c.step+"\n", c.apis).Steps[0].Effect()
			got := []bool{e.Effectful, e.Plan.Contract, e.Unsafe(), e.ByWeftAlone(), e.Reads()}
			want := []bool{c.effectful, c.contract, c.unsafe, c.byWeft, c.reads}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("effectful, contract, unsafe, by Weft alone, reads (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnknownOutcomesFollowTheProfile(t *testing.T) {
	step := "      - {stepId: s, operationId: createTransfer, " + body + "}\n"
	if got, want := loaded(t, step, nil).Steps[0].Effect().Unknown().String(), "408, 500-599, no response"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	apis := map[string]API{"money": {Profile: &idempotency.Profile{Statuses: map[int]idempotency.Class{500: idempotency.Rejected, 422: idempotency.Unknown}}}}
	if got, want := loaded(t, step, apis).Steps[0].Effect().Unknown().String(), "408, 422, 501-599, no response"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStepsWithoutAnEffectOfTheirOwn(t *testing.T) {
	w := loaded(t, "      - {stepId: r, operationId: chargeChanged, action: receive, correlationId: $inputs.reference}\n"+
		"      - {stepId: c, workflowId: w}\n      - {stepId: n, operationId: nothing}\n", nil)
	for _, s := range w.Steps {
		if e := s.Effect(); e != nil || e.Unsafe() || e.ByWeftAlone() || e.Reads() {
			t.Errorf("step %s has the effect %+v", s.ID(), e)
		}
	}
}
