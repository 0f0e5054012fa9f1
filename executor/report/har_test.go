package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

func harReport(t *testing.T, events []executor.Event) string {
	t.Helper()
	h := NewHAR("v1.2.3")
	for _, e := range events {
		if err := h.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	n, err := h.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("WriteTo gave %d bytes, %v; %d were written", n, err, out.Len())
	}
	return out.String()
}

func TestHAR(t *testing.T) {
	for name, events := range map[string][]executor.Event{
		"order.har": orderRun(), "odd.har": oddRun(),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, harReport(t, events)) })
	}
}

// exchange is a run with one attempt, as it was on the wire.
func exchange(d executor.AttemptFinished) []executor.Event {
	s := newStream().workflow("w").step("s", 1)
	s.at.Attempt = 1
	return s.pass(time.Second).add(d).end(executor.Succeeded, "")
}

// entries reads the entries of an archive back.
func entries(t *testing.T, archive string) []harEntry {
	t.Helper()
	var read harArchive
	if err := json.Unmarshal([]byte(archive), &read); err != nil {
		t.Fatal(err)
	}
	return read.Log.Entries
}

func TestOnlyWhatWasOnTheWireIsInTheArchive(t *testing.T) {
	request := executor.Sent{Method: "POST", URL: "http://a/x"}
	for name, test := range map[string]struct {
		detail executor.AttemptFinished
		want   int
	}{
		"a response":        {executor.AttemptFinished{Sent: request, Response: &executor.Response{Status: 200}, Attempt: idempotency.Succeeded}, 1},
		"no response":       {executor.AttemptFinished{Sent: request, Attempt: idempotency.Unknown}, 1},
		"not processed":     {executor.AttemptFinished{Sent: request, Attempt: idempotency.NotProcessed}, 1},
		"not sent":          {executor.AttemptFinished{Sent: request, Attempt: idempotency.NotSent}, 0},
		"refused":           {executor.AttemptFinished{Sent: request, Refused: "no"}, 0},
		"nothing was built": {executor.AttemptFinished{Attempt: idempotency.Unknown}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := len(entries(t, harReport(t, exchange(test.detail)))); got != test.want {
				t.Errorf("%d entries, want %d", got, test.want)
			}
		})
	}
}

func TestOneArchiveTakesSeveralRuns(t *testing.T) {
	one, broken, other := orderRun(), retryRun()[:5], nestedRun()
	got := entries(t, harReport(t, slices.Concat(one, broken, other)))
	want := slices.Concat(entries(t, harReport(t, one)), entries(t, harReport(t, broken)), entries(t, harReport(t, other)))
	if len(want) != 4+1+4 {
		t.Errorf("%d requests in three runs", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-one by one +together):\n%s", diff)
	}
}

