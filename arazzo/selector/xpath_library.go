package selector

import (
	"errors"
	"math"
	"strings"
)

type xpathCallable = func(x *xpathRun, c xpathContext, args []xpathValue) (xpathValue, error)

// texts converts arguments to strings; without arguments it gives the string of
// the context node.
func (x *xpathRun) texts(c xpathContext, args []xpathValue) ([]string, error) {
	if len(args) == 0 {
		args = []xpathValue{nodesValue(c.node)}
	}
	texts := make([]string, len(args))
	for i, arg := range args {
		text, err := x.string(arg)
		if err != nil {
			return nil, err
		}
		if err := x.budget.spend(len(text) / 64); err != nil {
			return nil, err
		}
		texts[i] = text
	}
	return texts, nil
}

// textsFunction makes a function of one on strings.
func textsFunction(f func(texts []string) xpathValue) xpathCallable {
	return func(x *xpathRun, c xpathContext, args []xpathValue) (xpathValue, error) {
		texts, err := x.texts(c, args)
		if err != nil {
			return xpathValue{}, err
		}
		return f(texts), nil
	}
}

func textFunction(f func(text string) xpathValue) xpathCallable {
	return textsFunction(func(texts []string) xpathValue { return f(texts[0]) })
}

// nameFunction makes a function of one on the first node, or the context node.
func nameFunction(f func(*xmlNode) string) xpathCallable {
	return func(x *xpathRun, c xpathContext, args []xpathValue) (xpathValue, error) {
		n := c.node
		if len(args) > 0 {
			single, err := x.single(args[0])
			if err != nil {
				return xpathValue{}, err
			}
			n = single
		}
		if n == nil || n.kind == xmlText || n.kind == xmlComment {
			return textValue(""), nil
		}
		return textValue(f(n)), nil
	}
}

// roundingFunction makes a function of one on a number; it keeps the kind of
// number.
func roundingFunction(f func(float64) float64) xpathCallable {
	return func(x *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
		n, ok, err := x.operand(args[0])
		if !ok || err != nil {
			return xpathValue{}, err
		}
		n.number = f(n.number)
		return n, nil
	}
}

func callLast(_ *xpathRun, c xpathContext, _ []xpathValue) (xpathValue, error) {
	return integerValue(c.size), nil
}

func callPosition(_ *xpathRun, c xpathContext, _ []xpathValue) (xpathValue, error) {
	return integerValue(c.position), nil
}

func callCount(_ *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	return integerValue(len(args[0].nodes)), nil
}

// callID finds nothing: what an ID is, only a document type can declare, and
// that is refused.
func callID(*xpathRun, xpathContext, []xpathValue) (xpathValue, error) { return nodesValue(), nil }

func callConcat(x *xpathRun, c xpathContext, args []xpathValue) (xpathValue, error) {
	texts, err := x.texts(c, args)
	if err != nil {
		return xpathValue{}, err
	}
	return textValue(strings.Join(texts, "")), nil
}

func substringBefore(s []string) xpathValue {
	before, _, found := strings.Cut(s[0], s[1])
	if !found {
		return textValue("")
	}
	return textValue(before)
}

func substringAfter(s []string) xpathValue {
	_, after, _ := strings.Cut(s[0], s[1])
	return textValue(after)
}

// callSubstring keeps the characters whose position is at least the rounded
// start, and less than that plus the rounded length.
func callSubstring(x *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	text, err := x.string(args[0])
	if err != nil {
		return xpathValue{}, err
	}
	from, ok, err := x.operand(args[1])
	if err != nil {
		return xpathValue{}, err
	}
	end := math.Inf(1)
	if len(args) == 3 && ok {
		length, hasLength, err := x.operand(args[2])
		if err != nil {
			return xpathValue{}, err
		}
		ok, end = hasLength, round(from.number)+round(length.number)
	}
	if !ok {
		return xpathValue{}, errors.New("a position is needed here, and there is no node")
	}
	start := round(from.number)
	var out strings.Builder
	position := 0.0
	for _, r := range text {
		position++
		if position >= start && position < end {
			out.WriteRune(r)
		}
	}
	return textValue(out.String()), x.budget.spend(len(text) / 64)
}

func translate(s []string) xpathValue {
	to := []rune(s[2])
	become := map[rune]rune{}
	for i, r := range []rune(s[1]) {
		if _, twice := become[r]; twice {
			continue
		}
		become[r] = -1
		if i < len(to) {
			become[r] = to[i]
		}
	}
	return textValue(strings.Map(func(r rune) rune {
		if other, ok := become[r]; ok {
			return other
		}
		return r
	}, s[0]))
}

func callBoolean(_ *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	return boolValue(args[0].boolean()), nil
}

func callNot(_ *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	return boolValue(!args[0].boolean()), nil
}

// callLang looks for xml:lang on the context node and above.
func callLang(x *xpathRun, c xpathContext, args []xpathValue) (xpathValue, error) {
	want, err := x.string(args[0])
	if err != nil {
		return xpathValue{}, err
	}
	for n := c.node; n != nil; n = n.parent {
		for _, a := range n.attributes {
			if a.prefix == "xml" && a.local == "lang" {
				have, want := strings.ToLower(a.text), strings.ToLower(want)
				return boolValue(have == want || strings.HasPrefix(have, want+"-")), nil
			}
		}
	}
	return boolValue(false), nil
}

func callNumber(x *xpathRun, c xpathContext, args []xpathValue) (xpathValue, error) {
	if len(args) == 0 {
		args = []xpathValue{nodesValue(c.node)}
	}
	number, err := x.number(args[0])
	return doubleValue(number), err
}

func callSum(x *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	if len(args[0].nodes) == 0 {
		return integerValue(0), nil
	}
	total := 0.0
	for _, n := range args[0].nodes {
		v, _, err := x.operand(nodesValue(n))
		if err != nil {
			return xpathValue{}, err
		}
		total += v.number
	}
	return doubleValue(total), nil
}

func callStringJoin(x *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	separator, err := x.string(args[1])
	if err != nil {
		return xpathValue{}, err
	}
	texts := make([]string, len(args[0].nodes))
	for i, n := range args[0].nodes {
		if texts[i], err = x.stringValue(n); err != nil {
			return xpathValue{}, err
		}
	}
	if err := x.budget.spend(len(texts) * (1 + len(separator)/64)); err != nil {
		return xpathValue{}, err
	}
	return textValue(strings.Join(texts, separator)), nil
}
