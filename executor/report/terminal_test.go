package report

import (
	"strings"
	"testing"
	"time"
	"unicode"
)

func TestPrintable(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{"plain text, ünïcode 注文 ✓", "plain text, ünïcode 注文 ✓"},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"a\r\nb\tc", `a\r\nb\tc`},
		{"\x07\x00\x7f", `\x07\x00\x7f`},
		{"\u009b31m", `\x9b31m`},
		{"a\u202eb\u200b", `a\u{202e}b\u{200b}`},
		{"bad \xff\xc3", `bad \xff\xc3`},
		{"a real \ufffd", "a real \ufffd"},
		{"no break\u00a0space", `no break\xa0space`},
		{"\U000e0041", `\u{e0041}`},
	}
	for _, test := range tests {
		if got := printable(test.text); got != test.want {
			t.Errorf("printable(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("\x1b[31m\u202e\xff")
	f.Add("plain")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range append(paragraph(text), printable(text)) {
			for _, r := range line {
				if !unicode.IsPrint(r) {
					t.Errorf("%q gives %q", text, line)
				}
			}
			if got := clip(line, 10); columns(got) > 10 {
				t.Errorf("clip(%q) has %d columns", line, columns(got))
			}
		}
	})
}

func TestClipAndFill(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"ünïcö", 5, "ünïcö"},
		{"注文注文", 8, "注文注文"},
		{"注文注文", 7, "注文注…"},
		{"注文注文", 6, "注文…"},
		{"e\u0301a", 2, "e\u0301a"},
	}
	for _, test := range tests {
		if got := clip(test.text, test.limit); got != test.want {
			t.Errorf("clip(%q, %d) = %q, want %q", test.text, test.limit, got, test.want)
		}
	}
	if got := left("注文", 6) + "|" + right("ü", 3) + "|" + left("long", 2); got != "注文  |  ü|long" {
		t.Errorf("filled: %q", got)
	}
}

func TestElapsed(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{-time.Second, "0ms"},
		{0, "0ms"},
		{time.Microsecond, "<1ms"},
		{time.Millisecond, "1ms"},
		{999*time.Millisecond + 999*time.Microsecond, "999ms"},
		{time.Second, "1.0s"},
		{59*time.Second + 999*time.Millisecond, "59.9s"},
		{time.Minute + 5*time.Second, "1m05s"},
		{time.Hour + 3*time.Minute, "1h03m"},
		{100 * time.Hour, "100h00m"},
	}
	for _, test := range tests {
		if got := elapsed(test.d); got != test.want {
			t.Errorf("elapsed(%v) = %q, want %q", test.d, got, test.want)
		}
	}
}

func TestPause(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "at once", -1: "at once", 2 * time.Second: "in 2s", 1500 * time.Millisecond: "in 1.5s",
		time.Second + 123456*time.Microsecond: "in 1.123s",
	} {
		if got := pause(d); got != want {
			t.Errorf("pause(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestParagraph(t *testing.T) {
	got := strings.Join(paragraph("{\r\n\t\"a\": \"\x1b\"\n}\n"), "|")
	if want := `{|    "a": "\x1b"|}`; got != want {
		t.Errorf("paragraph = %q, want %q", got, want)
	}
}
