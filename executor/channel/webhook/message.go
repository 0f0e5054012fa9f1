package webhook

import (
	"errors"
	"net/http"

	"github.com/weft-flow/weft/executor"
)

// ErrBatch tells that a request bears several messages where one is expected.
var ErrBatch = errors.New("the request is a batch of events: hand them over one by one")

// ReadMessage gives the one message of a request, as a Receiver would hand it over:
// without credentials in its header, and with the identity that it names itself by. It
// is for what else takes messages over HTTP. The box and the time of receipt are for the
// caller to say.
func ReadMessage(r *http.Request, body []byte) (executor.Message, error) {
	if mediaType(r.Header) == batchType {
		return executor.Message{}, ErrBatch
	}
	all, err := read(r.Header, body)
	if err != nil || len(all) != 1 {
		return executor.Message{}, errors.Join(ErrBatch, err)
	}
	m := all[0]
	return executor.Message{Identity: m.identity, Method: r.Method, Header: m.header, Body: m.body}, nil
}
