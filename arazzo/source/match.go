package source

import (
	"strconv"
	"strings"
)

// Response gives the description of a response by its status: the exact one,
// else its range (2XX), else the default; nil where none applies.
func (o *Operation) Response(status int) *Response {
	exact := strconv.Itoa(status)
	var byRange, byDefault *Response
	for _, r := range o.Responses {
		switch {
		case r.Status == exact:
			return r
		case len(r.Status) == 3 && len(exact) == 3 && r.Status[0] == exact[0] && strings.EqualFold(r.Status[1:], "xx"):
			byRange = r
		case r.Status == "default":
			byDefault = r
		}
	}
	if byRange != nil {
		return byRange
	}
	return byDefault
}

// MediaType gives the described content of the response for a content type: the
// exact one, else a range that covers it; nil where none does.
func (r *Response) MediaType(contentType string) *MediaType {
	return matchMedia(r.Content, contentType)
}

// Header gives the described header of that name, or nil. Names are compared
// without regard to case.
func (r *Response) Header(name string) *Parameter {
	return findParameter(r.Headers, name, "header")
}

// matchMedia takes the most specific description, as OpenAPI's Request Body
// Object asks: text/plain over text/*, text/* over */*. Parameters such as
// charset do not tell representations apart, unless a description names them.
func matchMedia(content []*MediaType, contentType string) *MediaType {
	wanted := essence(contentType)
	if wanted == "" {
		return nil
	}
	var best *MediaType
	var bestScore int
	for _, m := range content {
		if score := mediaScore(m.Type, contentType, wanted); score > bestScore {
			best, bestScore = m, score
		}
	}
	return best
}

// mediaScore is 0 where the described type does not cover the wanted one, and
// grows with how closely it does.
func mediaScore(described, contentType, wanted string) int {
	if strings.EqualFold(strings.TrimSpace(described), strings.TrimSpace(contentType)) {
		return 5
	}
	described = essence(described)
	switch {
	case described == wanted:
		return 4
	case coversSuffix(described, wanted):
		return 3
	case described == "*/*":
		return 1
	case strings.HasSuffix(described, "/*") && strings.HasPrefix(wanted, described[:len(described)-1]):
		return 2
	default:
		return 0
	}
}

// coversSuffix tells whether a described type stands for all of a type with a suffix,
// such as application/*+json: no range of HTTP, but what frameworks write.
func coversSuffix(described, wanted string) bool {
	before, suffix, ok := strings.Cut(described, "*+")
	return ok && strings.HasSuffix(before, "/") && strings.HasPrefix(wanted, before) && strings.HasSuffix(wanted, "+"+suffix) &&
		len(wanted) > len(before)+len(suffix)+1
}

// essence is a media type in lower case without its parameters.
func essence(contentType string) string {
	contentType, _, _ = strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(contentType))
}
