package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-flow/weft/executor"
)

// writeExchange writes a request and its response as they were on the wire.
func (c *Console) writeExchange(margin string, d executor.AttemptFinished) {
	if d.Sent.Method != "" {
		lines := append([]string{printable(d.Sent.Method + " " + d.Sent.URL)}, headerLines(d.Sent.Header)...)
		c.writeBlock(margin+"> ", lines, d.Sent.Body)
	}
	if d.Response != nil {
		lines := append([]string{fmt.Sprint(d.Response.Status)}, headerLines(d.Response.Header)...)
		c.writeBlock(margin+"< ", lines, d.Response.Body)
	}
}

func (c *Console) writeBlock(margin string, lines []string, body []byte) {
	if len(body) > 0 {
		lines = append(append(lines, ""), bodyLines(body, c.options.MaxBody)...)
	}
	for _, line := range lines {
		c.line(c.paint(dim, strings.TrimRight(margin+line, " ")))
	}
}

// headerLines gives the fields in the order of their names.
func headerLines(h executor.Header) []string {
	var lines []string
	for _, name := range namesOf(h) {
		for _, text := range h[name] {
			lines = append(lines, printable(name)+": "+printable(text))
		}
	}
	return lines
}

// namesOf gives the names of fields in their order, so that what is made of them
// is always the same.
func namesOf(h executor.Header) []string { return slices.Sorted(maps.Keys(h)) }

// bodyLines gives a body as text, cut after limit bytes; only its size where it is
// not text.
func bodyLines(body []byte, limit int) []string {
	if !utf8.Valid(body) || strings.ContainsRune(string(body), 0) {
		return []string{fmt.Sprintf("(%s, not text)", counted(len(body), "byte", "bytes"))}
	}
	if len(body) <= limit {
		return paragraph(string(body))
	}
	for limit > 0 && !utf8.RuneStart(body[limit]) {
		limit--
	}
	lines := paragraph(string(body[:limit]))
	return append(lines, fmt.Sprintf("… (%s more)", counted(len(body)-limit, "byte", "bytes")))
}
