package idempotency

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/bits"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxRetryAfter is the longest wait that a server is granted.
const MaxRetryAfter = 24 * time.Hour

// ParseRetryAfter reads the field Retry-After (RFC 9110, section 10.2.3): seconds,
// or a date in any of the three formats, which now is taken from. What is past
// gives 0, what is longer gives MaxRetryAfter; ok is false for anything else.
func ParseRetryAfter(value string, now time.Time) (after time.Duration, ok bool) {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0, false
	}
	if seconds, isNumber := wholeSeconds(value); isNumber {
		return seconds, true
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return clamp(date.Sub(now)), true
}

// wholeSeconds reads digits as seconds. A number below 0 is none that the field can
// have: what the server meant by it would be a guess.
func wholeSeconds(text string) (time.Duration, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds > int64(MaxRetryAfter/time.Second) {
		return MaxRetryAfter, true
	}
	return time.Duration(seconds) * time.Second, true
}

func clamp(d time.Duration) time.Duration { return max(0, min(d, MaxRetryAfter)) }

// Backoff gives the wait before retry number used+1: base times factor to the
// power of used, at most limit. A factor of 0 counts as 1, a limit of 0 as none.
func Backoff(base time.Duration, factor float64, limit time.Duration, used int) time.Duration {
	wait := float64(max(0, base))
	if factor > 0 && used > 0 {
		wait *= math.Pow(factor, float64(used))
	}
	if limit <= 0 {
		limit = math.MaxInt64
	}
	if !(wait < float64(limit)) { // true for NaN too
		return limit
	}
	return time.Duration(wait)
}

// Jitter gives a time from 0 up to and including limit that looks random and is
// the same whenever it is asked for with the same name.
func Jitter(name string, limit time.Duration) time.Duration {
	if limit <= 0 {
		return 0
	}
	sum := sha256.Sum256([]byte(name))
	share, _ := bits.Mul64(binary.BigEndian.Uint64(sum[:]), uint64(limit)+1)
	return time.Duration(share)
}
