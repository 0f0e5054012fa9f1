package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/format"
)

// sourceFlags say where descriptions are looked for.
type sourceFlags struct {
	root    folderFlag
	offline bool
}

func (f sourceFlags) options() source.Options {
	return source.Options{Root: string(f.root), Offline: f.offline}
}

func (f sourceFlags) loader() *source.Loader {
	return source.NewLoader(f.options())
}

// document is one file of the command line, as far as it could be read.
type document struct {
	path     string
	model    *arazzo.Document
	location string
	// workflows are those that are run; empty: all.
	workflows []string
}

// readDocuments reads all files before any reference is followed, so that they
// are known by their identities. A file that cannot be read or run is told, and refused.
func readDocuments(ctx context.Context, loader *source.Loader, paths []string, stdio Stdio) (documents []document, refused []executor.Refusal) {
	for _, path := range paths {
		model, location, faults, err := loader.LoadDocument(ctx, path)
		if err != nil {
			fmt.Fprintf(stdio.Err, "weft: %v\n", err)
			refused = append(refused, executor.Refusal{Place: executor.Place{File: path}, Message: err.Error()})
			continue
		}
		if blocking := executor.Blocking(faults); len(blocking) > 0 || model == nil {
			tellFaults(path, blocking, stdio)
			refused = append(refused, refusalsOf(path, blocking)...)
			continue
		}
		loader.Register(model, location)
		documents = append(documents, document{path: path, model: model, location: location})
	}
	return documents, refused
}

func refusalsOf(path string, faults []arazzo.Fault) []executor.Refusal {
	if len(faults) == 0 {
		return []executor.Refusal{{Place: executor.Place{File: path}, Message: "this is not an Arazzo document"}}
	}
	refused := make([]executor.Refusal, len(faults))
	for i, f := range faults {
		refused[i] = executor.Refusal{Place: executor.Place{File: path, Span: f.Span, Pointer: f.Pointer}, Message: f.Message}
	}
	return refused
}

// tellFaults shows what is wrong with a document, with the lines it stands on.
func tellFaults(path string, faults []arazzo.Fault, stdio Stdio) {
	file := lint.File{Path: path}
	// What came from the network is told without its lines: it may be another by now.
	file.Source, _ = os.ReadFile(path)
	for _, f := range faults {
		file.Diagnostics = append(file.Diagnostics, lint.Diagnostic{
			Rule: f.Rule, Layer: lint.Schema, Severity: lint.Error, Message: f.Message,
			File: path, Span: f.Span, Pointer: f.Pointer,
		})
	}
	if err := format.Text(wantsColor(stdio.Err))(stdio.Err, lint.Result{Files: []lint.File{file}}); err != nil {
		fmt.Fprintf(stdio.Err, "weft: %v\n", err)
	}
}

// loadSources loads what a document builds on, and tells what could not be: it is
// refused then.
func loadSources(ctx context.Context, loader *source.Loader, d document, stdio Stdio) (*source.Set, []executor.Refusal) {
	set, problems := loader.Load(ctx, d.model, d.location)
	missing := false
	var refused []executor.Refusal
	for _, p := range problems {
		missing = missing || strings.Count(p.Message, ": no such file") == 1 // with --root it was looked for twice
		r := executor.Refusal{Place: executor.Place{File: d.path, Span: p.Span}, Message: p.Message}
		fmt.Fprintln(stdio.Err, r.Error())
		refused = append(refused, r)
	}
	if missing {
		fmt.Fprintln(stdio.Err, "weft: relative sources are looked for beside the document; --root DIR looks beneath DIR too")
	}
	return set, refused
}

// parseServers reads --server flags: URL, or SOURCE=URL.
func parseServers(flags []string) (map[string]string, error) {
	servers := map[string]string{}
	for _, flag := range flags {
		name, server := "", flag
		if before, after, found := strings.Cut(flag, "="); found && !strings.Contains(before, "/") {
			name, server = before, after
		}
		if err := executor.ParseServer(server); err != nil {
			return nil, usage("--server: %w", err)
		}
		servers[name] = server
	}
	return servers, nil
}
