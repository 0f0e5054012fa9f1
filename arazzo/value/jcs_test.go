package value

import (
	"bytes"
	"testing"

	"github.com/gowebpki/jcs"
)

func TestAppendJCS(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"b": 1, "a": {"d": [2, 1.0], "c": null}}`, `{"a":{"c":null,"d":[2,1]},"b":1}`},
		{`"\u0000\u001f\b\t\n\f\r\"\\\/é<>&\u2028"`, `"\u0000\u001f\b\t\n\f\r\"\\/é<>&` + "\u2028" + `"`},
		{`{"\ud83d\ude00": 1, "\ufb33": 2, "\u20ac": 3, "1": 4, "\r": 5, "ö": 6}`,
			`{"\r":5,"1":4,"ö":6,"€":3,"` + "\U0001f600" + `":1,"` + "\ufb33" + `":2}`},
		{`{"a": 1, "aa": 2, "": 3}`, `{"":3,"a":1,"aa":2}`},
		{`[9007199254740993, 10.10, -0, 1E3]`, `[9007199254740993,10.1,0,1000]`},
		{`absent`, `null`},
		{`true`, `true`},
		{`{}`, `{}`},
		{`[]`, `[]`},
	} {
		if got := string(AppendJCS(nil, read(t, c.in))); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestAppendJCSLeavesTheValueAlone(t *testing.T) {
	v := read(t, `{"b":1,"a":2}`)
	AppendJCS(nil, v)
	if v.String() != `{"b":1,"a":2}` {
		t.Errorf("the members are now %s", v)
	}
}

// FuzzJCS compares with a library that goes through floats, where floats lose
// nothing, and holds identical values to one text.
func FuzzJCS(f *testing.F) {
	f.Add([]byte(`{"b":[1.5,"x",null],"a":{"é":true,"z":1e21}}`))
	f.Add([]byte(`{"\ud83d\ude00":1,"\ufb33":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON(data)
		if err != nil {
			return
		}
		first := AppendJCS(nil, v)
		again, err := ParseJSON(first)
		if err != nil {
			t.Fatalf("%s is no JSON: %v", first, err)
		}
		if second := AppendJCS(nil, again); !bytes.Equal(first, second) {
			t.Fatalf("canonical form changes from %s to %s", first, second)
		}
		if bytes.ContainsAny(first, "0123456789") || !(bytes.HasPrefix(first, []byte("{")) || bytes.HasPrefix(first, []byte("["))) {
			return
		}
		if want, err := jcs.Transform(AppendJSON(nil, v)); err == nil && !bytes.Equal(first, want) {
			t.Fatalf("got %s, want %s", first, want)
		}
	})
}

func BenchmarkAppendJCS(b *testing.B) {
	v := read(b, orders(100))
	buffer := AppendJCS(nil, v)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = AppendJCS(buffer[:0], v)
	}
}
