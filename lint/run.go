package lint

import (
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
)

// maxSize is the greatest size of a file that is read; the parser reports what
// is longer.
const maxSize = 32<<20 + 1

// Options says how to lint.
type Options struct {
	// Rules is the ordered list of rules (see lint/rules). What belongs to a
	// rule that is not in it is an error, so that nothing is lost.
	Rules []Rule
}

// Run looks at all inputs, several at a time. The result is in the order of the
// inputs, without those that were found in a directory and are no Arazzo
// documents. The error names files that could not be read; the result of the
// others stands beside it.
func Run(ctx context.Context, inputs []Input, o Options) (Result, error) {
	r := runner{shapes: newShapes(), rules: make(map[string]Rule, len(o.Rules))}
	for _, rule := range o.Rules {
		r.rules[rule.Name] = rule
	}
	files := make([]*File, len(inputs))
	errs := make([]error, len(inputs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(len(inputs), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range next {
				files[i], errs[i] = r.file(inputs[i])
			}
		})
	}
	stopped := feed(ctx, next, len(inputs))
	close(next)
	workers.Wait()
	if stopped != nil {
		return Result{}, fmt.Errorf("lint: %w", stopped)
	}
	var result Result
	for _, file := range files {
		if file != nil {
			result.Files = append(result.Files, *file)
		}
	}
	return result, errors.Join(errs...)
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
}

// file looks at one input; nil for one that is to be passed over.
func (r *runner) file(in Input) (*File, error) {
	if in.Data == nil {
		data, err := read(in.Path)
		if err != nil {
			return nil, err
		}
		in.Data = data
	}
	if in.Found && !looksLikeArazzo(in.Data) {
		return nil, nil
	}
	file := &File{Path: in.Path, Source: in.Data}
	document, faults := arazzo.Parse(in.Path, in.Data)
	findings := fromFaults(faults)
	switch {
	case document == nil:
		file.Incomplete = append(file.Incomplete, Incomplete{"the document", "the file cannot be read as YAML or JSON"})
	case document.Version == arazzo.VersionUnknown:
		file.Incomplete = append(file.Incomplete, Incomplete{"the document", "its Arazzo version is not known"})
	default:
		shape, err := r.shapes.check(document)
		if err != nil {
			return nil, fmt.Errorf("lint: %s: %w", in.Path, err)
		}
		findings = join(findings, shape)
	}
	file.Complete = len(file.Incomplete) == 0
	file.Diagnostics = r.diagnostics(in.Path, findings)
	return file, nil
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(f, maxSize)); err == nil {
			return data, nil
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

// diagnostics applies the rules to findings and puts them in order.
func (r *runner) diagnostics(path string, findings []finding) []Diagnostic {
	var out []Diagnostic
	for _, f := range findings {
		rule, ok := r.rules[f.Rule]
		if !ok {
			rule = Rule{Name: f.Rule, Layer: Schema, Severity: Error}
		}
		out = append(out, Diagnostic{
			Rule:     rule.Name,
			Layer:    rule.Layer,
			Severity: rule.Severity,
			Message:  f.Message,
			File:     path,
			Span:     f.Span,
			Pointer:  f.Pointer,
		})
	}
	slices.SortStableFunc(out, func(a, b Diagnostic) int { return a.Span.Start.Offset - b.Span.Start.Offset })
	return out
}
