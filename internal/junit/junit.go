package junit

import "time"

// Report is a whole report. Its counts are those of its suites.
type Report struct {
	Name   string
	Took   time.Duration
	Suites []Suite
}

// Suite is a group of cases. Its counts are those of its cases.
type Suite struct {
	Name       string
	File       string    // empty: none is told
	Began      time.Time // zero: it is not told
	Took       time.Duration
	Properties []Property
	Cases      []Case
}

// Property is a fact about a suite.
type Property struct {
	Name, Value string
}

// Case is one thing that was tried. It passed where it has no failure, no error, and
// was not skipped.
type Case struct {
	Name, Class string
	File        string // empty: none is told
	Line        int    // within the file, from 1; 0: none is told
	Took        time.Duration
	Failures    []Problem // what was found to be otherwise than demanded
	Error       *Problem  // why it could not be found out
	Skipped     *Problem  // why it was not tried
	Output      []string  // lines
}

// Problem tells why a case did not pass.
type Problem struct {
	Type    string // a word for the kind; empty: none is told
	Message string // one line
	Text    string // what more there is to say; may be empty
}
