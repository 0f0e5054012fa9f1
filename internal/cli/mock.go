package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/mock"
)

// playedAPIs is a mock that listens.
type playedAPIs struct {
	server    *mock.Server
	base      string
	authority []byte            // that of its certificate, in PEM; nil: it speaks HTTP
	servers   map[string]string // base URL of each source, by its identity
	secret    string            // that its messages are signed with
	stop      func()
}

// startMock plays the APIs of a run, and breaks them as the plan says.
func startMock(sources []mock.Source, plan mock.FaultPlan, stdio Stdio) (*playedAPIs, error) {
	return listenMock(sources, plan, "127.0.0.1:0", plan.Needs().HTTP2, stdio)
}

func listenMock(sources []mock.Source, plan mock.FaultPlan, address string, secure bool, stdio Stdio) (*playedAPIs, error) {
	server := mock.New(sources, mock.Options{})
	if err := server.Apply(plan); err != nil {
		return nil, usage("%w", err)
	}
	var base string
	var authority []byte
	var stop func() error
	var err error
	if secure {
		base, authority, stop, err = server.ListenTLS(address)
	} else {
		base, stop, err = server.Listen(address)
	}
	if err != nil {
		return nil, usage("listen on %s: %w", address, err)
	}
	played := &playedAPIs{server: server, base: base, authority: authority, servers: map[string]string{}, secret: newSecret(), stop: func() {
		if err := errors.Join(server.Close(), stop()); err != nil {
			fmt.Fprintf(stdio.Err, "weft: stop the mock: %v\n", err)
		}
	}}
	for _, src := range sources {
		played.servers[src.Description.Identity] = base + "/" + src.Name
	}
	return played, nil
}

// printLedger tells what the run did to the mocked servers.
func (p *playedAPIs) printLedger(w io.Writer) {
	fmt.Fprintln(w, "\nEffects on the mocked servers")
	effects := p.server.Effects()
	if len(effects) == 0 {
		fmt.Fprintln(w, "  none")
	}
	for _, e := range effects {
		fmt.Fprintf(w, "  %-28s %d\n", e.Source+"."+e.Operation, e.Count)
	}
}

// mockFlags are the flags of weft mock.
type mockFlags struct{ listen, faults, authority, webhooks string }

// plan reads the faults, and refuses what a server on its own cannot do.
func (f mockFlags) plan(stdio Stdio) (mock.FaultPlan, error) {
	plan, err := readFaults(f.faults, stdio)
	if err != nil {
		return plan, err
	}
	switch needs := plan.Needs(); {
	case needs.Dialer:
		return plan, usage("%s: %s cannot be played here: a server does not know what a connection will be for; use weft run --mock", f.faults, mock.NoConnection)
	case needs.HTTP2 && f.authority == "":
		return plan, usage("%s: some of its faults are of HTTP/2, which needs HTTPS: say --ca FILE", f.faults)
	case needs.Webhooks && f.webhooks == "":
		return plan, usage("%s: some of its faults are of webhooks, which need a receiver: say --webhooks URL", f.faults)
	}
	return plan, nil
}

// secretVariable names the environment variable with the secret that webhooks are signed
// with: an argument could be seen by everybody on the machine.
const secretVariable = "WEFT_WEBHOOK_SECRET"

// send lets the mock send webhooks to the receiver that was named.
func (f mockFlags) send(server *mock.Server) error {
	if f.webhooks == "" {
		return nil
	}
	secret, err := mock.ParseSecret(os.Getenv(secretVariable))
	if err != nil {
		return usage("%s: %w", secretVariable, err)
	}
	options := mock.WebhookOptions{Target: f.webhooks, Secret: func(string) []byte { return secret }}
	if err := server.SendWebhooks(options); err != nil {
		return usage("--webhooks: %w", err)
	}
	return nil
}

func newMockCommand(stdio Stdio) *cobra.Command {
	var sources sourceFlags
	var f mockFlags
	cmd := &cobra.Command{
		Use:   "mock FILE...",
		Short: "Play the APIs that Arazzo documents describe",
		Long: "Plays the APIs that Arazzo documents build on, until it is interrupted. Answers come\n" +
			"from the examples of the descriptions, else from their schemas; what was created can\n" +
			"be read again; idempotency keys are honoured. GET /_weft/ledger tells what was done.\n" +
			"With --webhooks it sends the webhooks and callbacks that are described, signed where\n" +
			secretVariable + " holds a secret: see docs/mock.md. With --faults it breaks down as\n" +
			"planned: see docs/faults.md.",
		Example: "  weft mock specs/orderflow/order.arazzo.yaml --listen 127.0.0.1:8080",
		Args:    someArguments("a file whose APIs to play"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return playUntilInterrupted(cmd.Context(), args, sources, f, stdio)
		},
	}
	cmd.Flags().StringVar(&f.listen, "listen", "127.0.0.1:0", "listen on this `ADDR`; port 0 takes a free one")
	cmd.Flags().StringVar(&f.faults, "faults", "", "break down as this `FILE` plans")
	cmd.Flags().StringVar(&f.webhooks, "webhooks", "", "send webhooks to `URL`/webhooks/SOURCE/OPERATION")
	cmd.Flags().StringVar(&f.authority, "ca", "", "speak HTTPS, with HTTP/2, and write the certificate authority to trust to this `FILE`")
	defineSourceFlags(cmd, &sources)
	return cmd
}

func playUntilInterrupted(ctx context.Context, paths []string, sourcing sourceFlags, f mockFlags, stdio Stdio) error {
	ctx, cancel := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer cancel()
	plan, err := f.plan(stdio)
	if err != nil {
		return err
	}
	loader := sourcing.loader()
	documents, refused := readDocuments(ctx, loader, paths, stdio)
	if len(refused) > 0 {
		return &exitError{code: exitUsage}
	}
	var sets []*source.Set
	for _, d := range documents {
		set, refused := loadSources(ctx, loader, d, stdio)
		if len(refused) > 0 {
			return &exitError{code: exitUsage}
		}
		sets = append(sets, set)
	}
	played, err := listenMock(mock.Sources(sets...), plan, f.listen, f.authority != "", stdio)
	if err != nil {
		return err
	}
	defer played.stop()
	if err := f.send(played.server); err != nil {
		return err
	}
	if f.authority != "" {
		if err := os.WriteFile(f.authority, played.authority, 0o644); err != nil {
			return usage("--ca: %w", err)
		}
	}
	for _, src := range mock.Sources(sets...) {
		if d := src.Description; src.Name != d.Name {
			fmt.Fprintf(stdio.Err, "weft: %s is the source %q that was read from %s: another is called %s\n", src.Name, d.Name, source.Display(d.Location), d.Name)
		}
		fmt.Fprintf(stdio.Out, "%-20s %s\n", src.Name, played.servers[src.Description.Identity])
	}
	fmt.Fprintf(stdio.Out, "%-20s %s/_weft/ledger\n", "ledger", played.base)
	<-ctx.Done()
	if code := played.tellUnfired(stdio.Err); code != exitOK {
		return &exitError{code: code}
	}
	return nil
}
