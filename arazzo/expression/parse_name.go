package expression

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"strconv"

	"github.com/weft-flow/weft/arazzo/value"
)

// declared gives the longest of the candidates that comes next and ends where
// ends says that a name may.
func (p *parser) declared(candidates []string, ends func(at int) bool) string {
	if len(candidates) > fewNames {
		return p.declaredIn(p.names.set(candidates), ends)
	}
	longest := ""
	for _, c := range candidates {
		if len(c) > len(longest) && strings.HasPrefix(p.rest(), c) && ends(p.at+len(c)) {
			longest = c
		}
	}
	return longest
}

// declaredIn does the same with a long list of candidates.
func (p *parser) declaredIn(candidates *nameSet, ends func(at int) bool) string {
	rest := p.rest()
	for n := min(len(rest), candidates.longest); n > 0; n-- {
		if name := rest[:n]; candidates.names[name] && ends(p.at+n) {
			return name
		}
	}
	return ""
}

// warnForeign tells of a declared name that the grammar would not have read.
func (p *parser) warnForeign(name string, class func(byte) bool) {
	if span(name, class) == len(name) {
		return
	}
	p.warn(p.at, p.at+len(name), NameOutsideGrammar,
		fmt.Sprintf("the name %q has characters that the grammar of expressions does not allow", name))
}

func (p *parser) warn(from, to int, kind WarningKind, message string) {
	p.e.warnings = append(p.e.warnings, Warning{Offset: from, End: to, Kind: kind, Message: message})
}

// owner reads the name of a step, workflow or source. A declared one must be
// followed by one of the given words.
func (p *parser) owner(what string, candidates []string, followers ...string) *Error {
	p.e.OwnerAt = p.at
	name := p.declared(candidates, func(at int) bool {
		for _, word := range followers {
			if strings.HasPrefix(p.text[at:], word) {
				return true
			}
		}
		return false
	})
	if name == "" {
		name = p.rest()[:span(p.rest(), isStrictIdentifier)]
	}
	if name == "" {
		return p.expected(what)
	}
	p.warnForeign(name, isStrictIdentifier)
	p.e.Owner = name
	p.at += len(name)
	return nil
}

// name reads the name of an input or output and what follows it.
func (p *parser) name(what string, candidates []string) *Error {
	p.e.NameAt = p.at
	name := p.declared(candidates, func(at int) bool {
		return p.stops(at) || strings.IndexByte("#.[", p.text[at]) >= 0
	})
	if name == "" {
		name = p.rest()[:span(p.rest(), isIdentifier)]
	}
	if name == "" {
		return p.expected(what)
	}
	p.warnForeign(name, isIdentifier)
	p.e.Name = name
	p.at += len(name)
	return p.pointerOrAccesses(BracketAfterOutput)
}

func (p *parser) header() *Error {
	p.e.Part, p.e.NameAt = HeaderPart, p.at
	for !p.stops(p.at) && isToken(p.text[p.at]) {
		p.at++
	}
	if p.e.Name = p.text[p.e.NameAt:p.at]; p.e.Name == "" {
		return p.expected("a header's name")
	}
	return nil
}

// chars reads a name of any characters; escapes are those of JSON strings. It
// may be empty.
func (p *parser) chars() *Error {
	p.e.NameAt = p.at
	var name strings.Builder
	for !p.stops(p.at) {
		c := p.text[p.at]
		if c == '\\' {
			r, size := escapeAt(p.rest())
			if size == 0 {
				return p.fault(`expected an escape as in JSON ("\", "\\", "\u0041", …) after '\'`)
			}
			name.WriteRune(r)
			p.at += size
			continue
		}
		if !isPlainChar(c) {
			break
		}
		name.WriteByte(c)
		p.at++
	}
	p.e.Name = name.String()
	return nil
}

// escapeAt reads the JSON escape that s begins with and gives its length, 0
// where it is none.
func escapeAt(s string) (r rune, size int) {
	if len(s) < 2 {
		return 0, 0
	}
	if at := strings.IndexByte(`"\/bfnrt`, s[1]); at >= 0 {
		return rune("\"\\/\b\f\n\r\t"[at]), 2
	}
	first, ok := unitAt(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	if second, ok := unitAt(s[6:]); ok {
		if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func unitAt(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}

// pointerOrAccesses reads what follows a body or a name: '#' and a pointer; or,
// outside a condition, the dots and brackets that many write in its place.
func (p *parser) pointerOrAccesses(kind WarningKind) *Error {
	if p.at < len(p.text) && p.text[p.at] == '#' {
		return p.pointer()
	}
	if p.inCondition {
		return nil
	}
	from := p.at
	for p.at < len(p.text) && (p.text[p.at] == '.' || p.text[p.at] == '[') {
		if err := p.access(); err != nil {
			return err
		}
	}
	if p.at == from {
		return nil
	}
	p.e.Source = p.text[:p.at]
	p.warn(from, p.at, kind, fmt.Sprintf("%s is no runtime expression, write %s", p.e.Source, p.e.Standard()))
	return nil
}

func (p *parser) access() *Error {
	a := Access{Offset: p.at}
	if p.take(".") {
		n := span(p.rest(), isAccess)
		if n == 0 {
			return p.expected("a member's name")
		}
		a.Name = p.text[p.at : p.at+n]
		p.at += n
	} else {
		p.at++
		n := strings.IndexByte(p.rest(), ']')
		index, ok := value.ArrayIndex(p.rest()[:max(n, 0)])
		if !ok {
			return p.expected("a position from 0 and ']'")
		}
		a.Index, a.IsIndex = index, true
		p.at += n + 1
	}
	p.e.Accesses = append(p.e.Accesses, a)
	return nil
}

func (p *parser) pointer() *Error {
	p.e.PointerAt, p.e.hasPointer = p.at, true
	p.at++
	from := p.at
	if !p.stops(p.at) && p.text[p.at] != '/' {
		return p.expected("'/' or the end")
	}
	for !p.stops(p.at) && isPointerChar(p.text[p.at]) {
		if p.text[p.at] == '~' && !strings.HasPrefix(p.rest(), "~0") && !strings.HasPrefix(p.rest(), "~1") {
			return p.fault("'~' is written '~0' in a JSON Pointer, and '/' within a name '~1'")
		}
		p.at++
	}
	pointer, err := value.ParsePointer(p.text[from:p.at])
	if err != nil {
		return &Error{Offset: from, Message: err.Error()}
	}
	p.e.Pointer = pointer
	return nil
}
