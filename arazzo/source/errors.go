package source

import (
	"fmt"
	"strconv"
	"strings"
)

// maxListed bounds how many candidates a message names.
const maxListed = 8

// NotFoundError tells that a reference names nothing that is there.
type NotFoundError struct {
	What       string   // "operation", "channel", "workflow" or "source"
	Ref        string   // as the document writes it
	Detail     string   // what was looked at; may be empty
	Candidates []string // what exists and may have been meant, the nearest first
}

// Error says what was looked for, where the search ended, and what is there.
func (e *NotFoundError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "no %s %s", e.What, quote(e.Ref))
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	if len(e.Candidates) > 0 {
		b.WriteString("; did you mean ")
		b.WriteString(list(e.Candidates, "or"))
		b.WriteByte('?')
	}
	return b.String()
}

// AmbiguousError tells that a reference names more than one thing.
type AmbiguousError struct {
	What       string   // "operation" or "workflow"
	Ref        string   // as the document writes it
	Candidates []string // each of the things, written so that it names one alone
}

// Error lists what the reference may name.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s %s is ambiguous: it names %s", e.What, quote(e.Ref), list(e.Candidates, "and"))
}

func quote(s string) string { return strconv.Quote(s) }

// list writes names as a sentence does, and says how many it leaves out.
func list(names []string, last string) string {
	more := len(names) - maxListed
	if more > 0 {
		names = names[:maxListed]
	}
	quoted := make([]string, len(names), len(names)+1)
	for i, name := range names {
		quoted[i] = quote(name)
	}
	if more > 0 {
		quoted = append(quoted, fmt.Sprintf("%d more", more))
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " " + last + " " + quoted[len(quoted)-1]
}
