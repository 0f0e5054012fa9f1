package idempotency

import (
	"testing"
	"time"
)

type attempt struct {
	class   Class
	settles bool
}

func TestStatement10ClassOfAnOperation(t *testing.T) {
	unkeyed := func(c Class) attempt { return attempt{c, false} }
	keyed := func(c Class) attempt { return attempt{c, true} }
	tests := []struct {
		name     string
		attempts []attempt
		want     Class // effectful
		harmless Class // not effectful
	}{
		{"none", nil, "", ""},
		{"one that succeeded", []attempt{unkeyed(Succeeded)}, Succeeded, Succeeded},
		{"refused, then succeeded", []attempt{unkeyed(Rejected), unkeyed(Succeeded)}, Succeeded, Succeeded},
		{"deferred, then refused", []attempt{unkeyed(Deferred), unkeyed(Rejected)}, Rejected, Rejected},
		{"unknown", []attempt{unkeyed(Unknown)}, Unknown, Unknown},
		{"unknown, then not sent", []attempt{unkeyed(Unknown), unkeyed(NotSent)}, Unknown, NotSent},
		{"unknown, then not processed", []attempt{unkeyed(Unknown), unkeyed(NotProcessed)}, Unknown, NotProcessed},
		{"unknown, then rejected", []attempt{unkeyed(Unknown), unkeyed(Rejected)}, Unknown, Rejected},
		{"unknown, then deferred", []attempt{unkeyed(Unknown), unkeyed(Deferred)}, Unknown, Deferred},
		{"unknown, then a success without its key", []attempt{unkeyed(Unknown), unkeyed(Succeeded)}, Unknown, Succeeded},
		{"unknown, then a success under its key", []attempt{unkeyed(Unknown), keyed(Succeeded)}, Succeeded, Succeeded},
		{"unknown, then rejected under its key", []attempt{unkeyed(Unknown), keyed(Rejected)}, Rejected, Rejected},
		{"unknown, then not sent under its key", []attempt{unkeyed(Unknown), keyed(NotSent)}, Unknown, NotSent},
		{"unknown, then deferred under its key", []attempt{unkeyed(Unknown), keyed(Deferred)}, Unknown, Deferred},
		{"unknown, then unknown under its key", []attempt{unkeyed(Unknown), keyed(Unknown)}, Unknown, Unknown},
		{"unknown, not sent, then a success under its key", []attempt{keyed(Unknown), keyed(NotSent), keyed(Succeeded)}, Succeeded, Succeeded},
		{"refused, then unknown", []attempt{unkeyed(Rejected), unkeyed(Unknown)}, Unknown, Unknown},
		{"succeeded, then not sent", []attempt{unkeyed(Succeeded), unkeyed(NotSent)}, Succeeded, NotSent},
		{"succeeded, then rejected under its key", []attempt{keyed(Succeeded), keyed(Rejected)}, Succeeded, Rejected},
		{"succeeded, then unknown", []attempt{unkeyed(Succeeded), unkeyed(Unknown)}, Unknown, Unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, effectful := range []bool{true, false} {
				o, want := Operation{Effectful: effectful}, test.harmless
				if effectful {
					want = test.want
				}
				for _, a := range test.attempts {
					o = o.After(a.class, a.settles, string(a.class))
				}
				if o.Class != want || o.Reason != string(want) {
					t.Errorf("effectful %v: %+v, want %s", effectful, o, want)
				}
				if settled := want != Unknown || !effectful; o.Settled() != settled {
					t.Errorf("effectful %v: Settled() = %v, want %v", effectful, o.Settled(), settled)
				}
			}
		})
	}
}

func TestStatement10ARequeryOrAnOperatorSettles(t *testing.T) {
	o := Operation{Effectful: true}.After(Unknown, false, "timeout")
	o = o.SettledBy("the step requery", Succeeded)
	if !o.Settled() || o.Class != Succeeded || o.Reason != "the step requery" {
		t.Errorf("%+v", o)
	}
}

func TestStatement12AKeyInFlightIsUnknownWhenNothingElseIsTried(t *testing.T) {
	tests := []struct {
		name      string
		effectful bool
		class     Class
		inFlight  bool
		want      Class
	}{
		{"in flight", true, Deferred, true, Unknown},
		{"deferred for another reason", true, Deferred, false, Deferred},
		{"no effect", false, Deferred, true, Deferred},
		{"seen to succeed before", true, Succeeded, true, Succeeded},
		{"unknown before", true, Unknown, true, Unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := Operation{Effectful: test.effectful, Class: test.class}.Closed(test.inFlight)
			if got.Class != test.want {
				t.Errorf("Closed(%v) = %s, want %s", test.inFlight, got.Class, test.want)
			}
		})
	}
}

func TestStatement12NotFoundIsProofOnlyAfterAWhile(t *testing.T) {
	quick := &Profile{SettleAfter: 2 * time.Second}
	tests := []struct {
		profile *Profile
		since   time.Duration
		want    bool
	}{
		{nil, 0, false},
		{nil, 30*time.Second - 1, false},
		{nil, 30 * time.Second, true},
		{&Profile{}, 29 * time.Second, false},
		{quick, time.Second, false},
		{quick, 2 * time.Second, true},
	}
	for _, test := range tests {
		if got := test.profile.NotFoundSettles(test.since); got != test.want {
			t.Errorf("%+v after %v: %v, want %v", test.profile, test.since, got, test.want)
		}
	}
}
