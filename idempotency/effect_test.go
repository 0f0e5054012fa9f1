package idempotency

import "testing"

func TestWordsEffectful(t *testing.T) {
	tests := []struct {
		method, marked string
		want           bool
	}{
		{"POST", "", true},
		{"PATCH", "", true},
		{"post", "", true},
		{MethodSend, "", true},
		{"GET", "", false},
		{"HEAD", "", false},
		{"OPTIONS", "", false},
		{"TRACE", "", false},
		{"QUERY", "", false},
		{"PUT", "", false},
		{"DELETE", "", false},
		{"POST", MarkRead, false},
		{"PATCH", MarkIdempotent, false},
		{"GET", MarkEffect, true},
		{"PUT", MarkEffect, true},
		{"POST", "no such mark", true},
		{"TRANSFER", "", true},
		{"TRANSFER", MarkRead, false},
		{"", "", true},
	}
	for _, test := range tests {
		if got := Effectful(test.method, test.marked); got != test.want {
			t.Errorf("Effectful(%q, %q) = %v, want %v", test.method, test.marked, got, test.want)
		}
	}
}

func TestWordsUnsafeToRepeat(t *testing.T) {
	for _, effectful := range []bool{false, true} {
		for _, contract := range []bool{false, true} {
			want := effectful && !contract
			if got := UnsafeToRepeat(effectful, contract); got != want {
				t.Errorf("UnsafeToRepeat(%v, %v) = %v, want %v", effectful, contract, got, want)
			}
		}
	}
}
