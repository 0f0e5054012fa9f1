package source

import (
	"context"
	"strings"
	"testing"
)

// TestADescriptionThatCannotBeReadIsToldInOurWords, with its place.
func TestADescriptionThatCannotBeReadIsToldInOurWords(t *testing.T) {
	const info, paths = "info: {title: t, version: '1'}\n", "paths: {/a: {get: {operationId: a, responses: {'200': {description: ok}}}}}\n"
	for _, test := range []struct{ text, want string }{
		{"openapi: 9.1.0\n" + info + paths, `version "9.1.0" of OpenAPI is not supported; 3.0, 3.1 and 3.2 are, and Swagger 2.0`},
		{"openapi: 4\n" + info + paths, `version "4" of OpenAPI is not supported`},
		{"openapi: 3.10.0\n" + info + paths, `version "3.10.0" of OpenAPI is not supported`},
		{"openapi: [3]\n" + info + paths, `openapi is not a version`},
		{"swagger: '1.2'\n" + info + paths, `version "1.2" of Swagger is not supported; Swagger 2.0 and OpenAPI`},
		{"openapi: 3.1\n" + info + paths, ""},
		{"openapi: 3.2.0\n" + info + paths, ""},
		{"swagger: 2.0\n" + info + paths, ""},
		{"openapi: 3.1.0\n" + info + "paths: [1]\n", "line 3: /paths is a list, expected a mapping"},
		{"openapi: 3.1.0\n" + info + "paths:\n  /a: {get: 5}\n", "line 4: /paths/~1a/get is a number, expected a mapping"},
		{"openapi: 3.1.0\n" + info + "paths: {/a: {get: {parameters: {name: x}}}}\n", "/paths/~1a/get/parameters is a mapping, expected a list"},
		{"openapi: 3.1.0\n" + info + "servers: here\n" + paths, "/servers is text, expected a list"},
		{"openapi: 3.1.0\n" + info + "components: {schemas: {a: {minLength: x}, b: {type: 5}}}\n" + paths, "/components/schemas/a/minLength is text, expected a number; line 3: /components/schemas/b/type is a number, expected text"},
		{"openapi: 3.1.0\n" + info + "components: {schemas: {a: {required: yes}}}\n" + paths, "/components/schemas/a/required is text, expected a list"},
		{"openapi: 3.1.0\n" + info + "components: {parameters: {a: {name: x, in: query, required: maybe}}}\n" + paths, "/components/parameters/a/required is text, expected true or false"},
		{"swagger: '2.0'\n" + info + "paths: [1]\n", "/paths is a list, expected a mapping"},
	} {
		f := flavourOpenAPI
		if strings.HasPrefix(test.text, "swagger") {
			f = flavourSwagger
		}
		_, _, err := NewLoader(Options{Offline: true}).parseOpenAPI(context.Background(), f, []byte(test.text), "file:///x")
		if test.want == "" {
			if err != nil {
				t.Errorf("%q: %v", test.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "openapi3") {
			t.Errorf("%q: got %v, want %q", test.text, err, test.want)
		}
	}
}
