package channel

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// LookupKeys gives the texts under which a value at a place in a message is looked up:
// what a run expects and what a message has belong together where they share one
// (executor.CorrelationKeys). None for what matches nothing. They have no NUL and at
// most a few hundred bytes, whatever the value.
func LookupKeys(where executor.Locator, v value.Value) []string {
	if where.IsZero() {
		return nil
	}
	keys := executor.CorrelationKeys(v)
	for i, key := range keys {
		keys[i] = brief(where.String()) + "\n" + brief(key)
	}
	return keys
}

// ExpectedKeys gives the lookup keys of what a run expects.
func ExpectedKeys(e executor.Expectation) []string { return LookupKeys(e.Where, e.Value) }

// ArrivedKeys gives the lookup keys of what a message has at a place.
func ArrivedKeys(where executor.Locator, m *executor.Message) []string {
	return LookupKeys(where, where.In(m))
}

// ExpectationID gives a text that two expectations of one run share if they say the
// same.
func ExpectationID(e executor.Expectation) string {
	keys := ExpectedKeys(e)
	slices.Sort(keys)
	id := brief(e.Box) + "\n" + brief(e.Identity.String())
	for _, key := range keys {
		id += "\n" + key
	}
	return id
}

// maxKey is the greatest length in bytes of a text that is part of a key as it is.
const maxKey = 256

// brief gives a text of bounded length, without NUL and valid as UTF-8, that two texts
// share only if they are the same.
func brief(text string) string {
	if len(text) <= maxKey && plain(text) {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// plain tells that a text can stand in a line of its own in any database.
func plain(text string) bool {
	for _, r := range text {
		if r < ' ' || r == '\uFFFD' {
			return false
		}
	}
	return true
}

// UnmatchedReason tells why a message belongs to no run, for a person. The places are
// those where runs expect a value.
func UnmatchedReason(m *executor.Message, places []executor.Locator) string {
	if len(places) == 0 {
		return "no run expects a message here"
	}
	var has, lacks []string
	for _, where := range places {
		if len(ArrivedKeys(where, m)) > 0 {
			has = append(has, where.String()+" ("+shown(where.In(m))+")")
		} else {
			lacks = append(lacks, where.String())
		}
	}
	contentType, _ := m.Header.Get("Content-Type")
	if len(has) == 0 && strings.Contains(strings.ToLower(contentType), "json") {
		if why := unreadable(m.Body); why != "" {
			return why
		}
	}
	if len(has) == 0 {
		return "it has no value at " + strings.Join(lacks, " or ")
	}
	return "no run expects what it has at " + strings.Join(has, " or ")
}

// unreadable tells why a body that says to be JSON is not read as that; empty: it is.
func unreadable(body []byte) string {
	_, err := value.ParseJSON(bytes.TrimPrefix(body, []byte("\ufeff")))
	var fault *value.SyntaxError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &fault) && !fault.Ambiguous:
		return "its body is not the JSON that it says to be"
	default: // the grammar allows it
		return "its body is " + err.Error()
	}
}

// shown gives what a message has, for a person, not at any length.
func shown(v value.Value) string {
	text := v.Text()
	if v.Kind() == value.KindArray {
		text = strings.Trim(v.String(), "[]")
	}
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
