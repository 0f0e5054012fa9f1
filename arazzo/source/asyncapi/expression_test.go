package asyncapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestExpressionsAreRead(t *testing.T) {
	for text, want := range map[string]Expression{
		"$message.header#/correlationId": {Header, value.Pointer{"correlationId"}},
		"$message.header#/MQ/Correl":     {Header, value.Pointer{"MQ", "Correl"}},
		"$message.payload#/a~1b/0":       {Payload, value.Pointer{"a/b", "0"}},
		"$message.payload#/a#b":          {Payload, value.Pointer{"a#b"}},
		"$message.payload#/":             {Payload, value.Pointer{""}},
		"$message.payload":               {Payload, nil},
	} {
		got, err := ParseExpression(text)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if got.String() != text {
			t.Errorf("%s is written %s", text, got)
		}
	}
	if got, err := ParseExpression("$message.header#"); err != nil || got.String() != "$message.header" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestExpressionsOfOthersAreCorrected(t *testing.T) {
	for text, want := range map[string]string{
		"$message.headers#/id":     `did you mean "$message.header#/id"?`,
		"$message.header.id":       `did you mean "$message.header#/id"?`,
		"$message.payload.a/b.c":   `did you mean "$message.payload#/a~1b/c"?`,
		"$message.body#/id":        `did you mean "$message.payload#/id"?`,
		"$message.body":            `did you mean "$message.payload"?`,
		"$message.payload.a#nope":  `did you mean "$message.payload"?`,
		"$message.topic":           `this is "$message.topic"`,
		"$request.header#/id":      `this is "$request.header#/id"`,
		"":                         `this is ""`,
		"$message.payload#a":       "a JSON Pointer begins with '/'",
		"$message.payload#/a~2b":   "'~' is written '~0'",
		"{$message.header#/id}":    `expected $message.header or $message.payload`,
		"$message.header #/spaced": `expected $message.header or $message.payload`,
	} {
		_, err := ParseExpression(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
