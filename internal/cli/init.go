package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/specs"
)

func newInitCommand(stdio Stdio) *cobra.Command {
	return &cobra.Command{
		Use:     "init DIR",
		Short:   "Write the bundled order flow to start from",
		Example: "  weft init shop\n  weft run --mock shop/order.arazzo.yaml",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("weft init needs exactly one directory; see 'weft init --help'")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return writeOrderFlow(args[0], stdio) },
	}
}

// writeOrderFlow writes the bundled files into dir. Nothing is written where any
// of them is there already.
func writeOrderFlow(dir string, stdio Stdio) error {
	files, err := fs.Sub(specs.OrderFlow, "orderflow")
	if err != nil {
		return fmt.Errorf("read the bundled order flow: %w", err)
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return fmt.Errorf("read the bundled order flow: %w", err)
	}
	for _, entry := range entries {
		if _, err := os.Lstat(filepath.Join(dir, entry.Name())); !errors.Is(err, fs.ErrNotExist) {
			return usage("%s is there already; nothing was written", filepath.Join(dir, entry.Name()))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage("make the directory: %w", err)
	}
	for _, entry := range entries {
		data, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return fmt.Errorf("read the bundled order flow: %w", err)
		}
		path := filepath.Join(dir, entry.Name())
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return usage("write the order flow: %w", err)
		}
		fmt.Fprintln(stdio.Out, path)
	}
	fmt.Fprintf(stdio.Err, "Run it against a mock of its APIs: weft run --mock %s\n", filepath.Join(dir, "order.arazzo.yaml"))
	return nil
}
