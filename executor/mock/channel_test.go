package mock_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/mock"
)

const eventsDescription = `
asyncapi: 3.0.0
info: {title: Events, version: "1"}
servers:
  hooks: {host: example.com, protocol: https, pathname: /in}
  bus: {host: example.com, protocol: kafka}
channels:
  orders: {address: 'orders/{ref}', parameters: {ref: {}}, servers: [{$ref: '#/servers/hooks'}], messages: {placed: {payload: {type: object}}}}
  log: {address: log, servers: [{$ref: '#/servers/bus'}]}
operations:
  tell: {action: send, channel: {$ref: '#/channels/orders'}, bindings: {http: {method: PUT}}}
`

func TestMessagesSentToChannelsAreTaken(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"events.yaml": eventsDescription,
		"flow.yaml":   "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: events, url: events.yaml, type: asyncapi}]\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: tell, action: send}]}]\n",
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
	server := mock.New(mock.Sources(set), mock.Options{})
	client := http.Client{Transport: server.Transport(mock.TransportOptions{})}
	for path, want := range map[string]int{"/events/orders/o-1": 202, "/events/log": 404} {
		request, err := http.NewRequest(http.MethodPut, "http://mock.localhost"+path, strings.NewReader(`{"ref":"o-1"}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: status %d, %s", path, response.StatusCode, body)
		}
	}
	if effects := server.Effects(); len(effects) != 1 || effects[0].Operation != "orders" || effects[0].Count != 1 {
		t.Errorf("effects %+v", effects)
	}
}
