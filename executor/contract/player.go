package contract

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
)

// seen is one attempt of a step, as it went.
type seen struct {
	attempt   string // stable name
	id        stepID
	asked     mock.Asked // the operation, as the mock names it
	nth       int        // which request to the operation it was; 0: it did not come so far
	receives  bool
	got       bool     // a message came
	message   []byte   // what it said
	says      standing // how something stands, as it said
	operation *source.Operation
	effect    bool // it may change something
	contract  bool // under a key contract
	chosen    *candidate
	in        situation
}

// player plays one script: it passes on what the interpreter asks for, and chooses what
// it is answered.
type player struct {
	executor.Runtime
	steps  map[stepID]*stepModel
	script script
	calls  []*seen
	cancel func() // cancels the run
	in     func() situation
	teller teller

	mu      sync.Mutex // the mock may ask from another goroutine
	now     *seen      // the call in the air, until it is answered
	always  map[string]*candidate
	counted map[mock.Asked]int
}

func (s *subject) newPlayer(told script) *player {
	return &player{steps: s.steps, teller: teller{steps: s.steps}, script: told, always: map[string]*candidate{}, counted: map[mock.Asked]int{}}
}

// chosenFor gives what is chosen for an attempt; nil: nothing.
func (p *player) chosenFor(attempt string) *candidate {
	for i := range p.script.choices {
		c := &p.script.choices[i]
		if c.attempt != attempt {
			continue
		}
		if c.always {
			p.always[stepKey(attempt)] = c.answer
		} else {
			return c.answer
		}
	}
	return p.always[stepKey(attempt)]
}

// Call makes a call, which is answered as chosen.
func (p *player) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	s := &seen{
		attempt: call.Name, id: idOf(call.Name), operation: call.Operation, effect: call.Effectful, contract: call.Contract,
		chosen: p.chosenFor(call.Name), in: p.in(),
	}
	p.calls = append(p.calls, s)
	p.mu.Lock()
	p.now = s
	p.mu.Unlock()
	x, err := p.Runtime.Call(ctx, call)
	p.mu.Lock()
	p.now = nil
	p.mu.Unlock()
	p.cancelsAt(call.Name, true)
	return x, err
}

// choose answers a request of the call in the air, once; what it leads to by a redirect
// is answered by the mock.
func (p *player) choose(asked mock.Asked) *mock.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counted[asked]++
	s := p.now
	if s == nil {
		return nil
	}
	p.now, s.asked, s.nth = nil, asked, p.counted[asked]
	p.cancelsAt(s.attempt, false)
	if s.chosen == nil || s.chosen.silent {
		return nil
	}
	return &s.chosen.answer
}

// Open opens the mailboxes of the run.
func (p *player) Open(ctx context.Context, boxes []executor.Mailbox) (executor.Opened, error) {
	opened, err := p.Runtime.Open(ctx, boxes)
	p.teller.addresses = opened.Addresses
	return opened, err
}

// Wait waits; a message that ends the wait says what was chosen.
func (p *player) Wait(ctx context.Context, until executor.WaitSpec) (executor.Signal, error) {
	var s *seen
	if until.Inbox {
		s = &seen{attempt: until.Name, id: idOf(until.Name), receives: true, chosen: p.chosenFor(until.Name), in: p.in()}
		p.waits(s)
		p.cancelsAt(s.attempt, false)
		asked, told, err := p.teller.tell(s.id, until.Expect)
		if err != nil {
			return executor.Signal{}, err
		}
		if told {
			p.mu.Lock()
			p.counted[asked]++
			p.mu.Unlock()
		}
	}
	signal, err := p.Runtime.Wait(ctx, until)
	if s != nil && signal.Message != nil {
		s.got = true
		if m := p.steps[s.id]; m == nil || !m.isTold() {
			p.mu.Lock()
			p.counted[s.asked]++
			p.mu.Unlock()
		}
	}
	if s == nil || signal.Message == nil {
		return signal, err
	}
	p.cancelsAt(s.attempt, true)
	body, _ := value.ParseJSON(signal.Message.Body)
	if s.chosen != nil && !s.chosen.silent {
		said := *signal.Message
		if s.chosen.answer.Rewrite != nil {
			said.Body = s.chosen.answer.Rewrite(said.Body)
		} else {
			for _, e := range s.chosen.answer.Edits {
				body = e.In(body)
			}
			said.Body = value.AppendJSON(nil, body)
		}
		signal.Message = &said
	}
	s.message = signal.Message.Body
	if m := p.steps[s.id]; m != nil {
		s.says, _ = standingIn(m.states, body)
	}
	return signal, err
}

// waits notes that a step waits for a message: for which one of its kind.
func (p *player) waits(s *seen) {
	if m := p.steps[s.id]; m != nil {
		p.mu.Lock()
		s.asked, s.nth = m.asked, p.counted[m.asked]+1
		p.mu.Unlock()
	}
	p.calls = append(p.calls, s)
}

// idOf gives the step that an attempt is of, by its stable name.
func idOf(attempt string) stepID {
	key := stepKey(attempt)
	at := len(key) - 1
	for at > 0 && key[at] != '/' {
		at--
	}
	if at <= 0 {
		return stepID{step: key}
	}
	return stepID{workflow: workflowOf(key[:at]), step: workflowOf(key)}
}

// played is what came of a script.
type played struct {
	script script
	result executor.Result
	calls  []*seen
	watch  *watcher
	took   time.Duration // by the clock of its world
}

// playSafely is play on a goroutine of its own: a fault of the program ends the test, not
// the process.
func (s *subject) playSafely(ctx context.Context, told script) (done *played, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("a fault of weft itself in the run of seed %d: %v\n%s", told.seed(s.id), fault, debug.Stack())
		}
	}()
	return s.play(ctx, told, nil)
}

// play runs the workflow in a world of its own.
func (s *subject) play(ctx context.Context, script script, also executor.Sink) (*played, error) {
	p := s.newPlayer(script)
	world, err := s.world(p)
	if err != nil {
		return nil, err
	}
	done, err := s.run(ctx, s.plan, p, world.Server(), also)
	if done != nil {
		done.took = world.Now().Sub(sim.Epoch)
	}
	return done, err
}

// world gives a player the world that its script is of.
func (s *subject) world(p *player) (*sim.Runtime, error) {
	seed := p.script.seed(s.id)
	world, err := s.stage.New(sim.Options{
		Seed: seed, Faults: mock.FaultPlan{Seed: seed, Faults: p.script.faults},
		Choose: p.choose,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare a run: %w", err)
	}
	p.Runtime, p.cancel, p.teller.server = world, world.Cancel, world.Server()
	return world, nil
}

// run runs the workflow through a player.
func (s *subject) run(ctx context.Context, plan *executor.Plan, p *player, server *mock.Server, also executor.Sink) (*played, error) {
	w := newWatcher(s, p)
	start := executor.Start{Inputs: s.inputs, Sink: w, Reveal: true, ShowKeys: true}
	if also != nil { // somebody reads it
		start.Sink, start.Reveal, start.Secrets = executor.Tee(w, also), false, s.secrets
	}
	result, err := plan.Run(ctx, p, start)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", s.id, err)
	}
	w.close(result, server)
	return &played{script: p.script, result: result, calls: p.calls, watch: w}, nil
}
