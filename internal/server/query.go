package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// queryOf reads the query of a request. A parameter that is not known is an error: a
// mistyped filter would let everything through.
func queryOf(r *http.Request, known ...string) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, bad("the query cannot be read")
	}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name):
			return nil, bad(fmt.Sprintf("there is no parameter %q; known are %s", name, strings.Join(known, ", ")))
		case len(values) > 1:
			return nil, bad(fmt.Sprintf("the parameter %s is there more than once", name))
		}
		if err := checkText(values[0]); err != nil {
			return nil, bad(fmt.Sprintf("the parameter %s %v", name, err))
		}
	}
	return query, nil
}

// number reads a whole number of a query within bounds; fallback where there is none.
func number(query url.Values, name string, least, most, fallback int) (int, error) {
	if !query.Has(name) {
		return fallback, nil
	}
	n, err := strconv.Atoi(query.Get(name))
	if err != nil || n < least || n > most {
		return 0, bad(fmt.Sprintf("the parameter %s must be a number from %d to %d", name, least, most))
	}
	return n, nil
}

// oneOf reads a word of a query; empty where there is none.
func oneOf(query url.Values, name string, words ...string) (string, error) {
	if !query.Has(name) || slices.Contains(words, query.Get(name)) {
		return query.Get(name), nil
	}
	return "", bad(fmt.Sprintf("the parameter %s must be %s", name, strings.Join(words, " or ")))
}

// longestWait bounds how long a request waits for a run.
const longestWait = time.Minute

// preferredWait gives how long the caller wants to wait for what it asks for
// (RFC 7240, section 4.3). What cannot be read is no preference.
func preferredWait(r *http.Request) (time.Duration, bool) {
	for _, field := range r.Header.Values("Prefer") {
		for _, preference := range strings.Split(field, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, text, _ := strings.Cut(preference, "=")
			if !strings.EqualFold(strings.TrimSpace(name), "wait") {
				continue
			}
			seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(text), `"`), 10, 31)
			if err != nil {
				return 0, false
			}
			return min(time.Duration(seconds)*time.Second, longestWait), true
		}
	}
	return 0, false
}
