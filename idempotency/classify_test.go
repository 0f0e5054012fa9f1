package idempotency

import (
	"strings"
	"testing"
)

func response(status int) Observation {
	return Observation{Written: true, Status: status, Complete: true}
}

func TestStatement09ClassOfAnAttempt(t *testing.T) {
	keyed := func(o Observation) Observation { o.KeySent = true; return o }
	inFlight := func(o Observation) Observation { o.InFlight = true; return o }
	with := func(p *Profile, o Observation) Observation { o.Profile = p; return o }
	toss, _ := ByName("toss-payments")
	tossProfile := &Profile{Name: "toss", Dialect: toss}
	statuses := &Profile{Name: "odd", Statuses: map[int]Class{409: Succeeded, 500: Rejected, 200: Unknown}}

	tests := []struct {
		name   string
		o      Observation
		want   Class
		reason string
	}{
		{"the name was not found", Observation{Failure: FailedDNS}, NotSent, "the host name was not found before the request was sent"},
		{"refused connection", Observation{Failure: FailedConnect}, NotSent, "no connection"},
		{"failed TLS handshake", Observation{Failure: FailedTLS}, NotSent, "TLS failed before"},
		{"timeout before a byte was written", Observation{Failure: FailedTimeout}, NotSent, "timeout before the request was sent"},
		{"cancelled before a byte was written", Observation{Failure: FailedCancelled}, NotSent, "cancelled before"},
		{"timeout after bytes were written", Observation{Written: true, Failure: FailedTimeout}, Unknown, "timeout after the request was sent"},
		{"reset after bytes were written", Observation{Written: true, Failure: FailedReset}, Unknown, "the connection broke after"},
		{"TLS alert after bytes were written", Observation{Written: true, Failure: FailedTLS}, Unknown, "TLS failed after"},
		{"cancelled after bytes were written", Observation{Written: true, Failure: FailedCancelled}, Unknown, "cancelled after"},
		{"an answer that is not HTTP", Observation{Written: true, Failure: FailedProtocol}, Unknown, "not HTTP"},
		{"bytes written and nothing known", Observation{Written: true}, Unknown, "no response after"},
		{"a failure of a kind to come", Observation{Written: true, Failure: "solar-flare"}, Unknown, "solar-flare after"},
		{"refused stream", Observation{Written: true, Failure: FailedRefused}, NotProcessed, "refused the stream"},
		{"goaway above the last stream", Observation{Written: true, Failure: FailedGoAway}, NotProcessed, "went away"},
		{"refused stream after a status", Observation{Written: true, Status: 200, Failure: FailedRefused}, Unknown, "after status 200"},
		{"truncated success", Observation{Written: true, Status: 200, Failure: FailedTruncated}, Unknown, "cut short after status 200"},
		{"truncated refusal", Observation{Written: true, Status: 404, Failure: FailedTruncated}, Unknown, "cut short after status 404"},
		{"timeout within the response", Observation{Written: true, Status: 201, Failure: FailedTimeout}, Unknown, "timeout after status 201"},

		{"200", response(200), Succeeded, "200"},
		{"204", response(204), Succeeded, "204"},
		{"299", response(299), Succeeded, "299"},
		{"303", response(303), Succeeded, "303"},
		{"303 followed by a 404", Observation{Written: true, Status: 404, Complete: true, SeeOther: true}, Succeeded, "303"},
		{"303 followed by a timeout", Observation{Written: true, Failure: FailedTimeout, SeeOther: true}, Succeeded, "303"},
		{"301", response(301), Rejected, "not followed"},
		{"302", response(302), Rejected, "not followed"},
		{"307", response(307), Rejected, "not followed"},
		{"308", response(308), Rejected, "not followed"},
		{"300", response(300), Unknown, "300"},
		{"304", response(304), Unknown, "304"},
		{"400", response(400), Rejected, "400"},
		{"401", response(401), Rejected, "401"},
		{"404", response(404), Rejected, "404"},
		{"408", response(408), Unknown, "408"},
		{"409", response(409), Rejected, "409"},
		{"409 with a key", keyed(response(409)), Rejected, "409"},
		{"409 with a key in flight", keyed(inFlight(response(409))), Deferred, "in flight"},
		{"409 that says in flight, but no key was sent", inFlight(response(409)), Rejected, "409"},
		{"422 that says in flight", keyed(inFlight(response(422))), Rejected, "422"},
		{"409 that is in flight by the profile", keyed(with(tossProfile, response(409))), Deferred, "in flight"},
		{"409 by that profile, but no key was sent", with(tossProfile, response(409)), Rejected, "409"},
		{"425", response(425), NotProcessed, "425"},
		{"429", response(429), Deferred, "429"},
		{"499", response(499), Rejected, "499"},
		{"500", response(500), Unknown, "500"},
		{"501", response(501), Unknown, "501"},
		{"502", response(502), Unknown, "502"},
		{"503", response(503), Unknown, "without Retry-After"},
		{"503 with Retry-After", Observation{Written: true, Status: 503, Complete: true, RetryAfter: true}, Deferred, "with Retry-After"},
		{"504", response(504), Unknown, "504"},
		{"599", response(599), Unknown, "599"},
		{"a status that does not exist", response(700), Unknown, "700"},
		{"101", response(101), Unknown, "101"},

		{"a profile widens success", with(statuses, response(409)), Succeeded, "409 is succeeded by the profile odd"},
		{"a profile says that a 500 is a refusal", with(statuses, response(500)), Rejected, "by the profile"},
		{"a profile narrows success", with(statuses, response(200)), Unknown, "by the profile"},
		{"a profile leaves the others alone", with(statuses, response(201)), Succeeded, "201"},
		{"in flight is never success, whatever the profile says of 409", keyed(inFlight(with(statuses, response(409)))), Deferred, "in flight"},
		{"a profile does not touch an incomplete response", with(statuses, Observation{Written: true, Status: 500, Failure: FailedTruncated}), Unknown, "cut short"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, reason := Classify(test.o)
			if got != test.want || !strings.Contains(reason, test.reason) {
				t.Errorf("Classify = %s, %q; want %s, %q", got, reason, test.want, test.reason)
			}
		})
	}
}

