package selector

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

// shelf holds each kind of node that XPath knows.
const shelf = `<?xml version="1.0"?>
<shelf owner="ann" size="3" xmlns:m="urn:more" xml:lang="en-GB">
<book id="b1" price="10"><title>Alpha</title><tag>x</tag><tag>y</tag></book>
<book id="b2" price="9"><title>Beta</title><m:note>mine</m:note></book>
<!-- a comment --><?sort by title?>
<box><book id="b3"><title><![CDATA[<Gamma> & ]]>more</title></book><book id="b4"/></box>
<total>19.5</total>
</shelf>`

// evalXPath gives the result as text: of a node-set the string-values in brackets.
func evalXPath(t testing.TB, version, text, source string) string {
	t.Helper()
	q, err := compileXPath(version, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	run, result, err := q.(*xpathQuery).evaluate(value.String(source))
	if err != nil {
		return "error: " + err.Error()
	}
	if result.kind != xpathNodes {
		s, err := run.string(result)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return s
	}
	var texts []string
	for _, n := range result.nodes {
		s, err := run.stringValue(n)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		texts = append(texts, s)
	}
	return "[" + strings.Join(texts, "|") + "]"
}

func TestXPath10(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		// Location paths, axes and node tests.
		{"/shelf/book/title", "[Alpha|Beta]"},
		{"//title", "[Alpha|Beta|<Gamma> & more]"},
		{"/shelf/@owner", "[ann]"},
		{"count(/shelf/@*)", "3"},
		{"string(/shelf/@*[2])", "3"},
		{"count(//book)", "4"},
		{"count(//*)", "13"},
		{"count(//@*)", "9"},
		{"count(/shelf/node())", "12"},
		{"count(/shelf/text())", "6"},
		{"count(//comment())", "1"},
		{"string(//comment())", " a comment "},
		{"string(//processing-instruction())", "by title"},
		{"count(//processing-instruction('sort'))", "1"},
		{"count(//processing-instruction('other'))", "0"},
		{"//box/book/title/text()", "[<Gamma> & more]"},
		{"name(/*)", "shelf"},
		{"name(/)", ""},
		{"count(/)", "1"},
		{"//m:note", "[mine]"},
		{"//note", "[]"},
		{"count(//m:*)", "1"},
		{"local-name(//m:note)", "note"},
		{"namespace-uri(//m:note)", "urn:more"},
		{"namespace-uri(//book)", ""},
		{"name(//m:note)", "m:note"},
		{"child::shelf/child::book[1]/child::title", "[Alpha]"},
		{"count(/descendant::book)", "4"},
		{"string(/descendant::book[3]/@id)", "b3"},
		{"//book[1]/@id", "[b1|b3]"},
		{"(//book)[1]/@id", "[b1]"},
		{"//book[last()]/@id", "[b2|b4]"},
		{"//book[position() > 1]/@id", "[b2|b4]"},
		{"//tag[2]/preceding-sibling::*[1]", "[x]"},
		{"//total/preceding::book[1]/@id", "[b4]"},
		{"//total/preceding::book[last()]/@id", "[b1]"},
		{"//book[@id='b4']/ancestor::*[1]/@owner", "[]"},
		{"name(//book[@id='b4']/ancestor::*[1])", "box"},
		{"name(//book[@id='b4']/ancestor::*[last()])", "shelf"},
		{"name(//book[@id='b4']/ancestor-or-self::*[1])", "book"},
		{"count(//book[1]/following::book)", "3"},
		{"count(//book[@id='b1']/following-sibling::*)", "3"},
		{"//book/@id/..", "[Alphaxy|Betamine|<Gamma> & more|]"},
		{"count(//tag/..)", "1"},
		{"count(//book/ancestor::*)", "2"},
		{"count(//title/self::title)", "3"},
		{"count(//title/self::book)", "0"},
		{"count(//title/descendant-or-self::node())", "6"},
		{"//book[tag = 'y']/title", "[Alpha]"},
		{"//book[tag][@price]/title", "[Alpha]"},
		{"//book[not(tag)]/@id", "[b2|b3|b4]"},
		{"//book[@price > 9]/@id", "[b1]"},
		{"//book['x']/@id", "[b1|b2|b3|b4]"},
		{"//book['']/@id", "[]"},
		{"//total | //title[1] | //title[1]", "[Alpha|Beta|<Gamma> & more|19.5]"},
		{"count(//title | //total)", "4"},
		{"//tag/../title", "[Alpha]"},
		{"id('b1')", "[]"},
		// Comparisons.
		{"//book/@price = 9", "true"},
		{"//book/@price != 9", "true"},
		{"//book/@price < //book/@price", "true"},
		{"//title = //tag", "false"},
		{"/none = false()", "true"},
		{"/none = ''", "false"},
		{"//tag = true()", "true"},
		{"'x' = true()", "true"},
		{"1 = true()", "true"},
		{"true() > false()", "true"},
		{"'a' < 'b'", "false"},
		{"'2' < '10'", "true"},
		{"'1' = 1", "true"},
		{"'1.0' = 1", "true"},
		{"1 = 1 = 1", "true"},
		{"3 > 2 > 1", "false"},
		{"'a' = 'A'", "false"},
		{"/none > 1 or /none <= 1", "false"},
		// Arithmetic and numbers.
		{"2 + 3 * 4 - 1", "13"},
		{"6 div 4", "1.5"},
		{"5 mod 2", "1"},
		{"5 mod -2", "1"},
		{"-5 mod 2", "-1"},
		{"1.5 mod 0.5", "0"},
		{"-(3)", "-3"},
		{"--3", "3"},
		{"-//total", "-19.5"},
		{"1 div 0", "Infinity"},
		{"-1 div 0", "-Infinity"},
		{"0 div 0", "NaN"},
		{".5 + .5", "1"},
		{"0.1 + 0.2", "0.30000000000000004"},
		{"string(1000000000000000000000)", "1000000000000000000000"},
		{"string(0.0000001)", "0.0000001"},
		{"string(-0)", "0"},
		{"//total*2", "39"},
		{"count(//book)-1", "3"},
		// Booleans.
		{"1 and 0", "false"},
		{"'' or //book", "true"},
		{"true() and not(false())", "true"},
		{"false() and (1 div 0)", "false"},
		// The library.
		{"sum(/shelf/book/@price)", "19"},
		{"sum(//title)", "NaN"},
		{"sum(/none)", "0"},
		{"number('12')", "12"},
		{"number(' 12.50 ')", "12.5"},
		{"number('1e3')", "NaN"},
		{"number('+1')", "NaN"},
		{"number('')", "NaN"},
		{"number(true())", "1"},
		{"number(//total)", "19.5"},
		{"floor(-1.5)", "-2"},
		{"ceiling(1.2)", "2"},
		{"round(2.5)", "3"},
		{"round(-2.5)", "-2"},
		{"round(1 div 0)", "Infinity"},
		{"1 div round(-0.2)", "-Infinity"},
		{"string(//book[1]/title)", "Alpha"},
		{"string(//title)", "Alpha"},
		{"string(/none)", ""},
		{"string(true())", "true"},
		{"string(1 = 2)", "false"},
		{"concat('a', 1, true(), //tag)", "a1truex"},
		{"starts-with('abc', 'ab')", "true"},
		{"starts-with('abc', '')", "true"},
		{"contains('abc', 'd')", "false"},
		{"contains(/none, '')", "true"},
		{"contains('a10', /shelf/book/@price)", "true"},
		{"substring-before('1999/04/01', '/')", "1999"},
		{"substring-before('abc', 'x')", ""},
		{"substring-after('1999/04/01', '/')", "04/01"},
		{"substring-after('abc', '')", "abc"},
		{"substring-after('abc', 'x')", ""},
		{"substring('12345', 2, 3)", "234"},
		{"substring('12345', 2)", "2345"},
		{"substring('12345', 1.5, 2.6)", "234"},
		{"substring('12345', 0, 3)", "12"},
		{"substring('12345', 0 div 0, 3)", ""},
		{"substring('12345', 1, 0 div 0)", ""},
		{"substring('12345', -42, 1 div 0)", "12345"},
		{"substring('12345', -1 div 0, 1 div 0)", ""},
		{"substring('häß', 2, 1)", "ä"},
		{"string-length('häß')", "3"},
		{"string-length(//total)", "4"},
		{"normalize-space('  a \n b ')", "a b"},
		{"normalize-space(//box/book)", "<Gamma> & more"},
		{"translate('bar', 'abc', 'AB')", "BAr"},
		{"translate('--aaa--', 'abc-', 'ABC')", "AAA"},
		{"translate('aa', 'aa', 'bc')", "bb"},
		{"boolean(0)", "false"},
		{"boolean(0 div 0)", "false"},
		{"boolean('false')", "true"},
		{"boolean(/none)", "false"},
		{"not(0)", "true"},
		{"not('')", "true"},
		{"not(//book)", "false"},
		{"lang('en')", "false"},
		{"count(//title[lang('en')])", "3"},
		{"count(//title[lang('EN-gb')])", "3"},
		{"count(//title[lang('de')])", "0"},
		{"//book[string-length() = 4]/@id", "[]"},
		{"//tag[normalize-space() = 'x']", "[x]"},
		{"//book[count(tag) = 2 and title = 'Alpha']/@id", "[b1]"},
		// Names that are also operators.
		{"count(/shelf/div | /shelf/and)", "0"},
		{"/shelf/book[1]/@price div /shelf/book[2]/@price > 1", "true"},
	} {
		t.Run(c.path, func(t *testing.T) {
			if got := evalXPath(t, "xpath-10", c.path, shelf); got != c.want {
				t.Errorf("%s: got %s, want %s", c.path, got, c.want)
			}
		})
	}
}

