package mock

import (
	"strings"
	"sync"
)

// examined remembers what was wrong with requests: servers that are prepared once and
// used for many runs see the same ones again and again. It may be used by several
// goroutines.
type examined struct {
	mu    sync.Mutex
	known map[examinedKey]examination
}

type examinedKey struct {
	route              *route
	target, head, body string
}

type examination struct {
	status   int
	findings []finding
}

const (
	mostExamined    = 4096     // requests that are remembered
	largestExamined = 16 << 10 // bytes of a body that is worth remembering
)

// check gives what is wrong with a request, as incoming.check does.
func (e *examined) check(in *incoming) (status int, findings []finding) {
	if len(in.raw) > largestExamined {
		return in.check()
	}
	key := examinedKey{in.route, in.escapedPath + "?" + in.query.Encode(), in.declaredHead(), string(in.raw)}
	e.mu.Lock()
	known, ok := e.known[key]
	e.mu.Unlock()
	if ok {
		return known.status, known.findings
	}
	status, findings = in.check()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known == nil || len(e.known) >= mostExamined {
		e.known = map[examinedKey]examination{}
	}
	e.known[key] = examination{status, findings}
	return status, findings
}

// declaredHead writes down the fields that a request is checked by.
func (in *incoming) declaredHead() string {
	var b strings.Builder
	add := func(name string) {
		for _, text := range in.header.Values(name) {
			b.WriteString(name + ":" + text + "\n")
		}
	}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Cookie"} {
		add(name)
	}
	for _, p := range in.route.operation.Params {
		if p.In == "header" {
			add(p.Name)
		}
	}
	return b.String()
}
