package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

// Limits of the answers that are tried for one step.
const (
	mostVariables   = 6
	mostValues      = 10
	mostCombined    = 3    // places of one answer that are changed together
	mostTried       = 6000 // answers of one step that criteria are held against
	mostCandidates  = 60
	mostAnswerBytes = 1 << 20
)

// candidate is one answer to a step that its criteria tell from all others.
type candidate struct {
	answer mock.Answer
	silent bool // there is no answer
	// foreign tells that the description does not allow it.
	foreign bool
	verdict string   // which criteria pass, and what the status means for the operation
	passes  []bool   // which of stepModel.judged pass, as far as can be known beforehand
	says    standing // how something stands, as the body says
	xml     []xmlEdit
}

// String tells the candidate to a person.
func (c *candidate) String() string {
	if c.silent {
		return "no answer"
	}
	var b strings.Builder
	b.WriteString("a message")
	if c.answer.Status > 0 {
		b.Reset()
		fmt.Fprintf(&b, "%d", c.answer.Status)
	}
	for _, name := range slices.Sorted(mapKeys(c.answer.Header)) {
		if text := c.answer.Header[name]; text == "" {
			fmt.Fprintf(&b, " without %s", name)
		} else {
			fmt.Fprintf(&b, " with %s: %s", name, text)
		}
	}
	for _, e := range c.answer.Edits {
		if e.Value.IsAbsent() {
			fmt.Fprintf(&b, " without %s", pointerText(e.At))
		} else {
			fmt.Fprintf(&b, " with %s = %s", pointerText(e.At), e.Value)
		}
	}
	for _, e := range c.xml {
		b.WriteString(e.String())
	}
	return b.String()
}

func pointerText(p value.Pointer) string {
	if len(p) == 0 {
		return "a body"
	}
	return p.String()
}

// answers finds the candidates of one step.
type answers struct {
	step    *stepModel
	apis    *mock.APIs
	checker *check.Checker
	scope   answerScope
	tried   int
	found   map[string]*candidate
	order   []*candidate
	message bool     // the step receives, and the answers are messages
	listed  bool     // items of lists are set as the description shows them
	xml     *xmlForm // answers are made in it; nil: in JSON
}

// candidatesOf lists answers to a step, one for each way in which its criteria can turn
// out, with what is known of the run.
func candidatesOf(s *stepModel, apis *mock.APIs, checker *check.Checker, inputs value.Value, outputs map[stepID]value.Value) []*candidate {
	a := &answers{
		step: s, apis: apis, checker: checker, found: map[string]*candidate{},
		scope: answerScope{inputs: inputs, outputs: outputs, in: s.workflow},
	}
	w := wishesOf(s.judged())
	w.addTold(s.told)
	w.addStates(s.states)
	a.resolveOpen(w)
	for _, status := range a.statuses(w) {
		a.tryStatus(status, w)
	}
	a.scope.status, a.scope.header, a.scope.body = 0, nil, value.Absent
	a.keep(&candidate{silent: true, verdict: "silent", passes: a.passes()})
	return a.order
}

// resolveOpen gives wishes the values that expressions have by now.
func (a *answers) resolveOpen(w *wishes) {
	for _, wanted := range w.all {
		for _, e := range wanted.open {
			if v := e.Eval(&a.scope); !v.IsNothing() {
				wanted.add(beside(v)...)
			}
		}
	}
}

// usualStatuses are what an API may always answer with, described or not.
var usualStatuses = []int{400, 401, 403, 404, 409, 422, 429, 500, 503}

