package durable

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/idempotency"
)

// Detail is what can be told of a run without what was sent and received.
type Detail struct {
	Summary
	States      []BusinessState `json:"states,omitempty"`
	Steps       []StepView      `json:"steps,omitempty"`
	Messages    []MessageView   `json:"messages,omitempty"`
	Settlements []Settlement    `json:"settlements,omitempty"`
	// Sealed tells that the run's events are encrypted under a key that this store does not
	// have: nothing is known of its steps, nor what it has gone on by.
	Sealed bool `json:"sealed,omitempty"`
	taken  []takenUp
}

// BusinessState is where the state of the business stands (x-weft-states).
type BusinessState struct {
	Workflow string    `json:"workflow"` // call path
	State    string    `json:"state"`
	Moved    time.Time `json:"moved"`
}

// StepView is the last that is known of the requests of a step.
type StepView struct {
	Workflow   string `json:"workflow"` // call path
	Step       string `json:"step"`
	Activation int    `json:"activation"`
	Attempt    int    `json:"attempt"`
	KeyDigest  string `json:"keyDigest,omitempty"`
	// Requested is when the last request was prepared.
	Requested time.Time `json:"requested"`
	// Class is that of the last attempt, and Operation that of the operation over all
	// its attempts; both are empty while a request is in the air.
	Class     idempotency.Class `json:"class,omitempty"`
	Operation idempotency.Class `json:"operation,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	settled   bool              // by an operator, and the run has taken it up
	continued string            // the workflow in which the operation was gone on with; empty: in none
}

// MessageView is a message that a run has received.
type MessageView struct {
	Number    int       `json:"number"` // 0: it came after the end
	Box       string    `json:"box"`
	Identity  string    `json:"identity,omitempty"`
	Received  time.Time `json:"received"`
	Same      int       `json:"same,omitempty"`      // times that it came again
	Different int       `json:"different,omitempty"` // times that it came again with other content
	// Stray tells that it fits no step that the run has waited in so far, or is known to
	// wait in: no step takes it. Once an ended run's messages are forgotten this is not told.
	Stray bool `json:"stray,omitempty"`
}

// Show tells of a run what an operator needs to know.
func (s *Store) Show(ctx context.Context, run string) (Detail, error) {
	found, err := s.Find(ctx, run)
	if err != nil {
		return Detail{}, err
	}
	d := Detail{Summary: found}
	for _, part := range []func(context.Context, *Detail) error{s.showStates, s.showSteps, s.showMessages, s.showSettlements} {
		if err := part(ctx, &d); err != nil {
			return Detail{}, fmt.Errorf("show the run %s: %w", run, err)
		}
	}
	return d, nil
}

func (s *Store) showStates(ctx context.Context, d *Detail) error {
	return s.db.each(ctx, "SELECT workflow, state, moved FROM weft_state WHERE run = $1 ORDER BY workflow", []any{d.Run}, func(r row) error {
		var b BusinessState
		var moved int64
		err := r.Scan(&b.Workflow, &b.State, &moved)
		b.Moved = atMilliseconds(moved)
		d.States = append(d.States, b)
		return err
	})
}

func (s *Store) showMessages(ctx context.Context, d *Detail) error {
	fits, err := s.fitting(ctx, d.Run)
	if err != nil {
		return err
	}
	return s.db.each(ctx, "SELECT number, box, identity, received, same, different, data FROM weft_message WHERE run = $1 ORDER BY id", []any{d.Run}, func(r row) error {
		var m MessageView
		var received int64
		var data []byte
		err := r.Scan(&m.Number, &m.Box, &m.Identity, &received, &m.Same, &m.Different, &data)
		m.Received = atMilliseconds(received)
		var message executor.Message
		if err == nil && data != nil && s.readMessage(data, &message) == nil {
			m.Stray = !fits(m.Box, &message)
		}
		d.Messages = append(d.Messages, m)
		return err
	})
}

// fitting gives what tells whether a message of a box fits a step of the run. Where
// nothing is known of its boxes, before its beginning or long after its end, all do.
func (s *Store) fitting(ctx context.Context, run string) (func(box string, m *executor.Message) bool, error) {
	boxes, wheres, expected := 0, map[string][]executor.Locator{}, map[string]bool{}
	err := s.db.each(ctx, `SELECT b.name, coalesce(l.text, '') FROM weft_box b LEFT JOIN weft_locator l ON l.place = b.place AND l.use = $2
		WHERE b.run = $1`, []any{run, valueUse}, func(r row) error {
		boxes++
		var box, text string
		if err := r.Scan(&box, &text); err != nil || text == "" {
			return err
		}
		where, err := executor.ParseLocator(text)
		wheres[box] = append(wheres[box], where)
		return err
	})
	if err == nil {
		err = s.db.each(ctx, "SELECT e.box, x.key FROM weft_expected x JOIN weft_expectation e ON e.run = x.run AND e.id = x.id WHERE x.run = $1", []any{run}, func(r row) error {
			var box, key string
			err := r.Scan(&box, &key)
			expected[box+"\n"+key] = true
			return err
		})
	}
	return func(box string, m *executor.Message) bool {
		if boxes == 0 || m.Scoped {
			return true
		}
		for _, where := range wheres[box] {
			for _, key := range channel.ArrivedKeys(where, m) {
				if expected[box+"\n"+key] {
					return true
				}
			}
		}
		return false
	}, err
}