func TestStatement09EveryStatusHasAClassAndAReason(t *testing.T) {
	for status := -1; status < 1100; status++ {
		for _, key := range []bool{false, true} {
			o := response(status)
			o.KeySent = key
			class, reason := Classify(o)
			if class == "" || reason == "" {
				t.Fatalf("status %d: class %q, reason %q", status, class, reason)
			}
			if class == Succeeded && status/100 != 2 && status != 303 {
				t.Errorf("status %d succeeded", status)
			}
			if status >= 500 && class != Unknown {
				t.Errorf("status %d is %s", status, class)
			}
		}
	}
}

func TestStatement09ProblemsThatSayInFlight(t *testing.T) {
	tests := []struct {
		problemType, title string
		want               bool
	}{
		{"https://example.com/problems/idempotency-key-in-flight", "", true},
		{"https://example.com/problems#request_in_progress", "", true},
		{"urn:example:idempotency-key-in-use/", "", true},
		{"https://example.com/idempotency", "A request is outstanding for this Idempotency-Key", true},
		{"about:blank", "Concurrent request with the same key", true},
		{"https://example.com/problems/duplicate-order", "The order exists", false},
		{"https://in-progress.example.com/problems/duplicate", "", false},
		{"about:blank", "Conflict", false},
		{"", "", false},
	}
	for _, test := range tests {
		if got := InFlightProblem(test.problemType, test.title); got != test.want {
			t.Errorf("InFlightProblem(%q, %q) = %v, want %v", test.problemType, test.title, got, test.want)
		}
	}
}