func TestXPath31(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"//book[@price > 9]/@id", "[b1]"},
		{"//book[title = 'Alpha']/@id", "[b1]"},
		{"count(/shelf/book) > 1", "true"},
		{"'it''s'", "it's"},
		{`"say ""x"""`, `say "x"`},
		{"lower-case('ABC')", "abc"},
		{"upper-case('straße')", "STRASSE"},
		{"ends-with('abc', 'bc')", "true"},
		{"matches('a1', '^[a-z]\\d$')", "true"},
		{"matches('é', '^\\w$')", "true"},
		{"replace('2024-05', '(\\d+)-(\\d+)', '$2/$1')", "05/2024"},
		{"replace('a.b', '\\.', '\\$')", "a$b"},
		{"string-join(//tag, ', ')", "x, y"},
		{"exists(/none)", "false"},
		{"empty(/none)", "true"},
		{"abs(-2)", "2"},
		{"fn:count(//tag)", "2"},
		{"+1", "1"},
		{"1e3 + 1", "1001"},
		{"number('1e3')", "1000"},
		{"string(number('12345678'))", "1.2345678E7"},
		{"string(12345678)", "12345678"},
		{"string(1e0 div 0)", "INF"},
		{"count(//book) div 8", "0.5"},
		{"/none + 1", "[]"},
		{"floor(/none)", "[]"},
		{"/none + 1 != 2", "false"},
		{"sum(/none)", "0"},
		{"true() > false()", "true"},
		{"(1 = 1) = true()", "true"},
		{"string(//title)", "error: string(): XPath 3.1 allows one node here, there are 3"},
		{"//title + 1", "error: XPath 3.1 allows one node here, there are 3"},
		{"contains(//tag, 'x')", "error: contains(): XPath 3.1 allows one node here, there are 2"},
		{"//title > 1", `error: XPath 3.1 needs a number here, not "Alpha"`},
		{"sum(//title)", `error: sum(): XPath 3.1 needs a number here, not "Alpha"`},
		{"1 div 0", "error: XPath 3.1: division by zero"},
		{"replace('a', 'x*', 'y')", "error: replace(): the pattern matches the empty string"},
		{"matches('a', '[a-z-[aeiou]]')", "error: matches(): subtraction of character classes is not supported"},
	} {
		t.Run(c.path, func(t *testing.T) {
			if got := evalXPath(t, "xpath-31", c.path, shelf); got != c.want {
				t.Errorf("%s: got %s, want %s", c.path, got, c.want)
			}
		})
	}
}

