package cli

import (
	"context"
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
	server  *mock.Server
	base    string
	servers map[string]string // base URL of each source, by its identity
	stop    func()
}

// startMock plays all OpenAPI descriptions of the sets, nested documents included.
func startMock(set *source.Set, stdio Stdio) (*playedAPIs, error) {
	return listenMock([]*source.Set{set}, "127.0.0.1:0", stdio)
}

func listenMock(sets []*source.Set, address string, stdio Stdio) (*playedAPIs, error) {
	descriptions := describedAPIs(sets)
	sources := make([]mock.Source, len(descriptions))
	for i, d := range descriptions {
		sources[i] = mock.Source{Name: d.name, Catalog: d.OpenAPI}
	}
	server := mock.New(sources, mock.Options{})
	base, stop, err := server.Listen(address)
	if err != nil {
		return nil, usage("listen on %s: %w", address, err)
	}
	played := &playedAPIs{server: server, base: base, servers: map[string]string{}, stop: func() {
		if err := stop(); err != nil {
			fmt.Fprintf(stdio.Err, "weft: stop the mock: %v\n", err)
		}
	}}
	for _, d := range descriptions {
		played.servers[d.Identity] = base + "/" + d.name
	}
	return played, nil
}

// namedDescription is a description under a name of its own among all that are played.
type namedDescription struct {
	*source.Description
	name string
}

// describedAPIs lists the OpenAPI descriptions that the sets reach, each once.
func describedAPIs(sets []*source.Set) []namedDescription {
	var found []namedDescription
	seenSets, seen, names := map[*source.Set]bool{}, map[string]bool{}, map[string]int{}
	var walk func(s *source.Set)
	walk = func(s *source.Set) {
		if s == nil || seenSets[s] {
			return
		}
		seenSets[s] = true
		for _, d := range s.Sources {
			walk(d.Arazzo)
			if d.OpenAPI == nil || seen[d.Identity] {
				continue
			}
			seen[d.Identity] = true
			name := d.Name
			if names[d.Name]++; names[d.Name] > 1 {
				name = fmt.Sprintf("%s-%d", d.Name, names[d.Name])
			}
			found = append(found, namedDescription{Description: d, name: name})
		}
	}
	for _, s := range sets {
		walk(s)
	}
	return found
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

func newMockCommand(stdio Stdio) *cobra.Command {
	var sources sourceFlags
	var listen string
	cmd := &cobra.Command{
		Use:   "mock FILE...",
		Short: "Play the APIs that Arazzo documents describe",
		Long: "Plays the APIs that Arazzo documents build on, until it is interrupted. Answers come\n" +
			"from the examples of the descriptions, else from their schemas; what was created can\n" +
			"be read again; idempotency keys are honoured. GET /_weft/ledger tells what was done.",
		Example: "  weft mock specs/orderflow/order.arazzo.yaml --listen 127.0.0.1:8080",
		Args:    someArguments("a file whose APIs to play"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return playUntilInterrupted(cmd.Context(), args, sources, listen, stdio)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:0", "listen on this `ADDR`; port 0 takes a free one")
	defineSourceFlags(cmd, &sources)
	return cmd
}

func playUntilInterrupted(ctx context.Context, paths []string, f sourceFlags, address string, stdio Stdio) error {
	ctx, cancel := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer cancel()
	loader := f.loader()
	documents, ok := readDocuments(ctx, loader, paths, stdio)
	if !ok {
		return &exitError{code: exitUsage}
	}
	var sets []*source.Set
	for _, d := range documents {
		set, ok := loadSources(ctx, loader, d, stdio)
		if !ok {
			return &exitError{code: exitUsage}
		}
		sets = append(sets, set)
	}
	played, err := listenMock(sets, address, stdio)
	if err != nil {
		return err
	}
	defer played.stop()
	for _, d := range describedAPIs(sets) {
		fmt.Fprintf(stdio.Out, "%-20s %s\n", d.name, played.servers[d.Identity])
	}
	fmt.Fprintf(stdio.Out, "%-20s %s/_weft/ledger\n", "ledger", played.base)
	<-ctx.Done()
	return nil
}