// statuses lists the statuses to try, the described ones first.
func (a *answers) statuses(w *wishes) []int {
	var all []int
	add := func(status int) {
		if status >= 200 && status <= 599 && !slices.Contains(all, status) {
			all = append(all, status)
		}
	}
	for _, r := range a.step.operation.Responses {
		if status, err := strconv.Atoi(r.Status); err == nil {
			add(status)
		} else if len(r.Status) == 3 && strings.EqualFold(r.Status[1:], "xx") {
			add(int(r.Status[0]-'0') * 100)
		}
	}
	slices.Sort(all)
	if len(all) == 0 || all[0]/100 != 2 {
		add(http.StatusOK)
	}
	for _, status := range usualStatuses {
		add(status)
	}
	if wanted := w.index[variable{part: statusPart}]; wanted != nil {
		for _, v := range wanted.values {
			if n, err := strconv.Atoi(v.Text()); err == nil {
				add(n)
			}
		}
		for _, status := range []int{201, 202, 204, 301, 402, 405, 408, 410, 412, 415, 423, 425, 502, 504} {
			add(status)
		}
	}
	return all
}

// tryStatus tries a status with every combination of what criteria look at.
func (a *answers) tryStatus(status int, w *wishes) {
	header, raw, _ := a.apis.Example(a.step.asked, status, "")
	if len(raw) > mostAnswerBytes {
		return
	}
	body := bodyValue(header, raw)
	if header == nil {
		header = http.Header{}
	}
	a.combineAll(status, header, body, a.placesOf(w, status, bodyPart))
	if shown := shownItems(w, body); status/100 == 2 && len(shown) > 0 {
		a.listed = true
		a.try(status, header, body, shown)
		a.listed = false
	}
	if w.lookIntoXML() {
		a.tryXML(status, w)
	}
}

// shownItems sets what criteria look at in lists to what the description shows there: in a
// run the list may be empty.
func shownItems(w *wishes, body value.Value) []setting {
	var all []setting
	for _, wanted := range w.all {
		at, err := value.ParsePointer(wanted.at)
		if wanted.part != bodyPart || err != nil {
			continue
		}
		isIndex := func(token string) bool { _, ok := value.ArrayIndex(token); return ok }
		if v := at.In(body); !v.IsAbsent() && slices.ContainsFunc(at, isIndex) {
			all = append(all, setting{variable: wanted.variable, to: v})
		}
	}
	return all
}

// placesOf gives the places that an answer may differ in: headers, and those in one form of
// body.
func (a *answers) placesOf(w *wishes, status int, bodies ...part) []*wish {
	var places []*wish
	for _, wanted := range w.all {
		if (wanted.part == headerPart || slices.Contains(bodies, wanted.part)) && len(places) < mostVariables {
			places = append(places, a.enriched(wanted, status))
		}
	}
	return places
}

func (a *answers) combineAll(status int, header http.Header, body value.Value, places []*wish) {
	for changed := 0; changed <= min(len(places), mostCombined); changed++ {
		a.combine(status, header, body, places, changed, nil)
	}
}

// bodyValue gives a body as expressions see it.
func bodyValue(header http.Header, raw []byte) value.Value {
	if len(raw) == 0 {
		return value.Absent
	}
	if v, err := value.ParseJSON(raw); err == nil && strings.Contains(header.Get("Content-Type"), "json") {
		return v
	}
	return value.String(string(raw))
}

// enriched adds to a wish what the schema of the place names as possible.
func (a *answers) enriched(w *wish, status int) *wish {
	out := &wish{variable: w.variable, look: w.look, values: slices.Clone(w.values)}
	switch w.part {
	case bodyPart:
		out.add(enumAt(a.step.operation.Response(status), w.at)...)
	case xmlPart:
		out.add(a.enumInXML(status, w.look)...)
		out.add(value.String(anything))
	case headerPart:
		for i, v := range out.values {
			if v.Kind() == value.KindBool {
				out.values[i] = value.String("1")
			}
		}
		out.add(value.String("1"), value.Absent)
	}
	if len(out.values) > mostValues {
		out.values = out.values[:mostValues]
	}
	return out
}

// setting is a value at a place.
type setting struct {
	variable
	to   value.Value
	look *selector.Look
}

