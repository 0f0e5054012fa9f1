package executor_test

import (
	"testing"

	"github.com/weft-flow/weft/executor"
)

// FuzzParseLocator: whatever is written as a place in a message, it is read or
// refused, and what is read can be written and looked for.
func FuzzParseLocator(f *testing.F) {
	for _, text := range []string{
		"$message.payload#/a/b", "$message.header.X-Id", "$message.query.id", "$message.path.ref", "$message.payload", "$message.payload.a[0]", "$request.body", "$message.",
	} {
		f.Add(text, `{"a":{"b":1}}`)
	}
	f.Fuzz(func(t *testing.T, text, body string) {
		l, err := executor.ParseLocator(text)
		if err != nil {
			return
		}
		again, err := executor.ParseLocator(l.String())
		if err != nil || again.String() != l.String() {
			t.Fatalf("%q is read as %q, and that as %q: %v", text, l, again, err)
		}
		m := &executor.Message{Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
		e := executor.Expectation{Where: l, Value: l.In(m)}
		if matches := e.Matches(m); matches != (len(executor.CorrelationKeys(e.Value)) > 0) {
			t.Fatalf("%q: %s matches itself: %v", text, e.Value, matches)
		}
	})
}
