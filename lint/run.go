package lint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
)

// maxSize is the greatest size of a file that is read; the parser reports what
// is longer.
const maxSize = 32<<20 + 1

// Options says how to lint.
type Options struct {
	// Rules is the ordered list of rules (see lint/rules). What the parser or a
	// schema finds and belongs to a rule that is not in it is an error, so that
	// nothing is lost.
	Rules []Rule
	// Only is the one layer to check; zero: both. The layer Schema alone needs no
	// sources and loads none.
	Only Layer
	// Loader loads the sources of all documents, each once. Nil: one of its own,
	// which reads files and the network.
	Loader *source.Loader
	// Config is what the user wants of the rules, for inputs that have no Config
	// of their own. Run gives an error where it does not suit the rules.
	Config Config
}

// Linter lints documents, again and again: what it has compiled and loaded it
// keeps. Where a source has changed, a new one is needed. It may be used by
// several goroutines.
type Linter struct {
	runner *runner
}

// New gives a linter.
func New(o Options) *Linter { return &Linter{newRunner(o)} }

// Run lints inputs with a linter of their own. See [Linter.Run].
func Run(ctx context.Context, inputs []Input, o Options) (Result, error) {
	return New(o).Run(ctx, inputs)
}

// Run looks at all inputs, several at a time. The result is in the order of the
// inputs, without those that were found in a directory and are no Arazzo
// documents. The error names files that could not be read; the result of the
// others stands beside it.
//
// All documents are read before the first is checked: a document that another
// names as a source is then known by its identity, wherever it lies.
func (l *Linter) Run(ctx context.Context, inputs []Input) (Result, error) {
	r := l.runner
	if r.wrong != nil {
		return Result{}, fmt.Errorf("lint: %w", r.wrong)
	}
	files := make([]*reading, len(inputs))
	errs := make([]error, len(inputs))
	err := inParallel(ctx, len(inputs), func(i int) { files[i], errs[i] = r.read(inputs[i]) })
	if err == nil {
		err = inParallel(ctx, len(inputs), func(i int) {
			if files[i] != nil {
				errs[i] = r.check(ctx, files[i])
			}
		})
	}
	if err == nil {
		err = ctx.Err() // sources that were given up are no findings
	}
	if err != nil {
		return Result{}, fmt.Errorf("lint: %w", err)
	}
	var result Result
	for i, file := range files {
		if file != nil && errs[i] == nil {
			result.Files = append(result.Files, file.File)
		}
	}
	return result, errors.Join(errs...)
}

// inParallel calls do with the numbers below n, several at a time, until ctx ends.
func inParallel(ctx context.Context, n int, do func(int)) error {
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	err := feed(ctx, next, n)
	close(next)
	workers.Wait()
	return err
}

