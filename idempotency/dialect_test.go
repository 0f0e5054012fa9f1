package idempotency

import (
	"strings"
	"testing"
	"time"
)

func TestStatement04HeadersAreKnownInAnyCase(t *testing.T) {
	tests := []struct {
		header, dialect string
	}{
		{"Idempotency-Key", "idempotency-key"},
		{"idempotency-key", "idempotency-key"},
		{"PAYPAL-REQUEST-ID", "paypal"},
		{"cko-idempotency-key", "checkout.com"},
		{"x-idempotency-key", "open-banking"},
		{"X-GCS-Idempotence-Key", "worldline"},
		{"repeatability-request-id", "repeatability"},
		{"X-Request-Id", ""},
		{"Repeatability-First-Sent", ""},
		{"", ""},
	}
	for _, test := range tests {
		got, ok := KnownHeader(test.header)
		if got.Name != test.dialect || ok != (test.dialect != "") {
			t.Errorf("KnownHeader(%q) = %q, %v; want %q", test.header, got.Name, ok, test.dialect)
		}
	}
}

func TestStatement04LimitsOfTheDialects(t *testing.T) {
	tests := []struct {
		name      string
		format    Format
		maxLength int
		retention time.Duration
		statuses  Statuses
	}{
		{"idempotency-key", Raw, 0, 0, Statuses{}},
		{"httpapi-draft", SFString, 0, 0, Statuses{Missing: 400, InFlight: 409, Mismatch: 422}},
		{"stripe", Raw, 255, 24 * time.Hour, Statuses{}},
		{"adyen", Raw, 64, 7 * 24 * time.Hour, Statuses{}},
		{"increase", Raw, 200, 0, Statuses{}},
		{"gocardless", Raw, 0, 0, Statuses{}},
		{"toss-payments", Raw, 300, 15 * 24 * time.Hour, Statuses{Missing: 400, InFlight: 409}},
		{"paypal", Raw, 108, 3 * time.Hour, Statuses{}},
		{"checkout.com", Raw, 0, 24 * time.Hour, Statuses{}},
		{"open-banking", Raw, 0, 24 * time.Hour, Statuses{}},
		{"worldline", Raw, 0, 24 * time.Hour, Statuses{}},
		{"repeatability", UUID, 0, 5 * time.Minute, Statuses{TooOld: 412}},
	}
	if len(tests) != len(Dialects()) {
		t.Errorf("%d dialects are listed here, there are %d", len(tests), len(Dialects()))
	}
	for _, test := range tests {
		d, ok := ByName(test.name)
		if !ok {
			t.Errorf("no dialect %q", test.name)
			continue
		}
		if d.Format != test.format || d.MaxLength != test.maxLength || d.Retention != test.retention || d.Statuses != test.statuses {
			t.Errorf("%s is %+v, want %+v", test.name, d, test)
		}
	}
	if _, ok := ByName("no such dialect"); ok {
		t.Error("a dialect that does not exist was found")
	}
}

func TestStatement04ADerivedKeyFitsEveryDialect(t *testing.T) {
	key := DeriveKey(orderParts())
	for _, d := range Dialects() {
		got, err := d.Encode(key)
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		if got.Header != d.Header || strings.Trim(got.Value, `"`) != key {
			t.Errorf("%s: Encode = %+v", d.Name, got)
		}
	}
}

func TestDialectsCannotBeChangedByACaller(t *testing.T) {
	Dialects()[0].Header = "Changed"
	if got := Dialects()[0].Header; got == "Changed" {
		t.Error("the table was changed through Dialects")
	}
}

func TestStatement10WhichAnswersSpeakForTheOperation(t *testing.T) {
	tests := []struct {
		dialect string
		attempt Class
		status  int
		want    bool
	}{
		{"stripe", Succeeded, 201, true},
		{"stripe", Rejected, 402, true},
		{"stripe", Rejected, 401, false},
		{"stripe", Rejected, 403, false},
		{"stripe", Rejected, 308, false},
		{"stripe", Deferred, 409, false},
		{"stripe", NotProcessed, 425, false},
		{"stripe", NotSent, 0, false},
		{"stripe", Unknown, 500, false},
		{"httpapi-draft", Rejected, 422, false},
		{"httpapi-draft", Rejected, 400, false},
		{"httpapi-draft", Rejected, 404, true},
		{"paypal", Succeeded, 200, true},
		{"paypal", Rejected, 422, false},
		{"checkout.com", Succeeded, 201, true},
		{"checkout.com", Rejected, 422, false},
		{"repeatability", Rejected, 412, false},
		{"idempotency-key", Rejected, 402, true},
		{"idempotency-key", Rejected, 400, false}, // it publishes nothing of its statuses
		{"idempotency-key", Rejected, 409, false},
		{"idempotency-key", Rejected, 412, false},
		{"idempotency-key", Rejected, 422, false},
		{"httpapi-draft", Rejected, 412, true},
		{"repeatability", Rejected, 409, true},
	}
	for _, test := range tests {
		d, _ := ByName(test.dialect)
		if got := d.SpeaksForOperation(test.attempt, test.status); got != test.want {
			t.Errorf("%s: SpeaksForOperation(%s, %d) = %v, want %v", test.dialect, test.attempt, test.status, got, test.want)
		}
	}
}