// combine tries all answers in which so many of the places are changed.
func (a *answers) combine(status int, header http.Header, body value.Value, places []*wish, changed int, settings []setting) {
	if changed == 0 {
		a.try(status, header, body, settings)
		return
	}
	for i, place := range places {
		for _, v := range place.values {
			if a.tried >= mostTried {
				return
			}
			a.combine(status, header, body, places[i+1:], changed-1, append(settings[:len(settings):len(settings)], setting{place.variable, v, place.look}))
		}
	}
}

// try holds one answer against the criteria, and keeps it where none did the same.
func (a *answers) try(status int, header http.Header, body value.Value, settings []setting) {
	a.tried++
	c := &candidate{answer: mock.Answer{Status: status}}
	header = header.Clone()
	for _, s := range settings {
		if s.part == headerPart {
			if c.answer.Header == nil {
				c.answer.Header = map[string]string{}
			}
			c.answer.Header[s.name] = s.to.Text()
			header.Del(s.name)
			if text := s.to.Text(); text != "" {
				header.Set(s.name, text)
			}
			continue
		}
		if s.inXML() {
			c.xml = append(c.xml, xmlEdit{look: s.look, to: s.to, counted: s.part == xmlCountPart})
			continue
		}
		at, err := value.ParsePointer(s.at)
		if err != nil {
			return
		}
		edit := mock.Edit{At: at, Value: s.to}
		c.answer.Edits = append(c.answer.Edits, edit)
		body = edit.In(body)
	}
	if a.xml != nil {
		text, ok := a.xml.edited(c)
		if !ok {
			return
		}
		body = text
	}
	a.scope.status, a.scope.header, a.scope.body = status, header, body
	c.passes = a.passes()
	c.verdict = a.verdict(c.passes)
	if c.says, _ = standingIn(a.step.states, body); len(a.step.states) > 0 {
		c.verdict += c.says.String()
	}
	if a.listed {
		c.verdict += " listed"
	}
	if known := a.found[c.verdict]; known != nil && !known.foreign {
		return
	}
	switch {
	case a.xml != nil && a.message:
		c.foreign = a.breaksXML(status, body)
	case a.xml != nil:
		c.foreign = a.breaks(status, header, body, len(c.xml) > 0) || len(c.xml) > 0 && a.breaksXML(status, body)
	case a.message:
		c.foreign = a.breaksMessage(c)
	default:
		c.foreign = a.breaks(status, header, body, len(c.answer.Edits) > 0)
	}
	c.foreign = c.foreign || a.saysTooMuch(c)
	a.keep(c)
}

// saysTooMuch tells whether an answer says how something stands where its status has no place
// for that, or an error makes the step succeed by a body that nothing describes for it: no API
// answers so.
func (a *answers) saysTooMuch(c *candidate) bool {
	if a.message || len(c.answer.Edits) == 0 {
		return false
	}
	var content []*source.MediaType
	if described := a.step.operation.Response(c.answer.Status); described != nil {
		content = described.Content
	}
	if c.answer.Status >= 400 && len(content) == 0 && a.step.succeedsWith(c) {
		return true
	}
	return slices.ContainsFunc(c.answer.Edits, func(e mock.Edit) bool {
		isState := slices.ContainsFunc(a.step.states, func(p statePlace) bool { return slices.Equal(p.at, e.At) })
		hasPlace := slices.ContainsFunc(content, func(m *source.MediaType) bool { return schemaMayHave(m.Schema, e.At, 0) })
		return isState && !e.Value.IsAbsent() && !hasPlace
	})
}

// keep keeps a candidate; one that the description allows takes the place of one that
// it does not.
func (a *answers) keep(c *candidate) {
	known := a.found[c.verdict]
	switch {
	case known == nil && len(a.order) < mostCandidates:
		a.found[c.verdict] = c
		a.order = append(a.order, c)
	case known != nil && known.foreign && !c.foreign:
		*known = *c
	}
}

// hasEffect tells whether a request that is answered so is carried out.
func (c *candidate) hasEffect() bool { return !c.silent && c.answer.Status/100 == 2 }
