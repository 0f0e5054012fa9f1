package selector

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestXMLThatIsRefused(t *testing.T) {
	laughs := `<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "` + strings.Repeat("&a;", 100) + `">]><l>&b;</l>`
	for _, c := range []struct{ name, source string }{
		{"nothing", ""},
		{"white space", "  \n"},
		{"plain text", "hello"},
		{"text before the root", "x<a/>"},
		{"text after the root", "<a/>x"},
		{"two roots", "<a/><b/>"},
		{"an open element", "<a><b></a>"},
		{"an end without a start", "</a>"},
		{"an unfinished tag", "<a b='1'"},
		{"one attribute twice", "<a b='1' b='2'/>"},
		{"a prefix that is not declared", "<x:a/>"},
		{"an attribute's prefix that is not declared", "<a x:b='1'/>"},
		{"an entity that is not declared", "<a>&nope;</a>"},
		{"an entity that is declared", `<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>`},
		{"entities within entities", laughs},
		{"an external entity", `<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>`},
		{"bytes that are not UTF-8", "<a>\xe9</a>"},
		{"bytes of an unknown encoding", "<?xml version='1.0' encoding='klingon'?><a>\xe9</a>"},
		{"bytes that are not of their encoding", "<?xml version='1.0' encoding='us-ascii-x'?><a>\xe9</a>"},
		{"a control character", "<a>\x01</a>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parseXML(c.source); err == nil {
				t.Errorf("%q was read", c.source)
			}
		})
	}
}

func TestXMLThatIsRead(t *testing.T) {
	for _, c := range []struct{ name, source string }{
		{"a document type that declares nothing", `<!DOCTYPE html PUBLIC "-//W3C//DTD" "http://example.org/dtd"><a/>`},
		{"another encoding declared, but UTF-8 written", "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>"},
		{"a byte order mark", "\ufeff<a/>"},
		{"comments and instructions around the root", "<!--x--><?y?><a/><!--z-->"},
		{"a default namespace", `<a xmlns="urn:a"><b xmlns=""/></a>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := parseXML(c.source); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAttributesAreNormalized(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"<a b='x'/>", "x"},
		{"<a b='x\ty\nz\r\nw'/>", "x y z w"},
		{"<a b='x&#9;y\n&amp;&#10;z > \"'/>", "x\ty &\nz > \""},
		{"<a\n b\t=\n'&lt;&#x41;'/>", "<A"},
	} {
		doc, err := parseXML(c.source)
		if err != nil {
			t.Errorf("%q: %v", c.source, err)
			continue
		}
		if got := doc.element().attributes[0].text; got != c.want {
			t.Errorf("%q: got %q, want %q", c.source, got, c.want)
		}
	}
}

func TestXMLLimits(t *testing.T) {
	var limit *LimitError
	if _, err := parseXML(strings.Repeat("<a>", 100_000) + strings.Repeat("</a>", 100_000)); !errors.As(err, &limit) {
		t.Errorf("100,000 elements deep: got %v, want a limit", err)
	}
	if _, err := parseXML(strings.Repeat("<a>", MaxXMLDepth) + strings.Repeat("</a>", MaxXMLDepth)); err != nil {
		t.Errorf("%d elements deep: %v", MaxXMLDepth, err)
	}
	if _, err := parseXML(strings.Repeat(" ", MaxXMLSize) + "<a/>"); !errors.As(err, &limit) {
		t.Errorf("too many bytes: got %v, want a limit", err)
	}
}

func TestXPathCountsItsWork(t *testing.T) {
	wide := value.String("<r>" + strings.Repeat("<a><b><c>1</c></b></a>", 20_000) + "</r>")
	for _, path := range []string{"//*[count(//*) > 1]", "//*[following::c = 2]", "//c[. = //b]/preceding::*", "//*[contains(/, 'x')]"} {
		s, err := Compile(XPath, "", path)
		if err != nil {
			t.Fatal(err)
		}
		var limit *LimitError
		started := time.Now()
		if _, err := s.Test(wide); !errors.As(err, &limit) {
			t.Errorf("%s on a large document: got %v, want a limit", path, err)
		}
		t.Logf("%s refused after %s", path, time.Since(started).Round(time.Millisecond))
	}
	for _, text := range []string{strings.Repeat("(", 60_000), strings.Repeat("a[", 30_000), strings.Repeat("not(", 10_000)} {
		var limit *LimitError
		if _, err := Compile(XPath, "", text); !errors.As(err, &limit) {
			t.Errorf("%.10s…: got %v, want a limit", text, err)
		}
	}
	long := strings.Repeat("1+", 30_000) + "1"
	if got := evalXPath(t, "xpath-10", long, "<a/>"); got != "30001" {
		t.Errorf("a long sum: got %s", got)
	}
}
