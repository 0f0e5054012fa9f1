package executor_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// hides tells whether a secret is nowhere in the events of a flow.
func assertHidden(t *testing.T, got flowResult, secrets ...string) {
	t.Helper()
	for _, e := range got.events {
		text := fmt.Sprintf("%s %+v", e.Detail.Type(), e.Detail)
		if d, ok := e.Detail.(executor.AttemptFinished); ok {
			text += fmt.Sprintf(" %s %+v", d.Sent.Body, d.Sent.Header)
			if d.Response != nil {
				text += fmt.Sprintf(" %s %+v", d.Response.Body, d.Response.Header)
			}
		}
		for _, secret := range secrets {
			if strings.Contains(text, secret) {
				t.Errorf("%q is seen in %s", secret, text)
			}
		}
	}
}

// echo answers with a body of its own.
func echo(body string) *script {
	return &script{answer: func(executor.Call, int) executor.Exchange {
		x := respond(200, nil)
		x.Response.Body = []byte(body)
		return x
	}}
}

const secretFlow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {pin: {format: password}}}
  steps: [{stepId: a, operationId: tick, outputs: {echo: $response.body}}]
`

func TestSecretsAreMaskedInEveryFormTheyAreWrittenIn(t *testing.T) {
	const secret = `p&ss "wörd"/+=\x<y>`
	forms := map[string]string{
		"as it is":                 secret,
		"in JSON":                  `{"a":"p&ss \"wörd\"/+=\\x<y>"}`,
		"in JSON, ASCII alone":     `{"a":"p&ss \"w\u00f6rd\"/+=\\x<y>"}`,
		"in JSON, safe for HTML":   `{"a":"p\u0026ss \"wörd\"/+=\\x\u003Cy\u003e"}`,
		"in JSON, slashes escaped": `{"a":"p&ss \"wörd\"\/+=\\x<y>"}`,
		"in a form":                "a=" + url.QueryEscape(secret),
		"in a path":                "/x/" + url.PathEscape(secret),
		"percent-encoded":          strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
		"in lower case":            strings.ToLower(url.QueryEscape(secret)),
		"in JSON within JSON":      `{"a":"{\"b\":\"p\u0026ss \\\"wörd\\\"/+=\\\\x<y>\"}"}`,
		"in JSON, twice within":    `{"a":"\\\"p\\\\u0026ss \\\\\\\"w\\\\u00f6rd\\\\\\\"/+=\\\\\\\\x<y>\\\""}`,
		"in a URL within a URL":    "a=" + url.QueryEscape("http://x.test/?b="+url.QueryEscape(secret)),
		"in JSON within a URL":     "a=" + url.QueryEscape(`{"a":"p&ss \"w\u00f6rd\"\/+=\\x<y>"}`),
		"in XML within a URL":      "a=" + url.QueryEscape(`<a>p&amp;ss &quot;w&#xF6;rd&quot;/+=\x&lt;y&gt;</a>`),
		"in XML within JSON":       `{"a":"\u003ca\u003ep\u0026amp;ss \u0026quot;wörd\u0026quot;/+=\\x\u0026lt;y\u0026gt;"}`,
		"in XML within XML":        `<a>&lt;b&gt;p&amp;amp;ss &amp;quot;wörd&amp;quot;/+=\x&amp;lt;y&amp;gt;&lt;/b&gt;</a>`,
		"in XML":                   `<a>p&amp;ss &quot;wörd&quot;/+=\x&lt;y&gt;</a>`,
		"in XML, by number":        `<a>p&#38;ss &#34;wörd&#x22;/+=\x&lt;y&gt;</a>`,
		"in base64":                base64.StdEncoding.EncodeToString([]byte(secret)),
		"in base64 for URLs":       base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"in base64 of more":        base64.StdEncoding.EncodeToString([]byte("user:" + secret + "\n")),
		"in base64 of more still":  base64.StdEncoding.EncodeToString([]byte("users:" + secret + ";")),
	}
	for name, body := range forms {
		t.Run(name, func(t *testing.T) {
			plan, refusals := flowTest{flow: secretFlow}.compile(t)
			if refusals != nil {
				t.Fatal(refusals)
			}
			events := &recorder{}
			if _, err := plan.Run(t.Context(), echo(body), executor.Start{Sink: events, Secrets: []string{secret}}); err != nil {
				t.Fatal(err)
			}
			for _, e := range events.events {
				d, ok := e.Detail.(executor.AttemptFinished)
				if !ok {
					continue
				}
				shown := string(d.Response.Body)
				if !strings.Contains(shown, "***") || len(shown) > len(body)-len(secret)/2 {
					t.Errorf("shown: %s", shown)
				}
			}
		})
	}
}