func TestAnEntryOfTheArchive(t *testing.T) {
	got := entries(t, harReport(t, exchange(executor.AttemptFinished{
		Sent: executor.Sent{
			Method: "POST", URL: "https://api.example.com/a?b=1&c=x%20y+z&b=2&bad=%zz&&flag#part?d=3",
			Header: executor.Header{"Cookie": {"sid=1; theme=dark"}, "Content-Type": {"application/octet-stream"}},
			Body:   []byte{0xff, 0x00},
		},
		Response: &executor.Response{
			Status: 302, Body: []byte("gone <&>"),
			Header: executor.Header{
				"Location": {"/elsewhere"}, "Content-Type": {"text/plain; charset=utf-8"}, "Content-Length": {"31"},
				"Set-Cookie": {"sid=2; Path=/; HttpOnly; Secure; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "***"},
			},
		},
		Duration: 250 * time.Millisecond, Attempt: idempotency.Rejected, Reason: "302: the redirect was not followed",
	})))
	want := []harEntry{{
		StartedDateTime: "2026-11-30T09:00:00.75Z", Time: 250,
		Timings: harTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: 250},
		Comment: "w/s#1/1: rejected: the redirect was not followed",
		Request: harRequest{
			Method: "POST", URL: "https://api.example.com/a?b=1&c=x%20y+z&b=2&bad=%zz&&flag#part?d=3",
			Cookies:     []harCookie{{Name: "sid", Value: "1"}, {Name: "theme", Value: "dark"}},
			Headers:     []harField{{"Content-Type", "application/octet-stream"}, {"Cookie", "sid=1; theme=dark"}},
			QueryString: []harField{{"b", "1"}, {"c", "x y z"}, {"b", "2"}, {"bad", "%zz"}, {"flag", ""}},
			PostData:    &harPostData{MimeType: "application/octet-stream", Params: []harField{}, Text: "/wA=", Encoding: "base64"},
			HeadersSize: -1, BodySize: 2,
		},
		Response: harResponse{
			Status:  302,
			Cookies: []harCookie{{Name: "sid", Value: "2", Path: "/", HTTPOnly: true, Secure: true, Expires: "2026-10-21T07:28:00Z"}},
			Headers: []harField{
				{"Content-Length", "31"}, {"Content-Type", "text/plain; charset=utf-8"}, {"Location", "/elsewhere"},
				{"Set-Cookie", "sid=2; Path=/; HttpOnly; Secure; Expires=Wed, 21 Oct 2026 07:28:00 GMT"}, {"Set-Cookie", "***"},
			},
			Content:     harContent{Size: 8, MimeType: "text/plain; charset=utf-8", Text: "gone <&>"},
			RedirectURL: "/elsewhere", HeadersSize: -1, BodySize: 31,
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEachRequestOfRedirectsIsInTheArchive with its own answer, and the version of
// HTTP.
func TestEachRequestOfRedirectsIsInTheArchive(t *testing.T) {
	got := entries(t, harReport(t, exchange(executor.AttemptFinished{
		Sent: executor.Sent{Method: "POST", URL: "http://a/x", Body: []byte("b")}, Attempt: idempotency.Succeeded, Duration: time.Second,
		Response: &executor.Response{Status: 200, Body: []byte("there"), Protocol: "HTTP/2.0"},
		Redirects: []executor.Redirect{
			{Response: executor.Response{Status: 303, Header: executor.Header{"Location": {"/y"}}, Protocol: "HTTP/1.1"}, Next: executor.Sent{Method: "GET", URL: "http://a/y"}},
			{Response: executor.Response{Status: 302, Header: executor.Header{"Location": {"http://b/z"}}, Protocol: "HTTP/1.1"}, Next: executor.Sent{Method: "GET", URL: "http://b/z"}},
		},
	})))
	var told []string
	for _, e := range got {
		told = append(told, fmt.Sprintf("%s %s %s %d %s %s %v", e.Request.Method, e.Request.URL, e.Request.HTTPVersion, e.Response.Status, e.Response.RedirectURL, e.Response.Content.Text, e.Time))
	}
	want := []string{"POST http://a/x HTTP/1.1 303 /y  0", "GET http://a/y HTTP/1.1 302 http://b/z  0", "GET http://b/z HTTP/2.0 200  there 1000"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestABinaryResponseIsBase64(t *testing.T) {
	got := entries(t, harReport(t, exchange(executor.AttemptFinished{
		Sent: executor.Sent{Method: "GET", URL: "http://a/"}, Attempt: idempotency.Succeeded,
		Response: &executor.Response{Status: 200, Body: []byte{0x89, 'P', 'N', 'G', 0xff}},
	})))[0].Response.Content
	want := harContent{Size: 5, MimeType: "application/octet-stream", Text: "iVBOR/8=", Encoding: "base64"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// demanded lists the members that HAR 1.2 does not call optional, by the name of
// the object, each with the type that it must have.
var demanded = map[string]string{
	"log":       "version string, creator object, entries array",
	"creator":   "name string, version string",
	"entry":     "startedDateTime string, time number, request object, response object, cache object, timings object",
	"request":   "method string, url string, httpVersion string, cookies array, headers array, queryString array, headersSize number, bodySize number",
	"response":  "status number, statusText string, httpVersion string, cookies array, headers array, content object, redirectURL string, headersSize number, bodySize number",
	"postData":  "mimeType string, params array, text string",
	"content":   "size number, mimeType string",
	"timings":   "send number, wait number, receive number",
	"nameValue": "name string, value string",
}

func TestArchivesHaveWhatTheFormatDemands(t *testing.T) {
	for name, events := range map[string][]executor.Event{
		"order": orderRun(), "retry": retryRun(), "nested": nestedRun(), "odd": oddRun(), "whole": wholeStream(),
		"nothing": nil, "begun": orderRun()[:5],
	} {
		t.Run(name, func(t *testing.T) {
			var read map[string]any
			if err := json.Unmarshal([]byte(harReport(t, events)), &read); err != nil {
				t.Fatal(err)
			}
			log := hasMembers(t, "log", read["log"])
			hasMembers(t, "creator", log["creator"])
			for _, item := range log["entries"].([]any) {
				checkEntry(t, hasMembers(t, "entry", item))
			}
		})
	}
}

func checkEntry(t *testing.T, entry map[string]any) {
	t.Helper()
	if _, err := time.Parse(time.RFC3339Nano, entry["startedDateTime"].(string)); err != nil {
		t.Error(err)
	}
	timings, total := hasMembers(t, "timings", entry["timings"]), 0.0
	for _, phase := range []string{"blocked", "dns", "connect", "send", "wait", "receive"} {
		total += max(0, timings[phase].(float64))
	}
	if total != entry["time"] {
		t.Errorf("the timings give %v, the time is %v", total, entry["time"])
	}
	request, response := hasMembers(t, "request", entry["request"]), hasMembers(t, "response", entry["response"])
	hasMembers(t, "content", response["content"])
	if data, ok := request["postData"]; ok {
		hasMembers(t, "postData", data)
	}
	lists := [][]any{request["headers"].([]any), request["queryString"].([]any), request["cookies"].([]any),
		response["headers"].([]any), response["cookies"].([]any)}
	for _, item := range slices.Concat(lists...) {
		hasMembers(t, "nameValue", item)
	}
}

// hasMembers checks an object against demanded.
func hasMembers(t *testing.T, name string, object any) map[string]any {
	t.Helper()
	members, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("%s is %v", name, object)
	}
	for _, member := range strings.Split(demanded[name], ", ") {
		key, kind, _ := strings.Cut(member, " ")
		got := map[string]string{"string": "string", "float64": "number", "[]interface {}": "array", "map[string]interface {}": "object"}[fmt.Sprintf("%T", members[key])]
		if got != kind {
			t.Errorf("%s.%s is %v, which is not of the type %s", name, key, members[key], kind)
		}
	}
	return members
}

func TestAHARWriterThatFailsIsTold(t *testing.T) {
	if _, err := NewHAR("").WriteTo(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("WriteTo = %v", err)
	}
}
