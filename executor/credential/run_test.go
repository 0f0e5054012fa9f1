package credential

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/live"
)

// events keeps what a run tells.
type events struct{ all []executor.Event }

func (e *events) Write(event executor.Event) error {
	e.all = append(e.all, event)
	return nil
}

// A server that echoes all that it got, in bodies, headers and redirects, cannot
// make a run tell a credential.
func TestPlantedSecretsOccurInNoEvent(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		got := r.Header.Get("Authorization") + " " + r.Header.Get("X-Api-Key") + " " + r.URL.RequestURI() + " " + r.Header.Get("Cookie")
		w.Header().Set("X-Echo", got)
		w.Header().Set("Location", "https://elsewhere.example.com/?"+r.URL.RawQuery)
		w.Header().Set("Content-Type", "application/json")
		if r.URL.RawQuery != "" { // it would go there with the key
			w.WriteHeader(http.StatusFound)
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"got": got})
	}
	names := []string{"keyHeader", "keyQuery", "keyCookie", "basic", "bearer", "connect", "code", "oauth"}
	var paths, steps strings.Builder
	for i, name := range names {
		fmt.Fprintf(&paths, "\n  /%s: {get: {operationId: op%d, security: [{%s: []}], responses: {'200': {description: ok}}}}", name, i, name)
		fmt.Fprintf(&steps, "\n      - {stepId: s%d, operationId: op%d, successCriteria: [{condition: $statusCode < 400}], "+
			"outputs: {got: $response.body#/got, sent: $request.header.Authorization, url: $url}}", i, i)
	}
	api, auth := serve(t, echo), issuer(t, 3600)
	set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, paths.String(), steps.String())
	k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Auth: all(), Headers: []Header{{Name: "X-Api-Key", Value: planted + "-fixed"}}}}})
	plan, refusals := executor.Compile(set, nil, executor.Config{})
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	runtime := live.New(live.Options{Client: clientWith(t, k)})
	defer runtime.Close()
	told := &events{}
	result, err := plan.Run(t.Context(), runtime, executor.Start{Sink: told, Learned: k.Learned})
	if err != nil || result.Status != executor.Succeeded {
		t.Fatalf("%s: %s, %v", result.Status, result.Reason, err)
	}
	if n := len(api.all()); n != len(names) {
		t.Fatalf("%d requests came", n)
	}
	echoed := 0
	for _, e := range told.all {
		text := fmt.Sprintf("%+v", e.Detail)
		if d, ok := e.Detail.(executor.AttemptFinished); ok {
			text = fmt.Sprintf("%+v %+v %s", d.Sent, *d.Response, d.Response.Body)
			echoed += strings.Count(string(d.Response.Body), "***")
		}
		mustLack(t, e.Detail.Type(), text, append(k.Secrets(), planted, "pl4nted")...)
	}
	if echoed < len(names) {
		t.Errorf("only %d echoes were masked: the server did not get the credentials", echoed)
	}
}

// After a 401 there is one more attempt with a renewed token, under the same key.
func TestAfterARefusalTheSameKeyIsSentOnceMore(t *testing.T) {
	api, accepted := refusing(t)
	accepted.Store("token-2")
	auth := issuer(t, 3600)
	paths := "\n  /a: {post: {operationId: order, security: [{oauth: []}], " +
		"parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}], responses: {'200': {description: ok}}}}"
	set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, paths, "\n      - {stepId: one, operationId: order}")
	k := ring(t, set, Options{Environ: []string{"WEFT_AUTH_MY_API_OAUTH=id:" + planted}})
	plan, refusals := executor.Compile(set, nil, executor.Config{})
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	runtime := live.New(live.Options{Client: clientWith(t, k)})
	defer runtime.Close()
	told := &events{}
	result, err := plan.Run(t.Context(), runtime, executor.Start{Sink: told, Learned: k.Learned})
	if err != nil || result.Status != executor.Succeeded {
		t.Fatalf("%s: %s, %v", result.Status, result.Reason, err)
	}
	got := api.all()
	if len(got) != 2 || got[0].header.Get("Authorization") != "Bearer token-1" || got[1].header.Get("Authorization") != "Bearer token-2" {
		t.Fatalf("got %+v", got)
	}
	if key := got[0].header.Get("Idempotency-Key"); key == "" || got[1].header.Get("Idempotency-Key") != key {
		t.Errorf("the keys are %q and %q", key, got[1].header.Get("Idempotency-Key"))
	}
	for _, e := range told.all {
		mustLack(t, e.Detail.Type(), fmt.Sprintf("%+v", e.Detail), "token-1", "token-2", planted)
	}
}
