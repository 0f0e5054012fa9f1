package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/channel/webhook"
)

// TestSignIsAsDescribed computes a signature by the words of the specification.
func TestSignIsAsDescribed(t *testing.T) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	h := hmac.New(sha256.New, key)
	fmt.Fprintf(h, "%s.%d.%s", "msg_1", noon.Unix(), `{"ref":"1"}`)
	want := "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
	if got, err := webhook.Sign(secret, "msg_1", noon, []byte(`{"ref":"1"}`)); got != want || err != nil {
		t.Errorf("the signature is %q, %v; want %q", got, err, want)
	}
	if _, err := webhook.Sign("", "msg_1", noon, nil); err == nil {
		t.Error("an empty secret signs")
	}
}

func TestSignatures(t *testing.T) {
	const body = `{ "ref" : "1" }`
	good := func(change func(fields []string) []string) []string {
		return change(signed(t, secret, "msg_1", noon, body))
	}
	asIs := func(f []string) []string { return f }
	raw, err := webhook.Sign("raw secret", "msg_1", noon, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fields []string
		body   string
		late   time.Duration // between signature and receipt
		want   int
		reason string
	}{
		"good":                {fields: good(asIs), want: 202},
		"at the limit":        {fields: good(asIs), late: 5 * time.Minute, want: 202},
		"ahead, at the limit": {fields: good(asIs), late: -5 * time.Minute, want: 202},
		"by a second secret":  {fields: good(func(f []string) []string { f[5] = raw; return f }), want: 202},
		"one of a list":       {fields: good(func(f []string) []string { f[5] = "v1,AAAA v1a,BBBB  " + f[5] + " v2,x"; return f }), want: 202},
		"one of two fields":   {fields: good(func(f []string) []string { return append(f, "webhook-signature", "v1,AAAA") }), want: 202},
		"stale":               {fields: good(asIs), late: 5*time.Minute + time.Second, want: 401, reason: "old"},
		"from the future":     {fields: good(asIs), late: -5*time.Minute - time.Second, want: 401, reason: "ahead"},
		"other body":          {fields: good(asIs), body: body + " ", want: 401, reason: "does not match"},
		"encoded anew":        {fields: good(asIs), body: `{"ref":"1"}`, want: 401, reason: "does not match"},
		"other id":            {fields: good(func(f []string) []string { f[1] = "msg_2"; return f }), want: 401, reason: "does not match"},
		"other time":          {fields: good(func(f []string) []string { f[3] = fmt.Sprint(noon.Unix() + 1); return f }), want: 401, reason: "does not match"},
		"no number":           {fields: good(func(f []string) []string { f[3] = "soon"; return f }), want: 401, reason: "number of seconds"},
		"far away":            {fields: good(func(f []string) []string { f[3] = "-9223372036854775808"; return f }), want: 401},
		"far ahead":           {fields: good(func(f []string) []string { f[3] = "9223372036854775807"; return f }), want: 401},
		"two ids":             {fields: good(func(f []string) []string { return append(f, "webhook-id", "msg_2") }), want: 401, reason: "more than one"},
		"unsigned":            {fields: nil, want: 401, reason: "not signed"},
		"no timestamp":        {fields: good(func(f []string) []string { return append(f[:2:2], f[4:]...) }), want: 401, reason: "not signed"},
		"other version":       {fields: good(func(f []string) []string { f[5] = strings.Replace(f[5], "v1,", "v1a,", 1); return f }), want: 401, reason: "does not match"},
		"no version":          {fields: good(func(f []string) []string { f[5] = strings.TrimPrefix(f[5], "v1,"); return f }), want: 401, reason: "does not match"},
		"too many signatures": {fields: good(func(f []string) []string { f[5] = strings.Repeat("v1,AAAA ", 32) + f[5]; return f }), want: 401, reason: "does not match"},
		"other secret":        {fields: signed(t, "another", "msg_1", noon, body), want: 401, reason: "does not match"},
		"a dot in the id":     {fields: signed(t, secret, "msg.1", noon, body), want: 401, reason: "dot"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t, webhook.Source{Secrets: []string{secret, "raw secret"}}, nil)
			s.at = noon.Add(c.late)
			sent := body
			if c.body != "" {
				sent = c.body
			}
			answer := s.post(c.want, path, sent, c.fields...)
			if c.want == 202 {
				if m := s.only(); m.Identity != "msg_1" || m.Header["Webhook-Signature"] != nil || string(m.Body) != sent {
					t.Errorf("the message is %+v", m)
				}
				return
			}
			if answer.Header.Get("WWW-Authenticate") == "" {
				t.Error("401 does not say what is wanted")
			}
			if got := s.inbox(); len(got) != 0 {
				t.Errorf("the run has got %+v", got)
			}
		})
	}
}

// TestRefusedSignaturesAreStrays holds that a report can tell of them.
func TestRefusedSignaturesAreStrays(t *testing.T) {
	s := newStand(t, webhook.Source{Secrets: []string{secret}}, nil)
	s.post(401, path, `{"ref":"1"}`, "webhook-id", "msg_1")
	s.post(401, "/callbacks/"+s.tokens["done"], `{"ref":"1"}`)
	all := s.strays()
	if len(all) != 2 || all[0].Box != "paid" || all[0].Identity != "msg_1" || !strings.Contains(all[0].Reason, "not signed") || all[1].Box != "done" {
		t.Errorf("strays: %+v", all)
	}
	// What was refused is no first of a duplicate.
	s.post(202, path, `{"ref":"1"}`, signed(t, secret, "msg_1", noon, `{"ref":"1"}`)...)
	s.only()
}

// TestRetriesOfASignedMessage holds that the timestamp changes and the identity stays.
func TestRetriesOfASignedMessage(t *testing.T) {
	s := newStand(t, webhook.Source{Secrets: []string{secret}}, nil)
	const body = `{"ref":"1"}`
	for range 3 {
		s.post(202, path, body, signed(t, secret, "msg_1", s.at, body)...)
		s.at = s.at.Add(time.Hour)
	}
	s.only()
}
