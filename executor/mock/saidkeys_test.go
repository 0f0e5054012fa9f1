package mock_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

func sourcesOf(t *testing.T, file string) []mock.Source {
	t.Helper()
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(context.Background(), file)
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	set, problems := loader.Load(context.Background(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return mock.Sources(set)
}

func roundTrip(t *testing.T, server *mock.Server, method, url, body string, header map[string]string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range header {
		r.Header.Set(name, text)
	}
	response, err := server.Transport(mock.TransportOptions{}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

// TestAKeyThatOnlyTheDocumentNames holds that a header which x-weft-idempotency names bears
// keys: of an operation, and of a channel.
func TestAKeyThatOnlyTheDocumentNames(t *testing.T) {
	for _, test := range []struct{ file, url, body, header string }{
		{"cloud/good-operation", "http://mock/cloud/instances", `{"name":"vm-7","flavor":"small"}`, "X-Request-Token"},
		{"claims/good-key", "http://mock/ev/payouts", `{"claimNo":"C-1","cents":7}`, "Idempotency-Key"},
	} {
		t.Run(test.file, func(t *testing.T) {
			server := mock.New(sourcesOf(t, "../../testdata/contract/"+test.file+".arazzo.yaml"), mock.Options{})
			header := map[string]string{"Content-Type": "application/json", test.header: "k-1"}
			for i, replayed := range []string{"", "true"} {
				response, _ := roundTrip(t, server, http.MethodPost, test.url, test.body, header)
				if response.StatusCode != http.StatusAccepted || response.Header.Get("Idempotent-Replayed") != replayed {
					t.Errorf("request %d: status %d, replayed %q", i+1, response.StatusCode, response.Header.Get("Idempotent-Replayed"))
				}
			}
			if all := server.AllEffects(); len(all) != 1 || all[0].Key != "k-1" {
				t.Errorf("effects %+v, want one under the key", all)
			}
		})
	}
}

// TestAnItemOfAnEmptyListIsWhole holds that an edit which goes into an item that a list does
// not have makes one as the description shows it, about what was asked for.
func TestAnItemOfAnEmptyListIsWhole(t *testing.T) {
	edit := mock.Edit{At: value.Pointer{"0", "status"}, Value: value.String("failed")}
	server := mock.New(sourcesOf(t, "../../testdata/contract/tickets/good-question.arazzo.yaml"), mock.Options{
		Choose: func(mock.Asked) *mock.Answer { return &mock.Answer{Status: 200, Edits: []mock.Edit{edit}} },
	})
	_, body := roundTrip(t, server, http.MethodGet, "http://mock/box/charges?ref=r-1", "", nil)
	got, err := value.ParseJSON([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	item := got.At(0)
	if got.Len() != 1 || item.Get("status").Text() != "failed" || item.Get("ref").Text() != "r-1" || item.Get("chargeId").Text() == "" {
		t.Errorf("got %s", body)
	}
}

// TestAnswersInMemoryHaveADate holds that they tell when they were made, as those of servers
// with a clock do.
func TestAnswersInMemoryHaveADate(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 5, 0, time.UTC)
	server := mock.New(orderFlow(t), mock.Options{Now: func() time.Time { return now }})
	response, _ := roundTrip(t, server, http.MethodGet, "http://mock/orders/orders/o-1", "", nil)
	if got := response.Header.Get("Date"); got != "Sun, 01 Mar 2026 12:00:05 GMT" {
		t.Errorf("Date: %q", got)
	}
}
