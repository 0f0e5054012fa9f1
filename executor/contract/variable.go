package contract

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

// part is what of an answer a criterion looks at.
type part uint8

const (
	statusPart part = iota
	headerPart
	bodyPart
	xmlPart      // what is at a place in XML
	xmlCountPart // how many are there
)

// variable is a place in an answer that a criterion looks at.
type variable struct {
	part part
	name string // of a header
	at   string // in the body: a JSON Pointer; in XML: an XPath
}

// inXML tells whether the place is one in XML.
func (v variable) inXML() bool { return v.part == xmlPart || v.part == xmlCountPart }

// wish is a value that would matter at a place: one that a criterion compares it with,
// or one just beside that.
type wish struct {
	variable
	values []value.Value  // absent: nothing is there
	look   *selector.Look // in XML
	// open are what the place is compared with and what has a value only in a run.
	open []*expression.Expression
}

// wishes gathers the places that criteria look at, in the order in which they are
// written.
type wishes struct {
	all   []*wish
	index map[variable]*wish
}

func (w *wishes) at(v variable) *wish {
	if found := w.index[v]; found != nil {
		return found
	}
	if w.index == nil {
		w.index = map[variable]*wish{}
	}
	made := &wish{variable: v}
	w.index[v] = made
	w.all = append(w.all, made)
	return made
}

func (w *wish) add(values ...value.Value) {
	for _, v := range values {
		if !holds(w.values, v) {
			w.values = append(w.values, v)
		}
	}
}

func holds(all []value.Value, v value.Value) bool {
	for _, known := range all {
		if known.Kind() == v.Kind() && value.Identical(known, v) {
			return true
		}
	}
	return false
}

// wishesOf reads what criteria look at.
func wishesOf(criteria []*criterionModel) *wishes {
	w := &wishes{}
	for _, c := range criteria {
		if simple := c.compiled.Simple(); simple != nil {
			w.readSimple(simple.Root())
			continue
		}
		w.readOther(c)
	}
	return w
}

// addTold adds values that decide something later.
func (w *wishes) addTold(told []toldValue) {
	for _, t := range told {
		if t.place.part != statusPart {
			w.at(t.place).add(t.wants...)
		}
	}
}

// addStates adds what tells that something is not decided, or ended badly, or well.
func (w *wishes) addStates(states []statePlace) {
	for _, p := range states {
		wanted := w.at(variable{part: bodyPart, at: p.at.String()})
		for _, s := range []standing{undecided, decidedBadly, decidedWell} {
			if word := p.first(s); !word.IsAbsent() {
				wanted.add(word)
			}
		}
	}
}

// readSimple reads a simple condition.
func (w *wishes) readSimple(root expression.Node) {
	expression.Walk(root, func(n expression.Node) bool {
		if b, ok := n.(*expression.Binary); ok && b.Operator.IsComparison() {
			w.compare(b.Left, b.Right)
			w.compare(b.Right, b.Left)
			return false
		}
		if v, ok := placeOf(n); ok {
			w.at(v).add(value.Bool(true), value.Bool(false), value.Absent)
			return false
		}
		return true
	})
}

// compare notes what one side of a comparison is compared with.
func (w *wishes) compare(side, other expression.Node) {
	v, ok := placeOf(side)
	if !ok {
		return
	}
	wanted := w.at(v)
	switch x := other.(type) {
	case *expression.Literal:
		wanted.add(beside(x.Value)...)
	case *expression.Operand:
		wanted.open = append(wanted.open, x.Expression)
	}
	wanted.add(value.Absent)
}

// beside gives a value and those just beside it.
func beside(v value.Value) []value.Value {
	if v.IsNull() {
		return []value.Value{value.Absent, value.String("x")}
	}
	n, err := strconv.ParseInt(v.Text(), 10, 64)
	if err != nil || n > 1<<52 || n < -1<<52 {
		return []value.Value{v}
	}
	all := []value.Value{v, value.Int(n + 1), value.Int(n - 1)}
	if v.Kind() == value.KindString {
		return append(all, value.Int(n))
	}
	return append(all, value.String(v.Text()))
}

// placeOf gives the place in an answer that an operand names, with the names and
// indexes after it.
func placeOf(n expression.Node) (variable, bool) {
	switch x := n.(type) {
	case *expression.Operand:
		return placeOfExpression(x.Expression)
	case *expression.Member:
		v, ok := placeOf(x.X)
		v.at += "/" + value.EscapeToken(x.Name)
		return v, ok && v.part == bodyPart
	case *expression.Index:
		v, ok := placeOf(x.X)
		at, literal := x.At.(*expression.Literal)
		if !ok || !literal || v.part != bodyPart {
			return v, false
		}
		v.at += "/" + value.EscapeToken(at.Value.Text())
		return v, true
	}
	return variable{}, false
}

