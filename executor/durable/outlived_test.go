package durable

import (
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestStatement06AKeyIsNotOutlivedWhileNoProcessIsThere: a repeat that was decided in time
// is not made when the process ended before it and the next one comes too late for the key:
// in the wait before the repeat, and behind it.
func TestStatement06AKeyIsNotOutlivedWhileNoProcessIsThere(t *testing.T) {
	const kept = time.Hour
	flow := strings.Replace(keyedFlow, "retryAfter: 0.01", "retryAfter: 0.05", 1)
	for _, point := range []string{"before buy/order#1/2:wait", "before buy/order#1/2:prepare"} {
		for later, want := range map[time.Duration]struct {
			status executor.Status
			sent   int
		}{kept / 2: {executor.Succeeded, 2}, kept: {executor.Unknown, 1}} {
			t.Run(strings.ReplaceAll(point, "/", "|")+" "+later.String(), func(t *testing.T) {
				url := readyFile(t)
				shop, servers := playMuted(t, 1)
				spec := Spec{Run: "r", Bundle: flowBundle(t, flow), Config: executor.Config{
					Servers: servers, Timeout: executor.NoTimeout, Sources: map[string]executor.SourceConfig{"shop": {Profile: keptFor(kept)}},
				}}
				if _, killed := child(t, childOrder{URL: url, Spec: spec, Inputs: `{}`, KillIn: point}); !killed {
					t.Fatal("the process was not killed")
				}
				o := quickOptions(t)
				o.Now = func() time.Time { return time.Now().Add(later) }
				s := openStore(t, url, o)
				if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
					t.Fatal(err)
				}
				result := end(t, s, "r")
				if keys, _ := shop.sent("/orders"); result.Status != want.status || len(keys) != want.sent || keys[0] != keys[len(keys)-1] {
					t.Errorf("%s (%s), sent under %q", result.Status, result.Reason, keys)
				}
				replay(t, s, "r")
			})
		}
	}
}

func keptFor(d time.Duration) *idempotency.Profile {
	dialect, _ := idempotency.KnownHeader("Idempotency-Key")
	dialect.Retention = d
	return &idempotency.Profile{Name: "shop", Dialect: dialect}
}

// TestStatement06AKeyIsAsOldAsItsFirstRequest: a repeat that may have left before a crash is
// not sent again once the server may have forgotten the key, however young the repeat is.
func TestStatement06AKeyIsAsOldAsItsFirstRequest(t *testing.T) {
	now := time.Now()
	x := &execution{store: &Store{now: func() time.Time { return now }}}
	call := executor.Call{Effectful: true, Contract: true, Key: &idempotency.Key{Header: "Idempotency-Key"}, Profile: keptFor(time.Hour)}
	prepared := prepared{Time: now.Add(-time.Minute)}
	for until, want := range map[time.Time]bool{{}: false, now.Add(time.Millisecond): false, now: true} {
		call.KeyUntil = until
		if reason := x.mustNotRepeat(call, prepared); strings.Contains(reason, "may have forgotten the key") != want || (reason != "") != want {
			t.Errorf("kept until %v: %q", until, reason)
		}
	}
}
