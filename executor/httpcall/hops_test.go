package httpcall

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestFollowedRedirectsAreRecorded with what was sent after them, and no credential.
func TestFollowedRedirectsAreRecorded(t *testing.T) {
	other := newRawServer(t, ok)
	server := newRawServer(t, func(c *rawConn) {
		for r := c.read(); r != nil; r = c.read() {
			c.server.fire("redirect")
			location := "/second?page=2"
			if strings.Contains(r.head, "/second") {
				location = other.url + "/third"
			}
			c.answer(http.StatusFound, "", "Location: "+location)
		}
	})
	client := newClient(t, Options{Authorizer: fields(field("Authorization", "header", "Bearer s3cret"), field("key", "query", "s3cret"))})
	got := do(t, client, aCall("GET", server.url, "/first"))
	server.mustFire(t, "redirect")
	if head := server.arrived("/second")[0].head; !strings.Contains(head, "Bearer s3cret") || !strings.Contains(head, "key=s3cret") {
		t.Fatalf("the credential did not go along, so that the test tells nothing:\n%s", head)
	}
	var told []string
	for _, r := range got.Redirects {
		told = append(told, fmt.Sprintf("%d %s %s %s %v", r.Response.Status, r.Response.Protocol, r.Next.Method, r.Next.URL, r.Next.Header["Authorization"]))
	}
	want := []string{
		"302 HTTP/1.1 GET " + server.url + "/second?page=2&key=*** [***]",
		"302 HTTP/1.1 GET " + other.url + "/third []",
	}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
	if text := fmt.Sprint(got.Redirects, got.Sent); strings.Contains(text, "s3cret") {
		t.Errorf("the record shows the credential: %s", text)
	}
	if got.Response == nil || got.Response.Protocol != "HTTP/1.1" {
		t.Errorf("the response is %+v", got.Response)
	}
}
