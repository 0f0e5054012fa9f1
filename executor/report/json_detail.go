package report

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// The details of events as they stand in the JSON document.
type (
	runStarted struct {
		Document string   `json:"document"`
		Origins  []string `json:"origins"`
	}
	workflowStarted struct {
		ID     string      `json:"id"`
		Inputs value.Value `json:"inputs,omitzero"`
	}
	empty       struct{}
	stepStarted struct {
		Owner string `json:"owner,omitempty"`
	}
	requestPrepared struct {
		Method      string `json:"method"`
		Target      string `json:"target"`
		KeyHeader   string `json:"keyHeader,omitempty"`
		KeyDigest   string `json:"keyDigest,omitempty"`
		Key         string `json:"key,omitempty"`
		Contract    bool   `json:"contract"`
		Effectful   bool   `json:"effectful"`
		OperationID string `json:"operationId,omitempty"`
		Continues   string `json:"continues,omitempty"`
	}
	attemptFinished struct {
		Request    *request          `json:"request,omitempty"` // as it was really sent
		Response   *response         `json:"response,omitempty"`
		DurationMS float64           `json:"durationMs"`
		Attempt    idempotency.Class `json:"attempt"`
		Operation  idempotency.Class `json:"operation"`
		Reason     string            `json:"reason,omitempty"`
		Refused    string            `json:"refused,omitempty"`
		Redirects  []redirect        `json:"redirects,omitempty"`
	}
	// redirect is one that was followed.
	redirect struct {
		Response response `json:"response"` // without its body
		Next     request  `json:"next"`
	}
	request struct {
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Header executor.Header `json:"header,omitempty"`
		Body   *content        `json:"body,omitempty"`
	}
	response struct {
		Status   int             `json:"status"`
		Protocol string          `json:"protocol,omitempty"`
		Header   executor.Header `json:"header,omitempty"`
		Body     *content        `json:"body,omitempty"`
	}
	// content is a body: Text where it is UTF-8, else Base64.
	content struct {
		Text   string `json:"text,omitempty"`
		Base64 []byte `json:"base64,omitempty"`
	}
	contractFinding struct {
		Of      string `json:"of"`
		Kind    string `json:"kind"`
		Message string `json:"message"`
		Pointer string `json:"pointer,omitempty"`
	}
	criterionEvaluated struct {
		Action    string `json:"action,omitempty"`
		Condition string `json:"condition"`
		Passed    bool   `json:"passed"`
		Fault     string `json:"fault,omitempty"`
	}
	actionChosen struct {
		Name    string `json:"name"`
		Kind    string `json:"kind"`
		Target  string `json:"target,omitempty"`
		Trigger string `json:"trigger"`
	}
	retryScheduled struct {
		Action  string  `json:"action"`
		AfterMS float64 `json:"afterMs"`
		Used    int     `json:"used"`
		Limit   int     `json:"limit"`
	}
	retryWithheld struct {
		Action string `json:"action,omitempty"`
		Reason string `json:"reason"`
	}
	stepFinished struct {
		Succeeded bool              `json:"succeeded"`
		Reason    string            `json:"reason,omitempty"`
		Operation idempotency.Class `json:"operation,omitempty"`
		Outputs   value.Value       `json:"outputs,omitzero"`
	}
	operationSettled struct {
		Outcome idempotency.Class `json:"outcome"`
		By      string            `json:"by"`
		Settled time.Time         `json:"settled"`
	}
	stateMoved struct {
		From  string `json:"from"`
		To    string `json:"to"`
		Cause string `json:"cause"`
	}
	stateRefused struct {
		State  string `json:"state"`
		To     string `json:"to,omitempty"`
		Cause  string `json:"cause"`
		Reason string `json:"reason"`
	}
	notice struct {
		Message string `json:"message"`
	}
	runFinished struct {
		Status executor.Status `json:"status"`
		Reason string          `json:"reason,omitempty"`
	}
)

// detailOf gives the form of a detail. That of workflowFinished is that of a
// workflow's result.
func detailOf(detail executor.Detail) (any, error) {
	switch d := detail.(type) {
	case executor.RunStarted:
		return runStarted{Document: d.Document, Origins: append([]string{}, d.Origins...)}, nil
	case executor.WorkflowStarted:
		return workflowStarted(d), nil
	case executor.StepStarted:
		return stepStarted(d), nil
	case executor.RequestPrepared:
		return requestPrepared(d), nil
	case executor.AttemptFinished:
		return attemptOf(d), nil
	case executor.ContractFinding:
		return contractFinding(d), nil
	case executor.CriterionEvaluated:
		return criterionEvaluated(d), nil
	case executor.ActionChosen:
		return actionChosen(d), nil
	case executor.RetryScheduled:
		return retryScheduled{Action: d.Action, AfterMS: milliseconds(d.After), Used: d.Used, Limit: d.Limit}, nil
	case executor.RetryWithheld:
		return retryWithheld(d), nil
	case executor.StepFinished:
		return stepFinished{Succeeded: d.Succeeded, Reason: d.Reason, Operation: d.Operation, Outputs: d.Outputs}, nil
	case executor.WorkflowFinished:
		return workflowResult(d), nil
	case executor.StateMoved:
		return stateMoved(d), nil
	case executor.StateRefused:
		return stateRefused(d), nil
	case executor.MessageAwaited, executor.MessageReceived, executor.MessageSetAside:
		return messageDetailOf(detail), nil
	case executor.OperationSettled:
		return operationSettled(d), nil
	case executor.Notice:
		return notice(d), nil
	case executor.RunFinished:
		return runFinished{Status: d.Result.Status, Reason: d.Result.Reason}, nil
	default:
		return empty{}, fmt.Errorf("report: the event type %s has no JSON form", detail.Type())
	}
}

func attemptOf(d executor.AttemptFinished) attemptFinished {
	a := attemptFinished{
		DurationMS: milliseconds(d.Duration), Attempt: d.Attempt, Operation: d.Operation,
		Reason: d.Reason, Refused: d.Refused,
	}
	if d.Sent.Method != "" {
		r := requestOf(d.Sent)
		a.Request = &r
	}
	if d.Response != nil {
		r := responseOf(*d.Response)
		a.Response = &r
	}
	for _, r := range d.Redirects {
		a.Redirects = append(a.Redirects, redirect{Response: responseOf(r.Response), Next: requestOf(r.Next)})
	}
	return a
}

func requestOf(s executor.Sent) request {
	return request{Method: s.Method, URL: s.URL, Header: s.Header, Body: contentOf(s.Body)}
}

func responseOf(r executor.Response) response {
	return response{Status: r.Status, Protocol: r.Protocol, Header: r.Header, Body: contentOf(r.Body)}
}

// contentOf gives a body whole; nil where it is empty.
func contentOf(body []byte) *content {
	switch {
	case len(body) == 0:
		return nil
	case utf8.Valid(body):
		return &content{Text: string(body)}
	default:
		return &content{Base64: body}
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
