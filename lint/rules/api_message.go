package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// eachSender calls visit for each step that sends a message over a channel.
func eachSender(p *lint.Pass, visit func(*lint.Step)) {
	for _, s := range p.Steps() {
		if s.Target.Kind == lint.ChannelTarget && s.Model.Action.Value == string(asyncapi.Send) && len(s.Target.Source.AsyncAPI.Faults) == 0 {
			visit(s)
		}
	}
}

// checkHeadersGiven reports headers that each message has to bear which a step may
// send, and that it does not give.
func checkHeadersGiven(p *lint.Pass) {
	eachSender(p, func(s *lint.Step) {
		if slices.ContainsFunc(s.Own.Parameters, func(q *lint.Parameter) bool { return q.Model == nil }) {
			return // a reference that leads nowhere may be the one
		}
		for _, name := range s.HeaderSchema().Required() {
			given := slices.ContainsFunc(s.Parameters, func(q *lint.Parameter) bool {
				return q.Model.In.Value == "header" && strings.EqualFold(q.Model.Name.Value, name)
			})
			if !given && !isHTTPHeader(name) {
				p.Reportf(lint.At(s.Target.Ref.Node), "the message of %s needs the header %s, which the step does not give", s.MessageLabel(), quote(name))
			}
		}
	})
}

// checkMessageValues reports constants that are no value of a header of a message, or
// of a part of a channel's address.
func checkMessageValues(p *lint.Pass) {
	for _, s := range p.Steps() {
		if s.Target.Kind != lint.ChannelTarget || len(s.Target.Source.AsyncAPI.Faults) > 0 {
			continue
		}
		for _, q := range s.Parameters {
			if q.Value == nil || len(q.Value.Faults) > 0 {
				continue
			}
			v, ok := q.Value.Compiled.Constant()
			if !ok || !v.IsScalar() || v.IsNull() {
				continue
			}
			if refusal := messageRefusal(s, q.Model.Name.Value, q.Model.In.Value, v); refusal != "" {
				p.Reportf(valueOfParameter(q), "%s", refusal)
			}
		}
	}
}

func messageRefusal(s *lint.Step, name, in string, v value.Value) string {
	switch in {
	case "path", "channel":
		if s.Target.Channel == nil {
			return ""
		}
		for _, d := range s.Target.Channel.Parameters {
			if d.Name == name && len(d.Enum) > 0 && !slices.Contains(d.Enum, v.Text()) {
				return fmt.Sprintf("the parameter %s of the channel of %s is never %s%s", quote(name), s.MessageLabel(), quote(v.Text()),
					lint.DidYouMean(v.Text(), d.Enum, "it is one of"))
			}
		}
	case "header":
		if s.Receives() {
			return ""
		}
		of, _ := s.HeaderSchema().Step(name)
		if values, ok := of.Values(); ok && len(values) > 0 && !slices.ContainsFunc(values, func(w value.Value) bool { return w.Text() == v.Text() }) {
			return fmt.Sprintf("the header %s of the message of %s is never %s%s", quote(name), s.MessageLabel(), quote(v.Text()),
				lint.DidYouMean(v.Text(), textsOf(values), "it is one of"))
		}
		if types := of.Types(); types&^(reason.Number|reason.Bool) == 0 && types != 0 && plainly(v).Kind() == value.KindString {
			return fmt.Sprintf("the header %s of the message of %s is %s, not %s", quote(name), s.MessageLabel(), article(types), quote(v.Text()))
		}
	}
	return ""
}

// checkMessagePlaces reports parameters in places that a message has not: only HTTP
// and WebSocket have a query, and none has a cookie.
func checkMessagePlaces(p *lint.Pass) {
	eachSender(p, func(s *lint.Step) {
		protocols := s.Target.Channel.Protocols()
		queried := len(protocols) == 0 || slices.ContainsFunc(protocols, func(protocol string) bool {
			return slices.Contains([]string{"http", "https", "ws", "wss"}, strings.ToLower(protocol))
		})
		for _, q := range s.Own.Parameters {
			m := q.Model
			if m == nil || m.In.Value != "cookie" && (queried || m.In.Value != "query" && m.In.Value != "querystring") {
				continue
			}
			p.Reportf(lint.At(q.Written.In.Node, q.Written.Reference.Node, q.Written.Node),
				"the message of %s has no %s; write header, or channel for a part of the address", s.MessageLabel(), m.In.Value)
		}
	})
}

// checkPayloadsGiven reports steps that send no payload where each message has one
// that is described.
func checkPayloadsGiven(p *lint.Pass) {
	eachSender(p, func(s *lint.Step) {
		schema := s.MessageSchema()
		if body := s.Model.RequestBody; body != nil && (body.Payload != nil || len(body.Replacements) > 0) {
			return
		}
		if schema.IsKnown() && !schema.IsImpossible() && len(schema.Required()) > 0 && schema.Types() == reason.Object {
			p.Reportf(lint.At(s.Target.Ref.Node), "the message of %s needs a payload, which the step does not send", s.MessageLabel())
		}
	})
}
