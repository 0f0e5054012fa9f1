package idempotency

import (
	"crypto/sha256"
	"encoding/hex"
)

// Fingerprint tells whether two pieces of work with the same key are the same
// work. Two of them are compared with ==.
type Fingerprint [sha256.Size]byte

// String gives the fingerprint as 64 hexadecimal digits.
func (f Fingerprint) String() string { return hex.EncodeToString(f[:]) }

// FingerprintRequest gives the fingerprint of a request: of its method, its path,
// its query and its body, as they are given. Two requests that mean the same have
// the same fingerprint only if the caller has brought them into one form first: for
// JSON, members in one order and numbers in one notation, none of it through a
// binary float (package middleware does that).
func FingerprintRequest(method, path, query string, body []byte) Fingerprint {
	return Fingerprint(digest("request", method, path, query, string(body)))
}

// FingerprintBytes gives the fingerprint of work that is described by its bytes: the
// inputs of a run, or a message.
func FingerprintBytes(work []byte) Fingerprint {
	return Fingerprint(digest("bytes", string(work)))
}

// digest gives the SHA-256 of the parts, each with its length in front, so that no
// two different lists of parts are the same bytes.
func digest(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	var length [lengthRoom]byte
	for _, part := range parts {
		h.Write(appendPart(length[:0], part)) // a hash takes all and never fails
	}
	return [sha256.Size]byte(h.Sum(nil))
}
