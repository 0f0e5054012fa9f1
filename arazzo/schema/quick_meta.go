package schema

import (
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// isPlainSchema tells whether v is surely a JSON Schema 2020-12: of the keywords that
// refer and identify it knows $ref alone. Of anything else nothing is sure.
func isPlainSchema(l *look, v value.Value) bool {
	l.unsure = l.unsure || !plainSchema(v)
	return !l.unsure
}

func plainSchema(v value.Value) bool {
	if v.Kind() == value.KindBool {
		return true
	}
	return v.Kind() == value.KindObject && !slices.ContainsFunc(v.Members(), func(m value.Member) bool { return !plainKeyword(m.Name, m.Value) })
}

// plainKeyword tells whether a keyword of a schema has a value that it may have.
func plainKeyword(name string, given value.Value) bool {
	switch name {
	case "items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema":
		return plainSchema(given)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return given.Len() > 0 && eachItem(given, plainSchema)
	case "properties", "$defs", "definitions", "dependentSchemas":
		return eachMember(given, func(m value.Member) bool { return plainSchema(m.Value) })
	case "patternProperties":
		return eachMember(given, func(m value.Member) bool { return isPlainPattern(value.String(m.Name)) && plainSchema(m.Value) })
	case "type":
		return isTypeName(given) || given.Len() > 0 && eachItem(given, isTypeName) && areUnique(given.Items())
	case "enum", "examples":
		return given.Kind() == value.KindArray
	case "required":
		return areNames(given)
	case "dependentRequired":
		return eachMember(given, func(m value.Member) bool { return areNames(m.Value) })
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return given.Kind() == value.KindNumber
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		n, ok := given.Int64()
		return ok && n >= 0
	case "multipleOf":
		n, ok := given.Int64()
		return ok && n > 0
	case "pattern":
		return isPlainPattern(given)
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return given.Kind() == value.KindBool
	case "title", "description", "format", "contentEncoding", "contentMediaType", "$comment":
		return given.Kind() == value.KindString
	case "$ref":
		text, ok := given.Str()
		return ok && isURIReference(text)
	case "$schema":
		return given.Text() == metaSchema
	case "dependencies":
		return false
	default: // const, default, and what is no keyword
		return !strings.HasPrefix(name, "$")
	}
}

func eachItem(v value.Value, is func(value.Value) bool) bool {
	return v.Kind() == value.KindArray && !slices.ContainsFunc(v.Items(), func(item value.Value) bool { return !is(item) })
}

func eachMember(v value.Value, is func(value.Member) bool) bool {
	return v.Kind() == value.KindObject && !slices.ContainsFunc(v.Members(), func(m value.Member) bool { return !is(m) })
}

var typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

func isTypeName(v value.Value) bool {
	name, ok := v.Str()
	return ok && slices.Contains(typeNames, name)
}

func areNames(v value.Value) bool {
	return eachItem(v, func(name value.Value) bool { return name.Kind() == value.KindString }) && areUnique(v.Items())
}

// isPlainPattern tells whether v is a pattern that Go reads.
func isPlainPattern(v value.Value) bool {
	text, ok := v.Str()
	if !ok {
		return false
	}
	_, err := syntax.Parse(text, syntax.Perl)
	return err == nil
}
