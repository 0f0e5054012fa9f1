package mock

import (
	"crypto/sha256"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo/value"
)

// keyBook remembers the idempotency keys that came, and what was answered.
type keyBook struct {
	mu      sync.Mutex
	records map[string]*keyRecord
}

type keyRecord struct {
	fingerprint [sha256.Size]byte
	answer      *reply // nil: in flight
	stuck       bool   // in flight for ever
}

// standing is what is known of a key when a request with it comes.
type standing uint8

const (
	keyNew standing = iota
	keyInFlight
	keyAnswered
	keyMismatch
)

// begin claims a key for a request, or tells how it stands. It is one step: of
// several requests at once exactly one gets keyNew.
func (b *keyBook) begin(id string, fingerprint [sha256.Size]byte) (standing, *reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record, known := b.records[id]
	switch {
	case !known:
		b.records[id] = &keyRecord{fingerprint: fingerprint}
		return keyNew, nil
	case record.fingerprint != fingerprint:
		return keyMismatch, nil
	case record.answer == nil || record.stuck:
		return keyInFlight, nil
	default:
		return keyAnswered, record.answer
	}
}

// complete keeps the answer of the request that claimed the key.
func (b *keyBook) complete(id string, answer *reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records[id].answer = answer
}

// knows tells whether the answer for a key is kept.
func (b *keyBook) knows(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	record, known := b.records[id]
	return known && record.answer != nil
}

// stick leaves a key in flight for ever.
func (b *keyBook) stick(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records[id].stuck = true
}

// release forgets a key: because its request had no effect, or because it is old.
func (b *keyBook) release(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.records, id)
}

// keyID tells the keys of different operations apart, with a separator that no
// part can hold.
func (in *incoming) keyID() string {
	return strings.Join([]string{in.route.source, in.method, in.escapedPath, in.keyHeader, in.key}, "\x00")
}

// fingerprint stands for what a request asks for: method, path, query and body.
// Two JSON bodies that mean the same have the same one.
func (in *incoming) fingerprint() [sha256.Size]byte {
	var text []byte
	for _, part := range []string{in.method, in.escapedPath, in.query.Encode(), plainType(in.contentType)} {
		text = append(append(text, part...), 0)
	}
	if in.body.IsAbsent() {
		text = append(text, in.raw...)
	} else {
		text = value.AppendJCS(text, in.body)
	}
	return sha256.Sum256(text)
}