// TestSecretsAreFoundWhereverTheSchemaMarksThem: beneath other inputs, in lists,
// and in components.
func TestSecretsAreFoundWhereverTheSchemaMarksThem(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {$ref: '#/components/inputs/access'}
  steps: [{stepId: a, operationId: tick, outputs: {echo: $response.body}}]
components:
  inputs:
    access:
      type: object
      properties:
        user: {type: object, properties: {name: {type: string}, word: {$ref: '#/components/inputs/secret'}}}
        more: {type: array, items: {allOf: [{$ref: '#/components/inputs/secret'}]}}
        rest: {type: object, additionalProperties: {$ref: '#/components/inputs/secret'}}
    secret: {type: string, format: password}
`
	got := flowTest{
		flow: flow, inputs: `{"user":{"name":"visible","word":"hidden-1"},"more":["hidden-2"],"rest":{"a":"hidden-3"}}`,
		runtime: echo(`{"echo":["hidden-1","hidden-2","hidden-3","visible"]}`),
	}.run(t)
	assertHidden(t, got, "hidden-")
	if started := got.texts("workflowStarted")[0]; !strings.Contains(started, "visible") {
		t.Errorf("what is no secret is hidden too: %s", started)
	}
}

// TestAShortSecretIsMaskedWhereItIsAWholeValue: inside other text it would mask
// half of everything.
func TestAShortSecretIsMaskedWhereItIsAWholeValue(t *testing.T) {
	got := flowTest{flow: secretFlow, inputs: `{"pin":"042"}`, runtime: echo(`"n042"`)}.run(t)
	if started := got.texts("workflowStarted")[0]; strings.Contains(started, "042") {
		t.Errorf("the inputs show it: %s", started)
	}
	if ended := got.texts("stepFinished")[0]; !strings.Contains(ended, "n042") {
		t.Errorf("other text is masked: %s", ended)
	}
}

func TestSecretsAreMaskedInTheReasonOfARetryThatIsWithheld(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {pin: {format: password}}}
  steps:
  - stepId: a
    operationId: tick
    onFailure: [{name: again, type: retry}]
`
	got := flowTest{flow: flow, inputs: `{"pin":"s3cr3t-pin"}`, runtime: &script{answer: func(executor.Call, int) executor.Exchange {
		return executor.Exchange{Class: "not_sent", Refused: "the header X-Pin cannot hold s3cr3t-pin"}
	}}}.run(t)
	if len(got.texts("retryWithheld")) != 1 {
		t.Fatal("no retry was withheld, so the test tells nothing")
	}
	assertHidden(t, got, "s3cr3t-pin")
}

// TestASecretIsKnownBeforeItIsChecked: what is wrong with it may hold it.
func TestASecretIsKnownBeforeItIsChecked(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {n: {default: 1}}}
  steps: [{stepId: call, workflowId: v, parameters: [{name: pin, value: 99887766}, {name: o, value: {99887766: $inputs.n}}]}]
- workflowId: v
  inputs:
    type: object
    properties:
      pin: {anyOf: [{type: number, format: password}]}
      o: {type: object, additionalProperties: false}
  steps: [{stepId: a, operationId: tick}]
`
	got := flowTest{flow: flow, ids: []string{"w"}, runtime: ok()}.run(t)
	if got.Status != executor.Failed {
		t.Fatal("it did not fail, so the test tells nothing")
	}
	assertHidden(t, got, "99887766")
}

// TestAKeyIsAbbreviatedUnderWhateverHeaderItIsSent.
func TestAKeyIsAbbreviatedUnderWhateverHeaderItIsSent(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: a, operationId: pay, x-weft-idempotency: {header: x-once-only}}]
`
	var key string
	got := flowTest{flow: flow, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
		key = call.Key.Value
		x := respond(201, nil, "X-Once-Only", key)
		x.Sent = executor.Sent{Method: "POST", URL: call.Server, Header: executor.Header{"X-Once-Only": {key}}}
		return x
	}}}.run(t)
	if key == "" {
		t.Fatal("no key was sent")
	}
	assertHidden(t, got, key)
}
