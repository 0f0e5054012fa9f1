package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/internal/server"
)

// deliverFlags are the flags of weft deliver.
type deliverFlags struct {
	step, id string
	headers  []string
}

// newDeliverCommand makes the command that hands a message to a run.
func newDeliverCommand(stdio Stdio) *cobra.Command {
	var store storeFlags
	var f deliverFlags
	cmd := &cobra.Command{
		Use:   "deliver RUN-OR-TOKEN FILE",
		Short: "Hand a message to a durable run",
		Long: "Hands a message to a durable run, as if it had been received: its body is that of FILE,\n" +
			"- for standard input. Instead of its id, a run can be named by the token that it holds,\n" +
			"with -w. That the command succeeds means that the message is kept, not that anything\n" +
			"was done about it.",
		Example: "  weft deliver --step awaitPayment 01976d3e-… paid.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("%s needs a run and a file; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := f.message(args[1], stdio.In)
			if err != nil {
				return err
			}
			return store.use(cmd, func(ctx context.Context, s *durable.Store) error {
				return f.deliver(ctx, s, &store, args[0], m, stdio)
			})
		},
	}
	store.define(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.step, "step", "", "for this `STEP`; needed where several receive")
	flags.StringVar(&f.id, "id", "", "what names the message: a second one with the same `ID` is a duplicate")
	flags.StringArrayVarP(&f.headers, "header", "H", []string{"Content-Type: application/json"}, "a header field `NAME: VALUE` (repeatable)")
	return cmd
}

// message reads the message that is to be delivered.
func (f deliverFlags) message(path string, stdin io.Reader) (executor.Message, error) {
	m := executor.Message{Identity: f.id, Method: "POST", Header: executor.Header{}}
	for _, field := range f.headers {
		name, text, ok := strings.Cut(field, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return m, usage("--header %q: expected NAME: VALUE", field)
		}
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		m.Header[name] = append(m.Header[name], strings.TrimSpace(text))
	}
	var err error
	if path == "-" {
		m.Body, err = io.ReadAll(stdin)
	} else {
		m.Body, err = os.ReadFile(path)
	}
	if err != nil {
		return m, usage("read the message: %w", err)
	}
	// As a receiver would take it, with the identity that it names itself by.
	read, err := webhook.ReadMessage(&http.Request{Method: m.Method, Header: http.Header(m.Header)}, m.Body)
	if err != nil {
		return m, usage("read the message: %w", err)
	}
	if f.id != "" {
		read.Identity = channel.NativeIdentity(f.id)
	}
	return read, nil
}

func (f deliverFlags) deliver(ctx context.Context, s *durable.Store, flags *storeFlags, name string, m executor.Message, stdio Stdio) error {
	run, err := findRun(ctx, s, flags, name)
	if err != nil {
		return err
	}
	plan, err := s.Plan(ctx, run)
	if err != nil {
		return err
	}
	if m.Box, err = plan.Receiver(f.step); err != nil {
		return usage("--step: %w", err)
	}
	kept, err := s.Deliver(ctx, run, m)
	if err != nil {
		return err
	}
	if flags.json {
		return writeJSON(stdio.Out, server.Delivered{Run: run, Number: kept.Number, Duplicate: kept.Duplicate, Conflicting: kept.Conflicting})
	}
	what := "kept as message %d"
	switch {
	case kept.Duplicate:
		what = "a duplicate of message %d"
	case kept.Conflicting:
		what = "has the identity of message %d, and other content"
	}
	if kept.Number == 0 {
		what = strings.ReplaceAll(what, "message %d", "a message that came after the end")
		_, err = fmt.Fprintf(stdio.Out, "%s: %s\n", run, what)
		return err
	}
	_, err = fmt.Fprintf(stdio.Out, "%s: "+what+"\n", run, kept.Number)
	return err
}

// findRun gives the run of an id, else the one that holds a token.
func findRun(ctx context.Context, s *durable.Store, flags *storeFlags, name string) (string, error) {
	_, err := s.Find(ctx, name)
	if err == nil || !errors.Is(err, durable.ErrNoRun) {
		return name, err
	}
	if flags.workflow == "" {
		return "", usage("there is no run %q; if it is a token, say -w ID of its workflow", name)
	}
	holder, err := s.Holder(ctx, flags.tenant, flags.workflow, name)
	if err != nil {
		return "", err
	}
	return holder.Run, nil
}
