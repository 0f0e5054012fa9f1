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
	const first, last = 2, 1 // bytes that are shown
	text := make([]byte, 0, 2*(first+last)+len("…"))
	text = hex.AppendEncode(text, sum[:first])
	text = append(text, "…"...)
	return string(hex.AppendEncode(text, sum[len(sum)-last:]))
}
