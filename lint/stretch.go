package lint

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
)

// stretch gives the stretch of the file that writes the bytes from up to to of a
// string's text, and tells how that is quoted there: by a byte, or not at all (0).
// It is false where the file cannot be followed.
func (d *Document) stretch(n *arazzo.Node, from, to int) (span arazzo.Span, quote byte, ok bool) {
	if n.Span.End.Offset > len(d.Source) {
		return span, 0, false
	}
	if first := d.quote(n); strings.IndexByte(`"'`, first) >= 0 {
		quote = first
	}
	span, ok = n.Written(from, to)
	return span, quote, ok
}
