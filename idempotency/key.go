package idempotency

import (
	"crypto/sha256"
	"encoding/hex"
)

// Key is one idempotency key as it is sent.
type Key struct {
	Header string // the field name
	Value  string // the field value exactly as it goes onto the wire, quotes included where the dialect wants them
}

// Digest abbreviates the key for people: enough to see that two are the same,
// not enough to send one.
func (k Key) Digest() string {
	sum := sha256.Sum256([]byte(k.Value))
	text := hex.EncodeToString(sum[:])
	return text[:4] + "…" + text[len(text)-2:]
}
