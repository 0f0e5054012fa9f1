package contract

import (
	"net/http"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

// passes tells which criteria pass.
func (a *answers) passes() []bool {
	judged := a.step.judged()
	passes := make([]bool, len(judged))
	for i, c := range judged {
		passes[i] = c.compiled.Eval(&a.scope).Passed
	}
	return passes
}

// verdict writes down how each criterion turns out.
func (a *answers) verdict(passes []bool) string {
	var b strings.Builder
	b.WriteString(meaningOf(a.scope.status, a.scope.header))
	for _, passed := range passes {
		if passed {
			b.WriteByte('1')
		} else {
			b.WriteByte('0')
		}
	}
	for _, t := range a.step.told {
		if v, err := t.value.Eval(&a.scope); err == nil && holds(t.wants, v) {
			b.WriteString(" " + v.Text())
		}
	}
	return b.String()
}

// meaningOf tells apart what a status means for whether the request had its effect.
func meaningOf(status int, header http.Header) string {
	switch {
	case status == 202:
		return "accepted"
	case status/100 == 2:
		return "done"
	case status == 303:
		return "elsewhere"
	case status == 409:
		return "conflict"
	case status == 404 || status == 410:
		return "nothing"
	case status == 425 || status == 429 || status == 503 && header.Get("Retry-After") != "":
		return "later"
	case status == 408 || status >= 500:
		return "unknown"
	default:
		return "refused"
	}
}

// breaks tells whether the description does not allow an answer. A status that is not
// described is none of its business: any API may answer with an error.
func (a *answers) breaks(status int, header http.Header, body value.Value, edited bool) bool {
	if !edited && status >= 400 {
		return false
	}
	response := check.Response{Status: status, Header: header, Value: body}
	if text, isText := body.Str(); isText && header.Get("Content-Type") != "" && !check.IsJSON(header.Get("Content-Type")) {
		response.Body, response.Value = []byte(text), value.Absent
	} else if !body.IsAbsent() {
		response.Body = value.AppendJSON(nil, body)
		if edited && header.Get("Content-Type") == "" {
			response.Header = header.Clone()
			response.Header.Set("Content-Type", "application/json")
		}
	}
	for _, f := range a.checker.Response(a.step.operation, response).Findings {
		if f.Kind != check.Status || status < 400 {
			return true
		}
	}
	return false
}
