package contract

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/mock"
)

// ErrNoSeed tells that no run of a test has a seed.
var ErrNoSeed = errors.New("no run has this seed")

// Replayed is one run of a test, made once more over real connections.
type Replayed struct {
	Workflow   string
	Conditions []string // the answers that are chosen, and the faults
	Result     executor.Result
	Effects    []mock.EffectCount
	Problems   []Problem
	// Cut tells that the run was ended by Options.Limit. The problems are then those that it
	// has in memory.
	Cut bool
}

// Problem is what a check found in one run.
type Problem struct {
	Check   Check
	Step    string // empty: it is of no step
	Message string
}

// Replay finds the run that a seed names and makes it once more: against servers that
// listen on this machine, with real connections and real time. The sink takes its
// events; nil: nobody listens. A run of which the end is far away is ended by Options.Limit.
// The error is ErrNoSeed where no run has the seed.
func Replay(ctx context.Context, set *source.Set, o Options, seed uint64, sink executor.Sink) (Replayed, error) {
	o = o.withDefaults()
	selected, err := selectWorkflows(set, o.Workflows)
	if err != nil {
		return Replayed{}, err
	}
	troupe := newTroupe(set, o.Config)
	for _, w := range selected {
		s, err := troupe.subject(w, o)
		if err != nil {
			continue // it has no runs
		}
		x := newExplorer(s, o, map[int]error{})
		x.until = seed
		if err := x.explore(ctx); err != nil {
			return Replayed{}, err
		}
		if x.wanted != nil {
			return s.replay(ctx, *x.wanted, o, sink)
		}
	}
	return Replayed{}, fmt.Errorf("%w: %d", ErrNoSeed, seed)
}

// replay makes the run of a script over loopback connections.
func (s *subject) replay(ctx context.Context, told script, o Options, sink executor.Sink) (out Replayed, err error) {
	known, err := s.play(ctx, told, nil)
	if err != nil {
		return out, err
	}
	limit, cuts := o.replayLimit(known.took)
	if o.Foretell != nil {
		o.Foretell(known.took, cuts)
	}
	p := s.newPlayer(told)
	plan := mock.FaultPlan{Seed: told.seed(s.id), Faults: told.faults}
	stage, err := openLoopback(s.sources, plan, p)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, stage.close()) }()
	config := o.Config
	config.Servers = stage.servers
	if config.MaxSteps == 0 {
		config.MaxSteps = DefaultMaxSteps
	}
	compiled, refusals := executor.Compile(s.set, []string{s.id}, config)
	if len(refusals) > 0 {
		return out, &RefusedError{s.id, refusals}
	}
	if err := stage.receive(compiled); err != nil {
		return out, err
	}
	p.Runtime, p.cancel, p.teller.server = towardMock{stage.runtime}, stage.runtime.Cancel, stage.server
	limited, cancel := context.WithTimeoutCause(ctx, limit, errCut)
	defer cancel()
	done, err := s.run(limited, compiled, p, stage.server, sink)
	if err != nil {
		return out, err
	}
	out = Replayed{Workflow: s.id, Conditions: s.concealAll(told.conditions()), Result: done.result, Effects: stage.server.Effects()}
	if out.Cut = errors.Is(context.Cause(limited), errCut); out.Cut {
		done = known
	}
	for _, found := range done.watch.problems {
		out.Problems = append(out.Problems, Problem{found.check, found.id.step, s.conceal(found.message)})
	}
	for _, unfired := range done.watch.unfired {
		out.Problems = append(out.Problems, Problem{Check: FaultUnfired, Message: unfired.Error()})
	}
	if len(out.Problems) == 0 && told.size() == 0 && known.result.Status != executor.Succeeded && known.result.Status != executor.Recovered {
		return out, s.neverSucceeds(ctx, o, &out)
	}
	return out, nil
}

// replayLimit gives for how long a run may go on that takes so long by its own clock; cuts is
// when it is ended before its end. One that takes little longer than the limit is let be.
func (o Options) replayLimit(takes time.Duration) (limit, cuts time.Duration) {
	if takes > o.Limit*3/2 {
		return o.Limit, o.Limit
	}
	return max(o.Limit, takes) + closeTimeout, 0
}

// neverSucceeds tells of the run in which nothing is wrong, and that fails, whether all others
// do: that one run cannot show.
func (s *subject) neverSucceeds(ctx context.Context, o Options, out *Replayed) error {
	o.Workflows = []string{s.id}
	report, err := Explore(ctx, s.set, o)
	if err != nil {
		return err
	}
	for _, f := range report.Workflows[0].Failures {
		if f.Check == NeverSucceeds {
			out.Problems = append(out.Problems, Problem{f.Check, f.Step, f.Message})
		}
	}
	return nil
}

var errCut = errors.New("the time for the run is over")

// loopback is a mock that listens, and what reaches it.
type loopback struct {
	server   *mock.Server
	servers  map[string]string
	client   *httpcall.Client
	runtime  *live.Runtime
	receiver *live.Receiver
	end      func() error
}

func openLoopback(sources []mock.Source, plan mock.FaultPlan, p *player) (*loopback, error) {
	l := &loopback{server: mock.New(sources, mock.Options{Choose: p.choose}), servers: map[string]string{}}
	if err := l.server.Apply(plan); err != nil {
		return nil, fmt.Errorf("plan the faults: %w", err)
	}
	options := httpcall.Options{Dial: l.server.Dial}
	var base string
	var authority []byte
	var err error
	if plan.Needs().HTTP2 {
		base, authority, l.end, err = l.server.ListenTLS("127.0.0.1:0")
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(authority)
		options.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	} else {
		base, l.end, err = l.server.Listen("127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("play the APIs: %w", err)
	}
	for _, src := range sources {
		l.servers[src.Description.Identity] = base + "/" + url.PathEscape(src.Name)
	}
	l.client = httpcall.New(options)
	l.runtime = live.New(live.Options{Client: l.client})
	return l, nil
}

// receive lets a run receive messages, where it does.
func (l *loopback) receive(plan *executor.Plan) error {
	if len(plan.Mailboxes()) == 0 {
		return nil
	}
	const secret = "a secret of this process alone"
	senders := map[string]webhook.Source{}
	for name := range l.servers {
		senders[name] = webhook.Source{Secrets: []string{secret}}
	}
	for _, box := range plan.Mailboxes() {
		senders[box.Source] = webhook.Source{Secrets: []string{secret}}
	}
	receiver, err := live.Listen(live.ReceiverOptions{Messages: webhook.Options{Sources: senders}})
	if err != nil {
		return fmt.Errorf("receive messages: %w", err)
	}
	l.receiver = receiver
	l.runtime.Receive(receiver)
	err = l.server.SendWebhooks(mock.WebhookOptions{Target: receiver.URL(), Secret: func(string) []byte { return []byte(secret) }})
	if err != nil {
		return fmt.Errorf("send messages: %w", err)
	}
	return nil
}

// closeTimeout is how long what is in the air gets to end.
const closeTimeout = 5 * time.Second

func (l *loopback) close() error {
	var failed []error
	if l.receiver != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
		defer cancel()
		failed = append(failed, l.receiver.Close(ctx))
	}
	l.runtime.Close()
	failed = append(failed, l.server.Close(), l.end())
	return errors.Join(failed...)
}

// towardMock tells the mock's dialer for which request it connects.
type towardMock struct{ *live.Runtime }

// Call sends one request.
func (t towardMock) Call(ctx context.Context, call executor.Call) (executor.Exchange, error) {
	return t.Runtime.Call(mock.Toward(ctx, call.Operation.Method, call.Server+call.Operation.Path), call)
}
