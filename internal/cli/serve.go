package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/internal/server"
)

// serveFlags are the flags of weft serve.
type serveFlags struct {
	run         runFlags // how the runs are executed
	store       string
	listen      string
	callbackURL string
	keep        time.Duration
	stopTimeout time.Duration
	logLevel    string
}

// defaultListen is where weft serve listens.
const defaultListen = "127.0.0.1:8030"

func newServeCommand(stdio Stdio) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve DIR|FILE...",
		Short: "Start runs over HTTP, receive messages, execute runs",
		Long: "Serves an HTTP API that starts durable runs of the workflows of Arazzo documents, tells\n" +
			"of them and acts on them; receives the messages that they wait for; and executes the\n" +
			"runs of the store, together with other processes that do. DIR stands for all Arazzo\n" +
			"documents in it. Without tokens in weft.yaml only programs of this machine are\n" +
			"served. See docs/serve.md; GET /openapi.yaml describes the API.",
		Example: "  weft serve flows\n" +
			"  weft serve --store postgres://weft@db/weft --listen 0.0.0.0:8030 --callback-url https://weft.example.com flows",
		Args: someArguments("a directory or file to serve"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.run.changed = cmd.Flags().Changed
			return f.serve(cmd.Context(), args, stdio)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.store, "store", defaultStore, "the store of runs: sqlite:FILE or a postgres:// `URL`")
	flags.StringVar(&f.listen, "listen", defaultListen, "listen on this `ADDR`; port 0 takes a free one")
	flags.StringVar(&f.callbackURL, "callback-url", "", "the base `URL` under which the outside reaches --listen")
	flags.DurationVar(&f.keep, "keep", 0, "forget the runs of the store so long after their end, looking once a minute; else never")
	flags.DurationVar(&f.stopTimeout, "stop-timeout", durable.DefaultStopTimeout, "on SIGTERM, wait so long for the outcome of the requests in the air")
	flags.StringVar(&f.logLevel, "log-level", "info", "write a log to standard error, from this `LEVEL` up: debug, info, warn or error")
	f.run.defineExecution(cmd)
	return cmd
}

func (f *serveFlags) check() error {
	f.run.failOn = "failed" // the flag is of weft run alone
	if err := f.run.check(); err != nil {
		return err
	}
	if f.keep < 0 {
		return usage("--keep must not be negative")
	}
	if f.stopTimeout <= 0 {
		return usage("--stop-timeout must be more than 0")
	}
	if f.callbackURL != "" {
		if _, err := webhook.BaseURL(f.callbackURL); err != nil {
			return usage("--callback-url: %w", err)
		}
	}
	return nil
}

// serve serves until it is told to stop. Nothing is opened before all documents have
// been found fit to be run.
func (f *serveFlags) serve(ctx context.Context, paths []string, stdio Stdio) error {
	if err := f.check(); err != nil {
		return err
	}
	logger, err := newLogger(f.logLevel, stdio.Err)
	if err != nil {
		return err
	}
	// A second signal ends the process at once.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	served, err := f.load(ctx, paths, stdio)
	if err != nil {
		return err
	}
	tokens, err := served.tokens(f.run.configFile, stdio)
	if err != nil {
		return err
	}
	if err := mayListen(f.listen, tokens); err != nil {
		return err
	}
	n := &node{flags: f, served: served, tokens: tokens, stdio: stdio, log: logger}
	err = n.open(ctx)
	if err == nil {
		err = n.wait(ctx)
	}
	return errors.Join(err, n.close())
}

// node is a process that serves.
type node struct {
	flags  *serveFlags
	served *served
	tokens []server.Token
	stdio  Stdio
	log    *slog.Logger

	store     *durable.Store
	listener  *server.Listener
	server    *server.Server
	endTraces func(context.Context) error
}

