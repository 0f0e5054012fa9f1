package value

import (
	"slices"
	"testing"
)

// document is shaped after what RFC 6901 asks about: odd names, escapes, lists.
const document = `{"list": ["a", {"b": 1}], "": 0, "a/b": 1, "m~n": 2, "c%d": 3, " ": 4, "0": 5, "~1": 6}`

func TestPointerFindsWhatItNames(t *testing.T) {
	for pointer, want := range map[string]string{
		"": read(t, document).String(), "/": "0", "/a~1b": "1", "/m~0n": "2", "/c%d": "3", "/ ": "4", "/0": "5", "/~01": "6",
		"/list/0": `"a"`, "/list/1/b": "1",
		"/list/2": "absent", "/list/-": "absent", "/list/00": "absent", "/list/01": "absent", "/list/+1": "absent",
		"/list/99999999999999999999": "absent", "/list/a": "absent", "/list/0/x": "absent", "/none": "absent",
	} {
		p, err := ParsePointer(pointer)
		if err != nil {
			t.Errorf("%q: %v", pointer, err)
			continue
		}
		if got := p.In(read(t, document)).String(); got != want {
			t.Errorf("%q: got %s, want %s", pointer, got, want)
		}
		if p.String() != pointer {
			t.Errorf("%q is written %q", pointer, p)
		}
	}
}

func TestPointerIntoAStringLeadsNowhere(t *testing.T) {
	if got := (Pointer{"0"}).In(String("<a/>")); !got.IsAbsent() {
		t.Error(got)
	}
}

func TestParsePointerRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"a", "a/b", "#/a", "/~", "/~2", "/a~", "/a/~b"} {
		if p, err := ParsePointer(text); err == nil {
			t.Errorf("%q is read as %q", text, p)
		}
	}
}

func FuzzPointer(f *testing.F) {
	f.Add("/a~1b/0/~01")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePointer(text)
		if err != nil {
			return
		}
		again, err := ParsePointer(p.String())
		if err != nil || !slices.Equal(again, p) || p.String() != text {
			t.Errorf("%q is written %q", text, p)
		}
	})
}
