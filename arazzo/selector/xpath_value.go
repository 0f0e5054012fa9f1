package selector

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// xpathNumeric is the kind of a number from XPath 2.0 on, in the order in which
// one is promoted to the next. XPath 1.0 has doubles alone.
type xpathNumeric uint8

const (
	xpathInteger xpathNumeric = iota
	xpathDecimal
	xpathDouble
)

// xpathValue is what an expression gives.
type xpathValue struct {
	kind    xpathType
	nodes   []*xmlNode // in document order, each once
	text    string
	number  float64
	numeric xpathNumeric
	truth   bool
}

func nodesValue(nodes ...*xmlNode) xpathValue { return xpathValue{nodes: nodes} }
func textValue(s string) xpathValue           { return xpathValue{kind: xpathText, text: s} }
func boolValue(b bool) xpathValue             { return xpathValue{kind: xpathBool, truth: b} }
func doubleValue(f float64) xpathValue {
	return xpathValue{kind: xpathNum, number: f, numeric: xpathDouble}
}
func integerValue(i int) xpathValue { return xpathValue{kind: xpathNum, number: float64(i)} }

// isEmpty tells whether v is no node at all, the empty sequence of 2.0.
func (v xpathValue) isEmpty() bool { return v.kind == xpathNodes && len(v.nodes) == 0 }

// boolean gives the effective boolean value; all versions agree on it for these
// types.
func (v xpathValue) boolean() bool {
	switch v.kind {
	case xpathNodes:
		return len(v.nodes) > 0
	case xpathText:
		return v.text != ""
	case xpathNum:
		return v.number != 0 && !math.IsNaN(v.number)
	default:
		return v.truth
	}
}

// single gives the one node of v. From 2.0 on more than one is an error; XPath
// 1.0 takes the first.
func (x *xpathRun) single(v xpathValue) (*xmlNode, error) {
	if len(v.nodes) > 1 && x.version > xpath10 {
		return nil, fmt.Errorf("%s allows one node here, there are %d", x.version, len(v.nodes))
	}
	if len(v.nodes) == 0 {
		return nil, nil
	}
	return v.nodes[0], nil
}

// string converts v as string() does.
func (x *xpathRun) string(v xpathValue) (string, error) {
	switch v.kind {
	case xpathNodes:
		n, err := x.single(v)
		if n == nil || err != nil {
			return "", err
		}
		return x.stringValue(n)
	case xpathText:
		return v.text, nil
	case xpathNum:
		return x.formatNumber(v), nil
	default:
		return strconv.FormatBool(v.truth), nil
	}
}

// stringValue gives the string-value of a node (XPath 1.0, section 5).
func (x *xpathRun) stringValue(n *xmlNode) (string, error) {
	if n.kind != xmlRoot && n.kind != xmlElement {
		return n.text, x.budget.spend(1 + len(n.text)/64)
	}
	var b strings.Builder
	for _, beneath := range x.doc.nodes[n.order : n.last+1] {
		if err := x.budget.spend(1); err != nil {
			return "", err
		}
		if beneath.kind == xmlText {
			b.WriteString(beneath.text)
		}
	}
	return b.String(), x.budget.spend(b.Len() / 64)
}

// number converts v as number() does: what writes no number is NaN.
func (x *xpathRun) number(v xpathValue) (float64, error) {
	switch v.kind {
	case xpathNum:
		return v.number, nil
	case xpathBool:
		if v.truth {
			return 1, nil
		}
		return 0, nil
	}
	text, err := x.string(v)
	if v.isEmpty() {
		return math.NaN(), err
	}
	return x.readNumber(text), err
}

// What the versions take for a number: XPath 1.0 knows neither an exponent nor a
// plus, later versions read what XML Schema calls a double.
var (
	number10 = regexp.MustCompile(`^-?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)
	number20 = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
)

// readNumber reads a number; what is none is NaN.
func (x *xpathRun) readNumber(text string) float64 {
	text = strings.Trim(text, " \t\r\n")
	syntax := number10
	if x.version > xpath10 {
		syntax = number20
		if text == "INF" || text == "-INF" {
			text = strings.TrimSuffix(text, "INF") + "1e999"
		}
	}
	if !syntax.MatchString(text) {
		return math.NaN()
	}
	number, _ := strconv.ParseFloat(text, 64) // out of range: an infinity
	return number
}

// operand gives v as a number for arithmetic and for functions that take
// numbers. From 2.0 on no node gives none (ok is false), and text that writes
// no number is an error.
func (x *xpathRun) operand(v xpathValue) (n xpathValue, ok bool, err error) {
	if v.kind == xpathNum && x.version > xpath10 {
		return v, true, nil
	}
	if v.isEmpty() && x.version > xpath10 {
		return xpathValue{}, false, nil
	}
	number, err := x.number(v)
	if err != nil {
		return xpathValue{}, false, err
	}
	if x.version > xpath10 && math.IsNaN(number) {
		if text, _ := x.string(v); strings.Trim(text, " \t\r\n") != "NaN" {
			return xpathValue{}, false, fmt.Errorf("%s needs a number here, not %q", x.version, text)
		}
	}
	return doubleValue(number), true, nil
}

// formatNumber writes a number: as XPath 1.0 does without an exponent, and from
// 2.0 on a double that is large or small with one.
func (x *xpathRun) formatNumber(v xpathValue) string {
	f := v.number
	later := x.version > xpath10 && v.numeric == xpathDouble
	sign := ""
	if math.Signbit(f) {
		sign = "-"
	}
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0) && later:
		return sign + "INF"
	case math.IsInf(f, 0):
		return sign + "Infinity"
	case f == 0 && later:
		return sign + "0"
	case f == 0:
		return "0"
	case later && (math.Abs(f) < 1e-6 || math.Abs(f) >= 1e6):
		return formatScientific(f)
	default:
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
}

// formatScientific writes a double as XML Schema does: 1.5E7, 1.0E21.
func formatScientific(f float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'E', -1, 64), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	power, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(power)
}
