package arazzo

import (
	"strings"
	"testing"
)

func parseFixture(t testing.TB, name string) *Document {
	t.Helper()
	d, faults := Parse(name, fixture(t, name))
	for _, f := range faults {
		t.Errorf("%s: %v", name, f.Error())
	}
	return d
}

func TestTheWholeModelIsRead(t *testing.T) {
	d := parseFixture(t, "orders-1.1.yaml")
	w := d.Workflow("placeOrder")
	create, await, check := w.Step("create"), w.Step("await"), w.Step("check")
	for name, got := range map[string]string{
		"orders-1.1.yaml": d.File,
		"1.1.0":           d.Arazzo.Value,
		"https://example.com/flows/orders.arazzo.yaml":              d.Self.Value,
		"The order is placed and paid, then the parcel is awaited.": d.Info.Description.Value,
		"asyncapi":                              d.Sources[1].Type.Value,
		"NEW":                                   d.States.Initial.Value,
		"PAID CANCELLED":                        values(d.States.Terminal),
		"CANCELLED":                             d.States.Transitions[0].To[1].Value,
		"Idempotency-Key":                       d.Idempotency.Header.Value,
		"$inputs.orderId":                       d.Idempotency.Key.Value,
		"Places the order.\n\nThen pays it.\n":  w.Description.Value,
		"$sourceDescriptions.login_flows.login": w.DependsOn[0].Value,
		"$components.parameters.trace":          w.Parameters[0].Reference.Value,
		"abc":                                   w.Parameters[0].Value.Text,
		"7":                                     w.Parameters[1].Value.Text,
		"$sourceDescriptions.shop.createOrder":  create.OperationID.Value,
		"querystring":                           create.Parameters[0].In.Value,
		"9007199254740993":                      create.RequestBody.Payload.Get("big").Text,
		"10.10":                                 create.RequestBody.Payload.Get("price").Text,
		"jsonpath":                              create.RequestBody.Replacements[1].TargetType.Type,
		"xpath-10":                              create.RequestBody.Replacements[2].TargetType.Version,
		"draft-goessner-dispatch-jsonpath-00":   create.SuccessCriteria[2].Type.Version,
		"$[?@.ok == true]":                      create.SuccessCriteria[1].Condition.Value,
		"5000":                                  create.Timeout.Raw,
		"$components.successActions.finish":     create.OnSuccess[0].Reference.Value,
		"await":                                 create.OnSuccess[1].StepID.Value,
		"$statusCode == 201":                    create.OnSuccess[1].Criteria[0].Condition.Value,
		"1.5":                                   create.OnFailure[0].RetryAfter.Raw,
		"3":                                     create.OnFailure[0].RetryLimit.Raw,
		"2":                                     create.OnFailure[0].Backoff.Factor.Raw,
		"30":                                    create.OnFailure[0].Backoff.Max.Raw,
		"id":                                    create.OnFailure[1].Parameters[0].Name.Value,
		"first":                                 create.Outputs[1].Name.Value,
		"effect":                                create.Effect.Value,
		"payments team":                         create.Owner.Value,
		"receive":                               await.Action.Value,
		"$steps.create.outputs.id":              await.CorrelationID.Text,
		"create":                                await.DependsOn[0].Value,
		"$message.payload#/orderId":             await.Correlation.Value,
		"$message.header.id":                    await.MessageID.Value,
		"ignore":                                await.OnDuplicate.Value,
		"$message.payload#/status":              await.State.Value.Value,
		"LOST":                                  await.State.Map[1].Name.Value,
		"{$sourceDescriptions.shop.url}#/paths/~1orders~1{id}/get": check.OperationPath.Value,
		"read":    check.Effect.Value,
		"refund":  w.Step("pay").WorkflowID.Value,
		"stop":    w.FailureActions[0].Name.Value,
		"undo":    w.OnCancel[0].Name.Value,
		"order":   d.Components.Inputs[0].Name.Value,
		"X-Trace": d.Components.Parameters[0].Value.Name.Value,
		"done":    d.Components.SuccessActions[0].Value.Name.Value,
		"giveUp":  d.Components.FailureActions[0].Name.Value,
	} {
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
	if d.Version != Version11 || !create.Idempotency.Off || !create.OnFailure[0].UnsafeRetry.Value || check.RequeryOf.Value != "create" {
		t.Errorf("version %v, idempotency %+v, retry %+v, requery %+v", d.Version, create.Idempotency, create.OnFailure[0], check.RequeryOf)
	}
}

func values(texts []Text) string {
	var list []string
	for _, t := range texts {
		list = append(list, t.Value)
	}
	return strings.Join(list, " ")
}

func TestJSONGivesTheSameModel(t *testing.T) {
	d := parseFixture(t, "list-1.0.json")
	if d.Version != Version10 || d.Info.Title.Value != "Jäger 😀 a/b" || d.Sources[0].URL.Value != "https://example.com/shop.json" {
		t.Errorf("got version %v, title %q, url %q", d.Version, d.Info.Title.Value, d.Sources[0].URL.Value)
	}
	if got := d.Workflow("w").Step("s").SuccessCriteria[0].Type.Version; got != "draft-goessner-dispatch-jsonpath-00" {
		t.Errorf("got %q", got)
	}
}

func TestWhatCanBeReadIsRead(t *testing.T) {
	for _, c := range []struct {
		source  string
		version Version
	}{
		{strings.Replace(step("1.1.0"), "1.1.0", "9.9.9", 1), VersionUnknown},
		{strings.Replace(step("1.1.0"), "1.1.0", "1.1", 1), Version11},
		{step("1.0.0", "foo: bar", "timeout: x"), Version10},
	} {
		d, faults := Parse("x.yaml", []byte(c.source))
		if len(faults) == 0 || d == nil || d.Version != c.version || d.Workflow("w").Step("a").OperationID.Value != "b" {
			t.Errorf("%.20s: got %+v, %v", c.source, d, faults)
		}
	}
}

func TestNoDocument(t *testing.T) {
	for _, source := range []string{"", "a: b: c", "&a [*a]"} {
		if d, faults := Parse("x.yaml", []byte(source)); d != nil || len(faults) != 1 {
			t.Errorf("%q: got %v, %v", source, d, faults)
		}
	}
}
