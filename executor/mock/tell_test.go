package mock_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

const toldEvents = `
asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers: {hooks: {host: example.com, protocol: https}}
channels:
  paid:
    address: 'paid/{ref}'
    parameters: {ref: {}}
    messages:
      paid:
        headers: {type: object, required: [X-Kind], properties: {X-Kind: {type: string, const: paid}, X-Other: {type: string}}}
        payload: {$ref: '#/components/schemas/node'}
      other: {payload: {type: object, required: [reason], properties: {reason: {type: string}}}}
  shown: {address: shown, messages: {shown: {payload: {type: object}, examples: [{payload: {a: [1]}}]}}}
operations:
  onPaid: {action: send, channel: {$ref: '#/channels/paid'}}
components:
  schemas:
    node:
      type: object
      required: [name, any]
      properties: {name: {$ref: '#/components/schemas/name'}, any: true, next: {$ref: '#/components/schemas/node'}}
    name: {type: string, const: root}
`

// arrivals keeps what a receiver was sent.
type arrivals []string

func (a *arrivals) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	v, _ := value.ParseJSON(body)
	*a = append(*a, strings.Join([]string{r.Method, r.URL.Path, r.Header.Get("X-Kind"), r.Header.Get("X-Ref"), v.Get("name").Text(), v.Get("ref").Text(), v.Get("a").String()}, " "))
	return &http.Response{StatusCode: http.StatusAccepted, Body: http.NoBody}, nil
}

func asyncSources(t *testing.T, events string) []mock.Source {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"events.yaml": events,
		"flow.yaml":   "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: events, url: events.yaml, type: asyncapi}]\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: onPaid, action: receive, correlationId: a}]}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, _, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	set, problems := loader.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return mock.Sources(set)
}

func TestMessagesComeOnChannels(t *testing.T) {
	sources := asyncSources(t, toldEvents)
	told := mock.Told{
		Asked: mock.Asked{Source: "events", Operation: mock.ChannelMessages("paid")},
		To:    "http://weft.localhost/channels/events/paid/r-1", Reference: "r-1", Header: map[string]string{"X-Ref": "r-1"},
		Edits: []mock.Edit{{At: value.Pointer{"ref"}, Value: value.String("r-1")}},
	}
	shown := mock.Told{Asked: mock.Asked{Source: "events", Operation: mock.ChannelMessages("shown")}, To: "http://weft.localhost/channels/events/shown"}
	usual := "POST /channels/events/paid/r-1 paid r-1 root r-1 absent"
	for _, test := range []struct {
		name  string
		fault mock.FaultKind
		told  mock.Told
		want  []string
	}{
		{"by itself", "", told, []string{usual}},
		{"an example", "", shown, []string{"POST /channels/events/shown     [1]"}},
		{"twice", mock.WebhookDoubledSameID, told, []string{usual, usual}},
		{"lost", mock.WebhookLost, told, nil},
		{"about something else", mock.WebhookWrongCorrelation, told, []string{"POST /channels/events/paid/r-1-other paid r-1-other root r-1-other absent"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := mock.New(sources, mock.Options{})
			if test.fault != "" {
				if err := server.Plan(mock.Fault{Operation: "events/" + test.told.Operation, Kind: test.fault}); err != nil {
					t.Fatal(err)
				}
			}
			var came arrivals
			var due []func()
			err := server.SendWebhooks(mock.WebhookOptions{
				Target: "http://weft.localhost", Transport: &came, After: func(_ time.Duration, do func()) { due = append(due, do) },
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := server.Tell(test.told); err != nil {
				t.Fatal(err)
			}
			for len(due) > 0 {
				next := due[0]
				due = due[1:]
				next()
			}
			if strings.Join(came, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("came %q, want %q", came, test.want)
			}
			if missed := server.Unfired(); len(missed) > 0 {
				t.Error(missed)
			}
		})
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	server := mock.New(asyncSources(t, toldEvents), mock.Options{})
	paid := mock.Asked{Source: "events", Operation: mock.ChannelMessages("paid")}
	if err := server.Tell(mock.Told{Asked: paid, To: "http://weft.localhost/"}); !errors.Is(err, mock.ErrWebhooks) {
		t.Errorf("without a receiver: %v", err)
	}
	if err := server.SendWebhooks(mock.WebhookOptions{Target: "http://weft.localhost", Transport: &arrivals{}, After: func(time.Duration, func()) {}}); err != nil {
		t.Fatal(err)
	}
	for _, told := range []mock.Told{
		{Asked: paid, To: "http://example.com/"},
		{Asked: mock.Asked{Source: "events", Operation: "paid"}, To: "http://weft.localhost/"},
	} {
		if err := server.Tell(told); !errors.Is(err, mock.ErrWebhooks) {
			t.Errorf("%+v: %v", told, err)
		}
	}
}
