package dynamic

import (
	"fmt"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// MaxSize is how large values that belong together may be, in bytes as they are
// written, where a document puts them together. A value that is handed on as it is,
// such as a whole response, is not limited by it.
const MaxSize = expression.MaxText

// ErrTooLarge tells that values are larger than MaxSize together. A short document
// can ask for any amount: each call of a workflow can double what it was given.
var ErrTooLarge = fmt.Errorf("what is put together is larger than %d MiB", MaxSize>>20)

// Room is what is left of MaxSize for values that belong together; the zero Room is
// all of it.
type Room struct {
	taken int
}

// Take takes the size of a value; ErrTooLarge where it does not fit any more.
func (r *Room) Take(v value.Value) error {
	r.taken += v.Size(MaxSize - r.taken)
	if r.taken > MaxSize {
		return ErrTooLarge
	}
	return nil
}
