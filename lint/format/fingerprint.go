package format

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/lint"
)

// fingerprints gives findings names that stay when other lines are inserted or
// taken away, so that one that was there before is known again. It is made from
// the rule, the file, and the text that is marked; of equal ones the place in
// their order is added.
type fingerprints struct {
	seen map[string]int
}

func (f *fingerprints) of(path, rule, marked string) string {
	sum := sha256.New()
	for _, part := range []string{filepath.ToSlash(path), rule, strings.TrimSpace(marked)} {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	name := hex.EncodeToString(sum.Sum(nil)[:16])
	if f.seen == nil {
		f.seen = make(map[string]int)
	}
	f.seen[name]++
	return name + ":" + strconv.Itoa(f.seen[name])
}

// markedText gives the text of a diagnostic in a file as it may be shown.
func markedText(shown []byte, d *lint.Diagnostic) string {
	start, end := d.Span.Start.Offset, d.Span.End.Offset
	if start < 0 || end > len(shown) || start > end {
		return ""
	}
	return string(shown[start:end])
}
