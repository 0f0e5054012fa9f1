package selector

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/theory/jsonpath/registry"
	"github.com/theory/jsonpath/spec"
	"github.com/weft-flow/weft/arazzo/value"
)

// exactFunctions gives the functions that makeExact writes, beside those of
// RFC 9535.
func exactFunctions() *registry.Registry {
	functions := registry.New()
	add := func(name string, count int, result spec.FuncType, call spec.Evaluator) {
		if err := functions.Register(name, result, wantValues(count), call); err != nil {
			panic(err) // two names are the same: not to be had from input
		}
	}
	logical := func(call func(a, b spec.PathValue) bool) spec.Evaluator {
		return func(args []spec.PathValue) spec.PathValue { return spec.Logical(call(args[0], args[1])) }
	}
	add("equal_to", 2, spec.FuncLogical, logical(equalTo))
	add("less_than", 2, spec.FuncLogical, logical(lessThan))
	add("more_than", 2, spec.FuncLogical, logical(func(a, b spec.PathValue) bool { return lessThan(b, a) }))
	add("at_most", 2, spec.FuncLogical, logical(func(a, b spec.PathValue) bool { return lessThan(a, b) || equalTo(a, b) }))
	add("at_least", 2, spec.FuncLogical, logical(func(a, b spec.PathValue) bool { return lessThan(b, a) || equalTo(a, b) }))
	add("truthy", 1, spec.FuncLogical, func(args []spec.PathValue) spec.PathValue { return spec.Logical(truthy(args[0])) })
	add("exact_number", 1, spec.FuncValue, func(args []spec.PathValue) spec.PathValue {
		text, _ := spec.ValueFrom(args[0]).Value().(string)
		return spec.Value(json.Number(text))
	})
	return functions
}

func wantValues(count int) spec.Validator {
	return func(args []spec.FuncExprArg) error {
		if len(args) != count {
			return fmt.Errorf("expected %d arguments but found %d", count, len(args))
		}
		for _, arg := range args {
			if !arg.ConvertsTo(spec.FuncValue) {
				return errors.New("compares a list of nodes")
			}
		}
		return nil
	}
}

// equalTo is == (RFC 9535, section 2.3.5.2.2): two that are not there are equal.
func equalTo(a, b spec.PathValue) bool {
	left, right := spec.ValueFrom(a), spec.ValueFrom(b)
	if left == nil || right == nil {
		return left == nil && right == nil
	}
	return equalData(left.Value(), right.Value())
}

func lessThan(a, b spec.PathValue) bool {
	left, right := spec.ValueFrom(a), spec.ValueFrom(b)
	if left == nil || right == nil {
		return false
	}
	if l, ok := left.Value().(string); ok {
		r, ok := right.Value().(string)
		return ok && l < r
	}
	l, leftIsNumber := numberOf(left.Value())
	r, rightIsNumber := numberOf(right.Value())
	if !leftIsNumber || !rightIsNumber {
		return false
	}
	order, ok := value.Order(l, r)
	return ok && order < 0
}

// truthy tells whether a script takes a value for true.
func truthy(a spec.PathValue) bool {
	v := spec.ValueFrom(a)
	if v == nil {
		return false
	}
	switch data := v.Value().(type) {
	case nil:
		return false
	case bool:
		return data
	case string:
		return data != ""
	default:
		number, ok := numberOf(data)
		return !ok || !value.Identical(number, value.Int(0))
	}
}

func equalData(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !equalData(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name := range a {
			other, ok := b[name]
			if !ok || !equalData(a[name], other) {
				return false
			}
		}
		return true
	}
	left, isNumber := numberOf(a)
	right, otherIsNumber := numberOf(b)
	if isNumber || otherIsNumber {
		return isNumber && otherIsNumber && value.Identical(left, right)
	}
	return isPlain(a) && isPlain(b) && a == b
}

// isPlain tells whether data can be compared with ==.
func isPlain(data any) bool {
	switch data.(type) {
	case nil, bool, string:
		return true
	default:
		return false
	}
}

// numberOf gives data as an exact number where it is one.
func numberOf(data any) (value.Value, bool) {
	var text string
	switch data := data.(type) {
	case json.Number:
		text = string(data)
	case int:
		return value.Int(int64(data)), true
	case int64:
		return value.Int(data), true
	case float64:
		text = strconv.FormatFloat(data, 'g', -1, 64)
	default:
		return value.Absent, false
	}
	number, err := value.Number(text)
	return number, err == nil
}
