package spelling_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/spelling"
)

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"same", "same", 0},
		{"", "abc", 3},
		{"insert", "inert", 1},
		{"drop", "drops", 1},
		{"chance", "change", 1},
		{"swap", "sawp", 1},
		{"kitten", "sitting", 3},
		{"größe", "grösse", 2},
		{"zahlung", "zählung", 1},
	} {
		if got := spelling.Distance(test.a, test.b); got != test.want {
			t.Errorf("%q is %d from %q, want %d", test.a, got, test.b, test.want)
		}
		if got := spelling.Distance(test.b, test.a); got != test.want {
			t.Errorf("%q is %d from %q, want %d", test.b, got, test.a, test.want)
		}
	}
}

func TestDistanceOfLongWords(t *testing.T) {
	long := strings.Repeat("a", 1000)
	if got := spelling.Distance(long, long); got != 0 {
		t.Errorf("a long word is %d from itself", got)
	}
	if got := spelling.Distance(long, long+"b"); got < 100 {
		t.Errorf("a long word is only %d from another: it was compared", got)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"createOrder", "closeOrder", "requestPayment", "id", "OK"}
	for word, want := range map[string]string{
		"createOrdre":     "createOrder",
		"creatorder":      "createOrder",
		"CLOSEORDER":      "closeOrder",
		"requestPayments": "requestPayment",
		"ID":              "id",
		"ok":              "OK",
		"ix":              "", // anything is near to so short a word
		"dd":              "",
		"cancelShipment":  "",
		"createOrder":     "", // it is known
		"":                "",
	} {
		near, ok := spelling.Nearest(word, known)
		if near != want || ok != (want != "") {
			t.Errorf("%q: got %q (%t), want %q", word, near, ok, want)
		}
	}
}

func TestNearestOfEquallyNearIsTheFirst(t *testing.T) {
	if near, _ := spelling.Nearest("stepX", []string{"stepB", "stepA"}); near != "stepB" {
		t.Errorf("got %q", near)
	}
}

func TestNearestOfShortWordsIsOneLetterAway(t *testing.T) {
	for word, want := range map[string]string{"pots": "post", "gte": "get", "put": "", "head": ""} {
		if near, _ := spelling.Nearest(word, []string{"get", "post", "deal"}); near != want {
			t.Errorf("%q: got %q, want %q", word, near, want)
		}
	}
}

func TestCandidates(t *testing.T) {
	known := []string{"getUsers", "getUser", "getUser", "setUser", "getUsage", "deleteEverything"}
	got := spelling.Candidates("getUsr", known, 3)
	if want := []string{"getUser", "getUsers", "setUser"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := spelling.Candidates("nothing like it", known, 3); len(got) != 0 {
		t.Errorf("got %q of nothing near", got)
	}
}
