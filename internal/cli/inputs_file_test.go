package cli_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFileIsAnInput: as JSON, and of a string as what is in it, byte for byte.
func TestAFileIsAnInput(t *testing.T) {
	var raw strings.Builder
	for b := range 256 {
		raw.WriteByte(byte(b))
	}
	tests := []struct{ name, schema, content, want string }{
		{"text of a string", "{type: string}", "two\nlines\n", "two\nlines\n"},
		{"JSON of another type is text", "{type: string}", `{"a": 1.0}`, `{"a": 1.0}`},
		{"a number is text", "{type: string}", "17\n", "17\n"},
		{"JSON that is a string", "{type: string}", ` "a\"b"`, `a"b`},
		{"bytes", "{type: string, format: binary}", raw.String(), raw.String()},
		{"bytes that are JSON too", "{type: string, format: binary}", `"a"`, `"a"`},
		{"content of a media type", "{type: string, contentMediaType: application/json}", `"a"`, `"a"`},
		{"content without a type", "{contentMediaType: image/png}", "\x89PNG", "\x89PNG"},
		{"JSON that the schema allows beside strings", "{type: [string, integer]}", "17\n", "17"},
		{"JSON where nothing is said", "{}", `"a"`, "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			_, base := start(t, func(_ http.ResponseWriter, r *http.Request) {
				data, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				got = string(data)
			})
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "api.yaml"), "openapi: 3.1.0\ninfo: {title: t, version: '1'}\nservers: [{url: '"+base+"'}]\n"+
				"paths: {/u: {post: {operationId: u, requestBody: {content: {'*/*': {}}}, responses: {'200': {description: ok}}}}}\n")
			writeFile(t, filepath.Join(dir, "flow.yaml"), "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\n"+
				"workflows:\n- workflowId: w\n  inputs: {type: object, properties: {f: "+test.schema+"}}\n"+
				"  steps: [{stepId: s, operationId: u, requestBody: {contentType: "+contentTypeFor(test.want)+", payload: $inputs.f}}]\n")
			writeFile(t, filepath.Join(dir, "f"), test.content)
			report := filepath.Join(dir, "report.json")
			code, output := weft("run", filepath.Join(dir, "flow.yaml"), "-i", "f=@"+filepath.Join(dir, "f"), "--json", report)
			if code != 0 || got != test.want {
				t.Errorf("exit code %d, sent %q, want %q:\n%s", code, got, test.want, output)
			}
		})
	}
}

func contentTypeFor(want string) string {
	if want == "17" {
		return "text/plain" // a number is no content of bytes
	}
	return "application/octet-stream"
}

// TestAFileThatIsNoJSONIsRefused where no string is expected, and bytes where the run
// is to be kept.
func TestAFileThatIsNoJSONIsRefused(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), "openapi: 3.1.0\ninfo: {title: t, version: '1'}\nservers: [{url: 'http://127.0.0.1:1'}]\npaths: {/u: {get: {operationId: u, responses: {}}}}\n")
	writeFile(t, filepath.Join(dir, "flow.yaml"), "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\n"+
		"workflows:\n- workflowId: w\n  inputs: {type: object, properties: {n: {type: integer}, b: {type: string, format: binary}}}\n  steps: [{stepId: s, operationId: u}]\n")
	writeFile(t, filepath.Join(dir, "f"), "\xff")
	for arg, want := range map[string]string{
		"n=@": "is not JSON", "b=@": "an input is not UTF-8",
	} {
		code, output := weft("run", filepath.Join(dir, "flow.yaml"), "-i", arg+filepath.Join(dir, "f"), "--store", "sqlite:"+filepath.Join(dir, "s.db"))
		if code != 2 || !strings.Contains(output, want) {
			t.Errorf("%s: exit code %d, want the words %q:\n%s", arg, code, want, output)
		}
	}
}
