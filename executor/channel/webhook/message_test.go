package webhook_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor/channel/webhook"
)

func TestReadMessage(t *testing.T) {
	read := func(body string, fields ...string) (*http.Request, []byte) {
		r, err := http.NewRequest(http.MethodPost, "http://localhost/", nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(fields); i += 2 {
			r.Header.Set(fields[i], fields[i+1])
		}
		return r, []byte(body)
	}
	m, err := webhook.ReadMessage(read("{}", "Content-Type", "application/json", "Webhook-Id", "m1", "Authorization", "Bearer x", "Cookie", "x"))
	if err != nil || m.Identity != "m1" || m.Method != "POST" || string(m.Body) != "{}" || len(m.Header) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = webhook.ReadMessage(read("{}", "Ce-Specversion", "1.0", "Ce-Source", "/pay", "Ce-Id", "7"))
	if err != nil || !strings.Contains(m.Identity, "7") || m.Identity == "7" {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err = webhook.ReadMessage(read("[]", "Content-Type", "application/cloudevents-batch+json")); !errors.Is(err, webhook.ErrBatch) {
		t.Errorf("a batch: %v", err)
	}
}
