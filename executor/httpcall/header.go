package httpcall

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// setHeaders writes header and cookie parameters.
func setHeaders(h http.Header, headers, cookies []parameter) error {
	for _, p := range headers {
		text, err := simpleText(p)
		if err != nil {
			return p.fault(err)
		}
		if err := checkField(p.name, text); err != nil {
			return p.fault(err)
		}
		h.Add(p.name, textproto.TrimString(text))
	}
	var jar []byte
	for _, p := range cookies {
		var err error
		if jar, err = appendCookie(jar, p); err != nil {
			return p.fault(err)
		}
	}
	if len(jar) > 0 {
		h.Set("Cookie", strings.Join(append(h["Cookie"], string(jar)), "; "))
	}
	return nil
}

func simpleText(p parameter) (string, error) {
	s, err := p.shape()
	if err != nil {
		return "", err
	}
	raw := func(dst []byte, text string) []byte { return append(dst, text...) }
	return string(s.joined(nil, fieldDelimiter(p.style), p.explode, raw)), nil
}

// fieldDelimiter is what stands between the elements of a list in a header field. The
// styles of Swagger 2.0 are possible there too.
func fieldDelimiter(style string) string {
	switch style {
	case styleSpace:
		return " "
	case stylePipe:
		return "|"
	case source.StyleTab:
		return "\t"
	default:
		return ","
	}
}

// checkField refuses what would not be one field, or not this one.
func checkField(name, text string) error {
	if err := source.FieldNameFault(name); err != nil {
		return err
	}
	return source.FieldTextFault(text)
}

// appendCookie adds name=value pairs to the one Cookie field.
func appendCookie(jar []byte, p parameter) ([]byte, error) {
	s, err := p.shape()
	if err != nil || s.isEmptyList() {
		return jar, err
	}
	var faulty error
	begin := func(name string) {
		if !source.IsToken(name) {
			faulty = fmt.Errorf("%q is not the name of a cookie", name)
		}
		if len(jar) > 0 {
			jar = append(jar, "; "...)
		}
		jar = append(append(jar, name...), '=')
	}
	switch {
	case s.kind == value.KindArray && p.explode:
		for _, item := range s.items {
			begin(p.name)
			jar = cookieOctets.append(jar, item)
		}
	case s.kind == value.KindObject && p.explode:
		for _, m := range s.pairs {
			begin(m.name)
			jar = cookieOctets.append(jar, m.text)
		}
	default:
		begin(p.name)
		jar = s.joined(jar, ",", false, cookieOctets.append)
	}
	return jar, faulty
}
