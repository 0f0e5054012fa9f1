package idempotency

import (
	"strconv"

	"github.com/google/uuid"
)

// Namespace is the UUID namespace of all derived keys. It is published and never
// changes: whoever knows the parts of a key can compute the key.
var Namespace = uuid.MustParse("e42adc7a-0595-405c-9097-038d41ef570b")

// KeyParts are what one operation's key is derived from. The attempts of the
// operation are not among them, so that all of them carry one key.
type KeyParts struct {
	// Tenant keeps the keys of one tenant apart from another's; empty where there
	// is one only.
	Tenant string
	// Document is the identity of the workflow document: the same for every copy of it,
	// wherever it lies.
	Document string
	// RunKey is the business key where one is named, else the run's id.
	RunKey string
	// Path leads from the workflow that was asked for to the activation of the
	// step: workflows, steps and activations in turn.
	Path []string
}

// DeriveKey gives the key of an operation: the version 5 UUID (RFC 9562) of its
// parts in Namespace, as 36 characters in lower case. Each part is written with
// its length in front, "5:order", in the order of the fields of KeyParts, so that
// no two different lists of parts are the same bytes.
func DeriveKey(parts KeyParts) string {
	size := len(parts.Tenant) + len(parts.Document) + len(parts.RunKey)
	for _, step := range parts.Path {
		size += len(step) + lengthRoom
	}
	name := make([]byte, 0, size+3*lengthRoom)
	name = appendPart(name, parts.Tenant)
	name = appendPart(name, parts.Document)
	name = appendPart(name, parts.RunKey)
	for _, step := range parts.Path {
		name = appendPart(name, step)
	}
	return uuid.NewSHA1(Namespace, name).String()
}

// lengthRoom is the room kept for a length and its colon.
const lengthRoom = 6

func appendPart(dst []byte, part string) []byte {
	dst = strconv.AppendInt(dst, int64(len(part)), 10)
	dst = append(dst, ':')
	return append(dst, part...)
}
