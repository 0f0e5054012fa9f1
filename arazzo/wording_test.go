package arazzo

import "testing"

func TestNearestWord(t *testing.T) {
	words := []string{"stepId", "operationId", "successCriteria", "onSuccess", "onFailure", "outputs", "in"}
	for s, want := range map[string]string{
		"stepID":         "stepId",
		"stpeId":         "stepId",
		"operationid":    "operationId",
		"sucessCriteria": "successCriteria",
		"success":        "onSuccess",
		"output":         "outputs",
		"xyz":            "",
		"id":             "",
		"":               "",
	} {
		if got, _ := Nearest(s, words); got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

func TestDistanceCountsEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "axc", 1}, {"abc", "abxc", 1}, {"kitten", "sitting", 3}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("%s to %s: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
