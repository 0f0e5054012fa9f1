package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/report"
)

// standardOutput stands for standard output where a file is asked for.
const standardOutput = "-"

// reportFile is a report and the file that it is written to when all has run.
type reportFile struct {
	path   string
	file   *os.File    // nil: standard output
	report io.WriterTo // of a run also an executor.Sink
}

// openReports makes the reports that the flags ask for. Their files are opened
// before anything is sent, so that no run is made whose report is lost.
func (f *runFlags) openReports() ([]reportFile, error) {
	var files []reportFile
	taken := map[string]string{}
	add := func(flag, path string, r reportFile) error {
		if path == "" {
			return nil
		}
		if other, ok := taken[path]; ok {
			return usage("%s and %s cannot both be written to %s", other, flag, place(path))
		}
		r.path, taken[path] = path, flag
		if path != standardOutput {
			file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
			if err != nil {
				return usage("%s: %w", flag, err)
			}
			r.file = file
		}
		files = append(files, r)
		return nil
	}
	if f.dryRun {
		return files, add("--json", f.jsonFile, reportFile{report: &report.Outlines{ShowKeys: f.showKeys}})
	}
	err := errors.Join(
		add("--json", f.jsonFile, reportFile{report: report.NewJSON()}),
		add("--junit", f.junitFile, reportFile{report: report.NewJUnit()}),
		add("--har", f.harFile, reportFile{report: report.NewHAR(version())}),
	)
	return files, err
}

func place(path string) string {
	if path == standardOutput {
		return "standard output"
	}
	return path
}

// sinks are the reports that take the events of runs.
func (s *session) sinks() []executor.Sink {
	var sinks []executor.Sink
	for _, r := range s.reports {
		if sink, ok := r.report.(executor.Sink); ok {
			sinks = append(sinks, sink)
		}
	}
	return sinks
}

// apply tells the reports what counts as a failure.
func (s settings) apply(reports []reportFile) {
	for _, r := range reports {
		if junit, ok := r.report.(*report.JUnit); ok {
			junit.FailRecovered = s.failOn == "recovered"
			junit.FailFindings = s.executor.Contract == executor.ContractError
		}
	}
}

// people is where what people read goes: standard output, unless a report goes there.
func (s *session) people() io.Writer {
	for _, r := range s.reports {
		if r.path == standardOutput {
			return s.stdio.Err
		}
	}
	return s.stdio.Out
}

// finish writes the report files. One that cannot be written does not keep the
// others from being.
func (s *session) finish() int {
	code := exitOK
	for _, r := range s.reports {
		if err := r.write(s.stdio.Out); err != nil {
			code = worse(code, s.tell(fmt.Errorf("write %s: %w", r.path, err)))
		}
	}
	return code
}

func (r reportFile) write(out io.Writer) error {
	if r.file == nil {
		_, err := r.report.WriteTo(out)
		return err
	}
	var err error
	if info, failed := r.file.Stat(); failed == nil && info.Mode().IsRegular() {
		err = r.file.Truncate(0) // an older report may be longer
	}
	if err == nil {
		_, err = r.report.WriteTo(r.file)
	}
	return errors.Join(err, r.file.Close())
}
