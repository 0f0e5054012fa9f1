package durable

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/weft-flow/weft/idempotency"
)

// ErrSealed tells that data was encrypted under a key that this process does not
// have.
var ErrSealed = errors.New("the data of the run is encrypted under a key that this process does not have (WEFT_STORE_KEY)")

// leastKey is the length that a store key must have.
const leastKey = 16

// seal encrypts what is kept of runs; nil: it is kept as it is. Each piece begins
// with a byte that tells which.
type seal struct {
	cipher cipher.AEAD
	mac    []byte
}

const (
	plainMark  = 'p'
	sealedMark = 's'
)

// newSeal derives what is needed from the key's text (RFC 5869); empty: no seal.
func newSeal(key string) (*seal, error) {
	if key == "" {
		return nil, nil
	}
	if len(key) < leastKey {
		return nil, fmt.Errorf("the store key has %d characters; expected at least %d", len(key), leastKey)
	}
	derive := func(purpose string) []byte {
		out, err := hkdf.Key(sha256.New, []byte(key), nil, "weft store "+purpose, 32)
		if err != nil {
			panic(err) // only a length that no hash can give is an error
		}
		return out
	}
	block, err := aes.NewCipher(derive("records"))
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &seal{cipher: aead, mac: derive("fingerprints")}, nil
}

// close encrypts data that belongs to a run.
func (s *seal) close(run string, data []byte) []byte {
	if s == nil {
		return append([]byte{plainMark}, data...)
	}
	return s.cipher.Seal([]byte{sealedMark}, nil, data, []byte(run))
}

// open gives what close was given.
func (s *seal) open(run string, kept []byte) ([]byte, error) {
	switch {
	case len(kept) == 0:
		return nil, errors.New("nothing is kept where data should be")
	case kept[0] == plainMark:
		return kept[1:], nil
	case kept[0] != sealedMark:
		return nil, fmt.Errorf("data is kept in a form that this program does not know (%q)", kept[0])
	case s == nil:
		return nil, ErrSealed
	}
	data, err := s.cipher.Open(nil, nil, kept[1:], []byte(run))
	if err != nil {
		return nil, ErrSealed
	}
	return data, nil
}

// closeEvent encrypts an event, which is JSON. Without a key it stays that, as events were
// kept before they were encrypted.
func (s *seal) closeEvent(run string, event []byte) []byte {
	if s == nil {
		return event
	}
	return s.close(run, event)
}

// openEvent gives what closeEvent was given.
func (s *seal) openEvent(run string, kept []byte) ([]byte, error) {
	if bytes.HasPrefix(kept, []byte("{")) {
		return kept, nil
	}
	return s.open(run, kept)
}

// fingerprint tells inputs apart. Under a key it cannot be found by trying out
// inputs.
func (s *seal) fingerprint(inputs []byte) idempotency.Fingerprint {
	if s == nil {
		return idempotency.FingerprintBytes(inputs)
	}
	mac := hmac.New(sha256.New, s.mac)
	mac.Write(inputs)
	return idempotency.FingerprintBytes(mac.Sum(nil))
}

// random gives so many random bytes.
func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}
