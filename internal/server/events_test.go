package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/executor/report"
)

// eventReader reads a stream of events.
type eventReader struct {
	*stand
	response *http.Response
	lines    *bufio.Scanner
}

func (s *stand) follow(run string, fields ...string) *eventReader {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), "GET", s.base+"/v1/runs/"+run+"/events", nil)
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i+1 < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" {
		s.Fatalf("%d %v", response.StatusCode, response.Header)
	}
	return &eventReader{s, response, bufio.NewScanner(response.Body)}
}

// sent is one event as it is sent.
type sent struct {
	id         int
	kind, data string
}

// next gives the next event; false at the end of the stream.
func (r *eventReader) next() (e sent, ok bool) {
	for r.lines.Scan() {
		name, text, _ := strings.Cut(r.lines.Text(), ": ")
		switch name {
		case "id":
			e.id, _ = strconv.Atoi(text)
		case "event":
			e.kind = text
		case "data":
			e.data = text
		case "":
			if e.id > 0 {
				return e, true
			}
		}
	}
	return e, false
}

// all gives the events until the stream ends.
func (r *eventReader) all() (all []sent) {
	for {
		e, ok := r.next()
		if !ok {
			return all
		}
		all = append(all, e)
	}
}

// TestEventsAreThoseOfTheReport holds both ways to get events against the report of runs
// and its schema.
func TestEventsAreThoseOfTheReport(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("look", "")
	s.untilEnded(run, "succeeded")
	want := report.NewJSON()
	if _, err := s.store.Follow(t.Context(), run, 0, want); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := want.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	var reported struct {
		Runs []struct {
			Result json.RawMessage
			Events []json.RawMessage
		}
	}
	if err := json.Unmarshal(text.Bytes(), &reported); err != nil {
		t.Fatal(err)
	}
	streamed := s.follow(run).all()
	var page struct{ Events []json.RawMessage }
	if err := json.Unmarshal(s.want(200, "GET", "/v1/runs/"+run+"/events", "", "Accept", "application/json").body, &page); err != nil {
		t.Fatal(err)
	}
	events := reported.Runs[0].Events
	if len(events) < 5 || len(streamed) != len(events) || len(page.Events) != len(events) {
		t.Fatalf("%d events, %d were streamed, %d listed", len(events), len(streamed), len(page.Events))
	}
	for i, e := range events {
		if !sameJSON(t, e, page.Events[i]) || !sameJSON(t, e, []byte(streamed[i].data)) {
			t.Errorf("event %d is\n%s, streamed as\n%s, listed as\n%s", i+1, e, streamed[i].data, page.Events[i])
		}
		if streamed[i].id != i+1 || !strings.Contains(string(e), strconv.Quote(streamed[i].kind)) {
			t.Errorf("event %d is sent as %+v", i+1, streamed[i])
		}
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(s.want(200, "GET", "/v1/runs/"+run+"/result", "").body, &result); err != nil {
		t.Fatal(err)
	}
	delete(result, "run")
	rest, err := json.Marshal(result)
	if err != nil || !sameJSON(t, rest, reported.Runs[0].Result) {
		t.Errorf("the result is %s, reported is %s", rest, reported.Runs[0].Result)
	}
	checkReport(t, text.Bytes())
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	v, err := value.ParseJSON(a)
	if err != nil {
		t.Fatal(err)
	}
	w, err := value.ParseJSON(b)
	if err != nil {
		t.Fatal(err)
	}
	return value.Identical(v, w)
}

// checkReport holds a report against its published schema.
func checkReport(t *testing.T, text []byte) {
	t.Helper()
	published, err := os.ReadFile(filepath.Join("..", "..", "docs", "run-report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.CompileBytes("run-report.schema.json", published)
	if err != nil {
		t.Fatal(err)
	}
	v, err := value.ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range s.Validate(v) {
		t.Errorf("%s: %s", fault.Pointer, fault.Message)
	}
}

// TestAStreamGoesOnWhereItBroke follows a run that waits, breaks off, and goes on behind
// the last event that came.
func TestAStreamGoesOnWhereItBroke(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("wait", "r")
	first := s.follow(run)
	var last sent
	for last.kind != "messageAwaited" {
		e, ok := first.next()
		if !ok {
			t.Fatalf("the stream ends behind %+v", last)
		}
		last = e
	}
	first.response.Body.Close()
	second := s.follow(run, "Last-Event-ID", strconv.Itoa(last.id))
	s.want(202, "POST", "/v1/runs/"+run+"/messages", `{"ref":"r"}`)
	rest := second.all()
	if len(rest) == 0 || rest[0].id != last.id+1 || rest[len(rest)-1].kind != "runFinished" {
		t.Fatalf("behind %+v come %+v", last, rest)
	}
	for i, e := range rest {
		if e.id != last.id+1+i {
			t.Errorf("event %d is %+v", last.id+1+i, e)
		}
	}
	// Who has seen the end is told not to come again.
	s.want(204, "GET", "/v1/runs/"+run+"/events", "", "Last-Event-ID", strconv.Itoa(rest[len(rest)-1].id))
	if left := s.follow(run, "Last-Event-ID", strconv.Itoa(rest[len(rest)-2].id)).all(); len(left) != 1 {
		t.Errorf("%+v is left", left)
	}
	s.want(400, "GET", "/v1/runs/"+run+"/events", "", "Last-Event-ID", "x")
}

func TestPagesOfEvents(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("look", "")
	s.untilEnded(run, "succeeded")
	after, seen := "0", 0
	for range 100 {
		page := s.want(200, "GET", "/v1/runs/"+run+"/events?limit=2&after="+after, "", "Accept", "application/json")
		events := page.json("events").([]any)
		seen += len(events)
		after = strconv.Itoa(int(page.json("next").(float64)))
		if page.json("ended") == true {
			break
		}
		if len(events) != 2 {
			t.Fatalf("%s", page.body)
		}
	}
	if strconv.Itoa(seen) != after || seen < 5 {
		t.Errorf("%d events were seen, the last is %s", seen, after)
	}
	for _, query := range []string{"limit=0", "limit=x", "after=-1", "limit=1001", "aftr=1", "after=1&after=2"} {
		s.want(400, "GET", "/v1/runs/"+run+"/events?"+query, "", "Accept", "application/json")
	}
}

// TestCloseEndsStreamsAndWaits has a stream and a wait in the air when the server is
// closed: both end, and the run goes on.
func TestCloseEndsStreamsAndWaits(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("wait", "r")
	s.untilWaiting(run)
	stream := s.follow(run)
	if _, ok := stream.next(); !ok {
		t.Fatal("nothing is streamed")
	}
	answers := make(chan int, 1)
	go func() {
		request, err := http.NewRequest("POST", s.base+"/v1/runs", strings.NewReader(startBody("wait", "other", `"token":"t"`)))
		if err != nil {
			panic(err) // the address is ours
		}
		request.Header.Set("Prefer", "wait=50")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			answers <- 0
			return
		}
		response.Body.Close()
		answers <- response.StatusCode
	}()
	s.until(run, func(durable.Detail) bool {
		page, err := s.store.List(t.Context(), durable.Filter{Token: "t"})
		return err == nil && len(page.Runs) == 1 && page.Runs[0].Waiting != nil
	})
	s.restart()
	stream.all() // it ends
	if got := <-answers; got != http.StatusAccepted {
		t.Errorf("who waited was answered with %d", got)
	}
	s.want(202, "POST", "/v1/runs/"+run+"/messages", `{"ref":"r"}`)
	s.untilEnded(run, "succeeded")
}
