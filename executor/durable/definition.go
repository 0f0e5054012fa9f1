package durable

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
)

// Definition is what runs are made of: a document, and what was decided about it.
type Definition struct {
	Document  string   // its name, as people call it
	Workflows []string // that were asked for
	Set       *source.Set
	Config    executor.Config
}

// Connection is what the runs of a definition send through.
type Connection struct {
	// Client sends requests; nil: one with the defaults of httpcall.
	Client *httpcall.Client
	// Clients are clients for the calls of single sources of Definition.Set; what has
	// none goes through Client.
	Clients map[*source.Description]*httpcall.Client
	// Sources are the same by the identity of the source description, or by its name,
	// which is then taken wherever a document has a source of that name. Clients wins.
	Sources map[string]*httpcall.Client
	// Secrets are texts that must not be seen in events, and Learned gives those that
	// become known later; see executor.Start.
	Secrets []string
	Learned func(n int) []string
	// Credentials names those that there are (credential.Keyring.Held), and Missing gives
	// those that a call would be sent without, and how each is given; nil: nobody knows. A
	// run that began with a credential is not gone on with where it is missing.
	Credentials []string
	Missing     func(executor.Call) map[string]string
}

// clientFor gives the client that the calls of a source go through.
func (c *Connection) clientFor(d *source.Description) *httpcall.Client {
	if client, ok := c.Clients[d]; ok {
		return client
	}
	if d != nil {
		for _, key := range []string{d.Identity, d.Name} {
			if client, ok := c.Sources[key]; ok {
				return client
			}
		}
	}
	return c.Client
}

// RefusedError tells why a document cannot be run.
type RefusedError struct{ Refusals []executor.Refusal }

// Error gives all reasons.
func (e *RefusedError) Error() string {
	lines := make([]string, len(e.Refusals))
	for i, r := range e.Refusals {
		lines[i] = r.Error()
	}
	return strings.Join(lines, "\n")
}

// decided is the configuration of a run as it is kept.
type decided struct {
	Workflows []string        `json:"workflows,omitempty"`
	Config    executor.Config `json:"config"`
}

type digest [sha256.Size]byte

// compiled is a definition that is ready for runs.
type compiled struct {
	Definition
	plan *executor.Plan

	mu         sync.Mutex
	connection *Connection // nil: there is none yet
}

// mostCompiled bounds how many definitions are kept compiled.
const mostCompiled = 64

// definitions are the definitions that were last used, by the digests of what they
// are made of.
type definitions struct {
	mu    sync.Mutex
	known map[[2]digest]*compiled
}

// compile makes a definition of what is kept of a run, or takes the one that was made
// before.
func (all *definitions) compile(ctx context.Context, bundle, config []byte) (*compiled, error) {
	key := [2]digest{sha256.Sum256(bundle), sha256.Sum256(config)}
	all.mu.Lock()
	c := all.known[key]
	all.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := compile(ctx, bundle, config)
	if err != nil {
		return nil, err
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	if first := all.known[key]; first != nil {
		return first, nil
	}
	if all.known == nil || len(all.known) >= mostCompiled {
		all.known = map[[2]digest]*compiled{} // runs that use the others keep them
	}
	all.known[key] = c
	return c, nil
}

func compile(ctx context.Context, bundle, config []byte) (*compiled, error) {
	var b Bundle
	var d decided
	if err := errors.Join(json.Unmarshal(bundle, &b), json.Unmarshal(config, &d)); err != nil {
		return nil, fmt.Errorf("read what is kept of the document and its configuration: %w", err)
	}
	set, err := b.load(ctx)
	if err != nil {
		return nil, err
	}
	plan, refusals := executor.Compile(set, d.Workflows, d.Config)
	if len(refusals) > 0 {
		return nil, &RefusedError{refusals}
	}
	return &compiled{
		Definition: Definition{Document: b.Name, Workflows: plan.Workflows(), Set: set, Config: d.Config}, plan: plan,
	}, nil
}

// connect makes the connection when it is first needed. One that cannot be made is tried
// again for the next run: what was wrong may be mended.
func (c *compiled) connect(ctx context.Context, by func(context.Context, Definition) (Connection, error)) (*Connection, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.connection != nil {
		return c.connection, nil
	}
	var connection Connection
	if by != nil {
		var err error
		if connection, err = by(ctx, c.Definition); err != nil {
			return nil, err
		}
	}
	if connection.Client == nil {
		connection.Client = httpcall.New(httpcall.Options{})
	}
	c.connection = &connection
	return c.connection, nil
}
