package selector

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// xpathParam is what a function takes in one place.
type xpathParam uint8

const (
	paramAny xpathParam = iota
	paramNodes
	paramText
	paramNumber
)

// xpathFunction is one function of the library.
type xpathFunction struct {
	name     string
	since    xpathVersion
	params   []xpathParam
	required int  // how many of params must be there
	more     bool // the last parameter may come again
	result   xpathType
	numeric  xpathNumeric // of a number
	call     func(x *xpathRun, c xpathContext, args []xpathValue) (xpathValue, error)
}

// numericKind gives the kind of number that a call gives.
func (f *xpathFunction) numericKind(args []xpathExpr) xpathNumeric {
	if keepsKind(f.name) && len(args) == 1 {
		return numericKindOf(args[0])
	}
	return f.numeric
}

// keepsKind tells whether a function gives a number of the kind of its argument.
func keepsKind(name string) bool {
	return name == "floor" || name == "ceiling" || name == "round" || name == "abs"
}

var (
	text1   = []xpathParam{paramText}
	text2   = []xpathParam{paramText, paramText}
	text3   = []xpathParam{paramText, paramText, paramText}
	nodes1  = []xpathParam{paramNodes}
	number1 = []xpathParam{paramNumber}
	any1    = []xpathParam{paramAny}
)

// xpathFunctions is the library: that of XPath 1.0 (section 4), then what is
// supported of later versions.
var xpathFunctions = []*xpathFunction{
	{name: "last", result: xpathNum, call: callLast},
	{name: "position", result: xpathNum, call: callPosition},
	{name: "count", params: nodes1, required: 1, result: xpathNum, call: callCount},
	{name: "id", params: any1, required: 1, result: xpathNodes, call: callID},
	{name: "local-name", params: nodes1, result: xpathText, call: nameFunction(func(n *xmlNode) string { return n.local })},
	{name: "namespace-uri", params: nodes1, result: xpathText, call: nameFunction(func(n *xmlNode) string { return n.uri })},
	{name: "name", params: nodes1, result: xpathText, call: nameFunction((*xmlNode).name)},
	{name: "string", params: any1, result: xpathText, call: textFunction(func(s string) xpathValue { return textValue(s) })},
	{name: "concat", params: []xpathParam{paramAny, paramAny}, required: 2, more: true, result: xpathText, call: callConcat},
	{name: "starts-with", params: text2, required: 2, result: xpathBool, call: textsFunction(func(s []string) xpathValue { return boolValue(strings.HasPrefix(s[0], s[1])) })},
	{name: "contains", params: text2, required: 2, result: xpathBool, call: textsFunction(func(s []string) xpathValue { return boolValue(strings.Contains(s[0], s[1])) })},
	{name: "substring-before", params: text2, required: 2, result: xpathText, call: textsFunction(substringBefore)},
	{name: "substring-after", params: text2, required: 2, result: xpathText, call: textsFunction(substringAfter)},
	{name: "substring", params: []xpathParam{paramText, paramNumber, paramNumber}, required: 2, result: xpathText, call: callSubstring},
	{name: "string-length", params: text1, result: xpathNum, call: textFunction(func(s string) xpathValue { return integerValue(utf8.RuneCountInString(s)) })},
	{name: "normalize-space", params: text1, result: xpathText, call: textFunction(func(s string) xpathValue { return textValue(normalizeSpace(s)) })},
	{name: "translate", params: text3, required: 3, result: xpathText, call: textsFunction(translate)},
	{name: "boolean", params: any1, required: 1, result: xpathBool, call: callBoolean},
	{name: "not", params: any1, required: 1, result: xpathBool, call: callNot},
	{name: "true", result: xpathBool, call: func(*xpathRun, xpathContext, []xpathValue) (xpathValue, error) { return boolValue(true), nil }},
	{name: "false", result: xpathBool, call: func(*xpathRun, xpathContext, []xpathValue) (xpathValue, error) { return boolValue(false), nil }},
	{name: "lang", params: text1, required: 1, result: xpathBool, call: callLang},
	{name: "number", params: any1, result: xpathNum, numeric: xpathDouble, call: callNumber},
	{name: "sum", params: nodes1, required: 1, result: xpathNum, numeric: xpathDouble, call: callSum},
	{name: "floor", params: number1, required: 1, result: xpathNum, numeric: xpathDouble, call: roundingFunction(math.Floor)},
	{name: "ceiling", params: number1, required: 1, result: xpathNum, numeric: xpathDouble, call: roundingFunction(math.Ceil)},
	{name: "round", params: number1, required: 1, result: xpathNum, numeric: xpathDouble, call: roundingFunction(round)},

	{name: "abs", since: xpath20, params: number1, required: 1, result: xpathNum, numeric: xpathDouble, call: roundingFunction(math.Abs)},
	{name: "empty", since: xpath20, params: any1, required: 1, result: xpathBool, call: func(_ *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
		return boolValue(args[0].isEmpty()), nil
	}},
	{name: "exists", since: xpath20, params: any1, required: 1, result: xpathBool, call: func(_ *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
		return boolValue(!args[0].isEmpty()), nil
	}},
	{name: "ends-with", since: xpath20, params: text2, required: 2, result: xpathBool, call: textsFunction(func(s []string) xpathValue { return boolValue(strings.HasSuffix(s[0], s[1])) })},
	{name: "lower-case", since: xpath20, params: text1, required: 1, result: xpathText, call: textFunction(func(s string) xpathValue { return textValue(strings.ToLower(s)) })},
	{name: "upper-case", since: xpath20, params: text1, required: 1, result: xpathText, call: textFunction(func(s string) xpathValue { return textValue(cases.Upper(language.Und).String(s)) })},
	{name: "matches", since: xpath20, params: text2, required: 2, result: xpathBool, call: callMatches},
	{name: "replace", since: xpath20, params: text3, required: 3, result: xpathText, call: callReplace},
	{name: "string-join", since: xpath20, params: []xpathParam{paramNodes, paramText}, required: 2, result: xpathText, call: callStringJoin},
}

