package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"
)

// testOutput is where the reports of weft test go.
type testOutput struct {
	flags   *testFlags
	stdio   Stdio
	reports []contract.Report
	refused []testRefusal
	files   []testFile
}

// testFile is a report that is written at the end.
type testFile struct {
	to    io.Writer
	file  *os.File // nil: standard output
	write func(io.Writer) error
}

// newOutput opens the report files before anything is tested.
func (f *testFlags) newOutput(stdio Stdio) (*testOutput, error) {
	o := &testOutput{flags: f, stdio: stdio}
	for _, r := range []struct {
		flag, path string
		write      func(io.Writer) error
	}{{"--json", f.json, o.writeJSON}, {"--junit", f.junit, o.writeJUnit}} {
		switch r.path {
		case "":
		case standardOutput:
			o.files = append(o.files, testFile{to: stdio.Out, write: r.write})
		default:
			file, err := os.Create(r.path)
			if err != nil {
				return nil, usage("%s: %w", r.flag, err)
			}
			o.files = append(o.files, testFile{to: file, file: file, write: r.write})
		}
	}
	return o, nil
}

// people is where what people read goes: standard output, unless a report goes there.
func (o *testOutput) people() io.Writer {
	if o.flags.json == standardOutput || o.flags.junit == standardOutput {
		return o.stdio.Err
	}
	return o.stdio.Out
}

// add shows the report of a document, and keeps it.
func (o *testOutput) add(r contract.Report) {
	o.reports = append(o.reports, r)
	var out bytes.Buffer
	p := testPrinter{w: &out, color: wantsColor(o.people())}
	p.document(r)
	_, _ = out.WriteTo(o.people()) // where nobody reads, nobody is told
}

// finish writes the summary and the report files.
func (o *testOutput) finish() error {
	if len(o.reports) > 0 {
		o.summary()
	}
	var failed []error
	for _, f := range o.files {
		err := f.write(f.to)
		if f.file != nil {
			err = errors.Join(err, f.file.Close())
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("write the report: %w", err))
		}
	}
	return errors.Join(failed...)
}

