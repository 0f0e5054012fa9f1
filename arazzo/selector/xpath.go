package selector

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// xpathQuery is an XPath expression.
type xpathQuery struct {
	version xpathVersion
	expr    xpathExpr
}

func compileXPath(version, text string) (query, error) {
	v := map[string]xpathVersion{"xpath-10": xpath10, "xpath-20": xpath20, "xpath-30": xpath30, "xpath-31": xpath31}[version]
	e, err := parseXPath(v, text)
	if err != nil {
		return nil, err
	}
	return &xpathQuery{version: v, expr: e}, nil
}

// evaluate gives what the expression gives for the root of the XML in v.
func (q *xpathQuery) evaluate(v value.Value) (*xpathRun, xpathValue, error) {
	source, ok := v.Str()
	if !ok {
		return nil, xpathValue{}, fmt.Errorf("XPath needs a string that holds XML, this is %s", described(v))
	}
	doc, err := parseXML(source)
	if err != nil {
		return nil, xpathValue{}, err
	}
	run := &xpathRun{version: q.version, doc: doc, budget: newBudget()}
	result, err := run.eval(q.expr, xpathContext{node: doc.nodes[0], position: 1, size: 1})
	return run, result, err
}

func (q *xpathQuery) selectFrom(v value.Value) (value.Value, error) {
	run, result, err := q.evaluate(v)
	if err != nil {
		return value.Absent, err
	}
	switch result.kind {
	case xpathText:
		return value.String(result.text), nil
	case xpathBool:
		return value.Bool(result.truth), nil
	case xpathNum:
		return jsonNumber(result.number)
	}
	texts := make([]value.Value, len(result.nodes))
	for i, n := range result.nodes {
		text, err := run.stringValue(n)
		if err != nil {
			return value.Absent, err
		}
		texts[i] = value.String(text)
	}
	switch len(texts) {
	case 0:
		return value.Absent, nil
	case 1:
		return texts[0], nil
	default:
		return value.Array(texts...), nil
	}
}

// jsonNumber gives a double as a number. NaN and the infinities are none.
func jsonNumber(f float64) (value.Value, error) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return value.Absent, fmt.Errorf("the result is %v, which is no number in JSON", f)
	}
	if f == 0 {
		return value.Int(0), nil
	}
	format := byte('f')
	if math.Abs(f) >= 1e21 || math.Abs(f) < 1e-6 {
		format = 'e'
	}
	return value.Number(strconv.FormatFloat(f, format, -1, 64))
}

func (q *xpathQuery) test(v value.Value) (bool, error) {
	_, result, err := q.evaluate(v)
	return result.boolean() && err == nil, err
}

func (q *xpathQuery) replace(v, with value.Value) (value.Value, error) {
	run, result, err := q.evaluate(v)
	if err != nil {
		return value.Absent, err
	}
	if result.kind != xpathNodes {
		return value.Absent, fmt.Errorf("a replacement needs nodes to replace, the XPath gives %s", result.kind)
	}
	if len(result.nodes) == 0 {
		return value.Absent, ErrNoMatch
	}
	replaced, err := run.splice(result.nodes, with.Text())
	if err != nil {
		return value.Absent, err
	}
	return value.String(replaced), nil
}

// cut is a stretch of the source and what takes its place.
type cut struct {
	start, end int
	with       string
}

// splice writes the source with new text in nodes. Nodes beneath a replaced
// element go with it.
func (x *xpathRun) splice(nodes []*xmlNode, text string) (string, error) {
	escaped, err := escapeXML(text)
	if err != nil {
		return "", err
	}
	var cuts []cut
	for _, n := range nodes {
		switch n.kind {
		case xmlElement:
			if n.closedTag {
				cuts = append(cuts, cut{n.start, n.start + len("/>"), ">" + escaped + "</" + n.name() + ">"})
			} else {
				cuts = append(cuts, cut{n.start, n.end, escaped})
			}
		case xmlAttribute, xmlText:
			cuts = append(cuts, cut{n.start, n.end, escaped})
		default:
			return "", fmt.Errorf("only elements, attributes and text are replaced, not %s", x.describeNode(n))
		}
	}
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Or(a.start-b.start, b.end-a.end) })
	var out strings.Builder
	at := 0
	for _, c := range cuts {
		if c.start < at || c.end < at {
			continue
		}
		out.WriteString(x.doc.source[at:c.start] + c.with)
		at = c.end
	}
	out.WriteString(x.doc.source[at:])
	return out.String(), nil
}

func (x *xpathRun) describeNode(n *xmlNode) string {
	switch n.kind {
	case xmlRoot:
		return "the whole document"
	case xmlComment:
		return "a comment"
	default:
		return "a processing instruction"
	}
}

// escapeXML writes text so that it can stand in an element and between any
// quotes.
func escapeXML(text string) (string, error) {
	var out strings.Builder
	if err := xml.EscapeText(&out, []byte(text)); err != nil {
		return "", err
	}
	if strings.ContainsRune(out.String(), '\ufffd') && !strings.ContainsRune(text, '\ufffd') {
		return "", fmt.Errorf("the value %q holds a character that XML cannot hold", text)
	}
	return out.String(), nil
}
