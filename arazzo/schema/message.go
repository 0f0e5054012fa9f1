package schema

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// message tells a reason in plain words. It never repeats a string of the value.
func message(f *finding, schema, at value.Value) string {
	if schema.IsAbsent() {
		return libraryMessage(f)
	}
	want := schema.Get(f.keyword)
	switch f.keyword {
	case "type":
		return "expected " + orList(wants(Fault{Keyword: "type", Schema: schema})) + ", this is " + described(at)
	case "enum":
		return notListed(schema, at, f)
	case "const":
		if f.ofName {
			return unknownName(at, []string{shown(want)})
		}
		return "expected " + shown(want) + number(schema, at)
	case "format":
		return "not a valid " + want.Text()
	case "pattern":
		if strings.HasPrefix(f.text, "the pattern could not be tried") {
			return f.text
		}
		return "does not match the pattern " + schema.Get("pattern").Text()
	case "minimum":
		return "expected at least " + want.Text() + number(schema, at)
	case "maximum":
		return "expected at most " + want.Text() + number(schema, at)
	case "exclusiveMinimum":
		return "expected more than " + want.Text() + number(schema, at)
	case "exclusiveMaximum":
		return "expected less than " + want.Text() + number(schema, at)
	case "multipleOf":
		return "expected a multiple of " + want.Text() + number(schema, at)
	case "minLength":
		return "expected at least " + counted(want, "character")
	case "maxLength":
		return "expected at most " + counted(want, "character")
	case "minItems":
		return fmt.Sprintf("expected at least %s, there are %d", counted(want, "item"), at.Len())
	case "maxItems":
		return fmt.Sprintf("expected at most %s, there are %d", counted(want, "item"), at.Len())
	case "minProperties":
		return fmt.Sprintf("expected at least %s, there are %d", counted(want, "member"), at.Len())
	case "maxProperties":
		return fmt.Sprintf("expected at most %s, there are %d", counted(want, "member"), at.Len())
	case "minContains":
		return "too few items are as one of them has to be"
	case "maxContains":
		return "too many items are as only some of them may be"
	case "oneOf":
		return "fits more than one of the alternatives, expected exactly one"
	case "not", "", "unevaluatedItems":
		return "not allowed here"
	case "unevaluatedProperties":
		return "unknown property " + f.instance[len(f.instance)-1]
	default:
		return f.text
	}
}

// notListed tells what an enum wants, and what is nearest.
func notListed(schema, at value.Value, f *finding) string {
	listed := wants(Fault{Keyword: "enum", Schema: schema})
	if f.ofName {
		return unknownName(at, listed)
	}
	expected := "expected " + listed[0]
	if len(listed) > 1 {
		expected = "expected one of " + strings.Join(listed, ", ")
	}
	if at.Kind() != value.KindString {
		expected += ", this is " + described(at)
	}
	return expected
}

// listedNames is the greatest count of names that a message lists.
const listedNames = 8

// unknownName tells which names there are, or which of them was meant.
func unknownName(at value.Value, known []string) string {
	name := at.Text()
	if near := suggestion(name, known); near != "" || len(known) > listedNames {
		return "unknown name " + name + near
	}
	return "unknown name " + name + ", expected " + orList(known)
}

// libraryMessage rewords what the library says, for the meta-schema, whose text
// is not at hand.
func libraryMessage(f *finding) string {
	switch f.keyword {
	case "type":
		if want, got, ok := strings.Cut(strings.TrimPrefix(f.text, "expected "), ", but got "); ok {
			return "expected " + want + ", this is " + article(got)
		}
	case "enum", "const":
		return strings.ReplaceAll(strings.Replace(f.text, "value must be", "expected", 1), `"`, "")
	case "format":
		if at := strings.LastIndex(f.text, " is not valid "); at >= 0 {
			return "not a valid " + strings.Trim(f.text[at+len(" is not valid "):], "'")
		}
	case "minItems":
		return "the list is empty"
	}
	return f.text
}

// described names the kind of a value with its article.
func described(v value.Value) string { return article(v.Kind().String()) }

func article(kind string) string {
	switch kind {
	case "null", "absent":
		return "null"
	case "array", "object", "integer":
		return "an " + kind
	default:
		return "a " + kind
	}
}

// number repeats a number or boolean, unless the schema calls it a password.
func number(schema, at value.Value) string {
	if format, _ := schema.Get("format").Str(); format == "password" {
		return ""
	}
	if kind := at.Kind(); kind == value.KindNumber || kind == value.KindBool {
		return ", this is " + at.Text()
	}
	return ""
}

// shown gives a value of a schema as messages write it.
func shown(v value.Value) string {
	if text, ok := v.Str(); ok && plainWord.MatchString(text) {
		return text
	}
	return v.String()
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_.$/-]+$`)

func counted(n value.Value, what string) string {
	if n.Text() == "1" {
		return "1 " + what
	}
	return n.Text() + " " + what + "s"
}

// orList joins words with commas and, before the last, or.
func orList(words []string) string {
	switch n := len(words); n {
	case 0:
		return "something else"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
}

// duplicate tells which items of a list are equal.
func duplicate(f *finding) (value.Pointer, string) {
	var first, second int
	if _, err := fmt.Sscanf(f.text, "items at index %d and %d are equal", &first, &second); err != nil {
		return f.instance, "the list holds the same item twice"
	}
	place := append(f.instance[:len(f.instance):len(f.instance)], fmt.Sprint(second))
	return place, fmt.Sprintf("the list holds this item twice (items %d and %d)", first+1, second+1)
}
