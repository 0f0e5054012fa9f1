package durable

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

var update = flag.Bool("update", false, "write the history of this version into testdata")

// history is what is recorded of a run, but for its end.
type history struct {
	Run     string
	Bundle  *Bundle
	Config  executor.Config
	Inputs  json.RawMessage
	Records []historyRecord
	Status  executor.Status
	State   string
}

type historyRecord struct{ Name, Output string }

// TestHistoriesAreUnderstood: a run that is recorded in a file ends from its records
// alone. Where this fails after a change, runs that users have would be parked: then
// Engine must change, and the engine before must stay for them.
func TestHistoriesAreUnderstood(t *testing.T) {
	file := "testdata/history-" + Engine + ".json"
	if *update {
		writeHistory(t, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var h history
	if err := json.Unmarshal(text, &h); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, readyFile(t), quickOptions(t))
	begin(t, s, Spec{Run: h.Run, Bundle: h.Bundle, Config: h.Config}, string(h.Inputs))
	for n, r := range h.Records {
		_, err := s.db.exec(t.Context(), "INSERT INTO operation_outputs (workflow_uuid, function_id, function_name, output, serialization) VALUES ($1, $2, $3, $4, 'weft')", h.Run, n, r.Name, r.Output)
		if err != nil {
			t.Fatal(err)
		}
	}
	var again []string
	s.reached = func(point string) {
		if name, ok := strings.CutPrefix(point, "within "); ok && name != "free" {
			again = append(again, name)
		}
	}
	if err := s.Drive(t.Context(), DriveOptions{BaseURL: "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	result, err := s.Wait(ctx, h.Run)
	if err != nil {
		found, _ := s.Find(t.Context(), h.Run)
		t.Fatalf("%v: %s", err, found.Parked)
	}
	if result.Status != h.Status || result.Workflows[0].State != h.State || len(again) > 0 {
		t.Errorf("it ended as %s in %s, and did again %v; want %s in %s", result.Status, result.Workflows[0].State, again, h.Status, h.State)
	}
	if len(h.Records) < 15 {
		t.Errorf("only %d records: the history shows little", len(h.Records))
	}
}

// writeHistory records a run of the bundled flow in which a request is sent again and a
// message comes twice.
func writeHistory(t *testing.T, file string) {
	s := openStore(t, readyFile(t), quickOptions(t))
	base := receive(t, s)
	if err := s.Drive(t.Context(), DriveOptions{BaseURL: base}); err != nil {
		t.Fatal(err)
	}
	flow := orderFlow(t)
	set, err := flow.bundle.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	faults := mock.FaultPlan{Faults: []mock.Fault{
		{Operation: "createOrder", Kind: mock.UnavailableBeforeEffect}, {Operation: "paymentChanged", Kind: mock.WebhookDoubledSameID},
	}}
	h := history{Run: "recorded", Bundle: flow.bundle, Inputs: json.RawMessage(flow.inputs), Config: executor.Config{Servers: playAll(t, set, faults, base)}}
	begin(t, s, Spec{Run: h.Run, Bundle: h.Bundle, Config: h.Config}, flow.inputs)
	result := end(t, s, h.Run)
	h.Status, h.State = result.Status, result.Workflows[0].State
	awaitRecorded(t, s, h.Run)
	err = s.db.each(t.Context(), "SELECT function_name, output FROM operation_outputs WHERE workflow_uuid = $1 ORDER BY function_id", []any{h.Run}, func(r row) error {
		var one historyRecord
		err := r.Scan(&one.Name, &one.Output)
		if one.Name != "finish" && one.Name != "free" {
			h.Records = append(h.Records, one)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(h, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSuffix(flow.bundle.Location, "order.arazzo.yaml")
	text = []byte(strings.ReplaceAll(string(text), dir, "file:///flow/")) // where this checkout is says nothing
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}
