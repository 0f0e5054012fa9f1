package mock_test

import (
	"strings"
	"testing"
)

func TestWhatThereIsNot(t *testing.T) {
	server, c := play(t, orderFlow(t))
	nowhere := c.expect(404, "GET", "/orders/nowhere/at/all", "")
	if got := nowhere.get("detail"); !strings.Contains(got, "POST /orders/orders") || !strings.Contains(got, "GET /payments/payments/{paymentId}") {
		t.Errorf("detail %s", got)
	}
	if got := nowhere.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("Content-Type %s", got)
	}
	method := c.expect(405, "DELETE", "/orders/orders/ord-1", "")
	if got := method.Header.Get("Allow"); got != "GET" {
		t.Errorf("Allow %q", got)
	}
	for _, r := range server.Ledger().Requests {
		if r.Operation != "" {
			t.Errorf("request %d is said to be %s", r.Sequence, r.Operation)
		}
	}
}

func TestPathsAreMatched(t *testing.T) {
	_, c := play(t, api(t, "3.0.3", `
servers: [{url: 'https://api.example.com/v1/'}]
paths:
  /pets/{id}: {get: {operationId: byId, responses: {'200': {description: ok, content: {application/json: {example: byId}}}}}}
  /pets/mine: {get: {operationId: mine, responses: {'200': {description: ok, content: {application/json: {example: mine}}}}}}
  /files/{name}.{ext}: {get: {operationId: file, responses: {'200': {description: ok, content: {application/json: {example: file}}}}}}
  /{any}/{thing}/x: {get: {operationId: x, responses: {'200': {description: ok, content: {application/json: {example: x}}}}}}
`))
	for path, want := range map[string]string{
		"/pets/1":          `"byId"`,
		"/pets/mine":       `"mine"`,
		"/pets/a%2Fb":      `"byId"`,
		"/api/pets/1":      `"byId"`,
		"/v1/pets/1":       `"byId"`,
		"/api/v1/pets/1":   `"byId"`,
		"/files/a.txt":     `"file"`,
		"/pets/mine/x":     `"x"`,
		"/api/pets/mine/x": `"x"`,
	} {
		if a := c.expect(200, "GET", path, ""); a.Body != want {
			t.Errorf("%s: %s, expected %s", path, a.Body, want)
		}
	}
	for _, path := range []string{"/pets/", "/pets", "/files/plain", "/pets/1/", "/"} {
		c.expect(404, "GET", path, "")
	}
	head := c.expect(200, "HEAD", "/pets/1", "")
	if head.Body != "" || head.Header.Get("Content-Length") != "6" {
		t.Errorf("HEAD: %q, %s bytes", head.Body, head.Header.Get("Content-Length"))
	}
}
