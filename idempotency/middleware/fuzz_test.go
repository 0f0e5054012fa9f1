package middleware

import (
	"bytes"
	"net/http"
	"testing"
)

func FuzzStoredAnswers(f *testing.F) {
	good, err := answer{Status: 201, Header: http.Header{"A": {"b"}}, body: []byte("body")}.encode()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{good, good[:3], {}, {answerVersion}, {answerVersion, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		a, err := decodeAnswer(stored)
		if err != nil {
			return
		}
		again, err := a.encode()
		if err != nil {
			t.Fatal(err)
		}
		b, err := decodeAnswer(again)
		if err != nil || b.Status != a.Status || len(b.Header) != len(a.Header) || !bytes.Equal(b.body, a.body) {
			t.Errorf("%+v became %+v (%v)", a, b, err)
		}
	})
}

func FuzzCanonicalBodies(f *testing.F) {
	for _, seed := range []string{`{"b":1.0,"a":[1e2,{}]}`, `{"a":1,"a":2}`, "", "{", "\xff", `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		once := canonical("application/json", body)
		if twice := canonical("application/json", once); !bytes.Equal(once, twice) {
			t.Errorf("%q became %q, then %q", body, once, twice)
		}
	})
}
