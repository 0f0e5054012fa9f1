package executor_test

import (
	"fmt"
	"time"

	"github.com/weft-flow/weft/executor"
)

// inboxScript is what messages come to a run of a test, and when.
type inboxScript struct {
	boxes    []executor.Mailbox
	expected []executor.Expectation // as waits said
	mail     []executor.Message
	repeats  []repeatAt
	strays   []executor.Stray
	ended    bool
}

// repeatAt is a total that is known from a time on.
type repeatAt struct {
	at time.Duration // after the start of the run
	executor.Repeat
}

const callbackBase = "http://127.0.0.1:7/callbacks/"

func (i *inboxScript) open(boxes []executor.Mailbox) map[string]string {
	i.boxes = boxes
	addresses := map[string]string{}
	for _, b := range boxes {
		addresses[b.Name] = "http://127.0.0.1:7/webhooks/" + b.Source + "/" + b.Operation
		if b.Scoped {
			addresses[b.Name] = callbackBase + b.Operation
		}
	}
	return addresses
}

// next gives the first message above the cursor that comes before the deadline.
func (i *inboxScript) next(until executor.WaitSpec) *executor.Message {
	if !until.Inbox || until.After >= len(i.mail) {
		return nil
	}
	m := i.mail[until.After]
	if m.Received.After(until.Until) {
		return nil
	}
	return &m
}

func (i *inboxScript) repeatsAt(now time.Time) []executor.Repeat {
	var known []executor.Repeat
	for _, r := range i.repeats {
		if !epoch.Add(r.at).After(now) {
			known = append(known, r.Repeat)
		}
	}
	return known
}

// comes adds a message with a JSON body that comes so long after the start.
func (i *inboxScript) comes(after time.Duration, box, identity, body string) *inboxScript {
	i.mail = append(i.mail, executor.Message{
		Number: len(i.mail) + 1, Box: box, Received: epoch.Add(after), Identity: identity, Method: "POST",
		Header: executor.Header{"Content-Type": {"application/json"}, "X-Count": {fmt.Sprint(len(i.mail) + 1)}}, Body: []byte(body),
	})
	return i
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
