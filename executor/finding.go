package executor

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
)

// ContractMode says what a response that breaks its description means. It never
// decides a step and never causes a retry.
type ContractMode string

// The modes.
const (
	ContractError ContractMode = "error" // it fails the run's verdict; the default
	ContractWarn  ContractMode = "warn"  // it is told
	ContractOff   ContractMode = "off"   // nothing is checked
)

// checkContract tells where the messages of an attempt break their description.
// What is wrong with a request is told only: documents break descriptions on
// purpose, to see what a server makes of it.
func (a *activation) checkContract(call Call, x Exchange) {
	r := a.frame.run
	if r.plan.config.Contract == ContractOff {
		return
	}
	if a.step.channel != nil {
		a.checkSent(call)
		return
	}
	// Of a request nothing is counted: where nobody listens it need not be looked at.
	if x.Sent.Method == call.Operation.Method && r.emitter.sink != nil {
		result := r.plan.checker.Request(call.Operation, sentRequest(call, x.Sent))
		a.tellFindings("request", result.Findings)
	}
	if x.Response == nil || x.Sent.Method != call.Operation.Method {
		return
	}
	response := check.Response{Status: x.Response.Status, Header: map[string][]string(x.Response.Header), Body: x.Response.Body}
	if contentType, _ := x.Response.Header.Get("Content-Type"); isJSON(contentType) {
		if body := a.frame.view.responseBody(); a.frame.view.responseFault() == nil {
			response.Value = body
		}
	}
	result := r.plan.checker.Response(call.Operation, response)
	a.tellFindings("response", result.Findings)
	a.tellGaps(result.Gaps)
	r.counts.Findings += len(result.Findings)
}

func (a *activation) tellFindings(of string, findings []check.Finding) {
	for _, f := range findings {
		a.emit(ContractFinding{Of: of, Kind: string(f.Kind), Message: f.String(), Pointer: f.Pointer})
	}
}

// maxUnchecked bounds how many gaps of one kind of response are told.
const maxUnchecked = 3

// tellGaps tells what of a response was not held against its description, once a
// run: that there is no finding must not be taken for a proof.
func (a *activation) tellGaps(gaps []check.Gap) {
	if len(gaps) == 0 {
		return
	}
	var texts []string
	for _, gap := range gaps[:min(len(gaps), maxUnchecked)] {
		texts = append(texts, "not checked: "+gap.String())
	}
	if more := len(gaps) - maxUnchecked; more > 0 {
		texts = append(texts, fmt.Sprintf("not checked: %d more parts of the description of %s", more, a.step.description))
	}
	a.notices(texts)
}

// pathText gives an argument as it stands in a path of the style simple, before
// it is encoded (RFC 6570, section 3.2.2).
func pathText(a Argument) string {
	if a.Value.IsScalar() {
		return a.Value.Text()
	}
	var parts []string
	for _, item := range a.Value.Items() {
		parts = append(parts, item.Text())
	}
	between := ","
	if a.Declared != nil && a.Declared.Explode {
		between = "="
	}
	for _, m := range a.Value.Members() {
		parts = append(parts, m.Name+between+m.Value.Text())
	}
	return strings.Join(parts, ",")
}

// sentRequest gives a request as the check wants it: as it was sent, with the
// parameters of the path by their names.
func sentRequest(call Call, sent Sent) check.Request {
	request := check.Request{Path: map[string]string{}, Header: map[string][]string(sent.Header), Body: sent.Body}
	if strings.Contains(sent.URL, "?") {
		if u, err := url.Parse(sent.URL); err == nil {
			request.Query = u.Query()
		}
	}
	for _, argument := range call.Arguments {
		if argument.In == "path" {
			request.Path[argument.Name] = pathText(argument)
		}
	}
	if call.Body != nil && !call.Body.Verbatim && isJSON(call.Body.ContentType) {
		request.Value = call.Body.Value
	}
	return request
}
