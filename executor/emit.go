package executor

import (
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// emitter makes the stream of events: numbered, timed by what the runtime
// recorded, masked.
type emitter struct {
	run      *run
	sink     Sink
	sequence int
	mask     *mask
	learned  func(n int) []string // Start.Learned
	taken    int                  // of what was learned
	told     map[string]bool      // the notices of exchanges, each told once
	err      error                // of the sink, the first
}

// at says where an event belongs.
type at struct {
	frame *frame
	step  *activation
	place Place
}

func newEmitter(r *run, start Start) *emitter {
	return &emitter{run: r, sink: start.Sink, mask: newMask(start), learned: start.Learned, told: map[string]bool{}}
}

// emit gives the event to the sink. A sink that fails does not stop the run.
func (e *emitter) emit(where at, d Detail) {
	if e.sink == nil {
		return
	}
	if e.learned != nil {
		for _, secret := range e.learned(e.taken) {
			e.mask.hideText(secret)
			e.taken++
		}
	}
	e.sequence++
	event := Event{Run: e.run.id, Sequence: e.sequence, Time: e.run.now, Place: where.place, Detail: e.mask.detail(d)}
	if where.frame != nil {
		event.Workflow, event.Depth = where.frame.path, where.frame.depth
		if event.Place.File == "" {
			event.Place = placeOf(where.frame.w.set, where.frame.w.model.Node)
		}
	}
	if a := where.step; a != nil {
		event.Step, event.Activation, event.Attempt = a.step.id, a.number, a.attempt
	}
	if err := e.sink.Write(event); err != nil && e.err == nil {
		e.err = err
	}
}

// notices tells what the runtime has to say to a person; the same text once a run.
func (a *activation) notices(texts []string) {
	told := a.frame.run.emitter.told
	for _, text := range texts {
		if !told[text] {
			told[text] = true
			a.emit(Notice{Message: text})
		}
	}
}

// prepared describes a request before it is sent.
func (a *activation) prepared(call Call) RequestPrepared {
	d := RequestPrepared{
		Method: call.Operation.Method, Target: displayTarget(call), Contract: call.Contract,
		Effectful: call.Effectful, OperationID: call.Operation.ID,
	}
	if call.Key != nil {
		a.frame.run.emitter.mask.hideKeyField(call.Key.Header)
		d.KeyHeader, d.KeyDigest, d.Key = call.Key.Header, call.Key.Digest(), call.Key.Value
	}
	if by := a.op.by; by != nil && by.frame.path != a.frame.path {
		d.Continues = by.frame.path
	}
	return d
}

// In a target for people only what would read as another path or another field is
// escaped.
var (
	plainSegment = strings.NewReplacer("%", "%25", "/", "%2F", "?", "%3F", "#", "%23")
	plainField   = strings.NewReplacer("%", "%25", "&", "%26", "#", "%23")
)

// segmentText is a value as it stands in a path for people: a list without brackets.
func segmentText(v value.Value) string {
	if v.Kind() != value.KindArray {
		return plainSegment.Replace(v.Text())
	}
	texts := make([]string, v.Len())
	for i, item := range v.Items() {
		texts[i] = plainSegment.Replace(item.Text())
	}
	return strings.Join(texts, ",")
}

// displayTarget is the path and query of a call for people: the template filled
// with values that are hardly escaped. What is really sent stands in AttemptFinished.
func displayTarget(call Call) string {
	path := call.Operation.Path
	var query []string
	for _, a := range call.Arguments {
		switch a.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+a.Name+"}", segmentText(a.Value))
		case "query":
			query = append(query, plainField.Replace(a.Name)+"="+plainField.Replace(a.Value.Text()))
		case "querystring":
			query = append(query, a.Value.Text())
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + strings.Join(query, "&")
}
