package server

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

const shopToken, otherToken, operateToken = "shop-token-0123456789", "other-token-0123456789", "operate-token-0123456789"

func withTokens(s *stand) {
	s.tokens = []Token{
		{Name: "shop", Secret: shopToken, Tenant: "shop", Rights: []Right{Start, Read, Act, Deliver}},
		{Name: "other", Secret: otherToken, Tenant: "other", Rights: []Right{Start, Read, Act, Deliver}},
		{Name: "operator", Secret: operateToken, Rights: []Right{Operate}},
	}
	s.token = shopToken
}

// TestStatement20TenantsSeeTheirOwn has two tenants with the same token, key and inputs.
func TestStatement20TenantsSeeTheirOwn(t *testing.T) {
	s := newStand(t, withTokens)
	body := startBody("wait", "r", `"token":"t"`)
	mine := s.want(201, "POST", "/v1/runs", body, "Idempotency-Key", "k").text("run")
	s.token = otherToken
	others := s.want(201, "POST", "/v1/runs", body, "Idempotency-Key", "k").text("run")
	if mine == others {
		t.Fatal("two tenants have one run")
	}
	s.untilWaiting(mine)
	for _, one := range [][2]string{
		{"GET", ""}, {"GET", "/result"}, {"GET", "/events"}, {"POST", "/cancel"}, {"POST", "/resume"}, {"POST", "/messages"}, {"POST", "/settle"},
	} {
		body := ""
		if one[1] == "/settle" {
			body = `{"step":"create","outcome":"failed"}`
		}
		answer := s.want(404, one[0], "/v1/runs/"+mine+one[1], body)
		if nowhere := s.want(404, one[0], "/v1/runs/nowhere"+one[1], body); answer.text("title") != nowhere.text("title") {
			t.Errorf("%v tells that the run is there: %s", one, answer.body)
		}
	}
	runs := s.want(200, "GET", "/v1/runs", "").json("runs").([]any)
	if len(runs) != 1 || runs[0].(map[string]any)["run"] != others {
		t.Errorf("the other tenant sees %v", runs)
	}
	s.want(403, "GET", "/v1/runs?tenant=shop", "")
	s.want(403, "POST", "/v1/runs", startBody("look", "", `"tenant":"shop"`))
	s.want(403, "DELETE", "/v1/tokens/wait/t?tenant=shop", "")
	s.want(200, "DELETE", "/v1/tokens/wait/t", "")
	s.want(404, "DELETE", "/v1/tokens/wait/t", "")
	s.token = shopToken // mine is held still
	if s.want(200, "POST", "/v1/runs", body).text("run") != mine {
		t.Error("the token of one tenant was freed by another")
	}
	if runs := s.want(200, "GET", "/v1/runs?tenant=shop", "").json("runs").([]any); len(runs) != 1 {
		t.Errorf("the tenant sees %v", runs)
	}
}

func TestRights(t *testing.T) {
	s := newStand(t, withTokens)
	for _, r := range api {
		if r.right == "" {
			continue
		}
		method, path, _ := strings.Cut(r.pattern, " ")
		path = strings.NewReplacer("{run}", "x", "{workflow}", "w", "{token}", "t").Replace(path)
		for token, want := range map[string]int{"": 401, "wrong-token-0123456789": 401, shopToken[:8]: 401} {
			s.token = token
			answer := s.want(want, method, path, "")
			if answer.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: it is not said how to authenticate", r.pattern)
			}
		}
		s.token = ""
		s.want(401, method, path, "", "Authorization", "Basic "+shopToken)
		for _, token := range s.tokens {
			if slices.Contains(token.Rights, r.right) {
				continue
			}
			s.token = token.Secret
			s.want(403, method, path, "")
		}
	}
	s.token = ""
	for _, open := range []string{"/healthz", "/readyz", "/openapi.yaml"} {
		s.want(200, "GET", open, "")
	}
	s.token = operateToken
	s.want(200, "GET", "/metrics", "")
	s.want(200, "GET", "/v1/unmatched", "")
	// With a token a request may come from anywhere.
	s.token = shopToken
	s.want(200, "GET", "/v1/runs", "", "Host", "weft.example.com", "X-Forwarded-For", "192.0.2.1")
}

// TestWithoutTokens serves this machine alone, and no web pages.
func TestWithoutTokens(t *testing.T) {
	s := newStand(t, nil)
	for _, good := range [][]string{{}, {"Host", "localhost"}, {"Host", "[::1]:80"}, {"Host", "weft.localhost:1"}, {"Sec-Fetch-Site", "none"}} {
		s.want(200, "GET", "/v1/runs", "", good...)
	}
	for _, bad := range [][]string{
		{"Host", "weft.example.com"}, {"Host", "192.0.2.1:8030"}, {"Host", "localhost.example.com"}, {"Origin", "http://127.0.0.1"}, {"Origin", "null"},
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"X-Forwarded-For", "192.0.2.1"}, {"Forwarded", "for=192.0.2.1"},
	} {
		s.want(403, "GET", "/v1/runs", "", bad...)
		s.want(403, "POST", "/v1/runs", startBody("look", ""), bad...)
	}
	// Messages are for everybody: what is signed proves itself.
	s.want(202, "POST", "/webhooks/shop/paid", `{"ref":"r"}`, "Host", "weft.example.com", "X-Forwarded-For", "192.0.2.1")
	remote := httptest.NewRequest("GET", "http://localhost/v1/runs", nil)
	remote.RemoteAddr = "192.0.2.1:1234"
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, remote)
	if w.Code != http.StatusForbidden {
		t.Errorf("another machine got %d", w.Code)
	}
	// Where there are no tokens, requests may name a tenant.
	if run := s.start("look", "", `"tenant":"shop"`); len(s.want(200, "GET", "/v1/runs?tenant=shop", "").json("runs").([]any)) != 1 {
		t.Errorf("%s is not of the tenant", run)
	}
	if runs := s.want(200, "GET", "/v1/runs?tenant=", "").json("runs").([]any); len(runs) != 0 {
		t.Errorf("there are runs of no tenant: %v", runs)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := newStand(t, nil)
	for _, target := range []string{"/", "/v1", "/v1/runs/", "//v1/runs", "/v1/../v1/runs", "/v2/runs", "/v1/runs/x/y", "/v1/runs/%00", "/webhooks", "/webhooks/", "/webhooks//x", "/webhooks/shop/../shop/paid"} {
		s.want(404, "GET", target, "")
	}
	for target, allow := range map[string]string{"/v1/runs": "GET, POST", "/healthz": "GET", "/v1/runs/x/cancel": "POST", "/v1/tokens/a/b": "DELETE"} {
		for _, method := range []string{"PUT", "PATCH", "BREW"} {
			if answer := s.want(405, method, target, ""); answer.Header.Get("Allow") != allow {
				t.Errorf("%s %s allows %q, want %q", method, target, answer.Header.Get("Allow"), allow)
			}
		}
	}
}
