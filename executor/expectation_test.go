package executor_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// TestCorrelationValuesAreCompared as text, two numbers as numbers, 16 bytes with the
// text of a UUID (messaging.md 11).
func TestCorrelationValuesAreCompared(t *testing.T) {
	id := uuid.MustParse("6f1c2d3e-4a5b-4c6d-8e7f-90a1b2c3d4e5")
	text, number := value.String, func(s string) value.Value {
		v, err := value.ParseJSON([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for name, test := range map[string]struct {
		has, expected value.Value
		same          bool
	}{
		"the same text":                     {text("o-1"), text("o-1"), true},
		"another case":                      {text("O-1"), text("o-1"), false},
		"spaces around":                     {text("o-1 "), text("o-1"), false},
		"two writings of a number":          {number("10.0"), number("10"), true},
		"a number and its text":             {number("10"), text("10"), true},
		"a number and another text of it":   {number("10.0"), text("10"), false},
		"numbers that floats cannot tell":   {number("9007199254740993"), number("9007199254740992"), false},
		"16 bytes and the text of the UUID": {text(string(id[:])), text(id.String()), true},
		"two UUIDs":                         {text(id.String()), text(uuid.Nil.String()), false},
		"empty":                             {text(""), text(""), false},
		"null":                              {number("null"), number("null"), false},
		"absent":                            {value.Absent, value.Absent, false},
		"an object":                         {number(`{"a":1}`), number(`{"a":1}`), false},
		"an absurd number":                  {number("1e999999999"), number("1e999999999"), true},
	} {
		if got := executor.SameCorrelation(test.has, test.expected); got != test.same {
			t.Errorf("%s: %s and %s are the same: %v", name, test.has, test.expected, got)
		}
	}
}

// TestWhereAValueStandsInAMessage: header names are compared as HTTP does, whatever
// their case; all else exactly.
func TestWhereAValueStandsInAMessage(t *testing.T) {
	m := &executor.Message{
		Header: executor.Header{"X-Order-Id": {"h"}, "Content-Type": {"application/json"}},
		Query:  map[string][]string{"id": {"q"}, "two": {"a", "b"}},
		Path:   map[string]string{"ref": "p"},
		Body:   []byte(`{"id":"b","list":["x"],"a/b":{"c":7}}`),
	}
	for text, want := range map[string]string{
		"$message.header.x-order-id": "h", "$message.header.X-ORDER-ID": "h", "$message.header.other": "",
		"$message.query.id": "q", "$message.query.ID": "", "$message.query.two": "",
		"$message.path.ref": "p", "$message.path.Ref": "",
		"$message.payload#/id": "b", "$message.payload#/ID": "", "$message.payload#/a~1b/c": "7", "$message.payload#/list": "",
		"$message.payload#/id + $message.path.ref": `["b","p"]`,
	} {
		l, err := executor.ParseLocator(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := ""
		if v := l.In(m); !v.IsAbsent() {
			if got = v.Text(); v.Kind() == value.KindArray {
				got = v.String()
			}
		}
		if got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}
