package contract

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/report"
)

// meanings say in words what kinds of fault do.
var meanings = map[mock.FaultKind]string{
	mock.NoConnection:              "the connection is refused",
	mock.HangBeforeEffect:          "nothing is done, and nothing is ever answered",
	mock.HangAfterEffect:           "it is carried out, and nothing is ever answered",
	mock.CloseBeforeReading:        "the connection is closed before the request is read",
	mock.ResetBeforeReading:        "the connection is reset before the request is read",
	mock.CloseAfterEffect:          "it is carried out, and the connection is closed without an answer",
	mock.ResetAfterEffect:          "it is carried out, and the connection is reset without an answer",
	mock.CloseInResponse:           "it is carried out, and the answer breaks off",
	mock.ResetInResponse:           "it is carried out, and the connection is reset within the answer",
	mock.ReusedConnectionClosed:    "the connection, used before, is reset as the request comes",
	mock.SlowHeaders:               "it is carried out, and the answer begins late",
	mock.SlowBody:                  "it is carried out, and the answer stands still in its middle",
	mock.InternalErrorAfterEffect:  "it is carried out, and 500 is answered",
	mock.BadGatewayAfterEffect:     "it is carried out, and 502 is answered",
	mock.UnavailableBeforeEffect:   "nothing is done, and 503 is answered",
	mock.UnavailableAfterEffect:    "it is carried out, and 503 is answered",
	mock.GatewayTimeoutAfterEffect: "it is carried out, and 504 is answered",
	mock.RequestTimeout:            "nothing is done, and 408 is answered",
	mock.TooEarly:                  "nothing is done, and 425 is answered",
	mock.ConflictThenReplay:        "it is carried out, 409 says that it is in flight, and the next request with the key gets the answer",
	mock.ConflictForEver:           "it is carried out, and 409 says for ever that it is in flight",
	mock.Replayed500:               "it is carried out, and 500 is what its key is answered with from then on",
	mock.ReadStale:                 "the state before the last change is answered",
	mock.ReadNotFound:              "404 is answered, as if it were not there",
	mock.ReadUnknownState:          "a state is answered that nobody knows",
	mock.ReadConflicting:           "another state is answered than there is",
	mock.TooManySeconds:            "nothing is done, and 429 asks to come again in so many seconds",
	mock.TooManyDate:               "nothing is done, and 429 asks to come again at a time",
	mock.TooManyPast:               "nothing is done, and 429 asks to come again at a time that is past",
	mock.TooManyAbsurd:             "nothing is done, and 429 asks to come again in centuries",
	mock.UnavailableSeconds:        "nothing is done, and 503 asks to come again in so many seconds",
	mock.UnavailableDate:           "nothing is done, and 503 asks to come again at a time",
	mock.UnavailablePast:           "nothing is done, and 503 asks to come again at a time that is past",
	mock.UnavailableAbsurd:         "nothing is done, and 503 asks to come again in centuries",
	mock.MovedSameOrigin:           "nothing is done, and 301 leads elsewhere on the same server",
	mock.MovedOtherOrigin:          "nothing is done, and 301 leads to another server",
	mock.SeeOtherSameOrigin:        "it is carried out, and 303 leads to its result on the same server",
	mock.SeeOtherOtherOrigin:       "it is carried out, and 303 leads to its result on another server",
	mock.RepeatSameOrigin:          "nothing is done, and 307 leads elsewhere on the same server",
	mock.RepeatOtherOrigin:         "nothing is done, and 307 leads to another server",
	mock.RefusedStream:             "HTTP/2 refuses the request unread",
	mock.GoAway:                    "HTTP/2 ends the connection before the request is read",
	mock.ProtocolError:             "it is carried out, and HTTP/2 breaks off with an error",
	mock.ResponseBreaksLength:      "it is carried out, and less comes than was announced",
	mock.ResponseBreaksEncoding:    "it is carried out, and the answer cannot be unpacked",
	mock.KeyMismatch422:            "nothing is done, and 422 says that the key came with other content",
	mock.KeyMismatch400:            "nothing is done, and 400 says that the key came with other content",
	mock.KeyMissing:                "nothing is done, and 400 says that there is no key",
	mock.KeyExpiredReruns:          "the key is forgotten, and it is carried out again",
	mock.KeyExpiredRejects:         "the key is forgotten, and 412 is answered",
	mock.KeyIgnored:                "it is carried out as if it had no key",
	mock.QuotedKeyRefused:          "nothing is done, and 400 refuses a key in quotes",
	mock.ResponseBreaksSchema:      "it is carried out, and the answer breaks its schema",
	mock.WebhookLost:               "the message is never sent",
	mock.WebhookLate:               "the message comes late",
	mock.WebhookDoubledSameID:      "the message comes twice under one id",
	mock.WebhookDoubledNewID:       "the message comes twice, each time under an id of its own",
	mock.WebhookParallel:           "the message comes twice at once",
	mock.WebhookBeforeResponse:     "the message comes before the answer to the request that caused it",
	mock.WebhookOutOfOrder:         "the messages come in another order",
	mock.WebhookConflicting:        "the message comes twice under one id, with other content",
	mock.WebhookWrongCorrelation:   "the message bears the reference of somebody else",
	mock.WebhookBadSignature:       "the message is signed wrongly",
	mock.WebhookStaleTimestamp:     "the message says that it was signed long ago",
	mock.WebhookBurst:              "many messages come at once",
}

