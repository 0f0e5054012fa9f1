package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/weft-flow/weft/executor"
)

// The exit codes, all of them. Where several apply, the first of this order wins:
// exitFault, exitUsage, exitUnknown, exitFailed, exitInterrupted.
const (
	exitOK          = 0
	exitFailed      = 1   // a workflow failed or was cancelled, or there is a finding
	exitUsage       = 2   // wrong usage, a document that cannot be run, or a store that cannot be used
	exitUnknown     = 3   // an outcome is unknown, or whether a run was accepted
	exitFault       = 4   // a fault of the tool
	exitInterrupted = 130 // interrupted without a result
)

// exitError carries an exit code up to Run. It was already told to the user where
// err is nil.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as one that the user can mend.
func usage(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// toldError says that a file cannot be used. The reasons were told to the user, one by
// one; reports have them in its place.
type toldError struct {
	path    string
	reasons []error
}

func (e *toldError) Error() string { return e.path + " cannot be used" }

// reasonsOf gives why something was not done, each reason in one line.
func reasonsOf(err error) []string {
	var told *toldError
	if !errors.As(err, &told) {
		return []string{err.Error()}
	}
	lines := make([]string, len(told.reasons))
	for i, reason := range told.reasons {
		lines[i] = reason.Error()
	}
	return lines
}

// tellAll tells the reasons why a file cannot be used, and gives the error that says so.
func tellAll[T error](w io.Writer, path string, reasons []T) error {
	told := &toldError{path: path}
	for _, reason := range reasons {
		fmt.Fprintln(w, reason.Error())
		told.reasons = append(told.reasons, reason)
	}
	return usage("%w", told)
}

// codeOf gives the exit code for what a command returned.
func codeOf(err error) int {
	if err == nil {
		return exitOK
	}
	var exit *exitError
	if errors.As(err, &exit) {
		return exit.code
	}
	return exitFault
}

// codeOfStatus gives the exit code for how a run ended.
func codeOfStatus(s executor.Status, recoveredFails bool) int {
	switch s {
	case executor.Succeeded:
		return exitOK
	case executor.Recovered:
		if recoveredFails {
			return exitFailed
		}
		return exitOK
	case executor.Unknown:
		return exitUnknown
	default:
		return exitFailed
	}
}

// worse gives that of two exit codes which counts.
func worse(a, b int) int {
	for _, code := range []int{exitFault, exitUsage, exitUnknown, exitFailed, exitInterrupted} {
		if a == code || b == code {
			return code
		}
	}
	return exitOK
}
