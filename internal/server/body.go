package server

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
)

// member is one member that the object of a request may have.
type member struct {
	name string
	read func(value.Value) error
}

// readBody reads the body of a request to its end. A body that breaks off, or does not
// come in time, is a fault of the request; http.MaxBytesError is given as it is.
func readBody(r *http.Request) ([]byte, error) {
	data, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case err == nil, errors.As(err, &large):
		return data, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &problem{
			Title: "The request did not come in time", Status: http.StatusRequestTimeout,
			Detail: fmt.Sprintf("its body did not come to an end within %v", bodyTimeout),
		}
	default:
		return nil, bad("the body broke off before its end")
	}
}

// readObject reads the body of a request, a JSON object, with the members that are
// known; another is an error.
func readObject(r *http.Request, members ...member) error {
	data, err := readBody(r)
	if err != nil {
		return err
	}
	if t := r.Header.Get("Content-Type"); t != "" && !isJSON(t) {
		return &problem{Title: "The content type is not taken", Status: http.StatusUnsupportedMediaType, Detail: "expected application/json"}
	}
	body, err := value.ParseJSON(data)
	if err != nil {
		return bad("the body is no JSON: " + err.Error())
	}
	if body.Kind() != value.KindObject {
		return bad("the body is not an object")
	}
	seen := map[string]bool{}
	for _, given := range body.Members() {
		at := slices.IndexFunc(members, func(m member) bool { return m.name == given.Name })
		switch {
		case at < 0:
			return bad(fmt.Sprintf("there is no member %q; known are %s", given.Name, strings.Join(namesOf(members), ", ")))
		case seen[given.Name]:
			return bad(fmt.Sprintf("the member %q is there twice", given.Name))
		}
		seen[given.Name] = true
		if err := members[at].read(given.Value); err != nil {
			return bad(fmt.Sprintf("%s: %v", given.Name, err))
		}
	}
	return nil
}

func namesOf(members []member) []string {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return names
}

func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// checkText tells why a text is not taken: databases keep no NUL and nothing that is
// not UTF-8.
func checkText(text string) error {
	switch {
	case !utf8.ValidString(text):
		return fmt.Errorf("is not UTF-8")
	case strings.ContainsRune(text, 0):
		return fmt.Errorf("holds a NUL")
	default:
		return nil
	}
}

// text reads a string.
func text(into *string) func(value.Value) error {
	return func(v value.Value) error {
		s, ok := v.Str()
		if !ok {
			return fmt.Errorf("expected a string")
		}
		*into = s
		return checkText(s)
	}
}

// notEmpty refuses an empty string, which is not the same as none.
func notEmpty(read func(value.Value) error) func(value.Value) error {
	return func(v value.Value) error {
		if s, ok := v.Str(); ok && s == "" {
			return fmt.Errorf("is empty; leave it out where there is none")
		}
		return read(v)
	}
}

// oneOrMore refuses an empty list.
func oneOrMore(read func(value.Value) error) func(value.Value) error {
	return func(v value.Value) error {
		if v.Kind() == value.KindArray && len(v.Items()) == 0 {
			return fmt.Errorf("is empty; leave it out for all")
		}
		return read(v)
	}
}

// texts reads a list of strings.
func texts(into *[]string) func(value.Value) error {
	return func(v value.Value) error {
		if v.Kind() != value.KindArray {
			return fmt.Errorf("expected a list of strings")
		}
		for _, item := range v.Items() {
			var s string
			if err := text(&s)(item); err != nil {
				return err
			}
			*into = append(*into, s)
		}
		return nil
	}
}

// word reads one of several words.
func word(into *string, words ...string) func(value.Value) error {
	return func(v value.Value) error {
		s, ok := v.Str()
		if !ok || !slices.Contains(words, s) {
			return fmt.Errorf("expected %s", strings.Join(words, " or "))
		}
		*into = s
		return nil
	}
}

// count reads a whole number from 1.
func count(into *int) func(value.Value) error {
	return func(v value.Value) error {
		n, ok := v.Int64()
		if !ok || n < 1 || n > math.MaxInt32 {
			return fmt.Errorf("expected a whole number from 1")
		}
		*into = int(n)
		return nil
	}
}

// object reads an object as it is.
func object(into *value.Value) func(value.Value) error {
	return func(v value.Value) error {
		if v.Kind() != value.KindObject {
			return fmt.Errorf("expected an object")
		}
		*into = v
		return nil
	}
}

// duration reads a duration in Go's form, such as 36h.
func duration(into *time.Duration) func(value.Value) error {
	return func(v value.Value) error {
		s, _ := v.Str()
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return fmt.Errorf("expected a duration such as 800ms, 30s or 36h")
		}
		*into = d
		return nil
	}
}
