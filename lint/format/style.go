package format

import "github.com/weft-flow/weft/lint"

// style is an SGR parameter of ECMA-48, as terminals understand it.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	yellow style = "1;33"
	blue   style = "1;34"
	green  style = "32"
)

func styleOf(s lint.Severity) style {
	switch s {
	case lint.Error:
		return red
	case lint.Warn:
		return yellow
	case lint.Hint:
		return blue
	default:
		return green
	}
}

// painter tells whether to colour.
type painter bool

func (p painter) with(s style, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
