package idempotency

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStatement04EncodingOfKeys(t *testing.T) {
	raw := Dialect{Name: "raw", Header: "Key", Format: Raw, MaxLength: 8}
	sf := Dialect{Name: "sf", Header: "Key", Format: SFString, MaxLength: 8}
	id := Dialect{Name: "id", Header: "Key", Format: UUID}
	tests := []struct {
		name    string
		dialect Dialect
		key     string
		want    string
		problem string // part of the error
	}{
		{"raw", raw, "order-1", "order-1", ""},
		{"raw at the limit", raw, "12345678", "12345678", ""},
		{"raw over the limit", raw, "123456789", "", "9 characters, at most 8"},
		{"raw with a space inside", raw, "a b", "a b", ""},
		{"raw with a space in front", raw, " ab", "", "begins or ends with a space"},
		{"raw with a line break", raw, "a\r\nX: y", "", "byte 1 is 0x0d"},
		{"raw with a tab", raw, "a\tb", "", "byte 1 is 0x09"},
		{"raw beyond ASCII", raw, "aü", "", "byte 1 is 0xc3"},
		{"raw with DEL", raw, "a\x7f", "", "byte 1 is 0x7f"},
		{"raw with quotes", raw, `"a"`, `"a"`, ""},
		{"empty", raw, "", "", "empty"},
		{"no format is raw", Dialect{Header: "Key"}, "a", "a", ""},
		{"a format that is not known", Dialect{Header: "Key", Format: "base64"}, "a", "", `"base64" is not known; there are raw, sf-string and uuid`},
		{"quoted", sf, "order-1", `"order-1"`, ""},
		{"quoted at the limit", sf, "12345678", `"12345678"`, ""},
		{"quoted over the limit", sf, "123456789", "", "at most 8"},
		{"quoted with a quote and a backslash", sf, `a"b\c`, `"a\"b\\c"`, ""},
		{"quoted with spaces around", sf, " a ", `" a "`, ""},
		{"quoted beyond ASCII", sf, "ü", "", "printable ASCII only"},
		{"quoted with a line break", sf, "a\n", "", "byte 1 is 0x0a"},
		{"a UUID", id, "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", ""},
		{"a UUID in braces", id, "{3f2504e0-4f89-11d3-9a0c-0305e82c3301}", "", "not a UUID of 36 characters"},
		{"no UUID", id, "order-1", "", "not a UUID"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.dialect.Encode(test.key)
			checkKey(t, got, err, test.want, test.problem)
		})
	}
}

func TestStatement04AcceptingKeysThatAreWritten(t *testing.T) {
	raw := Dialect{Name: "raw", Header: "Key", Format: Raw, MaxLength: 4}
	sf := Dialect{Name: "sf", Header: "Key", Format: SFString, MaxLength: 4}
	tests := []struct {
		name    string
		dialect Dialect
		wire    string
		problem string
	}{
		{"raw", raw, "abcd", ""},
		{"raw over the limit", raw, "abcde", "at most 4"},
		{"quoted", sf, `"abcd"`, ""},
		{"quoted with escapes", sf, `"\"\\bc"`, ""},
		{"quoted over the limit", sf, `"abcde"`, "at most 4"},
		{"quotes are missing", sf, "abcd", "double quotes"},
		{"the closing quote is missing", sf, `"abc`, "double quotes"},
		{"only a quote", sf, `"`, "double quotes"},
		{"a quote inside", sf, `"a"b"`, "double quotes"},
		{"the closing quote is escaped", sf, `"a\"`, "double quotes"},
		{"an escape of something else", sf, `"a\n"`, "double quotes"},
		{"nothing between the quotes", sf, `""`, "empty"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := test.wire
			if test.problem != "" {
				want = ""
			}
			got, err := test.dialect.Accept(test.wire)
			checkKey(t, got, err, want, test.problem)
		})
	}
}

func checkKey(t *testing.T, got Key, err error, want, problem string) {
	t.Helper()
	if problem == "" {
		if err != nil || got != (Key{Header: "Key", Value: want}) {
			t.Errorf("got %+v, %v; want the value %q", got, err, want)
		}
		return
	}
	if !errors.Is(err, ErrKey) || !strings.Contains(err.Error(), problem) || got != (Key{}) {
		t.Errorf("got %+v, %v; want ErrKey with %q", got, err, problem)
	}
}

func TestStatement04ErrorsDoNotShowTheKey(t *testing.T) {
	_, err := Dialect{Name: "d", Header: "Key", MaxLength: 3}.Encode("secretkey")
	if err == nil || strings.Contains(err.Error(), "secretkey") {
		t.Errorf("error %v", err)
	}
}

func TestWhatIsEncodedIsAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Dialect{
			Name: "d", Header: "Key", MaxLength: rapid.IntRange(0, 12).Draw(t, "limit"),
			Format: rapid.SampledFrom([]Format{Raw, SFString}).Draw(t, "format"),
		}
		key, err := d.Encode(rapid.StringMatching(`[ -~\t]{0,14}`).Draw(t, "key"))
		if err != nil {
			return
		}
		if got, err := d.Accept(key.Value); err != nil || got != key {
			t.Fatalf("Accept(%q) = %+v, %v", key.Value, got, err)
		}
	})
}

func TestStatement04RepeatabilityFirstSentIsTheFirstAttemptsTime(t *testing.T) {
	d, _ := ByName("repeatability")
	first := time.Date(2026, 3, 1, 13, 4, 5, 999, time.FixedZone("", 3600))
	got := d.Companions(first)
	if len(got) != 1 || got["Repeatability-First-Sent"] != "Sun, 01 Mar 2026 12:04:05 GMT" {
		t.Errorf("Companions = %v", got)
	}
	if _, err := http.ParseTime(got["Repeatability-First-Sent"]); err != nil {
		t.Error(err)
	}
	stripe, _ := ByName("stripe")
	if got := stripe.Companions(first); got != nil {
		t.Errorf("stripe has companions: %v", got)
	}
}

func FuzzEncode(f *testing.F) {
	for _, seed := range []string{"", "a", `"a"`, "a\r\nb", "ü", " a", `\`, "3f2504e0-4f89-11d3-9a0c-0305e82c3301"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, key string) {
		for _, d := range Dialects() {
			got, err := d.Encode(key)
			if err != nil {
				continue
			}
			if strings.ContainsAny(got.Value, "\r\n\x00") || strings.TrimSpace(got.Value) != got.Value {
				t.Errorf("%s lets %q onto the wire", d.Name, got.Value)
			}
			if again, err := d.Accept(got.Value); err != nil || again != got {
				t.Errorf("%s encodes %q but does not accept it: %v", d.Name, got.Value, err)
			}
		}
	})
}
