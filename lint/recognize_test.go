package lint

import "testing"

func TestLooksLikeArazzo(t *testing.T) {
	tests := []struct {
		name, text string
		want       bool
	}{
		{"the first key", "arazzo: 1.1.0\n", true},
		{"after a comment and a mark", "# flow\n---\narazzo: 1.1.0\n", true},
		{"the last key", "info: {}\r\narazzo: 1.1.0", true},
		{"in quotes", "\"arazzo\": 1.1.0\n", true},
		{"after a byte order mark", "\ufeffarazzo: 1.1.0\n", true},
		{"without a value", "arazzo:\n", true},
		{"a longer word", "arazzos: 1\n", false},
		{"a value that begins so", "arazzo:x\n", false},
		{"beneath another key", "x:\n  arazzo: 1\n", false},
		{"as a value", "x: arazzo\n", false},
		{"JSON", `{"a": {"b": ["]}"]}, "arazzo" : "1.1.0"}`, true},
		{"JSON, beneath", `{"a": {"arazzo": 1}}`, false},
		{"JSON, as a value", `{"a": "arazzo"}`, false},
		{"JSON, in a string with a quote", `{"a": "\"arazzo\":"}`, false},
		{"JSON that breaks off", `{"arazzo": "1.1.0", "info": {`, true},
		{"flow style without quotes", `{x: 1, arazzo: 1.1.0}`, true},
		{"flow style, a longer word", `{my-arazzo: 1.1.0}`, false},
		{"nothing", "", false},
		{"a brace", "{", false},
		{"an open string", `{"`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := looksLikeArazzo([]byte(test.text)); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func FuzzLooksLikeArazzo(f *testing.F) {
	f.Add([]byte(`{"a": {"b": ["]}"]}, "arazzo" : "1.1.0"}`))
	f.Add([]byte("arazzo: 1"))
	f.Fuzz(func(_ *testing.T, data []byte) { looksLikeArazzo(data) })
}
