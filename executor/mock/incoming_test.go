package mock_test

import (
	"strings"
	"testing"
)

func TestRequestsThatBreakTheDescription(t *testing.T) {
	server, c := play(t, orderFlow(t))
	for _, test := range []struct {
		name               string
		method, path, body string
		fields             []string
		status             int
		pointer            string
		says               string
	}{
		{"a member is missing", "POST", "/orders", `{"orderReference":"r","sku":"T","quantity":1,"amount":"1.00"}`, nil, 400, "#", `missing required property currency`},
		{"a number is too small", "POST", "/orders", strings.Replace(newOrder, `"quantity":2`, `"quantity":0`, 1), nil, 400, "#/quantity", "at least 1"},
		{"a number is no integer", "POST", "/orders", strings.Replace(newOrder, `"quantity":2`, `"quantity":2.5`, 1), nil, 400, "#/quantity", "expected integer, this is a number"},
		{"a text does not match", "POST", "/orders", strings.Replace(newOrder, "10.10", "ten", 1), nil, 400, "#/amount", "does not match"},
		{"the body is not JSON", "POST", "/orders", `{"a":`, nil, 400, "#", ""},
		{"there is no body", "POST", "/orders", "", nil, 400, "#", "required and missing"},
		{"the content type is not known", "POST", "/orders", "a=1", []string{"Content-Type: text/plain"}, 415, "<nil>", "expected application/json"},
		{"a path parameter does not match", "GET", "/payments/by-reference/a%2Fb", "", nil, 400, "<nil>", "does not match"},
		{"a key is too long", "POST", "/orders", newOrder, []string{"Idempotency-Key: " + strings.Repeat("k", 65)}, 400, "<nil>", "at most 64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fields := append([]string{"Idempotency-Key: k"}, test.fields...)
			a := c.expect(test.status, test.method, test.path, test.body, fields...)
			if got := a.Header.Get("Content-Type"); got != "application/problem+json" {
				t.Errorf("Content-Type %q", got)
			}
			if got := a.get("errors", "0", "pointer"); got != test.pointer {
				t.Errorf("pointer %s, expected %s: %s", got, test.pointer, a.Body)
			}
			if got := a.get("errors", "0", "detail"); !strings.Contains(got, test.says) {
				t.Errorf("says %q, expected %q", got, test.says)
			}
			requests := server.Ledger().Requests
			if last := requests[len(requests)-1]; len(last.Findings) == 0 {
				t.Error("the ledger does not tell what is wrong")
			}
		})
	}
	wantEffects(t, server)
	// A request that was refused has not used up its key.
	c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
}

func TestParametersOfManyKinds(t *testing.T) {
	_, c := play(t, api(t, "3.0.3", `
paths:
  /things/{size}:
    get:
      operationId: find
      parameters:
        - {name: size, in: path, required: true, schema: {type: integer, minimum: 1}}
        - {name: open, in: query, schema: {type: boolean}}
        - {name: tag, in: query, schema: {type: array, maxItems: 2, items: {type: string, enum: [a, b]}}}
        - {name: csv, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: filter, in: query, style: deepObject, schema: {type: object}}
        - {name: X-Level, in: header, required: true, schema: {type: string}}
        - {name: Authorization, in: header, required: true, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string, minLength: 3}}
      responses: {'200': {description: ok}}
`))
	level := "X-Level: high"
	for _, test := range []struct {
		path   string
		fields []string
		status int
	}{
		{"/things/3", []string{level}, 200},
		{"/things/3?open=true&tag=a&tag=b&csv=1,2&filter[x]=1", []string{level, "Cookie: session=abc"}, 200},
		{"/things/0", []string{level}, 400},
		{"/things/large", []string{level}, 400},
		{"/things/3?open=maybe", []string{level}, 400},
		{"/things/3?tag=a&tag=c", []string{level}, 400},
		{"/things/3?tag=a&tag=b&tag=a", []string{level}, 400},
		{"/things/3?csv=1,x", []string{level}, 400},
		{"/things/3", nil, 400},
		{"/things/3", []string{level, "Cookie: session=ab"}, 400},
	} {
		if a := c.do("GET", test.path, "", test.fields...); a.Status != test.status {
			t.Errorf("%s %v: status %d, expected %d: %s", test.path, test.fields, a.Status, test.status, a.Body)
		}
	}
}

func TestForms(t *testing.T) {
	_, c := play(t, api(t, "3.0.3", `
paths:
  /tokens:
    post:
      operationId: token
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [grant_type]
              properties:
                grant_type: {type: string, enum: [password]}
                lifetime: {type: integer}
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema:
                type: object
                properties:
                  lifetime: {type: integer}
                  access_token: {type: string, example: secret}
`))
	form := "Content-Type: application/x-www-form-urlencoded"
	a := c.expect(200, "POST", "/tokens", "grant_type=password&lifetime=60", form)
	if a.Body != `{"access_token":"secret","lifetime":60}` {
		t.Errorf("answered %s", a.Body)
	}
	c.expect(400, "POST", "/tokens", "grant_type=guess", form)
	c.expect(400, "POST", "/tokens", "lifetime=60", form)
}

func TestABodyThatIsTooLarge(t *testing.T) {
	_, c := play(t, orderFlow(t))
	large := `{"sku":"` + strings.Repeat("x", 9<<20) + `"}`
	a := c.do("POST", "/orders", large, "Idempotency-Key: k")
	if a.Status != 413 {
		t.Errorf("status %d", a.Status)
	}
}
