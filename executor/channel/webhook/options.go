package webhook

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Options are the settings of a Receiver.
type Options struct {
	// Now gives the time; nil: time.Now.
	Now func() time.Time
	// Sources are the settings by the name of the source that describes the messages.
	Sources map[string]Source
	// MaxBody is the greatest length of a body in bytes; 0: 1 MiB.
	MaxBody int64
}

// Source are the settings of the messages of one source. The zero Source takes all that
// comes, unsigned.
type Source struct {
	// Secrets are those of Standard Webhooks, any of which a message may be signed with:
	// "whsec_" and base64, or the secret itself. None: signatures are not asked for.
	Secrets []string
	// Tolerance is how far the timestamp of a signature may be from now; 0: 5 minutes.
	Tolerance time.Duration
	// ConflictStatus answers a message of a known identity with other content; 0: the
	// status that acknowledges it. Senders repeat what is not acknowledged, for days.
	ConflictStatus int
	// Origins are who may ask for consent to send (OPTIONS with WebHook-Request-Origin):
	// names of hosts, or "*" for anybody. None: nobody.
	Origins []string
	// Rate is how many requests a second are taken in the long run; 0: any number.
	Rate float64
	// Burst is how many may come at once; 0: what comes in a second, at least 1.
	Burst int
	// MaxBody is the greatest length of a body in bytes; 0: that of the Options.
	MaxBody int64
}

const (
	defaultMaxBody   = 1 << 20
	defaultTolerance = 5 * time.Minute
)

// check tells what is wrong with the settings of a source. It never tells a secret.
func (s Source) check() error {
	switch {
	case s.Tolerance < 0:
		return fmt.Errorf("a tolerance of %v: expected none below 0", s.Tolerance)
	case s.ConflictStatus != 0 && (s.ConflictStatus < 400 || s.ConflictStatus > 499) && (s.ConflictStatus < 200 || s.ConflictStatus > 299):
		return fmt.Errorf("a conflict status of %d: expected 409, or another of 2xx or 4xx", s.ConflictStatus)
	case s.Rate < 0 || s.Burst < 0:
		return fmt.Errorf("a rate of %v with a burst of %d: expected none below 0", s.Rate, s.Burst)
	case s.Burst > 0 && s.Rate == 0:
		return errors.New("a burst without a rate")
	case s.MaxBody < 0:
		return fmt.Errorf("a greatest body of %d bytes: expected none below 0", s.MaxBody)
	default:
		return nil
	}
}

func (s Source) tolerance() time.Duration { return cmp.Or(s.Tolerance, defaultTolerance) }

func (s Source) burst() int { return cmp.Or(s.Burst, max(1, int(s.Rate))) }

// secretPrefix marks a secret that is written in base64.
const secretPrefix = "whsec_"

// readSecret gives the bytes of a secret.
func readSecret(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		if text == "" {
			return nil, errors.New("a secret is empty")
		}
		return []byte(text), nil
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
		if secret, err := encoding.DecodeString(encoded); err == nil && len(secret) > 0 {
			return secret, nil
		}
	}
	return nil, errors.New("a secret that begins with whsec_ is not followed by base64")
}
