package mock_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/mock"
)

// shop describes callbacks and webhooks of several kinds. EXTRA stands for what a test
// adds to the operation that creates.
const shop = `
paths:
  /jobs:
    post:
      operationId: createJob
      EXTRA
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/NewJob'}}}}
      responses:
        '201': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}
      callbacks:
        done:
          '{$request.body#/callbackUrl}?job={$response.body#/id}':
            post:
              operationId: jobDone
              requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}
              responses: {'200': {description: ok}}
  /jobs/{jobId}:
    get:
      operationId: getJob
      responses:
        '200': {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}
        '404': {description: none}
    delete:
      operationId: deleteJob
      responses: {'204': {description: gone}}
  /jobs/{jobId}/stop:
    post:
      operationId: stopJob
      responses:
        '200': {description: ok, content: {application/json: {schema: {allOf: [{$ref: '#/components/schemas/Job'}, {properties: {state: {const: STOPPED}}}]}}}}
components:
  schemas:
    NewJob:
      type: object
      properties: {jobRef: {type: string}, callbackUrl: {type: string}}
    Job:
      type: object
      required: [id, state]
      properties:
        id: {type: string, examples: [job-1]}
        jobRef: {type: string}
        callbackUrl: {type: string}
        state: {type: string, enum: [RUNNING, DONE, STOPPED]}
`

// jobEvents is a webhook in the form of an envelope.
const jobEvents = `
webhooks:
  jobEvents:
    post:
      parameters: [{name: X-Topic, in: header, required: true, schema: {const: jobs}}]
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [id, type, data]
              properties:
                id: {type: string, format: uuid}
                type: {const: job.changed}
                data: {$ref: '#/components/schemas/Job'}
      responses: {'200': {description: ok}}
`

func shopWith(extra, rest string) string { return strings.Replace(shop, "EXTRA", extra, 1) + rest }

func TestACallbackGoesWhereTheRequestWantsIt(t *testing.T) {
	server, c := play(t, api(t, "3.1.0", shopWith("", "")))
	to := listen(t)
	sends(t, server, to)
	c.expect(201, "POST", "/jobs", `{"jobRef":"a/b","callbackUrl":"`+to.base+`/back"}`)
	settle(t, server)
	all := to.got()
	if len(all) != 1 || all[0].path != "/back" || all[0].get(t, "jobRef") != "a/b" || all[0].get(t, "id") != "job-1" || all[0].get(t, "state") != "RUNNING" {
		t.Fatalf("got %+v", all)
	}
	sent := server.Ledger().Webhooks[0]
	if sent.Operation != "jobDone" || sent.Target != to.base+"/back?job=job-1" || sent.Reference != "a/b" {
		t.Errorf("the ledger says %+v", sent)
	}
	if _, err := server.Send(mock.Outgoing{Source: "api", Operation: "done"}); err != nil || len(to.got()) != 2 {
		t.Errorf("sent by hand to the same address: %v", err)
	}
}

func TestACallbackThatIsNotWantedOrNotHere(t *testing.T) {
	server, c := play(t, api(t, "3.1.0", shopWith("", "")))
	to := listen(t)
	plan(t, server, mock.Fault{Operation: "jobDone", Occurrence: 1, Kind: mock.WebhookLost})
	sends(t, server, to)
	c.expect(201, "POST", "/jobs", `{"jobRef":"1"}`)
	settle(t, server)
	if sent := server.Ledger().Webhooks; len(sent) != 0 {
		t.Errorf("the ledger says %+v", sent)
	}
	c.expect(201, "POST", "/jobs", `{"jobRef":"2","callbackUrl":"http://203.0.113.7/back"}`)
	c.expect(201, "POST", "/jobs", `{"jobRef":"3","callbackUrl":"ftp://localhost/back"}`)
	settle(t, server)
	sent := server.Ledger().Webhooks
	if len(sent) != 2 || sent[0].Status != 0 || !strings.Contains(sent[0].Error, "not on this machine") || !strings.Contains(sent[1].Error, "no URL of HTTP") {
		t.Errorf("the ledger says %+v", sent)
	}
	if unfired := server.Unfired(); len(unfired) != 1 || !strings.Contains(unfired[0].Error(), "not on this machine") {
		t.Errorf("unfired %v", unfired)
	}
	broken, c := play(t, api(t, "3.1.0", strings.Replace(shopWith("", ""), "'{$request.body#/callbackUrl}?job={$response.body#/id}'", "'{$request.body#/callbackUrl'", 1)))
	sends(t, broken, to)
	c.expect(201, "POST", "/jobs", `{"callbackUrl":"`+to.base+`"}`)
	if sent := broken.Ledger().Webhooks; len(sent) != 1 || !strings.Contains(sent[0].Error, "cannot be read") {
		t.Errorf("the ledger says %+v", sent)
	}
	if _, err := server.Send(mock.Outgoing{Source: "api", Operation: "jobDone", To: "http://203.0.113.7/"}); !errors.Is(err, mock.ErrWebhooks) {
		t.Errorf("error %v", err)
	}
	if _, err := server.Send(mock.Outgoing{Source: "api", Operation: "jobDone"}); err == nil || !strings.Contains(err.Error(), "no request has yet said") {
		t.Errorf("error %v", err)
	}
}

