package contract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

// Explore tests the workflows of a document: in every run that can be brought about by
// answers that its APIs may give, and by faults, each Check must hold. The error tells
// that the work itself could not be done; what is wrong with the workflows is in the
// Report.
func Explore(ctx context.Context, set *source.Set, o Options) (Report, error) {
	began := time.Now()
	o = o.withDefaults()
	report := Report{Document: set.Document.File, Seed: o.Seed}
	troupe := newTroupe(set, o.Config)
	unfired := map[int]error{}
	for i := range o.Faults.Faults {
		unfired[i] = nil
	}
	selected, err := selectWorkflows(set, o.Workflows)
	if err != nil {
		return report, err
	}
	for _, w := range selected {
		s, err := troupe.subject(w, o)
		if err != nil {
			report.Workflows = append(report.Workflows, refusedWorkflow(w, err))
			continue
		}
		x := newExplorer(s, o, unfired)
		if err := x.explore(ctx); err != nil {
			return report, err
		}
		done, err := x.report(ctx)
		if err != nil {
			return report, err
		}
		report.Workflows = append(report.Workflows, done)
		report.Runs += done.Runs
	}
	report.tellUnfired(unfired)
	report.Elapsed = time.Since(began)
	return report, nil
}

// explorer tests one workflow.
type explorer struct {
	subject *subject
	options Options

	runs     int
	elapsed  time.Duration
	kept     []*played // runs that showed something new, in the order in which they were made
	known    map[stepID][]*candidate
	tried    map[trialKey]bool
	placed   map[placed]bool // in which situations steps were carried out
	failures []*failure
	singles  []single
	faults   faultCount
	pairs    int
	outputs  map[stepID]value.Value
	withheld map[stepID]string
	notes    map[stepID]string
	received map[stepID]bool // steps that a message came for in some run
	applies  map[string]bool // whether a kind of fault can befall an operation
	unfired  map[int]error   // of the faults that were given; nil: not known yet
	undone   int             // runs that were not made because the time or their number was used up
	until    uint64          // the seed of a script that is looked for; 0: none
	wanted   *script
	succeeds bool // some run has succeeded
	// elsewhere are steps of other documents that some run carried out.
	elsewhere map[stepID]executor.Place
}

func newExplorer(s *subject, o Options, unfired map[int]error) *explorer {
	return &explorer{
		subject: s, options: o, unfired: unfired,
		tried: map[trialKey]bool{}, placed: map[placed]bool{}, known: map[stepID][]*candidate{}, applies: map[string]bool{},
	}
}

// trialKey names an answer to a step that was tried.
type trialKey struct {
	placed
	path   string // by which steps its workflow was called
	answer *candidate
	always bool
}

// failure is a problem with the smallest script that leads to it.
type failure struct {
	problem
	played *played
	count  int
}

// batch is how many runs are made between two looks at what they brought.
const batch = 256

// playAll plays scripts, on all processors, and looks at what came of them in their
// order, so that the same document is always tested in the same way.
func (x *explorer) playAll(ctx context.Context, scripts []script, look func(*played)) error {
	began := time.Now()
	defer func() { x.elapsed += time.Since(began) }()
	for len(scripts) > 0 && x.wanted == nil {
		if x.runs >= x.options.MaxRuns || x.runs > 0 && x.until == 0 && x.elapsed+time.Since(began) > x.options.Limit {
			x.undone += len(scripts)
			return nil
		}
		n := min(len(scripts), batch, x.options.MaxRuns-x.runs)
		done, err := x.playSome(ctx, scripts[:n])
		if err != nil {
			return err
		}
		for _, p := range done {
			x.runs++
			if x.until != 0 && p.script.seed(x.subject.id) == x.until {
				x.wanted = &p.script
			}
			look(p)
		}
		scripts = scripts[n:]
	}
	return nil
}

func (x *explorer) playSome(ctx context.Context, scripts []script) ([]*played, error) {
	done := make([]*played, len(scripts))
	failed := make([]error, len(scripts))
	var wait sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(scripts)) {
		wait.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(scripts) {
					return
				}
				done[i], failed[i] = x.subject.playSafely(ctx, scripts[i])
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("test %s: %w", x.subject.id, err)
	}
	return done, errors.Join(failed...)
}

