package mock

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

// taker is a receiver that takes everything.
type taker struct{}

func (taker) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: r}, nil
}

func atOnce(_ time.Duration, do func()) { do() }

// misfit tells in which ways a message breaks the description of its webhook.
func misfit(checker *check.Checker, rs *routes, sent Webhook) []check.Finding {
	at := slices.IndexFunc(rs.webhooks, func(h *webhook) bool { return h.source == sent.Source && h.name == sent.Operation })
	body, _ := value.ParseJSON([]byte(sent.Body))
	return checker.Request(rs.webhooks[at].operation, check.Request{Header: sent.Header, Body: []byte(sent.Body), Value: body}).Findings
}

func TestMessagesGoToThisMachineAlone(t *testing.T) {
	closing := make(chan struct{})
	s := newSender("192.0.2.1", closing)
	r := httptest.NewRequest(http.MethodPost, "http://203.0.113.7/", nil)
	r.RequestURI = ""
	if _, err := s.RoundTrip(r); err == nil || !strings.Contains(err.Error(), "not on this machine") {
		t.Errorf("error %v", err)
	}
	close(closing)
	r.URL.Host = "192.0.2.1" // which was named; nobody is there, but the server is closed
	if _, err := s.RoundTrip(r); err == nil || strings.Contains(err.Error(), "not on this machine") {
		t.Errorf("error %v", err)
	}
}

func TestLocalHosts(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.1.2.3": true, "::1": true, "localhost": true, "LOCALHOST.": true, "a.localhost": true,
		"": false, "0.0.0.0": false, "10.0.0.1": false, "localhost.example": false, "notlocalhost": false,
	} {
		if isLocal(host) != want {
			t.Errorf("%q is local: %v", host, !want)
		}
	}
}

func TestSecretsAreReadAsStandardWebhooksWritesThem(t *testing.T) {
	secret, err := ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	// The example of the specification's own libraries: id, time, body and signature.
	got := sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("signature %s", got)
	}
	if plain, err := ParseSecret("plain"); err != nil || string(plain) != "plain" {
		t.Errorf("%q, %v", plain, err)
	}
	if _, err := ParseSecret("whsec_!"); err == nil {
		t.Error("what is no Base64 is taken")
	}
}
