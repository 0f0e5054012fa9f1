package executor

import (
	"fmt"
	"slices"
	"strings"
)

// ReceiverError tells why it is not clear which mailbox a message is for.
type ReceiverError struct {
	// Step is the one that was named; empty: none was.
	Step string
	// Receivers are the steps that receive.
	Receivers []string
}

// Error says what was expected.
func (e *ReceiverError) Error() string {
	switch {
	case len(e.Receivers) == 0:
		return "no step of the run receives"
	case e.Step == "":
		return fmt.Sprintf("several steps receive: name one of %s", strings.Join(e.Receivers, ", "))
	default:
		return fmt.Sprintf("no step %q receives; expected one of %s", e.Step, strings.Join(e.Receivers, ", "))
	}
}

// Receiver gives the name of the mailbox that a step receives from. The step may be left
// out where the plan has one mailbox only. The error is a *ReceiverError.
func (p *Plan) Receiver(step string) (box string, err error) {
	var receivers []string
	for _, s := range p.Steps() {
		if s.Mailbox == "" {
			continue
		}
		receivers = append(receivers, s.ID)
		if s.ID == step && box == "" {
			box = s.Mailbox
		}
	}
	if step == "" && len(p.boxes) == 1 {
		box = p.boxes[0].Name
	}
	if box == "" {
		return "", &ReceiverError{Step: step, Receivers: receivers}
	}
	return box, nil
}

// Identities lists where the messages of a mailbox have what names them, as the steps say
// that receive from it (x-weft-message-id).
func (p *Plan) Identities(box string) []Locator {
	var places []Locator
	for _, w := range p.order {
		for _, s := range w.steps {
			if s.inlet == nil || s.inlet.box != box || s.inlet.identity.IsZero() {
				continue
			}
			if !slices.ContainsFunc(places, func(known Locator) bool { return known.String() == s.inlet.identity.String() }) {
				places = append(places, s.inlet.identity)
			}
		}
	}
	return places
}