// TestTheOnlyWebhookIsSentWithoutBeingAskedFor sends an envelope about the resource after
// each operation that changes it, with what is so by then.
func TestTheOnlyWebhookIsSentWithoutBeingAskedFor(t *testing.T) {
	server, c := play(t, api(t, "3.1.0", shopWith("", jobEvents)))
	to := listen(t)
	sends(t, server, to)
	c.expect(201, "POST", "/jobs", `{"jobRef":"r"}`)
	settle(t, server)
	c.expect(200, "POST", "/jobs/job-1/stop", "")
	settle(t, server)
	c.expect(200, "GET", "/jobs/job-1", "")
	c.expect(204, "DELETE", "/jobs/job-1", "")
	c.expect(200, "POST", "/jobs/nobody/stop", "") // there is nothing that could be told
	settle(t, server)
	all := to.got()
	if len(all) != 3 {
		t.Fatalf("%d messages: %+v", len(all), all)
	}
	ids := map[string]bool{}
	for i, state := range []string{"RUNNING", "STOPPED", "STOPPED"} {
		var body struct {
			ID, Type string
			Data     struct{ ID, JobRef, State string }
		}
		if err := json.Unmarshal([]byte(all[i].body), &body); err != nil {
			t.Fatal(err)
		}
		ids[body.ID] = true
		if len(body.ID) != 36 || body.Type != "job.changed" || body.Data.ID != "job-1" || body.Data.JobRef != "r" || body.Data.State != state {
			t.Errorf("message %d: %s", i+1, all[i].body)
		}
		if all[i].path != "/webhooks/api/jobEvents" || all[i].header.Get("X-Topic") != "jobs" {
			t.Errorf("message %d: %+v", i+1, all[i])
		}
	}
	if len(ids) != 3 {
		t.Errorf("events have the ids %v", ids)
	}
}

func TestOfTwoWebhooksNoneIsSentUnlessItIsSaid(t *testing.T) {
	const two = `
webhooks:
  a/b: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}, responses: {'200': {description: ok}}}}
  other: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Job'}}}}, responses: {'200': {description: ok}}}}
`
	for extra, want := range map[string]string{
		"":                 "",
		"x-weft-sends: []": "",
		"x-weft-sends: [{webhook: a/b, after: 0s, set: {state: DONE, note: null, more: [1]}}]":                                                       "/webhooks/api/a%2Fb DONE",
		"x-weft-sends: [{webhook: other, after: 1ms, set: {state: RUNNING}}, {webhook: done}, {webhook: other, after: 60ms, set: {state: STOPPED}}]": "/webhooks/api/other RUNNING, /webhooks/api/other STOPPED",
	} {
		clock := newVirtual()
		server, c := playAt(t, api(t, "3.1.0", shopWith(extra, two)), clock.now)
		to := listen(t)
		sends(t, server, to, clock.drives)
		c.expect(201, "POST", "/jobs", `{"jobRef":"r"}`)
		clock.pass(time.Second)
		var got []string
		for _, d := range to.got() {
			got = append(got, d.path+" "+d.get(t, "state"))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, expected %q", extra, got, want)
		}
	}
}

func TestWhatIsWrongWithSends(t *testing.T) {
	for extra, says := range map[string]string{
		"x-weft-sends: jobEvents":                                    "must be a list, this is string",
		"x-weft-sends: [jobEvents]":                                  "x-weft-sends[0] must be an object that names a webhook",
		"x-weft-sends: [{webhook: jobEvnts}]":                        `there is no webhook "jobEvnts"; did you mean jobEvents?`,
		"x-weft-sends: [{webhook: jobEvents, afer: 1s}]":             `has no member "afer"; did you mean after?`,
		"x-weft-sends: [{webhook: jobEvents, after: 3}]":             "x-weft-sends[0].after: expected a duration such as 20ms",
		"x-weft-sends: [{webhook: jobEvents}, {webhook: 1, set: 2}]": "x-weft-sends[1].set must be an object, this is number",
	} {
		server := mock.New(api(t, "3.1.0", shopWith(extra, jobEvents)), mock.Options{})
		err := server.SendWebhooks(mock.WebhookOptions{Target: "http://127.0.0.1:1"})
		if !errors.Is(err, mock.ErrWebhooks) || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "api.yaml#/paths/~1jobs/post") {
			t.Errorf("%s: error %v, expected one that says %q", extra, err, says)
		}
	}
	server := mock.New(orderFlow(t), mock.Options{})
	for _, target := range []string{"", "here", "ftp://127.0.0.1/", "http://"} {
		if err := server.SendWebhooks(mock.WebhookOptions{Target: target}); !errors.Is(err, mock.ErrWebhooks) {
			t.Errorf("target %q: error %v", target, err)
		}
	}
}
