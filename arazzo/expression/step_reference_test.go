package expression

import "testing"

func TestParseStepReference(t *testing.T) {
	names := &Names{Workflows: []string{"my flow"}}
	for text, want := range map[string]StepReference{
		"pay":                                  {Step: "pay"},
		"a step.x":                             {Step: "a step.x"},
		"$workflows.w.steps.pay":               {Workflow: "w", Step: "pay"},
		"$workflows.my flow.steps.pay":         {Workflow: "my flow", Step: "pay"},
		"$sourceDescriptions.shop.w.steps.pay": {Source: "shop", Workflow: "w", Step: "pay"},
		"$workflows.w.steps.a.b":               {Workflow: "w", Step: "a.b"},
	} {
		if got, err := ParseStepReference(text, names); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	for text, offset := range map[string]int{
		"": 0, "$steps.pay": 0, "$workflows.": 11, "$workflows.w": 12, "$workflows.w.outputs.x": 12,
		"$workflows.w.steps.": 19, "$sourceDescriptions.shop": 24, "$sourceDescriptions.shop.": 25,
		"$sourceDescriptions.shop.w.outputs": 26,
	} {
		_, err := ParseStepReference(text, names)
		wantOffset(t, text, err, offset)
	}
}
