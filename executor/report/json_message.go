package report

import (
	"time"

	"github.com/weft-flow/weft/executor"
)

// The details of events about messages as they stand in the JSON document.
type (
	messageAwaited struct {
		Channel     string  `json:"channel"`
		Address     string  `json:"address,omitempty"`
		Correlation string  `json:"correlation,omitempty"`
		ForMS       float64 `json:"forMs"`
	}
	messageReceived struct {
		Channel  string          `json:"channel"`
		Number   int             `json:"number"`
		Identity string          `json:"identity,omitempty"`
		Received time.Time       `json:"received"`
		WaitedMS float64         `json:"waitedMs"`
		Method   string          `json:"method,omitempty"`
		Header   executor.Header `json:"header,omitempty"`
		Body     *content        `json:"body,omitempty"`
	}
	messageSetAside struct {
		Channel  string         `json:"channel"`
		Number   int            `json:"number,omitempty"`
		Identity string         `json:"identity,omitempty"`
		Received time.Time      `json:"received,omitzero"`
		Why      executor.Aside `json:"why"`
		Count    int            `json:"count"`
		Reason   string         `json:"reason,omitempty"`
		Fails    bool           `json:"fails"`
	}
)

func messageDetailOf(detail executor.Detail) any {
	switch d := detail.(type) {
	case executor.MessageAwaited:
		return messageAwaited{Channel: d.Channel, Address: d.Address, Correlation: d.Correlation, ForMS: milliseconds(d.For)}
	case executor.MessageReceived:
		return messageReceived{
			Channel: d.Channel, Number: d.Number, Identity: d.Identity, Received: d.Received.UTC(), WaitedMS: milliseconds(d.Waited),
			Method: d.Method, Header: d.Header, Body: contentOf(d.Body),
		}
	case executor.MessageSetAside:
		if !d.Received.IsZero() {
			d.Received = d.Received.UTC()
		}
		return messageSetAside(d)
	default:
		return empty{}
	}
}
