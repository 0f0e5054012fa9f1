package executor

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

// checkMessage tells where a message that was received breaks its description.
func (a *activation) checkMessage(m *Message) {
	r := a.frame.run
	if r.plan.config.Contract == ContractOff {
		return
	}
	body := a.frame.view.message.body()
	if a.step.channel != nil {
		a.notices(a.step.channel.unchecked(r.plan.payloads))
		findings := a.step.channel.check(r.plan.payloads, body)
		for _, f := range findings {
			a.emit(f)
		}
		r.counts.Findings += len(findings)
		return
	}
	request := check.Request{Path: m.Path, Query: m.Query, Header: map[string][]string(m.Header), Body: m.Body}
	if contentType, _ := m.Header.Get("Content-Type"); isJSON(contentType) && a.frame.view.message.payload.fault == nil {
		request.Value = body
	}
	result := r.plan.checker.Request(a.step.operation, request)
	a.tellFindings("message", result.Findings)
	r.counts.Findings += len(result.Findings)
}

// checkSent tells where a message that was sent breaks its description: it is told only.
func (a *activation) checkSent(call Call) {
	r := a.frame.run
	if r.plan.config.Contract == ContractOff || r.emitter.sink == nil || call.Body == nil || call.Body.Verbatim {
		return
	}
	for _, f := range a.step.channel.check(r.plan.payloads, call.Body.Value) {
		f.Of = "request"
		a.emit(f)
	}
}

// payloads are the compiled schemas of the messages of a plan's channels; those
// that are not JSON Schema, or cannot be compiled, are nil.
type payloads map[*asyncapi.Message]*schema.Schema

// compilePayloads compiles the schemas of the messages that a channel has.
func (p payloads) compile(u *channelUse) {
	for _, m := range u.messages {
		if _, done := p[m]; done || m.Payload == nil || m.Payload.Node == nil || !m.Payload.IsJSON() {
			continue
		}
		p[m] = nil
		if compiled, err := u.compileSchema(m.Payload); err == nil {
			p[m] = compiled
		}
	}
}

// compileSchema compiles a payload's schema among the files that it may refer to.
func (u *channelUse) compileSchema(s *asyncapi.Schema) (*schema.Schema, error) {
	var resources []schema.Resource
	for location, root := range u.catalog.Files {
		resources = append(resources, schema.Resource{ID: location, Root: root.Value()})
	}
	if s.Merged { // it stands nowhere as a whole
		const alone = "merged:payload"
		resources = append(resources, schema.Resource{ID: alone, Root: s.Node.Value()})
		set, err := schema.NewSet(resources...)
		if err != nil {
			return nil, err
		}
		return set.Compile(alone, "")
	}
	set, err := schema.NewSet(resources...)
	if err != nil {
		return nil, err
	}
	return set.Compile(u.catalog.File(s.Node), s.Node.Pointer())
}

// unchecked tells which payloads are held against nothing: that there is no finding
// must not be taken for a proof.
func (u *channelUse) unchecked(known payloads) []string {
	var told []string
	for _, m := range u.messages {
		switch {
		case m.Payload == nil || known[m] != nil:
		case !m.Payload.IsJSON():
			told = append(told, fmt.Sprintf("the payload of message %q is described by %s: it is not checked", m.Key, m.Payload.Format))
		default:
			told = append(told, fmt.Sprintf("the schema of the payload of message %q cannot be used: it is not checked", m.Key))
		}
	}
	return told
}

// check tells where a payload breaks the schemas of the channel's messages: it must
// fit one of them. Payloads that no JSON Schema describes are not checked.
func (u *channelUse) check(known payloads, body value.Value) []ContractFinding {
	var first []ContractFinding
	for _, m := range u.messages {
		compiled := known[m]
		if compiled == nil {
			return nil
		}
		faults := compiled.Validate(body)
		if len(faults) == 0 {
			return nil
		}
		if first != nil {
			continue
		}
		for _, f := range faults {
			first = append(first, ContractFinding{Of: "message", Kind: "body", Message: f.Message, Pointer: f.Pointer.String()})
		}
	}
	if len(u.messages) < 2 {
		return first
	}
	names := make([]string, len(u.messages))
	for i, m := range u.messages {
		names[i] = m.Key
	}
	return []ContractFinding{{Of: "message", Kind: "body", Message: fmt.Sprintf("the payload fits none of the messages %s", strings.Join(names, ", "))}}
}
