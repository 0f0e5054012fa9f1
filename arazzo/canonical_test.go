package arazzo

import "testing"

func TestWholeNumbers(t *testing.T) {
	for s, want := range map[string]bool{
		"0": true, "5": true, "-5": true, "5.0": true, "5.5": false, "5e3": true, "5e-1": false, "50e-1": true,
		"0.5e1": true, "0.05e1": false, "0e-9": true, "0.0": true, "1E+2": true, "1e99999999999999999999": true, "1e-99999999999999999999": false,
	} {
		if got := isWhole(s); got != want {
			t.Errorf("%s: got %v", s, got)
		}
	}
}

func TestNegativeNumbers(t *testing.T) {
	for s, want := range map[string]bool{"0": false, "-0": false, "-0.0e5": false, "-1": true, "-0.1": true, "1e-5": false, "-1e-5": true} {
		if got := isNegative(s); got != want {
			t.Errorf("%s: got %v", s, got)
		}
	}
}
