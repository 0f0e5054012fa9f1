package middleware

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// ReplayedHeader marks an answer that was given before.
const ReplayedHeader = "Idempotent-Replayed"

// answer is a response that can be kept.
type answer struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
	body   []byte
}

// answerVersion is the first byte of a stored answer; the length of the head as a
// varint, the head as JSON, and the body follow.
const answerVersion = 1

func (a answer) encode() ([]byte, error) {
	head, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("write the head of an answer: %w", err)
	}
	stored := make([]byte, 0, 1+binary.MaxVarintLen64+len(head)+len(a.body))
	stored = append(stored, answerVersion)
	stored = binary.AppendUvarint(stored, uint64(len(head)))
	return append(append(stored, head...), a.body...), nil
}

func decodeAnswer(stored []byte) (answer, error) {
	if len(stored) == 0 || stored[0] != answerVersion {
		return answer{}, errors.New("a stored answer has a form that is not known")
	}
	length, n := binary.Uvarint(stored[1:])
	rest := stored[1:]
	if n <= 0 || length > uint64(len(rest)-n) {
		return answer{}, errors.New("a stored answer is cut short")
	}
	head, body := rest[n:n+int(length)], rest[n+int(length):]
	a := answer{body: body}
	if err := json.Unmarshal(head, &a); err != nil {
		return answer{}, fmt.Errorf("read the head of a stored answer: %w", err)
	}
	if a.Status < 200 || a.Status > 999 {
		return answer{}, fmt.Errorf("a stored answer has the status %d", a.Status)
	}
	return a, nil
}

// write sends the answer, in the same way the first time and when replayed.
func (a answer) write(w http.ResponseWriter, replayed bool) {
	header := w.Header()
	for name, values := range a.Header {
		header[name] = values
	}
	header.Del(ReplayedHeader) // it may be of a service that the handler has asked
	if replayed {
		header.Set(ReplayedHeader, "true")
	}
	w.WriteHeader(a.Status)
	// A client that is gone does not hear the answer, and may ask again.
	_, _ = w.Write(a.body)
}
