package contract

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

// findChannel finds the channel of AsyncAPI that a step sends on or waits at: as the
// operation that the mock plays there.
func (r stepReader) findChannel(s *stepModel) {
	d, channel := r.channelOf(s)
	if channel == nil {
		return
	}
	sends := s.model.Action.Value == string(asyncapi.Send)
	name := mock.ChannelMessages(channel.Key)
	if sends {
		name = channel.Key
	}
	for _, op := range r.channels[d.Identity] {
		if op.ID == name && (op.Kind == source.Request) == sends {
			s.operation, s.asked = op, mock.Asked{Source: r.sources[d.Identity], Operation: name}
			s.receives, s.channel = !sends, true
		}
	}
}

// channelOf gives the channel that a step names, itself or by an operation; of one that is
// replied to that of the leg that is meant.
func (r stepReader) channelOf(s *stepModel) (*source.Description, *asyncapi.Channel) {
	if s.model.ChannelPath.Present() {
		d, channel, err := r.set.FindChannel(s.model.ChannelPath.Value)
		if err != nil {
			return nil, nil
		}
		return d, channel
	}
	if !s.model.OperationID.Present() {
		return nil, nil
	}
	_, _, err := r.set.FindOperation(s.model.OperationID.Value)
	var async *source.AsyncOperationError
	if !errors.As(err, &async) {
		return nil, nil
	}
	if reply := async.Operation.Reply; reply != nil && r.isReply(s.model) && reply.Channel != nil {
		return async.Description, reply.Channel
	}
	return async.Description, async.Operation.Channel
}

// isReply tells whether a step does the opposite of the first one on its operation.
func (r stepReader) isReply(step *arazzo.Step) bool {
	at := slices.IndexFunc(r.workflow.Steps, func(other *arazzo.Step) bool {
		return other.OperationID.Present() && other.OperationID.Value == step.OperationID.Value
	})
	return at >= 0 && r.workflow.Steps[at].Action.Value != step.Action.Value
}

// channelsIn gives the operations that stand for channels, by the identities of their
// descriptions.
func channelsIn(sources []mock.Source) map[string][]*source.Operation {
	all := map[string][]*source.Operation{}
	for _, s := range sources {
		if s.Description.AsyncAPI != nil {
			all[s.Description.Identity] = s.Catalog.Operations
		}
	}
	return all
}

// teller has messages come that steps wait for and that no request causes. What the mock sends
// of other webhooks it sends by itself.
type teller struct {
	steps     map[stepID]*stepModel
	server    *mock.Server
	addresses map[string]string // of the run's mailboxes, by their names
}

// isTold tells whether the messages that a step waits for come when it waits, since no
// description says what causes them: those on channels, and webhooks that no request is known
// to lead to.
func (s *stepModel) isTold() bool { return s.receives && (s.channel || s.uncaused) }

// findUncaused notes the steps that wait for such webhooks.
func (s *standings) findUncaused(steps map[stepID]*stepModel) {
	caused := map[mock.Asked]bool{}
	for _, op := range s.all {
		for _, sent := range s.of(op).sends {
			caused[sent.Asked] = true
		}
	}
	for _, m := range steps {
		m.uncaused = m.receives && !m.channel && m.operation.Kind == source.Webhook && !caused[m.asked]
	}
}

// tell has a message come that a step waits for: it bears what the step recognises it by.
// It gives how the mock names what was sent; false: nothing was.
func (t *teller) tell(id stepID, expected *executor.Expectation) (mock.Asked, bool, error) {
	m := t.steps[id]
	if m == nil || !m.isTold() || t.server == nil || expected == nil {
		return mock.Asked{}, false, nil
	}
	told := mock.Told{Asked: m.asked, To: t.addresses[expected.Box], Reference: expected.Value.Text()}
	places, values := strings.Split(expected.Where.String(), " + $message."), []value.Value{expected.Value}
	if len(places) > 1 {
		values = expected.Value.Items()
		told.Reference = ""
	}
	for i, place := range places {
		if i < len(values) && place != "" {
			bear(&told, m.operation, "$message."+strings.TrimPrefix(place, "$message."), values[i])
		}
	}
	if told.Reference == "" && len(values) > 0 {
		told.Reference = values[0].Text()
	}
	if err := t.server.Tell(told); err != nil {
		return m.asked, false, fmt.Errorf("send a message to step %s: %w", id.step, err)
	}
	return m.asked, true, nil
}

// bear puts a value at a place of a message, unless the description shows that messages have
// no such place: nobody sends it there.
func bear(told *mock.Told, op *source.Operation, place string, v value.Value) {
	if name, ok := strings.CutPrefix(place, "$message.path."); ok {
		told.To = strings.ReplaceAll(told.To, "{"+name+"}", url.PathEscape(v.Text()))
		return
	}
	if name, ok := strings.CutPrefix(place, "$message.query."); ok {
		separator := "?"
		if strings.Contains(told.To, "?") {
			separator = "&"
		}
		told.To += separator + url.QueryEscape(name) + "=" + url.QueryEscape(v.Text())
		return
	}
	e, err := expression.Parse(place, nil)
	if err != nil {
		return
	}
	where, ok := placeOfExpression(e)
	switch at, err := value.ParsePointer(where.at); {
	case !ok || err != nil:
	case where.part == headerPart:
		if told.Header == nil {
			told.Header = map[string]string{}
		}
		told.Header[where.name] = v.Text()
	case where.part == bodyPart && mayHave(op, at):
		told.Edits = append(told.Edits, mock.Edit{At: at, Value: v})
	}
}
