package config

import "testing"

// TestVariablesThatAreNotSetAreAFaultOfTheirOwn holds that one who needs no
// credentials can tell such faults apart, and that they bring no others along.
func TestVariablesThatAreNotSetAreAFaultOfTheirOwn(t *testing.T) {
	for _, text := range append(examples(t), "lint:\n  rules:\n    a: {words: [b, '${ENV:WEFT_TEST_UNSET}']}\n") {
		_, faults := parse("weft.yaml", []byte(text))
		for _, f := range faults {
			if !f.Unset {
				t.Errorf("%v in\n%s", f, text)
			}
		}
	}
	_, faults := parse("weft.yaml", []byte("run: {tenant: '${ENV:'}\nlint: {rules: {a: no}}\n"))
	if len(faults) != 2 || faults[0].Unset || faults[1].Unset {
		t.Errorf("other faults: %+v", faults)
	}
	_, faults = parse("weft.yaml", []byte("run: {tenant: '${ENV:WEFT_TEST_UNSET}'}\n"))
	if len(faults) != 1 || !faults[0].Unset {
		t.Errorf("one variable: %+v", faults)
	}
}
