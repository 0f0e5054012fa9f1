package schema

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/weft-flow/weft/arazzo/value"
)

// A few schemas that refer to each other twice double the work with each level:
// forty of them would take longer than anyone waits. So the applications of
// schemas are counted, and a validation that needs far more of them than its
// value is large is given up.
const (
	applicationsAtLeast = 1_000_000
	applicationsPerNode = 500
)

// errBudget ends a validation that takes too long.
var errBudget = errors.New("the schema takes too many steps for it")

// budget counts down the applications that the validations under way may still
// make. Those of one compiler share it, and together spend no more than the sum
// of what each was granted.
type budget struct {
	left atomic.Int64

	mu       sync.Mutex
	underWay int
}

// grant allows a validation of a value with so many nodes, until done is called.
func (b *budget) grant(nodes int) (done func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.underWay == 0 {
		b.left.Store(0)
	}
	b.underWay++
	b.left.Add(applicationsAtLeast + int64(nodes)*applicationsPerNode)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.underWay--
	}
}

// spend counts one application, and panics where none is left; validate turns
// that into an error.
func (b *budget) spend() {
	if b.left.Add(-1) < 0 {
		panic(errBudget)
	}
}

func countNodes(v value.Value) int {
	n := 1
	for _, item := range v.Items() {
		n += countNodes(item)
	}
	for _, m := range v.Members() {
		n += countNodes(m.Value)
	}
	return n
}
