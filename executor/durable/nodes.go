package durable

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// NodeState tells whether a node executes runs.
type NodeState string

// The states of a node.
const (
	// NodeLive is that of a node that says that it lives.
	NodeLive NodeState = "live"
	// NodeLeft is that of a node that has stopped as planned; the next takes over its runs.
	NodeLeft NodeState = "left"
	// NodeLost is that of a node that has not said for too long that it lives; another takes
	// over its runs, as soon as one lives.
	NodeLost NodeState = "lost"
	// NodeGone is that of a node whose runs others have taken over.
	NodeGone NodeState = "gone"
)

// NodeView is a process that executes the runs of a store, or did until lately.
type NodeView struct {
	Node   string    `json:"node"`
	State  NodeState `json:"state"`
	Engine string    `json:"engine"` // the version of the histories that it understands
	Began  time.Time `json:"began"`
	// Seen is when it last said that it lives, or when it was taken over; zero: it has left.
	Seen time.Time `json:"seen,omitzero"`
	// TakenBy is the node that took over its runs, or is about to.
	TakenBy string `json:"takenBy,omitempty"`
	// Runs is how many runs that have not ended it executed last.
	Runs int `json:"runs"`
}

// nodeOrder is the order in which nodes are listed.
var nodeOrder = []NodeState{NodeLive, NodeLost, NodeLeft, NodeGone}

// Nodes lists the nodes of the store, those that live first, then the youngest. Those that
// are gone are told for a day.
func (s *Store) Nodes(ctx context.Context) ([]NodeView, error) {
	all := []NodeView{}
	err := s.db.each(ctx, `SELECT n.id, n.state, n.engine, n.taken_by, n.began, n.beat, `+s.db.clock()+` - n.beat,
		(SELECT count(*) FROM weft_run r WHERE r.node = n.id AND r.state <> 'ended') FROM weft_node n`, nil, func(r row) error {
		var n NodeView
		var began, beat, age int64
		if err := r.Scan(&n.Node, &n.State, &n.Engine, &n.TakenBy, &began, &beat, &age, &n.Runs); err != nil {
			return err
		}
		n.Began, n.Seen = atMilliseconds(began), atMilliseconds(beat)
		switch {
		case n.State != NodeLive:
		case beat == 0:
			n.State = NodeLeft
		case time.Duration(age)*time.Millisecond > s.lease.Takeover:
			n.State = NodeLost
		}
		all = append(all, n)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the nodes: %w", err)
	}
	slices.SortFunc(all, func(a, b NodeView) int {
		return cmp.Or(cmp.Compare(slices.Index(nodeOrder, a.State), slices.Index(nodeOrder, b.State)), b.Began.Compare(a.Began), cmp.Compare(a.Node, b.Node))
	})
	return all, nil
}
