package lint

import (
	"sync"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// looks are the quick looks at schemas of inputs by what these say, each compiled
// once for all files: documents of one project describe the same inputs again and
// again.
type looks struct{ known sync.Map }

// quick gives the quick look at a schema that refers to nothing; nil where there is
// none.
func (w *world) quick(root value.Value) *schema.Quick {
	if w.looks == nil {
		w.looks = &looks{}
	}
	key := root.String()
	if quick, ok := w.looks.known.Load(key); ok {
		return quick.(*schema.Quick)
	}
	quick, err := schema.CompileQuick(schema.Resource{ID: inputsID, Root: root})
	if err != nil {
		quick = nil
	}
	w.looks.known.Store(key, quick)
	return quick
}