// feed hands out the numbers below n until ctx ends.
func feed(ctx context.Context, next chan<- int, n int) error {
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		select {
		case next <- i:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

type runner struct {
	shapes *shapes
	rules  map[string]Rule
	checks []Rule // those that check documents, in their order
	loader *source.Loader
	only   Layer
	names  []string // of all rules
	config *Config
	wrong  error // what is wrong with the configuration
	// checker compiles the schemas of descriptions, each once for all files.
	checker check.Checker
	// looks are kept for all files.
	looks looks
}

func newRunner(o Options) *runner {
	r := &runner{shapes: newShapes(), rules: make(map[string]Rule, len(o.Rules)), loader: o.Loader, only: o.Only, config: &o.Config, wrong: o.Config.Check(o.Rules)}
	for _, rule := range o.Rules {
		r.rules[rule.Name] = rule
		r.names = append(r.names, rule.Name)
		if rule.Check != nil && r.wants(rule.Layer) {
			r.checks = append(r.checks, rule)
		}
	}
	if r.loader == nil {
		r.loader = source.NewLoader(source.Options{})
	}
	return r
}

func (r *runner) wants(layer Layer) bool { return r.only == 0 || r.only == layer }

// needsSources tells whether there is a rule that looks beyond the document.
func (r *runner) needsSources() bool {
	return slices.ContainsFunc(r.checks, func(rule Rule) bool { return rule.Layer == Semantics })
}

// reading is one file on its way to a result.
type reading struct {
	File
	document *arazzo.Document // nil: there is none, or none of a known version
	location string           // as a URL
	findings []finding
	config   *Config
}

// read reads and parses one input; nil for one that is to be passed over.
func (r *runner) read(in Input) (*reading, error) {
	if in.Data == nil {
		data, err := read(in.Path)
		if err != nil {
			return nil, err
		}
		in.Data = data
	}
	if in.Passed(in.Data) {
		return nil, nil
	}
	f := &reading{File: File{Path: in.Path, Source: in.Data}, config: in.Config}
	if f.config == nil {
		f.config = r.config
	}
	document, faults := arazzo.Parse(in.Path, in.Data)
	f.findings = asJSON(in.Path, in.Data, fromFaults(faults), document != nil)
	switch {
	case document == nil:
		f.Incomplete = append(f.Incomplete, Incomplete{"the document", "the file cannot be read as YAML or JSON"})
	case document.Version == arazzo.VersionUnknown:
		f.Incomplete = append(f.Incomplete, Incomplete{"the document", "its Arazzo version is not known"})
	default:
		location, err := source.Locate(in.Path)
		if err != nil {
			return nil, fmt.Errorf("lint: %w", err)
		}
		f.document, f.location = document, location
		if r.needsSources() {
			r.loader.Register(document, location)
		}
	}
	return f, nil
}

// check applies the schemas and the rules to one file.
func (r *runner) check(ctx context.Context, f *reading) error {
	var k kept
	if f.document != nil {
		shape, err := r.shapes.check(f.document)
		if err != nil {
			return fmt.Errorf("lint: %s: %w", f.Path, err)
		}
		f.findings = join(f.findings, shape)
		r.apply(ctx, f, &k)
	}
	f.Complete = len(f.Incomplete) == 0
	f.Diagnostics = r.diagnostics(f.Path, f.findings)
	f.Diagnostics = append(f.Diagnostics, k.diagnostics...)
	f.hidden = append(f.hidden, k.hidden...)
	slices.SortStableFunc(f.Diagnostics, func(a, b Diagnostic) int { return a.Span.Start.Offset - b.Span.Start.Offset })
	r.configure(f)
	f.document, f.findings = nil, nil // of many files, each is done with
	return nil
}

// apply applies the rules that check documents.
func (r *runner) apply(ctx context.Context, f *reading, k *kept) {
	if len(r.checks) == 0 {
		return
	}
	set := unloaded(f.document, f.location)
	if r.needsSources() {
		var problems []source.Problem
		set, problems = r.loader.Load(ctx, f.document, f.location)
		f.Incomplete = append(f.Incomplete, incomplete(set, problems)...)
	}
	document := newDocument(set, f.Source, f.config.APIs)
	f.Incomplete = append(f.Incomplete, unsupported(document)...)
	document.world.checker, document.world.looks = &r.checker, &r.looks
	passes := make([]Pass, len(r.checks))
	for i := range r.checks {
		rule := &r.checks[i]
		passes[i] = Pass{Document: document, rule: rule, kept: k, config: f.config}
		rule.Check(&passes[i])
	}
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		var data bytes.Buffer
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			data.Grow(int(min(info.Size(), maxSize)) + bytes.MinRead)
		}
		if _, err = data.ReadFrom(io.LimitReader(f, maxSize)); err == nil {
			return data.Bytes(), nil
		}
	}
	if cause := new(fs.PathError); errors.As(err, &cause) {
		err = cause.Err
	}
	return nil, fmt.Errorf("lint: read %s: %w", path, err)
}

// finding is a fault of the schema layer before its rule is applied.
type finding struct {
	arazzo.Fault
	member string // the member that is missing, where one is
	ofName bool   // the name of the member at Pointer is at fault
}

func fromFaults(faults []arazzo.Fault) []finding {
	findings := make([]finding, len(faults))
	for i, f := range faults {
		findings[i] = finding{Fault: f}
	}
	return findings
}

// diagnostics gives what the parser and the schemas found, under its rules.
func (r *runner) diagnostics(path string, findings []finding) []Diagnostic {
	var out []Diagnostic
	for _, f := range findings {
		rule, ok := r.rules[f.Rule]
		if !ok {
			rule = Rule{Name: f.Rule, Layer: Schema, Severity: Error}
		}
		if !r.wants(Schema) {
			continue
		}
		out = append(out, Diagnostic{
			Rule:     rule.Name,
			Layer:    Schema, // also where the rule looks further
			Severity: rule.Severity,
			Message:  f.Message,
			File:     path,
			Span:     f.Span,
			Pointer:  f.Pointer,
		})
	}
	return out
}