func (o *testOutput) summary() {
	workflows, runs, failures, refused, undone := 0, 0, 0, 0, 0
	var elapsed time.Duration
	for _, r := range o.reports {
		runs += r.Runs
		failures += len(r.Unfired)
		for _, w := range r.Workflows {
			workflows++
			failures += len(w.Failures)
			elapsed += w.Elapsed
			undone += w.Undone
			if len(w.Refused) > 0 {
				refused++
			}
		}
	}
	text := fmt.Sprintf("%s · %s", count(workflows, "workflow"), count(runs, "run"))
	if elapsed > 0 {
		text += fmt.Sprintf(", %.0f a second", float64(runs)/elapsed.Seconds())
	}
	text += " · " + count(failures, "failure")
	if refused > 0 {
		text += fmt.Sprintf(" · %d cannot be run", refused)
	}
	if undone > 0 {
		text += fmt.Sprintf(" · cut off: %s not made, a longer --limit makes them", count(undone, "planned run"))
	}
	fmt.Fprintln(o.people(), text)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// testPrinter shows reports to people.
type testPrinter struct {
	w     io.Writer
	color bool
}

func (p testPrinter) paint(code, text string) string {
	if !p.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p testPrinter) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

func (p testPrinter) document(r contract.Report) {
	for _, w := range r.Workflows {
		p.line("%s  %s", r.Document, p.paint("1", w.ID))
		if len(w.Refused) > 0 {
			p.line("  cannot be run:")
			for _, reason := range w.Refused {
				p.line("    %s", reason)
			}
			p.line("")
			continue
		}
		p.workflow(r, w)
	}
	for _, unfired := range r.Unfired {
		p.line("  %s %s", p.paint("31", "✗ "+string(contract.FaultUnfired)), unfired)
	}
}

func (p testPrinter) workflow(r contract.Report, w contract.WorkflowReport) {
	plain := string(w.Plain)
	if w.PlainReason != "" {
		plain += ": " + w.PlainReason
	}
	p.line("  plain run  %s", plain)
	p.line("  steps      %s", share(w.Coverage.Steps))
	p.line("  actions    %s", share(w.Coverage.Actions))
	p.line("  criteria   %s, each passing and failing", share(w.Coverage.Criteria))
	p.line("  faults     %s, and %d pairs", share(w.Coverage.Faults), w.Coverage.Pairs)
	rate := ""
	if w.Elapsed > 0 {
		rate = fmt.Sprintf(" in %s, %.0f a second", w.Elapsed.Round(time.Millisecond), float64(w.Runs)/w.Elapsed.Seconds())
	}
	p.line("  runs       %d%s", w.Runs, rate)
	for _, note := range w.Notes {
		p.line("  note: %s", note)
	}
	p.unreached(w.Unreached)
	for _, f := range w.Failures {
		p.failure(r.Document, w.ID, f)
	}
	p.line("")
}

func share(c contract.Count) string {
	if c.Total == 0 {
		return "none"
	}
	return fmt.Sprintf("%d of %d (%d%%)", c.Covered, c.Total, c.Covered*100/c.Total)
}

// mostUnreached is how many things of each kind that were not reached are shown.
const mostUnreached = 12

func (p testPrinter) unreached(all []contract.Unreached) {
	if len(all) == 0 {
		return
	}
	p.line("  not reached:")
	shown := map[string]int{}
	for _, u := range grouped(all) {
		if shown[u.Kind]++; shown[u.Kind] <= mostUnreached {
			p.line("    %s", p.paint("2", unreachedText(u)))
		}
	}
	for _, kind := range []string{"step", "action", "criterion", "fault"} {
		if more := shown[kind] - mostUnreached; more > 0 {
			p.line("    %s", p.paint("2", fmt.Sprintf("and %d more of this kind: %s", more, kind)))
		}
	}
}

// grouped puts the faults together that did not fire at one request for one reason.
func grouped(all []contract.Unreached) []contract.Unreached {
	var out []contract.Unreached
	at := map[string]int{}
	for _, u := range all {
		if u.Kind != "fault" {
			out = append(out, u)
			continue
		}
		kind, target, _ := strings.Cut(u.Name, " at ")
		_, why, found := strings.Cut(u.Why, "never fired: ")
		if !found {
			why = u.Why
		}
		u.Why = why
		key := target + "\x00" + why
		if kind == string(mock.QuotedKeyRefused) { // it befalls every operation alike
			key = kind + "\x00" + why
		}
		if i, known := at[key]; known {
			if kind == string(mock.QuotedKeyRefused) {
				out[i].Name += ", " + target
			} else {
				out[i].Name = kind + ", " + out[i].Name
			}
			continue
		}
		at[key] = len(out)
		out = append(out, u)
	}
	return out
}

func unreachedText(u contract.Unreached) string {
	switch u.Kind {
	case "step":
		return fmt.Sprintf("step %s: %s", u.Step, u.Why)
	case "action":
		return fmt.Sprintf("action %s of step %s: %s", u.Name, u.Step, u.Why)
	case "criterion":
		return fmt.Sprintf("criterion %s of step %s never %s: %s", u.Name, u.Step, u.Outcome, u.Why)
	default:
		return fmt.Sprintf("fault %s: %s", u.Name, u.Why)
	}
}

func (p testPrinter) failure(document, workflow string, f contract.Failure) {
	p.line("")
	where := "  workflow " + workflow
	if f.Step != "" {
		where = "  step " + f.Step
	}
	p.line("  %s%s  (in %s)", p.paint("31", "✗ "+string(f.Check)), where, count(f.Runs, "run"))
	p.line("    %s", f.Message)
	if f.Place.File != "" {
		p.line("    at %s", placeText(f.Place))
	}
	switch {
	case len(f.Conditions) == 0:
		p.line("    It takes nothing: every answer is as the descriptions say.")
	default:
		p.line("    It takes this:")
		for _, c := range f.Conditions {
			p.line("      - %s", c)
		}
	}
	for line := range strings.Lines(f.Story) {
		p.line("    | %s", strings.TrimRight(line, "\n"))
	}
	p.line("    again, over real connections: weft test %s --replay %d", document, f.Seed)
}

func placeText(p executor.Place) string {
	if p.Span.Start.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Span.Start.Line, p.Span.Start.Column)
}
