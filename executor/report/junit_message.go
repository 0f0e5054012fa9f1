package report

import (
	"fmt"
	"strconv"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/internal/junit"
)

// messageTotals counts what became of messages in a suite.
type messageTotals struct {
	taken, duplicates, conflicts, others, refusedMoves int
}

func (t *messageTotals) add(detail executor.Detail) {
	switch d := detail.(type) {
	case executor.MessageReceived:
		t.taken++
	case executor.StateRefused:
		t.refusedMoves++
	case executor.MessageSetAside:
		switch d.Why {
		case executor.Duplicate:
			t.duplicates += d.Count
		case executor.Conflicting:
			t.conflicts += d.Count
		default:
			t.others += d.Count
		}
	}
}

// properties gives the counts that are not 0.
func (t *messageTotals) properties() []junit.Property {
	var properties []junit.Property
	for _, p := range []struct {
		name string
		n    int
	}{
		{"messages", t.taken}, {"duplicate messages", t.duplicates}, {"conflicting messages", t.conflicts},
		{"messages set aside", t.others}, {"refused moves", t.refusedMoves},
	} {
		if p.n > 0 {
			properties = append(properties, junit.Property{Name: p.name, Value: strconv.Itoa(p.n)})
		}
	}
	return properties
}

// strays gives the case for messages that belong to no step.
func (s *junitSuite) strays() *junitCase {
	const name = "messages"
	for _, c := range s.cases {
		if c.step == name && c.activation == 0 {
			return c
		}
	}
	c := &junitCase{workflow: s.path, step: name, began: s.last, ended: s.last, finished: executor.StepFinished{Succeeded: true}}
	s.cases = append(s.cases, c)
	return c
}

// takeMessage notes what became of messages and of the state of the business.
func (c *junitCase) takeMessage(e executor.Event) {
	switch d := e.Detail.(type) {
	case executor.MessageAwaited:
		m := messageView{awaited: d}
		c.note("waits:", d.Channel, m.where())
	case executor.MessageReceived:
		c.note("message", strconv.Itoa(d.Number), inBrackets(d.Identity), "of", d.Channel, "after", d.Waited.Round(time.Millisecond).String())
	case executor.MessageSetAside:
		c.setAside(d)
	case executor.OperationSettled:
		c.note(settledText(d))
	case executor.StateMoved:
		c.note("state", d.From, markAction, d.To, inBrackets(d.Cause))
	case executor.StateRefused:
		c.note(fmt.Sprintf("state %s stays%s:", d.State, wouldBe(d)), d.Reason, inBrackets(d.Cause))
	}
}

func (c *junitCase) setAside(d executor.MessageSetAside) {
	c.note(asideText(d))
	if d.Fails {
		c.refused = append(c.refused, asideText(d))
	}
}

// refusal tells for which messages the verdict on the run fails; nil: for none.
func (c *junitCase) refusal() []junit.Problem { return c.several(c.refused, "message") }