func TestXPathRefusedByName(t *testing.T) {
	for _, c := range []struct{ path, names string }{
		{"//book ! @id", "simple map operator !"},
		{"for $b in //book return $b", "for expression"},
		{"some $b in //book satisfies $b/@id", "some expression"},
		{"every $b in //book satisfies $b/@id", "every expression"},
		{"let $b := 1 return $b", "let expression"},
		{"'a' => upper-case()", "arrow operator =>"},
		{"'a' || 'b'", "string concatenation ||"},
		{"if (//book) then 1 else 2", "if expression"},
		{"map { 'a': 1 }", "map constructor"},
		{"array { 1 }", "array constructor"},
		{"[1, 2]", "array constructor"},
		{"//book, //total", "sequence with a comma"},
		{"(1, 2)", "sequence with a comma"},
		{"()", "empty sequence"},
		{"1 to 3", "range with to"},
		{"//total eq 1", "operator eq"},
		{"//total instance of element()", "instance of"},
		{"//total cast as xs:integer", "cast as"},
		{"//a intersect //b", "operator intersect"},
		{"//a union //b", "operator union"},
		{"//a/(b | c)", "step that is no location step"},
		{"//a/string()", "step string()"},
		{"*:book", "wildcard for a prefix"},
		{"Q{urn:x}book", "a name with its namespace in braces"},
		{"(: why :) 1", "comments"},
		{"distinct-values(//tag)", "distinct-values()"},
		{"xs:integer('1')", "xs:integer()"},
		{"tokenize('a b')", "tokenize()"},
		{"matches('a', 'A', 'i')", "matches()"},
		{"id('b1')", "id()"},
		{"namespace::*", "namespace axis"},
		{"'a' < 'b'", "orders strings"},
		{"//a < //b", "orders strings"},
		{"//a > '1'", "orders strings"},
		{"1 = '1'", "type error"},
		{"true() = 1", "type error"},
		{"'1' + 1", "arithmetic with a string"},
		{"//a = true()", "boolean"},
		{"contains(1, '1')", "contains() with a number"},
		{"floor('1')", "floor() with a string"},
		{"0.1 + 0.2", "decimals"},
		{"count(//a) * 1.5", "decimals"},
		{"count('a')", "count() of a string"},
		{"-//a | //b", "sign before a union"},
		{"function($x) { $x }", "inline function"},
	} {
		t.Run(c.path, func(t *testing.T) {
			_, err := Compile(XPath, "", c.path)
			var unsupported *UnsupportedError
			if !errors.As(err, &unsupported) || !strings.Contains(err.Error(), c.names) {
				t.Errorf("%s: got %v, want it to be unsupported and to name %q", c.path, err, c.names)
			}
		})
	}
}

func TestXPathSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		version, path string
		offset        int
	}{
		{"", "", 0},
		{"", "/shelf/", 7},
		{"", "//", 2},
		{"", "/shelf/book[", 12},
		{"", "/shelf]", 6},
		{"", "1 2", 2},
		{"", "'open", 0},
		{"", "nothing-like-it(1)", 0},
		{"", "count()", 0},
		{"", "$x", 0},
		{"", "sideways::a", 0},
		{"", "a = b = c", 6},
		{"", "a ; b", 2},
		{"xpath-10", "'a' || 'b'", 4},
		{"xpath-10", "lower-case('A')", 0},
		{"xpath-10", "count('a')", 6},
		{"xpath-10", "'a' | 'b'", 4},
		{"xpath-10", "'a'[1]", 3},
		{"xpath-10", ".[1]", 1},
		{"xpath-20", "a ! b", 2},
	} {
		t.Run(c.version+" "+c.path, func(t *testing.T) {
			_, err := Compile(XPath, c.version, c.path)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%s: got %v, want a syntax error", c.path, err)
			}
			if syntax.Offset != c.offset {
				t.Errorf("%s: got offset %d, want %d (%v)", c.path, syntax.Offset, c.offset, err)
			}
		})
	}
}

func TestXPathSelect(t *testing.T) {
	for _, c := range []struct{ name, path, want string }{
		{"one node is its string-value", "/shelf/total", `"19.5"`},
		{"several nodes are a list", "//tag", `["x","y"]`},
		{"no node is absent", "/none", "absent"},
		{"a number", "count(//tag)", "2"},
		{"a number with a fraction", "/shelf/total * 2", "39"},
		{"a boolean", "count(//tag) = 2", "true"},
		{"a string", "concat('a', 'b')", `"ab"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(XPath, "", c.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Select(value.String(shelf))
			if err != nil || got.String() != c.want {
				t.Errorf("%s: got %s, %v; want %s", c.path, got, err, c.want)
			}
		})
	}
}

func TestXPathTest(t *testing.T) {
	for _, c := range []struct {
		path string
		want bool
	}{
		{"//tag", true}, {"/none", false}, {"count(/none)", false}, {"count(//tag)", true},
		{"''", false}, {"'false'", true}, {"false()", false}, {"number('x')", false},
	} {
		s, err := Compile(XPath, "", c.path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Test(value.String(shelf)); err != nil || got != c.want {
			t.Errorf("%s: got %v, %v; want %v", c.path, got, err, c.want)
		}
	}
}

func TestXPathReplace(t *testing.T) {
	for _, c := range []struct{ name, path, source, with, want string }{
		{"an element", "/o/id", "<o><id>0</id></o>", `"9"`, "<o><id>9</id></o>"},
		{"a number keeps its text", "/o/id", "<o><id>0</id></o>", "10.10", "<o><id>10.10</id></o>"},
		{"every match", "//id", "<o><id>0</id><id/></o>", "1", "<o><id>1</id><id>1</id></o>"},
		{"an element without an end tag", "/o/a:id", `<o xmlns:a="u"><a:id x='1' /></o>`, "1", `<o xmlns:a="u"><a:id x='1' >1</a:id></o>`},
		{"what an element held is gone", "/o", "<o><a/>t<b>x</b></o>", `"n"`, "<o>n</o>"},
		{"an attribute", "/o/@a", `<o b="2" a = '1'/>`, `"it's \"<&"`, `<o b="2" a = 'it&#39;s &#34;&lt;&amp;'/>`},
		{"a text", "/o/text()", "<o>a<![CDATA[b]]>c<x/></o>", `"n"`, "<o>n<x/></o>"},
		{"markup is text", "/o", "<o/>", `"<b>"`, "<o>&lt;b&gt;</o>"},
		{"the rest is untouched", "//id", "<?xml version='1.0'?>\r\n<!-- c -->\n<o  a='1'\t>\n  <id>0</id >\n</o>\n", "7",
			"<?xml version='1.0'?>\r\n<!-- c -->\n<o  a='1'\t>\n  <id>7</id >\n</o>\n"},
		{"the outer of two places", "//a", "<r><a>1<a>2</a></a><a/></r>", "0", "<r><a>0</a><a>0</a></r>"},
		{"an element and its attribute", "/o | /o/@a", "<o a='1'>2</o>", "3", "<o a='3'>3</o>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(XPath, "", c.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Replace(value.String(c.source), parse(t, c.with))
			if text, _ := got.Str(); err != nil || text != c.want {
				t.Errorf("got %q, %v; want %q", text, err, c.want)
			}
		})
	}
}

func TestXPathReplaceErrors(t *testing.T) {
	for _, c := range []struct{ name, path, source, with, says string }{
		{"no match", "/x", "<o/>", "1", ErrNoMatch.Error()},
		{"no nodes", "count(/o)", "<o/>", "1", "gives a number"},
		{"a comment", "//comment()", "<o><!-- --></o>", "1", "a comment"},
		{"the document", "/", "<o/>", "1", "the whole document"},
		{"a character that XML lacks", "/o", "<o/>", `"\u0000"`, "cannot hold"},
		{"no XML", "/o", "{}", "1", "XML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(XPath, "", c.path)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := s.Replace(value.String(c.source), parse(t, c.with)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %s, %v; want an error that says %q", got, err, c.says)
			}
		})
	}
}