func placeOfExpression(e *expression.Expression) (variable, bool) {
	answer := e.Root == expression.Response || e.Root == expression.Message
	switch {
	case e.Root == expression.StatusCode:
		return variable{part: statusPart}, true
	case answer && e.Part == expression.HeaderPart:
		return variable{part: headerPart, name: e.Name}, true
	case answer && (e.Part == expression.BodyPart || e.Part == expression.PayloadPart):
		at := e.Pointer.String()
		for _, a := range e.Accesses {
			token := a.Name
			if a.IsIndex {
				token = strconv.Itoa(a.Index)
			}
			at += "/" + value.EscapeToken(token)
		}
		return variable{part: bodyPart, at: at}, true
	}
	return variable{}, false
}

// readOther reads a criterion of another language than that of simple conditions.
func (w *wishes) readOther(c *criterionModel) {
	context, err := expression.Parse(c.model.Context.Value, nil)
	if err != nil || c.model.Type == nil {
		return
	}
	v, ok := placeOfExpression(context)
	if !ok {
		return
	}
	switch c.model.Type.Type {
	case "regex":
		w.readRegex(v, c.model.Condition.Value)
	case "jsonpath":
		if v.part == bodyPart {
			w.readJSONPath(v, c.model.Condition.Value)
		}
	case "xpath":
		if v.part == bodyPart && v.at == "" {
			w.readXPath(c.model.Type.Version, c.model.Condition.Value)
		}
	}
}

// unlikely is a text that hardly any pattern matches.
const unlikely = "~ no match ~"

func (w *wishes) readRegex(v variable, pattern string) {
	wanted := w.at(v)
	if text, ok := mock.Matching(pattern); ok {
		wanted.add(beside(value.String(text))...)
	}
	wanted.add(value.String(unlikely), value.Absent)
}

var (
	pathFilter     = regexp.MustCompile(`^(.*?)\[\?\(?(.*?)\)?\](.*)$`)
	pathSegment    = regexp.MustCompile(`\.([\p{L}_][\p{L}\p{N}_-]*)|\[\s*'([^']*)'\s*\]|\[\s*"([^"]*)"\s*\]|\[\s*(\d+)\s*\]|\[\s*\*\s*\]|\.\*`)
	pathComparison = regexp.MustCompile(`@((?:\.[\p{L}_][\p{L}\p{N}_-]*|\['[^']*'\])*)\s*(?:(==|!=|<=|>=|<|>)\s*('[^']*'|"[^"]*"|-?[\d.]+|true|false|null))?`)
)

// readJSONPath reads the common forms of a JSONPath: where it leads, and what its first
// filter compares.
func (w *wishes) readJSONPath(v variable, path string) {
	lead, filter, rest := path, "", ""
	if m := pathFilter.FindStringSubmatch(path); m != nil {
		lead, filter, rest = m[1], m[2], m[3]
	}
	base := v.at + pointerOfPath(lead)
	if filter == "" {
		w.at(variable{part: bodyPart, at: base}).add(value.Absent, value.String("x"), value.Array())
		return
	}
	for _, m := range pathComparison.FindAllStringSubmatch(filter, -1) {
		wanted := w.at(variable{part: bodyPart, at: base + "/0" + pointerOfPath(m[1])})
		if m[3] != "" {
			wanted.add(beside(literalOf(m[3]))...)
		} else {
			wanted.add(value.String("x"))
		}
		wanted.add(value.Absent)
	}
	if further := pointerOfPath(rest); further != "" {
		w.at(variable{part: bodyPart, at: base + "/0" + further}).add(value.String("x"))
	}
	w.at(variable{part: bodyPart, at: base}).add(value.Array(), value.Absent)
}

// pointerOfPath gives the JSON Pointer to what a path without filters names first.
func pointerOfPath(path string) string {
	var b strings.Builder
	for _, m := range pathSegment.FindAllStringSubmatch(path, -1) {
		token := "0"
		for _, name := range m[1:] {
			if name != "" {
				token = name
			}
		}
		b.WriteString("/" + value.EscapeToken(token))
	}
	return b.String()
}

func literalOf(text string) value.Value {
	if len(text) > 1 && text[0] == '\'' {
		return value.String(strings.Trim(text, "'"))
	}
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		return value.String(text)
	}
	return v
}
