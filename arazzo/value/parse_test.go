package value

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseJSONKeepsTextAndOrder(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{` {"b": 10.10, "a": 9007199254740993 } `, `{"b":10.10,"a":9007199254740993}`},
		{`[1E5,-0,1.5e-05]`, `[1E5,-0,1.5e-05]`},
		{"\t\r\n null\n", `null`},
		{`"\u00e9\ud83d\ude00\/\b"`, `"é😀/\b"`},
		{"\"a real \ufffd\"", "\"a real \ufffd\""},
		{`{"k\u0065y":[]}`, `{"key":[]}`},
		{`[[],{},"",false]`, `[[],{},"",false]`},
	} {
		v, err := ParseJSON([]byte(c.in))
		if err != nil || v.String() != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.in, v, err, c.want)
		}
	}
}

func TestParseJSONSaysWhereItIsWrong(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int
	}{
		{``, 0}, {`  `, 2}, {`{`, 1}, {`[1,]`, 3}, {`{"a":1,}`, 7}, {`{"a" 1}`, 5}, {`{a:1}`, 1},
		{`[1 2]`, 3}, {`1 2`, 2}, {`nul`, 3}, {`nulx`, 3}, {`True`, 0}, {`01`, 0}, {`-`, 0}, {`1.`, 0},
		{`"abc`, 4}, {"\"a\nb\"", 2}, {`"\x"`, 2}, {`"\u12g4"`, 2}, {`"\ud800\u12"`, 8}, {`[1}`, 2},
		{`{"a":}`, 5}, {`"\`, 2}, {`]`, 0}, {"\ufeff1", 0}, {`'a'`, 0}, {`[1e1000000000000000000]`, 1},
	} {
		_, err := ParseJSON([]byte(c.in))
		var fault *SyntaxError
		if !errors.As(err, &fault) {
			t.Errorf("%q: got %v", c.in, err)
			continue
		}
		if fault.Offset != c.offset {
			t.Errorf("%q: %v, want byte %d", c.in, err, c.offset)
		}
	}
}

func TestParseJSONRefusesWhatHasMoreThanOneMeaning(t *testing.T) {
	for _, c := range []struct {
		in     string
		offset int
	}{
		{`{"a":1,"b":2,"a":3}`, 18}, {`{"a":1,"\u0061":1}`, 17}, {`[{"x":{"a":1,"a":2}}]`, 18},
		{`"\ud800"`, 2}, {`"\ud800\u0041"`, 2}, {`"\udc00\ud800"`, 2}, {"\"a\xffb\"", 2}, {"{\"\xc3\":1}", 2},
	} {
		v, err := ParseJSON([]byte(c.in))
		var fault *SyntaxError
		if !errors.As(err, &fault) || !fault.Ambiguous || fault.Offset != c.offset {
			t.Errorf("%q: got %s, %v; want what is ambiguous at byte %d", c.in, v, err, c.offset)
		}
	}
}

func TestTextThatIsNotUTF8IsKnown(t *testing.T) {
	bad := String("a\xffb")
	for _, v := range []Value{bad, Array(Int(1), bad), Object(Member{"k", Array(bad)}), Object(Member{"\xff", Null})} {
		if v.IsUTF8() {
			t.Errorf("%s is taken for UTF-8", v)
		}
	}
	if good := Object(Member{"é", Array(String("\ufffd"), Null)}); !good.IsUTF8() {
		t.Errorf("%s is not taken for UTF-8", good)
	}
}

func TestParseJSONLimitsNesting(t *testing.T) {
	nested := func(depth int) []byte {
		return []byte(strings.Repeat("[", depth) + strings.Repeat("]", depth))
	}
	if _, err := ParseJSON(nested(MaxDepth)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	for _, depth := range []int{MaxDepth + 2, 1 << 20} {
		if _, err := ParseJSON(nested(depth)); !errors.Is(err, ErrTooDeep) {
			t.Errorf("%d deep: got %v", depth, err)
		}
	}
	if _, err := ParseJSON([]byte(strings.Repeat(`{"a":`, 1<<20))); !errors.Is(err, ErrTooDeep) {
		t.Errorf("objects: got %v", err)
	}
}

func TestParseJSONSharesNoMemoryWithItsInput(t *testing.T) {
	data := []byte(`{"name":"text","n":12}`)
	v, err := ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = 'x'
	}
	if v.String() != `{"name":"text","n":12}` {
		t.Errorf("the value became %s", v)
	}
}

// FuzzParseJSON holds the reader to what encoding/json takes and makes of it, and
// the writer to what the reader takes back.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.50,{"b":null}],"c":"\u00e9\ud83d\ude00"}`, `[1,]`, `{"a":1,"a":2}`, "\"\xff\"", `"\ud800x"`, `-0`, `1e5`, `[[[]]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON(data)
		if err != nil {
			var fault *SyntaxError
			if errors.As(err, &fault) && fault.Ambiguous {
				return
			}
			if json.Valid(data) && !errors.Is(err, ErrTooDeep) && !strings.Contains(err.Error(), "out of range") {
				t.Fatalf("%q is JSON: %v", data, err)
			}
			return
		}
		decoder := json.NewDecoder(strings.NewReader(string(data)))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q is no JSON: %v", data, err)
		}
		if got := v.Native(); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %#v, want %#v", data, got, want)
		}
		written := AppendJSON(nil, v)
		again, err := ParseJSON(written)
		if err != nil || again.String() != v.String() || !Identical(again, v) {
			t.Fatalf("%q is written %q and read back as %s, %v", data, written, again, err)
		}
		if !utf8.Valid(written) {
			t.Fatalf("%q is not UTF-8", written)
		}
	})
}

// orders gives a JSON text of n like objects.
func orders(n int) string {
	var b strings.Builder
	b.WriteString(`{"orders":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"ord-%d","amount":%d.50,"currency":"EUR","paid":false,"lines":[{"sku":"A%d","quantity":2}],"note":"line\nbreak"}`, i, i, i)
	}
	b.WriteString(`]}`)
	return b.String()
}

func BenchmarkParseJSON(b *testing.B) {
	for _, n := range []int{1, 1000} {
		data := []byte(orders(n))
		b.Run(fmt.Sprintf("orders=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ParseJSON(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	v := read(b, orders(1000))
	buffer := AppendJSON(nil, v)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = AppendJSON(buffer[:0], v)
	}
}