// explain tells a planned fault to a person, which befalls all requests from the one that it
// names to the last.
func explain(f mock.Fault, last int) string {
	what := "request"
	if strings.HasPrefix(string(f.Kind), "webhook-") {
		what = "message"
	}
	which := fmt.Sprintf("%s %d", what, max(f.Occurrence, 1))
	if last > f.Occurrence {
		which = fmt.Sprintf("%ss %d to %d", what, f.Occurrence, last)
	}
	text := fmt.Sprintf("%s, %s: %s", f.Operation, which, f.Kind)
	meaning := meanings[f.Kind]
	if f.Kind == mock.WebhookBeforeResponse && strings.Contains(f.Operation, mock.ChannelMessages("")) {
		meaning = "the message comes before the step waits for it"
	}
	if meaning != "" {
		text += " (" + meaning + ")"
	}
	return text
}

// story plays a script once more and tells it: what happened to the run, what it did
// about it, and what the servers were left with.
func (s *subject) story(ctx context.Context, told script) (string, error) {
	var out bytes.Buffer
	console := report.NewConsole(&out, report.Options{Verbose: false})
	p := s.newPlayer(told)
	world, err := s.world(p)
	if err != nil {
		return "", err
	}
	done, err := s.run(ctx, s.told, p, world.Server(), console)
	if err != nil {
		return "", err
	}
	if err := console.Close(); err != nil {
		return "", fmt.Errorf("tell the run: %w", err)
	}
	return tellEnd(&out, done, world.Server()), nil
}

// tellEnd adds the effects, and leaves out what a story does not need.
func tellEnd(out *bytes.Buffer, done *played, server *mock.Server) string {
	var b strings.Builder
	var lines []string
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "requests go to ") && strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	for _, line := range abridged(lines) {
		b.WriteString(line)
	}
	fmt.Fprintf(&b, "  on the servers: %s", effectsText(server.Effects()))
	fmt.Fprintf(&b, "\n  the run ended %s", done.result.Status)
	if done.result.Reason != "" {
		fmt.Fprintf(&b, ": %s", done.result.Reason)
	}
	b.WriteByte('\n')
	return b.String()
}

// effectsText counts the effects by operation.
func effectsText(all []mock.EffectCount) string {
	var names []string
	count, keys := map[string]int{}, map[string]int{}
	for _, e := range all {
		name := e.Source + "." + e.Operation
		if count[name] == 0 {
			names = append(names, name)
		}
		count[name] += e.Count
		if e.Key != "" {
			keys[name]++
		}
	}
	if len(names) == 0 {
		return "nothing was changed"
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d×", name, count[name])
		if count[name] > 1 && keys[name] > 0 {
			names[i] += fmt.Sprintf(" under %d keys", keys[name])
		}
	}
	return strings.Join(names, ", ")
}

// Of a long story the beginning and the end are told.
const (
	longestStory = 60
	storyBegin   = 24
	storyEnd     = 12
)

func abridged(lines []string) []string {
	if len(lines) <= longestStory {
		return lines
	}
	left := len(lines) - storyBegin - storyEnd
	return slices.Concat(lines[:storyBegin], []string{fmt.Sprintf("      … and so on, %d lines …\n", left)}, lines[len(lines)-storyEnd:])
}