// explore makes the runs: the plain one, those that cover the actions, single faults,
// and pairs of them.
func (x *explorer) explore(ctx context.Context) error {
	for _, phase := range []func(context.Context) error{x.plainRun, x.coverActions, x.coverLost, x.coverRest, x.cancels, x.givenFaults, x.singleFaults, x.pairsOfFaults} {
		if err := phase(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *explorer) plainRun(ctx context.Context) error {
	return x.playAll(ctx, []script{{}}, func(p *played) {
		x.outputs = p.watch.outputs
		x.take(p)
		x.kept = append(x.kept, p)
	})
}

// take looks at a run: what it covered, and what is wrong with it. It tells whether it
// showed something new.
func (x *explorer) take(p *played) bool {
	foreign := p.foreign()
	for id, reason := range p.watch.withheld {
		if x.withheld == nil {
			x.withheld = map[stepID]string{}
		}
		x.withheld[id] = reason
	}
	for _, call := range p.calls {
		if call.got {
			if x.received == nil {
				x.received = map[stepID]bool{}
			}
			x.received[call.id] = true
		}
	}
	for id, place := range p.watch.elsewhere {
		if x.elsewhere == nil {
			x.elsewhere = map[stepID]executor.Place{}
		}
		x.elsewhere[id] = place
	}
	for id, note := range p.watch.notes {
		if x.notes == nil {
			x.notes = map[stepID]string{}
		}
		x.notes[id] = note
	}
	news := x.reachesNew(p)
	for n, covered := range p.watch.covered {
		g := x.subject.goals[n]
		switch {
		case !covered || g.covered:
		case foreign != "":
			g.foreign = cmp.Or(g.foreign, foreign)
		default:
			g.covered, g.foreign, news = true, "", true
		}
	}
	if status := p.result.Status; foreign == "" && !slices.ContainsFunc(p.script.faults, addsMessage) && (status == executor.Succeeded || status == executor.Recovered) {
		x.succeeds = true
	}
	if foreign == "" {
		for _, problem := range p.watch.problems {
			x.fail(problem, p)
		}
	}
	return news
}

// addsMessage tells whether by a fault another message comes than the API means to send: a
// workflow that needs it waits for what never comes.
func addsMessage(f mock.Fault) bool {
	return f.Kind == mock.WebhookDoubledNewID || f.Kind == mock.WebhookOutOfOrder
}

// foreign gives the answer of a run that the description does not allow; empty: there
// is none.
func (p *played) foreign() string {
	for _, c := range p.script.choices {
		if c.answer.foreign {
			return c.answer.String()
		}
	}
	return ""
}

// fail notes a problem; of several runs with the same the smallest stays.
func (x *explorer) fail(found problem, p *played) {
	for _, f := range x.failures {
		if f.check != found.check || f.id != found.id {
			continue
		}
		f.count++
		if p.smaller(f.played) {
			f.problem, f.played = found, p
		}
		return
	}
	x.failures = append(x.failures, &failure{problem: found, played: p, count: 1})
}

// callsForOne is how many calls more a person rather reads than that one thing more has to
// happen.
const callsForOne = 12

// smaller tells whether a run is told sooner than another one: less happens in it, or what
// happens to it leads there on a shorter way.
func (p *played) smaller(other *played) bool {
	length := func(p *played) int { return callsForOne*p.script.size() + len(p.calls) }
	return cmp.Or(
		cmp.Compare(length(p), length(other)),
		cmp.Compare(p.script.size(), other.script.size()),
		cmp.Compare(len(p.script.faults), len(other.script.faults)),
	) < 0
}

func (x *explorer) shuffle(n int, swap func(i, j int)) {
	rand.New(rand.NewPCG(x.options.Seed, 0x77656674)).Shuffle(n, swap)
}

// goalsOf counts the goals of a kind.
func (x *explorer) goalsOf(kind goalKind) Count {
	var c Count
	for _, g := range x.subject.goals {
		if g.kind != kind {
			continue
		}
		c.Total++
		if g.covered {
			c.Covered++
		}
	}
	return c
}

// sortFailures puts those first for which little has to happen, then those that stand first
// in the document. A run without end comes last of those: what else is wrong with it mostly
// tells why.
func sortFailures(all []*failure) {
	slices.SortStableFunc(all, func(a, b *failure) int {
		return cmp.Or(
			cmp.Compare(a.played.script.size(), b.played.script.size()),
			cmp.Compare(endless(a), endless(b)),
			cmp.Compare(a.place.Span.Start.Line, b.place.Span.Start.Line),
			cmp.Compare(a.check, b.check),
		)
	})
}

func endless(f *failure) int {
	if f.check == NoEnd {
		return 1
	}
	return 0
}
