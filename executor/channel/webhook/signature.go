package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The header fields of Standard Webhooks.
const (
	idField        = "Webhook-Id"
	timestampField = "Webhook-Timestamp"
	signatureField = "Webhook-Signature"
)

// maxSignatures is how many signatures of one message are looked at.
const maxSignatures = 32

// Sign gives the signature of a message as it stands in webhook-signature. The secret
// is written as in Source.Secrets.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	key, err := readSecret(secret)
	if err != nil {
		return "", err
	}
	return "v1," + base64.StdEncoding.EncodeToString(sum(key, id, strconv.FormatInt(at.Unix(), 10), body)), nil
}

// sum is the HMAC of what Standard Webhooks signs: the bytes as they are on the wire.
func sum(key []byte, id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return h.Sum(nil)
}

// verify tells why the signature of a message is not to be trusted; empty: it is good.
func verify(keys [][]byte, header http.Header, body []byte, now time.Time, tolerance time.Duration) (reason string) {
	id, timestamp, signatures := header[idField], header[timestampField], header[signatureField]
	if len(id) == 0 || len(timestamp) == 0 || len(signatures) == 0 {
		return "it is not signed: webhook-id, webhook-timestamp and webhook-signature are expected"
	}
	if len(id) > 1 || len(timestamp) > 1 {
		return "it has more than one webhook-id or webhook-timestamp"
	}
	// A dot in the id would let parts of a signed body pass for a timestamp.
	if id[0] == "" || strings.Contains(id[0], ".") {
		return "its webhook-id is empty or has a dot in it"
	}
	seconds, err := strconv.ParseInt(timestamp[0], 10, 64)
	if err != nil {
		return "its webhook-timestamp is not a number of seconds"
	}
	switch age := now.Sub(time.Unix(seconds, 0)); {
	case age > tolerance:
		return fmt.Sprintf("its webhook-timestamp is more than %v old", tolerance)
	case age < -tolerance:
		return fmt.Sprintf("its webhook-timestamp is more than %v ahead", tolerance)
	}
	if !matches(keys, id[0], timestamp[0], body, strings.Fields(strings.Join(signatures, " "))) {
		return "its signature does not match"
	}
	return ""
}

// matches tells whether one of the signatures is by one of the keys. How long it takes
// tells nothing about how much of one was right.
func matches(keys [][]byte, id, timestamp string, body []byte, signatures []string) bool {
	good := false
	for _, key := range keys {
		expected := sum(key, id, timestamp, body)
		for i, text := range signatures {
			encoded, ok := strings.CutPrefix(text, "v1,")
			if !ok || i >= maxSignatures {
				continue
			}
			signature, err := base64.StdEncoding.DecodeString(encoded)
			if err == nil && hmac.Equal(signature, expected) {
				good = true
			}
		}
	}
	return good
}