func findXPathFunction(name string) *xpathFunction {
	for _, f := range xpathFunctions {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (x *xpathRun) call(e *xpathCall, c xpathContext) (xpathValue, error) {
	args := make([]xpathValue, len(e.args))
	for i, arg := range e.args {
		v, err := x.eval(arg, c)
		if err != nil {
			return xpathValue{}, err
		}
		args[i] = v
	}
	v, err := e.function.call(x, c, args)
	if err != nil {
		return xpathValue{}, fmt.Errorf("%s(): %w", e.function.name, err)
	}
	return v, nil
}

// laterFunctions are the functions and kind tests of XPath 2.0 to 3.1 that are
// not supported.
var laterFunctions = strings.Fields(`
	adjust-date-to-timezone adjust-dateTime-to-timezone adjust-time-to-timezone analyze-string apply
	attribute available-environment-variables avg base-uri codepoint-equal codepoints-to-string
	collation-key collection compare contains-token current-date current-dateTime current-time data
	dateTime day-from-date day-from-dateTime days-from-duration deep-equal default-collation
	default-language distinct-values doc doc-available document-node document-uri element
	element-with-id encode-for-uri environment-variable error escape-html-uri exactly-one filter
	fold-left fold-right for-each for-each-pair format-date format-dateTime format-integer format-number
	format-time function-arity function-lookup function-name generate-id has-children head
	hours-from-dateTime hours-from-duration hours-from-time id idref implicit-timezone in-scope-prefixes
	index-of innermost insert-before iri-to-uri item json-doc json-to-xml load-xquery-module
	local-name-from-QName max min minutes-from-dateTime minutes-from-duration minutes-from-time
	month-from-date month-from-dateTime months-from-duration namespace-node namespace-uri-for-prefix
	namespace-uri-from-QName nilled node-name normalize-unicode one-or-more outermost parse-ietf-date
	parse-json parse-xml parse-xml-fragment path prefix-from-QName put QName random-number-generator
	remove resolve-QName resolve-uri reverse root round-half-to-even schema-attribute schema-element
	seconds-from-dateTime seconds-from-duration seconds-from-time serialize sort static-base-uri
	string-to-codepoints subsequence tail timezone-from-date timezone-from-dateTime timezone-from-time
	tokenize trace transform unordered unparsed-text unparsed-text-available unparsed-text-lines
	uri-collection xml-to-json year-from-date year-from-dateTime years-from-duration zero-or-one`)

// call reads a call of a function.
func (p *xpathParser) call() (xpathExpr, error) {
	t := p.take()
	f, err := p.function(t)
	if err != nil {
		return nil, err
	}
	p.take()
	e := &xpathCall{function: f, offset: t.offset}
	for !p.accept(")") {
		if len(e.args) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
		}
		arg, err := p.expression()
		if err != nil {
			return nil, err
		}
		e.args = append(e.args, arg)
	}
	return e, p.checkArguments(e)
}

func (p *xpathParser) function(t xpathToken) (*xpathFunction, error) {
	if word, ok := laterWords[t.text]; ok {
		return nil, p.later(t.offset, word.name, word.since)
	}
	name := t.text
	if p.version > xpath10 {
		name = strings.TrimPrefix(name, "fn:")
	}
	f := findXPathFunction(name)
	known := slices.Contains(laterFunctions, name) || strings.Contains(name, ":")
	switch {
	case f != nil && f.since > p.version:
		return nil, p.later(t.offset, "function "+name+"()", f.since)
	case f != nil && !(name == "id" && p.version > xpath10):
		return f, nil
	case known && p.version > xpath10:
		return nil, refused(p.version, t.offset, "the function %s() is not supported", name)
	default:
		return nil, &SyntaxError{Offset: t.offset, Message: fmt.Sprintf("not %s: there is no function %s()", p.version, name)}
	}
}

func (p *xpathParser) checkArguments(e *xpathCall) error {
	f := e.function
	if len(e.args) < f.required || len(e.args) > len(f.params) && !f.more {
		if p.version > xpath10 && strings.Contains(" matches replace string-join round lang ", " "+f.name+" ") && len(e.args) > 0 {
			return refused(p.version, e.offset, "%s() with %d arguments is not supported", f.name, len(e.args))
		}
		return &SyntaxError{Offset: e.offset, Message: fmt.Sprintf("not %s: %s() takes %s, not %d", p.version, f.name, f.arity(), len(e.args))}
	}
	for i, arg := range e.args {
		if err := checkArgument(p.version, f, f.params[min(i, len(f.params)-1)], arg); err != nil {
			return err
		}
	}
	return nil
}

// arity gives the number of arguments that a function takes, for messages.
func (f *xpathFunction) arity() string {
	switch {
	case f.more:
		return fmt.Sprintf("at least %d arguments", f.required)
	case f.required == len(f.params):
		return fmt.Sprintf("%d arguments", f.required)
	default:
		return fmt.Sprintf("%d to %d arguments", f.required, len(f.params))
	}
}
