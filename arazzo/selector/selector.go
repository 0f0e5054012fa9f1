package selector

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Language is a language that selects parts of data.
type Language uint8

// The languages (Arazzo 1.1, Expression Type Object).
const (
	JSONPath Language = iota
	JSONPointer
	XPath
)

// dialects lists, by Language, its name and its versions, the default first.
var dialects = [...]struct {
	name     string
	versions []string
}{
	JSONPath:    {"jsonpath", []string{"rfc9535", "draft-goessner-dispatch-jsonpath-00"}},
	JSONPointer: {"jsonpointer", []string{"rfc6901"}},
	XPath:       {"xpath", []string{"xpath-31", "xpath-30", "xpath-20", "xpath-10"}},
}

// ParseLanguage gives the language of a name as Arazzo writes it: jsonpath,
// jsonpointer or xpath.
func ParseLanguage(name string) (Language, error) {
	for i := range dialects {
		if dialects[i].name == name {
			return Language(i), nil
		}
	}
	return 0, &SyntaxError{Message: fmt.Sprintf("there is no selector type %q; there are jsonpath, jsonpointer and xpath", name)}
}

// String gives the name as Arazzo writes it.
func (l Language) String() string { return dialects[l].name }

// Versions lists the versions of the language, the default first.
func (l Language) Versions() []string { return slices.Clone(dialects[l].versions) }

// Selector is one compiled selector. It is safe for concurrent use.
type Selector struct {
	language Language
	version  string
	text     string
	query    query
}

// query is what each language does with data.
type query interface {
	selectFrom(v value.Value) (value.Value, error)
	test(v value.Value) (bool, error)
	replace(v, with value.Value) (value.Value, error)
}

// Compile reads a selector of a language in one of its versions; an empty
// version means the default. The error is a *SyntaxError where the text is not
// of the language, an *UnsupportedError where it asks for what is not supported,
// a *LimitError where it is too long or nested too deeply.
func Compile(language Language, version, text string) (*Selector, error) {
	if int(language) >= len(dialects) {
		return nil, fmt.Errorf("selector: there is no language %d", language)
	}
	versions := dialects[language].versions
	if version == "" {
		version = versions[0]
	}
	if !slices.Contains(versions, version) {
		return nil, &SyntaxError{Message: fmt.Sprintf("%s has no version %q; there are %s", language, version, strings.Join(versions, ", "))}
	}
	if len(text) > MaxTextLength {
		return nil, &LimitError{What: "bytes of a selector", Limit: MaxTextLength}
	}
	q, err := compileQuery(language, version, text)
	if err != nil {
		return nil, err
	}
	return &Selector{language: language, version: version, text: text, query: q}, nil
}

func compileQuery(language Language, version, text string) (query, error) {
	switch language {
	case JSONPointer:
		return compilePointer(text)
	case XPath:
		return compileXPath(version, text)
	default:
		return compileJSONPath(version == dialects[JSONPath].versions[1], text)
	}
}

// Language tells what language the selector is written in.
func (s *Selector) Language() Language { return s.language }

// Version gives the version of the language, never empty.
func (s *Selector) Version() string { return s.version }

// String gives the selector as it was written.
func (s *Selector) String() string { return s.text }

// Select gives what the selector finds in v. A JSON Pointer and a singular
// JSONPath query (RFC 9535, section 2.3.5.1) give the value, or value.Absent; any
// other JSONPath query a list. XPath wants a string that holds XML: it gives
// one node as its string-value, several as a list of those, none as
// value.Absent, and a number, a boolean or a string as what it is.
func (s *Selector) Select(v value.Value) (value.Value, error) {
	found, err := s.query.selectFrom(v)
	if err != nil {
		return value.Absent, fmt.Errorf("select %s: %w", s.text, err)
	}
	return found, nil
}

// Test tells whether the selector passes as the condition of a criterion
// (Arazzo 1.1, Criterion Object): a JSONPath that finds at least one node,
// even one that is false or null; an XPath whose effective boolean value is
// true; a JSON Pointer that finds a value.
func (s *Selector) Test(v value.Value) (bool, error) {
	passed, err := s.query.test(v)
	if err != nil {
		return false, fmt.Errorf("test %s: %w", s.text, err)
	}
	return passed, nil
}

// Replace gives v with another value at each place that the selector finds
// (Arazzo 1.1, Payload Replacement Object). It is an error to find none. A
// JSON Pointer also adds a member that an existing object lacks, and appends
// to a list with "-". XPath wants a string that holds XML; it sets the text of
// elements and the value of attributes, and leaves every other byte as it was.
// Where one found place lies within another, the outer one is replaced.
func (s *Selector) Replace(v, with value.Value) (value.Value, error) {
	if with.IsAbsent() {
		return value.Absent, fmt.Errorf("replace %s: there is no value to set", s.text)
	}
	replaced, err := s.query.replace(v, with)
	if err != nil {
		return value.Absent, fmt.Errorf("replace %s: %w", s.text, err)
	}
	return replaced, nil
}
