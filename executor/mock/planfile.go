package mock

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// writtenFault is where the fields of a fault stand in a plan that was written.
type writtenFault struct{ places map[string]string }

// placeOf gives the place of a field, else of the fault.
func (f Fault) placeOf(field string) string {
	if f.written != nil {
		if place, ok := f.written.places[field]; ok {
			return place
		}
	}
	return f.Place
}

// PlanError is one thing that is wrong with a plan as it is written.
type PlanError struct {
	File    string
	At      arazzo.Position
	Message string
}

// Error gives the message with file, line and column.
func (e PlanError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.At.Line, e.At.Column, e.Message)
}

// LoadFaults reads a plan from a file, as ParseFaults does. It is an error if the file
// itself cannot be read.
func LoadFaults(path string) (FaultPlan, []PlanError, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return FaultPlan{}, nil, fmt.Errorf("read the fault plan: %w", err)
	}
	plan, faults := ParseFaults(path, data)
	return plan, faults, nil
}

// ParseFaults reads a plan in YAML or JSON, of the form of docs/faults.schema.json.
// The errors, in the order of their places, are all that is wrong with its form; what
// is wrong with it for certain APIs, Server.Apply says.
func ParseFaults(file string, data []byte) (FaultPlan, []PlanError) {
	r := &planReader{file: file}
	tree, faults := arazzo.ParseTree(data)
	for _, f := range faults {
		r.fault(f.Span.Start, "%s", f.Message)
	}
	var plan FaultPlan
	if tree != nil {
		r.plan(tree, &plan)
	}
	slices.SortStableFunc(r.faults, func(a, b PlanError) int { return a.At.Offset - b.At.Offset })
	return plan, r.faults
}

// planReader makes a plan of a tree, and gathers what is wrong with it.
type planReader struct {
	file   string
	faults []PlanError
}

func (r *planReader) fault(at arazzo.Position, format string, args ...any) {
	r.faults = append(r.faults, PlanError{File: r.file, At: at, Message: fmt.Sprintf(format, args...)})
}

func (r *planReader) place(n *arazzo.Node) string {
	return fmt.Sprintf("%s:%d:%d", r.file, n.Span.Start.Line, n.Span.Start.Column)
}

// planField is one key that a mapping of a plan may have.
type planField struct {
	name     string
	required bool
	read     func(*arazzo.Node)
}

func (r *planReader) plan(n *arazzo.Node, plan *FaultPlan) {
	r.object(n, "a fault plan", []planField{
		{name: "$schema", read: func(n *arazzo.Node) { r.text(n) }},
		{name: "seed", read: func(n *arazzo.Node) { plan.Seed = uint64(max(r.whole(n, 0), 0)) }},
		{name: "faults", required: true, read: func(n *arazzo.Node) { plan.Faults = r.list(n) }},
	})
}

func (r *planReader) list(n *arazzo.Node) []Fault {
	if n.Kind != value.KindArray {
		r.fault(n.Span.Start, "faults must be a list, this is %s", n.Kind)
		return nil
	}
	faults := make([]Fault, len(n.Items))
	for i, item := range n.Items {
		faults[i] = r.one(item)
	}
	return faults
}

// one reads a fault.
func (r *planReader) one(n *arazzo.Node) Fault {
	f := Fault{Place: r.place(n), written: &writtenFault{places: map[string]string{}}}
	for _, m := range n.Members {
		f.written.places[m.Key.Text] = r.place(m.Value)
	}
	before := len(r.faults)
	r.object(n, "a fault", []planField{
		{name: "operation", required: true, read: func(n *arazzo.Node) { f.Operation = r.text(n) }},
		{name: "occurrence", read: func(n *arazzo.Node) { f.Occurrence, f.Upto = r.occurrence(n) }},
		{name: "fault", required: true, read: func(n *arazzo.Node) { f.Kind = FaultKind(r.text(n)) }},
		{name: "delay", read: func(n *arazzo.Node) { f.Delay = r.duration(n) }},
		{name: "retryAfter", read: func(n *arazzo.Node) { f.RetryAfter = r.text(n) }},
		{name: "times", read: func(n *arazzo.Node) { f.Times = r.whole(n, 1) }},
		{name: "value", read: func(n *arazzo.Node) { f.Value = r.text(n) }},
		{name: "count", read: func(n *arazzo.Node) { f.Count = r.whole(n, 1) }},
	})
	if f.Kind != "" {
		r.sense(n, f, len(r.faults) == before)
	}
	return f
}

// sense tells what is wrong with a fault: that there is none such; and, where its form
// is right, what does not go together.
func (r *planReader) sense(n *arazzo.Node, f Fault, whole bool) {
	b, ok := breakdownOf(f.Kind)
	if !ok {
		r.fault(n.Get("fault").Span.Start, "there is no fault %q%s", f.Kind, meant(string(f.Kind), FaultKinds()))
		return
	}
	if field, message := f.flaw(b); whole && message != "" {
		at := n
		if written := n.Get(field); written != nil {
			at = written
		}
		r.fault(at.Span.Start, "%s", message)
	}
}

// object reads a mapping with known keys. where names it in messages.
func (r *planReader) object(n *arazzo.Node, where string, fields []planField) {
	if n.Kind != value.KindObject {
		r.fault(n.Span.Start, "%s must be a mapping, this is %s", where, n.Kind)
		return
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	for _, m := range n.Members {
		at := slices.Index(names, m.Key.Text)
		if at < 0 {
			r.fault(m.Key.Span.Start, "%s has no key %q%s", where, m.Key.Text, meant(m.Key.Text, names))
			continue
		}
		fields[at].read(m.Value)
	}
	for _, f := range fields {
		if f.required && n.Get(f.name) == nil {
			r.fault(n.Span.Start, "%s needs the key %s", where, f.name)
		}
	}
}

func (r *planReader) text(n *arazzo.Node) string {
	switch {
	case n.Kind != value.KindString:
		r.fault(n.Span.Start, "expected a string, this is %s", n.Kind)
		return ""
	case n.Text == "":
		r.fault(n.Span.Start, "must not be empty")
	}
	return n.Text
}

// whole reads a whole number from least on.
func (r *planReader) whole(n *arazzo.Node, least int) int {
	number, err := strconv.Atoi(n.Text)
	if n.Kind != value.KindNumber || err != nil || number < least || number > math.MaxInt32 {
		r.fault(n.Span.Start, "expected a whole number from %d on, this is %s", least, shown(n))
		return least
	}
	return number
}

// occurrence reads a number, or the first and the last of which one is drawn.
func (r *planReader) occurrence(n *arazzo.Node) (from, upto int) {
	if n.Kind != value.KindArray {
		return r.whole(n, 1), 0
	}
	if len(n.Items) != 2 {
		r.fault(n.Span.Start, "expected a number, or the first and the last that may be drawn, these are %d", len(n.Items))
		return 1, 0
	}
	return r.whole(n.Items[0], 1), r.whole(n.Items[1], 1)
}

func (r *planReader) duration(n *arazzo.Node) time.Duration {
	d, err := time.ParseDuration(n.Text)
	if n.Kind != value.KindString || err != nil || d <= 0 {
		r.fault(n.Span.Start, "expected a duration such as 800ms, 2s or 1m, this is %s", shown(n))
		return 0
	}
	return d
}

// shown gives what is written, where that is short.
func shown(n *arazzo.Node) string {
	switch n.Kind {
	case value.KindObject, value.KindArray:
		return n.Kind.String()
	case value.KindString:
		if len(n.Text) > 40 {
			return "a string"
		}
		return strconv.Quote(n.Text)
	default:
		return n.Text
	}
}
