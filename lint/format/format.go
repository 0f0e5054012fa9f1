package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/weft-flow/weft/lint"
)

// Func writes a result in one format.
type Func func(w io.Writer, result lint.Result) error

// Names lists the formats; the first is the default.
func Names() []string { return []string{"text", "json"} }

// Named gives the format of a name. Color is for text alone.
func Named(name string, color bool) (Func, error) {
	switch name {
	case "text":
		return Text(color), nil
	case "json":
		return JSON, nil
	default:
		return nil, fmt.Errorf("there is no format %q: expected %s", name, strings.Join(Names(), " or "))
	}
}
