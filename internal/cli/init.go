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
// of them is there already, and nothing stays where one cannot be written.
func writeOrderFlow(dir string, stdio Stdio) error {
	bundled, err := readOrderFlow()
	if err != nil {
		return fmt.Errorf("read the bundled order flow: %w", err)
	}
	switch info, err := os.Stat(dir); {
	case dir == "":
		return usage("weft init needs a directory, and its name is empty")
	case err == nil && !info.IsDir():
		return usage("%s is a file; expected a directory, or the name of a new one", dir)
	}
	for _, f := range bundled {
		if _, err := os.Lstat(filepath.Join(dir, f.name)); err == nil {
			return usage("%s is there already; nothing was written", filepath.Join(dir, f.name))
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage("make the directory: %w", err)
	}
	var written []string
	for _, f := range bundled {
		path := filepath.Join(dir, f.name)
		if err := writeNew(path, f.data); err != nil {
			for _, path := range written {
				err = errors.Join(err, os.Remove(path))
			}
			return usage("write the order flow: %w", err)
		}
		written = append(written, path)
	}
	for _, path := range written {
		fmt.Fprintln(stdio.Out, path)
	}
	fmt.Fprintf(stdio.Err, "Run it against a mock of its APIs: weft run --mock %s\n", filepath.Join(dir, "order.arazzo.yaml"))
	return nil
}

// bundledFile is a file of the order flow.
type bundledFile struct {
	name string
	data []byte
}

func readOrderFlow() ([]bundledFile, error) {
	files, err := fs.Sub(specs.OrderFlow, "orderflow")
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	var all []bundledFile
	for _, entry := range entries {
		data, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return nil, err
		}
		all = append(all, bundledFile{entry.Name(), data})
	}
	return all, nil
}

// writeNew writes a file that must not be there yet, whole or not at all.
func writeNew(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
