package mock_test

import "testing"

// greetings has examples with names, of requests and of what they are answered; in an
// order that is not that of their names.
const greetings = `
paths:
  /greetings:
    post:
      operationId: greet
      parameters:
        - $ref: '#/components/parameters/Tone'
      requestBody:
        content:
          application/json:
            schema: {type: object}
            examples:
              zoe: {value: {name: Zoe, of: {age: 3.0}}}
              adam: {$ref: '#/components/examples/Adam'}
      responses:
        '201':
          description: ok
          content:
            application/json:
              schema: {type: object, properties: {text: {type: string}}}
              examples:
                zoe: {value: {text: Hello Zoe}}
                adam: {value: {text: Hello Adam}}
                loud: {value: {text: HELLO}}
  /moods/{mood}:
    get:
      operationId: getMood
      parameters:
        - {name: mood, in: path, required: true, schema: {type: string}, examples: {sad: {value: blue}, glad: {value: pink}}}
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema: {type: object, properties: {say: {type: string}}}
              examples: {unknown: {value: {say: well}}, sad: {value: {say: oh}}, glad: {value: {say: ah}}}
components:
  parameters:
    Tone: {name: tone, in: query, schema: {type: string}, examples: {loud: {value: loud}}}
  examples:
    Adam: {value: {name: Adam}}
`

func TestTheExampleThatIsAskedForIsAnswered(t *testing.T) {
	_, c := play(t, api(t, "3.1.0", greetings))
	for _, test := range []struct{ method, path, body, member, want string }{
		{"POST", "/greetings", `{"name":"Adam"}`, "text", "Hello Adam"},
		{"POST", "/greetings", `{"of":{"age":3},"name":"Zoe"}`, "text", "Hello Zoe"},
		{"POST", "/greetings", `{"name":"Eve"}`, "text", "Hello Zoe"}, // the first that is written
		{"POST", "/greetings?tone=loud", `{"name":"Eve"}`, "text", "HELLO"},
		{"GET", "/moods/pink", "", "say", "ah"},
		{"GET", "/moods/blue", "", "say", "oh"},
		{"GET", "/moods/grey", "", "say", "well"},
	} {
		if got := c.do(test.method, test.path, test.body).get(test.member); got != test.want {
			t.Errorf("%s %s %s: %q, expected %q", test.method, test.path, test.body, got, test.want)
		}
	}
}
