package lint

import (
	"context"
	"fmt"
	"testing"
)

func TestFilesThatAreNamedJSON(t *testing.T) {
	for _, test := range []struct{ name, path, text, want string }{
		{"YAML in it", "a.json", "arazzo: 1.0.1\n", "1:1: the name of the file says JSON, but this is none (invalid character 'a' looking for beginning of value); write it as JSON, or name the file .yaml"},
		{"a comment", "a.JSON", "{\"arazzo\": \"1.0.1\"} # x\n", "1:21: the name of the file says JSON, but this is none (invalid character '#' after top-level value); write it as JSON, or name the file .yaml"},
		{"a comma too many, in a later line", "a.json", "\ufeff{\"arazzo\":\n \"1.0.1\",\n}", "3:1: the name of the file says JSON, but this is none (invalid character '}' looking for beginning of object key string); write it as JSON, or name the file .yaml"},
		{"what no YAML is either", "a.json", "{\"arazzo\": \"1.0.1\"", "1:18: this is no valid JSON: unexpected end of JSON input"},
		{"more behind it", "a.json", "{\"arazzo\": \"1.0.1\"}\nxyz", "2:1: this is no valid JSON: invalid character 'x' after top-level value"},
		{"a second one behind it", "a.json", "{\"arazzo\": \"1.0.1\"}\n{}", "2:1: this is no valid JSON: invalid character '{' after top-level value"},
		{"YAML with a fault further down", "a.json", "arazzo: 1.0.1\ninfo: {? [a] : b}\n", "1:1: the name of the file says JSON, but this is none (invalid character 'a' looking for beginning of value); write it as JSON, or name the file .yaml2:10: a key must be a scalar, this is a list"},
		{"JSON", "a.json", "{\"arazzo\": \"1.0.1\"}", ""},
		{"YAML by its name", "a.yaml", "arazzo: 1.0.1\n", ""},
		{"nothing", "a.json", "\n", "1:1: the file is empty: an Arazzo document was expected"},
	} {
		t.Run(test.name, func(t *testing.T) {
			rules := []Rule{{Name: "yaml", Layer: Schema, Severity: Error}}
			result, err := Run(context.Background(), []Input{{Path: test.path, Data: []byte(test.text)}}, Options{Rules: rules, Only: Schema})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, d := range result.Files[0].Diagnostics {
				if d.Rule == "yaml" {
					got += fmt.Sprintf("%d:%d: %s", d.Span.Start.Line, d.Span.Start.Column, d.Message)
				}
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
