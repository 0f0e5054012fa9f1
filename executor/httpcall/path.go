package httpcall

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// target is a path template with its parameters filled in.
type target struct {
	path  string // percent-encoded
	query string // percent-encoded; of a template that has one
}

// fillPath fills a path template. Every parameter of it needs a value, and no
// value can add a segment, remove one, or end the path.
func fillPath(template string, args []parameter) (target, error) {
	template, _, _ = strings.Cut(template, "#") // a fragment is never sent
	f := filler{template: template, args: args, used: make([]bool, len(args))}
	path, query, _ := strings.Cut(template, "?")
	filled, err := f.fillSegments(path)
	if err != nil {
		return target{}, err
	}
	encoded, err := f.fill(query, queryLiteral)
	if err != nil {
		return target{}, err
	}
	for i, used := range f.used {
		if !used {
			return target{}, args[i].fault(fmt.Errorf("the path %s has no {%s}", template, args[i].name))
		}
	}
	return target{path: filled, query: encoded}, nil
}

type filler struct {
	template string
	args     []parameter
	used     []bool
}

func (f *filler) fillSegments(path string) (string, error) {
	var out strings.Builder
	for i, segment := range strings.Split(path, "/") {
		if i > 0 {
			out.WriteByte('/')
		}
		filled, err := f.fill(segment, pathLiteral)
		if err != nil {
			return "", err
		}
		if strings.Contains(segment, "{") && isDots(filled) {
			return "", fmt.Errorf("the path %s: its segment %q would become %q, which means another path", f.template, segment, filled)
		}
		out.WriteString(filled)
	}
	return out.String(), nil
}

// isDots tells whether a segment is one that URLs resolve away, also where its
// dots are percent-encoded.
func isDots(segment string) bool {
	plain, err := url.PathUnescape(segment)
	return err == nil && (plain == "." || plain == "..")
}

func (f *filler) fill(text string, literal escaper) (string, error) {
	var out []byte
	for {
		open := strings.IndexByte(text, '{')
		length := strings.IndexByte(text[max(open, 0):], '}')
		if open < 0 || length < 0 {
			return string(literal.append(out, text)), nil
		}
		out = literal.append(out, text[:open])
		name := text[open+1 : open+length]
		filled, err := f.value(name)
		if err != nil {
			return "", err
		}
		out = append(out, filled...)
		text = text[open+length+1:]
	}
}

func (f *filler) value(name string) ([]byte, error) {
	for i, p := range f.args {
		if p.name == name {
			f.used[i] = true
			return pathValue(p)
		}
	}
	given := "none is given"
	if len(f.args) > 0 {
		names := make([]string, len(f.args))
		for i, p := range f.args {
			names[i] = strconv.Quote(p.name)
		}
		given = "given are " + strings.Join(names, ", ")
	}
	return nil, fmt.Errorf("the path %s needs a value for its parameter %q; %s", f.template, name, given)
}

var errEmptyPath = errors.New("its value is empty, which would change the path")

func pathValue(p parameter) ([]byte, error) {
	s, err := p.shape()
	if err != nil {
		return nil, p.fault(err)
	}
	if s.isEmptyList() || s.kind == value.KindString && s.text == "" {
		return nil, p.fault(errEmptyPath)
	}
	escape := plain.append
	if p.reserved {
		escape = pathReserved.append
	}
	var out []byte
	switch p.style {
	case styleLabel:
		delimiter := ","
		if p.explode {
			delimiter = "."
		}
		out = s.joined([]byte{'.'}, delimiter, p.explode, escape)
	case styleMatrix:
		out = matrix(p, s, escape)
	default:
		out = s.joined(nil, delimiter(p.style), p.explode, escape)
	}
	if len(out) == 0 {
		return nil, p.fault(errEmptyPath)
	}
	return out, nil
}

// matrix writes ;name=value (RFC 6570, section 3.2.7).
func matrix(p parameter, s shape, escape func([]byte, string) []byte) []byte {
	var out []byte
	add := func(name, text string) {
		out = append(plain.append(append(out, ';'), name), '=')
		out = escape(out, text)
	}
	switch {
	case !p.explode || s.kind == value.KindString:
		out = append(plain.append([]byte{';'}, p.name), '=')
		return s.joined(out, ",", false, escape)
	case s.kind == value.KindArray:
		for _, item := range s.items {
			add(p.name, item)
		}
	default:
		for _, m := range s.pairs {
			add(m.name, m.text)
		}
	}
	return out
}
