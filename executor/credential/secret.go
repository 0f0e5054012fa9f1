package credential

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
)

// masked is how a secret looks.
const masked = "***"

// Secret is a text that must be seen nowhere: however it is printed, logged or
// encoded, *** comes out.
type Secret string

// Format prints *** for every verb.
func (Secret) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, masked) }

// MarshalText gives ***.
func (Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }

// LogValue gives ***.
func (Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// vault remembers all texts that must not be seen, in the order in which they
// became known.
type vault struct {
	mu    sync.RWMutex
	texts []string
	seen  map[string]bool
}

func (v *vault) learn(texts ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen == nil {
		v.seen = map[string]bool{}
	}
	for _, text := range texts {
		if text != "" && !v.seen[text] {
			v.seen[text] = true
			v.texts = append(v.texts, text)
		}
	}
}

// after gives all texts but the first n.
func (v *vault) after(n int) []string {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if n >= len(v.texts) {
		return nil
	}
	return slices.Clone(v.texts[max(n, 0):])
}
