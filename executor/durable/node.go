package durable

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// Lease says when a node counts as lost. Beat is how often it says that it lives; it
// sends nothing when its last good word is older than Send; another takes over its
// runs when that is older than Takeover. Between the two there must be time for a
// request that was just allowed to be written.
type Lease struct {
	Beat, Send, Takeover time.Duration
}

// DefaultLease is the lease of stores whose options name none.
func DefaultLease() Lease {
	return Lease{Beat: 3 * time.Second, Send: 10 * time.Second, Takeover: 15 * time.Second}
}

func (l Lease) withDefaults() Lease {
	if l == (Lease{}) {
		return DefaultLease()
	}
	return l
}

// term is the membership of a node under which an execution began. Once others have
// counted the node as lost it is over for good, also when the node is back.
type term struct {
	driver     *driver
	generation int64
}

func (d *driver) term() *term {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &term{d, d.generation}
}

// check tells whether this node may send now.
func (t *term) check() error {
	d := t.driver
	d.mu.Lock()
	defer d.mu.Unlock()
	if t.generation == 0 || d.generation != t.generation || since(d.beat) > d.store.lease.Send {
		return errLeaseOver
	}
	return nil
}

// since is the longer of the times that the two clocks of a process know: one stands
// still while the machine sleeps, the other can be set.
func since(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}

// join makes the process a node.
func (d *driver) join(ctx context.Context) error {
	db, began := d.store.db, time.Now()
	_, err := db.exec(ctx, `INSERT INTO weft_node (id, engine, machine, process, began, beat, state, taken_by, generation)
		VALUES ($1, $2, $3, $4, `+db.clock()+`, `+db.clock()+`, 'live', '', 1)`, d.store.node, Engine, machine(), process(os.Getpid()))
	if err != nil {
		return err
	}
	d.isGood(began, 1)
	return nil
}

func (d *driver) isGood(beat time.Time, generation int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.beat, d.generation, d.fault = beat, generation, nil
}

// keepAlive says that the node lives. Where others have counted it as lost, its
// leases are over, and it joins anew once its runs have been taken over.
func (d *driver) keepAlive(ctx context.Context) error {
	db := d.store.db
	ctx, cancel := context.WithTimeout(ctx, d.store.lease.Send)
	defer cancel()
	d.mu.Lock()
	generation := d.generation
	d.mu.Unlock()
	began := time.Now()
	changed, err := d.pulse.exec(ctx, "UPDATE weft_node SET beat = "+db.clock()+" WHERE id = $1 AND state = 'live' AND generation = $2", d.store.node, generation)
	if err == nil && changed == 0 {
		if generation > 0 {
			d.store.log.Warn("this node was counted as lost; its runs are with others")
			d.isGood(time.Time{}, 0)
		}
		began = time.Now()
		var found bool
		found, err = one(ctx, d.pulse, "UPDATE weft_node SET beat = "+db.clock()+", state = 'live', taken_by = '', generation = generation + 1 WHERE id = $1 AND state = 'gone' RETURNING generation",
			[]any{d.store.node}, &generation)
		if err == nil && !found {
			err = fmt.Errorf("node %s waits for its runs to be taken over", d.store.node)
		}
	}
	if err != nil {
		d.mu.Lock()
		d.fault = err
		d.mu.Unlock()
		if ctx.Err() == nil {
			d.store.log.Warn("this node could not say that it lives", "error", err)
		}
		return err
	}
	d.isGood(began, generation)
	return nil
}

// depart makes others take over the node's runs at once.
func (d *driver) depart() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := d.pulse.exec(ctx, "UPDATE weft_node SET beat = 0 WHERE id = $1 AND state = 'live'", d.store.node); err != nil {
		d.store.log.Warn("say that this node departs", "error", err)
	}
}

// lostNode is a node that another may take over.
type lostNode struct {
	id, state string
	beat      int64
}

// takeOver takes over the runs of nodes that are lost, each once: whoever changes the
// node's row does it. One that dies meanwhile leaves a row that grows old in turn. It
// gives how soon the next node counts as lost, should that say nothing.
func (d *driver) takeOver(ctx context.Context) (soon time.Duration) {
	seen, err := d.findLost(ctx)
	if err != nil {
		d.store.log.Warn("look for nodes that are lost", "error", err)
		return d.store.lease.Takeover
	}
	d.options.Budget.SetNodes(seen.live)
	for _, node := range seen.lost {
		if err := d.take(ctx, node); err != nil {
			d.store.log.Warn("take over the runs of a node", "node", node.id, "error", err)
		}
	}
	return seen.soon
}

// seenNodes is what a look at the nodes finds.
type seenNodes struct {
	lost []lostNode
	live int
	soon time.Duration // until the next counts as lost, should it say nothing
}

func (d *driver) findLost(ctx context.Context) (seen seenNodes, err error) {
	db, here := d.store.db, machine()
	seen.soon = d.store.lease.Takeover
	err = d.pulse.each(ctx, "SELECT id, state, machine, process, beat, "+db.clock()+" - beat FROM weft_node WHERE state <> 'gone' AND engine = $1", []any{Engine},
		func(r row) error {
			var n lostNode
			var machine, process string
			var age int64
			if err := r.Scan(&n.id, &n.state, &machine, &process, &n.beat, &age); err != nil {
				return err
			}
			left := d.store.lease.Takeover - time.Duration(age)*time.Millisecond
			dead := n.state == "live" && machine != "" && machine == here && !isAlive(process)
			switch {
			case n.id == d.store.node:
			case left < 0, dead:
				seen.lost = append(seen.lost, n)
				return nil
			default:
				seen.soon = min(seen.soon, left)
			}
			if n.state == "live" {
				seen.live++
			}
			return nil
		})
	return seen, err
}

func (d *driver) take(ctx context.Context, node lostNode) error {
	db := d.store.db
	changed, err := db.exec(ctx, "UPDATE weft_node SET state = 'lost', taken_by = $2, beat = "+db.clock()+" WHERE id = $1 AND state = $3 AND beat = $4",
		node.id, d.store.node, node.state, node.beat)
	if err != nil || changed == 0 {
		return err // another was quicker
	}
	runs, err := d.runtime.RecoverPendingWorkflows([]string{node.id})
	if err != nil {
		return err
	}
	d.store.log.Info("took over the runs of a node", "node", node.id, "runs", len(runs))
	_, err = db.exec(ctx, "UPDATE weft_node SET state = 'gone' WHERE id = $1 AND state = 'lost' AND taken_by = $2", node.id, d.store.node)
	return err
}

// machine names the machine, or the part of it in which process ids are the same;
// empty: not known. It is another one after a restart of the machine.
func machine() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}

// process names a process of this machine: its id, and when it was started, since
// ids are used again.
func process(pid int) string { return fmt.Sprintf("%d %s", pid, startOf(pid)) }

// startOf gives when a process was started, as the machine counts; empty: there is
// none, or it cannot be seen.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The second field is the name in parentheses, which may hold anything; the start is
	// the 22nd field, the 20th behind the name, and the state is the first there.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	const state, start = 0, 19
	if len(fields) <= start || fields[state] == "Z" {
		return ""
	}
	return fields[start]
}

// isAlive tells whether a process of this machine is still there.
func isAlive(named string) bool {
	var pid int
	var start string
	if n, _ := fmt.Sscan(named, &pid, &start); n < 2 {
		return true // it could not be seen when it was written down
	}
	return startOf(pid) == start
}
