package channel

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/executor"
)

// NativeIdentity gives an identity by which a protocol or a message names itself, in
// the form of Arrival.Identity: the parts of one name, such as the source and the id of
// a CloudEvent. It has a bounded length.
func NativeIdentity(parts ...string) string {
	last := len(parts) - 1
	escaped := slices.Clone(parts)
	for i := range last { // so that two names never read alike
		escaped[i] = strings.NewReplacer("%", "%25", " ", "%20").Replace(parts[i])
	}
	return brief(strings.Join(escaped, " "))
}

// IdentityKeys gives the texts under which a message is looked up among those that came
// before: that of its native identity alone, where it has one, else one for each place
// where some run expects an identity.
func IdentityKeys(m *executor.Message, places []executor.Locator) []string {
	if m.Identity != "" {
		return []string{nativeKey(m.Identity)}
	}
	var keys []string
	for _, where := range places {
		if _, key := identityAt(m, where); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// IdentityFor gives the identity of a message (the native one, else the one at a place
// in it, the zero Locator being none) and the key under which repeats are looked up;
// both empty where it has none.
func IdentityFor(m *executor.Message, where executor.Locator) (identity, key string) {
	if m.Identity != "" {
		return m.Identity, nativeKey(m.Identity)
	}
	return identityAt(m, where)
}

func nativeKey(identity string) string { return "native\n" + identity }

func identityAt(m *executor.Message, where executor.Locator) (identity, key string) {
	if where.IsZero() {
		return "", ""
	}
	v := where.In(m)
	if v.IsNothing() || !v.IsScalar() || v.Text() == "" {
		return "", ""
	}
	identity = brief(v.Text())
	return identity, brief(where.String()) + "\n" + identity
}

// Digest stands for the content of a message.
type Digest [sha256.Size]byte

// String gives the digest in hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// DigestOf gives the digest of a message's content: its address parameters and its
// body, or its query where it has no body. Header fields do not count: timestamps and
// signatures among them change with each attempt of a sender.
func DigestOf(m *executor.Message) Digest {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(m.Path)) {
		part(h, name)
		part(h, m.Path[name])
	}
	if len(m.Body) > 0 {
		part(h, "body")
		h.Write(m.Body)
		return Digest(h.Sum(nil))
	}
	part(h, "query")
	for _, name := range slices.Sorted(maps.Keys(m.Query)) {
		part(h, name)
		for _, text := range m.Query[name] {
			part(h, text)
		}
	}
	return Digest(h.Sum(nil))
}

// part writes a text with its length before it, so that what follows cannot be taken
// for a part of it.
func part(h hash.Hash, text string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(text)))
	h.Write(length[:])
	h.Write([]byte(text))
}

// Repeated tells which repeat a message is of one that is kept under the same identity.
func Repeated(kept, came Digest) Outcome {
	if kept == came {
		return Duplicate
	}
	return Conflicting
}