// open takes the address, opens the store, and begins to execute and to answer, in this
// order: where the address is taken no store is made.
func (n *node) open(ctx context.Context) (err error) {
	options, err := n.served.messages()
	if err != nil {
		return err
	}
	traces, endTraces, err := openTraces(ctx)
	if err != nil {
		return err
	}
	n.endTraces = endTraces
	if n.listener, err = server.Listen(n.flags.listen); err != nil {
		return usage("--listen: %w", err)
	}
	if n.store, err = openStore(ctx, n.flags.store, durable.Options{Logger: n.log}); err != nil {
		return err
	}
	base := n.listener.URL()
	if n.flags.callbackURL != "" {
		if base, err = webhook.BaseURL(n.flags.callbackURL); err != nil {
			return usage("--callback-url: %w", err)
		}
	}
	n.server, err = server.New(server.Options{
		Runs: n.store, Hub: n.store.Hub(), Messages: options, Documents: n.served.documents, Tokens: n.tokens,
		Logger: n.log, Tracer: traces, Store: withoutPassword(n.flags.store),
	})
	if err != nil {
		return usage("%w", err)
	}
	for _, j := range n.served.jobs {
		if err := n.store.Hub().Declare(ctx, j.mailboxes(options.Sources)); err != nil {
			return unusable(n.flags.store, err)
		}
	}
	connect := func(_ context.Context, d durable.Definition) (durable.Connection, error) {
		return n.flags.run.connection(n.served.jobs, d, n.stdio)
	}
	budget := idempotency.NewBudget(idempotency.DefaultBudget(), time.Now)
	err = n.store.Drive(ctx, durable.DriveOptions{
		Connect: connect, Budget: budget, BaseURL: base, Keep: n.flags.keep, StopTimeout: n.flags.stopTimeout, Observer: n.server.Observer(),
	})
	if err != nil {
		return unusable(n.flags.store, fmt.Errorf("execute runs: %w", err))
	}
	n.listener.Serve(n.server)
	n.tell(base)
	return nil
}

// tell says what is served, and where.
func (n *node) tell(base string) {
	line := func(what, format string, args ...any) {
		fmt.Fprintf(n.stdio.Out, "%-10s %s\n", what, fmt.Sprintf(format, args...))
	}
	for i, d := range n.served.documents {
		line("document", "%s: %s", d.Name, strings.Join(d.Plan.Workflows(), ", "))
		for _, box := range n.served.jobs[i].plan.Mailboxes() {
			if !box.Scoped {
				line("messages", "%s%s", base, webhook.FixedPath(box))
			}
		}
	}
	line("store", "%s", withoutPassword(n.flags.store))
	line("serving", "%s", n.listener.URL()) // last: whoever reads it may begin
}

// withoutPassword gives the URL of a store as it may be shown.
func withoutPassword(store string) string {
	u, err := url.Parse(store)
	if err != nil || u.Host == "" {
		scheme, rest, _ := strings.Cut(store, ":")
		if scheme == "sqlite" {
			return store
		}
		return scheme + ":" + strings.Repeat("…", min(1, len(rest)))
	}
	u.RawQuery = "" // it may hold a password too
	return u.Redacted()
}

// wait waits until the process is told to stop.
func (n *node) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		n.log.Info("stopping: requests in the air are awaited")
		return nil
	case err := <-n.listener.Ended():
		return fmt.Errorf("serve: %w", err)
	}
}

const (
	// callersTimeout is how long callers may take for what they have begun.
	callersTimeout = 10 * time.Second
	// tracesTimeout is how long it may take to send the last traces.
	tracesTimeout = 5 * time.Second
)

// close takes no more requests, ends streams, lets requests in the air finish on both
// sides at the same time, and lets go of the runs.
func (n *node) close() (err error) {
	if n.server != nil {
		n.server.Close()
	}
	var callers sync.WaitGroup
	if n.listener != nil {
		callers.Go(n.closeListener)
	}
	if n.store != nil {
		n.store.Stop()
		callers.Wait() // they ask the store
		err = n.store.Close()
	}
	callers.Wait()
	if n.endTraces != nil {
		ctx, cancel := context.WithTimeout(context.Background(), tracesTimeout)
		defer cancel()
		if err := n.endTraces(ctx); err != nil {
			n.log.Warn("send the last traces", "error", err)
		}
	}
	return err
}

func (n *node) closeListener() {
	ctx, cancel := context.WithTimeout(context.Background(), min(callersTimeout, n.flags.stopTimeout))
	defer cancel()
	if err := n.listener.Close(ctx); err != nil {
		n.log.Warn("stop to serve", "error", err)
	}
}
