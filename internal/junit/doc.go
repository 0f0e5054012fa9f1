// Package junit writes reports in the JUnit format, which CI systems show as tests:
// suites of cases, each of which passes, fails, is in error or is skipped.
//
// It owns the elements of the format, no more of them than what the schema of Jenkins
// allows and the file and line of a case, which GitLab reads; the counts; and what of a
// text XML cannot hold. It must never know what a suite or a case stands for.
package junit
