package expression

import "testing"

func TestEvalFollowsPointerThenAccesses(t *testing.T) {
	scope := fixed{"body": mustJSON(t, `{"list": [{"id": 1}, [10, 20]], "a.b": 2, "text": "abc", "0": "zero"}`)}
	for text, want := range map[string]string{
		"$response.body#/list/0/id":   "1",
		"$response.body#/list/1/1":    "20",
		"$response.body#/a.b":         "2",
		"$response.body#/list/2":      "absent",
		"$response.body#/text/0":      "absent",
		"$response.body#/list/0/id/x": "absent",
		"$response.body.list[0].id":   "1",
		"$response.body.list.0.id":    "1",
		"$response.body.list[1][1]":   "20",
		"$response.body.list.length":  "absent",
		"$response.body[0]":           "absent",
		"$response.body.0":            `"zero"`,
		"$response.body.text.x":       "absent",
		"$response.body.text[0]":      "absent",
		"$response.header.gone":       "absent",
	} {
		e, err := Parse(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := e.Eval(scope).String(); got != want {
			t.Errorf("%s gives %s, want %s", text, got, want)
		}
	}
	whole, err := Parse("$response.body#", nil)
	if err != nil || whole.Eval(scope).Len() != 4 {
		t.Errorf("an empty pointer does not give the whole: %v", err)
	}
}
