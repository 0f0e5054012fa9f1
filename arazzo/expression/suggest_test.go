package expression

import "testing"

func TestLooksLike(t *testing.T) {
	for text, want := range map[string]string{
		"$input.x": "$inputs", "$inputs": "$inputs", "$response.headers.X": "$response", "$step.a.outputs.b": "$steps",
		"$statuscode": "$statusCode", "$StatusCode": "$statusCode", "$respnse.body": "$response", "$status": "$statusCode", "$source.x": "$sourceDescriptions", "$URL": "$url",
		"$sourceDescription.a.b": "$sourceDescriptions", "$outputs.a and more": "$outputs",
	} {
		if got, ok := LooksLike(text); !ok || got != want {
			t.Errorf("%q looks like %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "$", "$5", "$USD", "$.items[?(@.ok)]", "$ref", "$set", "$input-box", "$10,000", "url", "pay $inputs.a", "$_", "$é"} {
		if got, ok := LooksLike(text); ok {
			t.Errorf("%q looks like %q", text, got)
		}
	}
}
