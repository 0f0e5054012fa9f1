package selector

import (
	"strings"
	"testing"
)

// TestXMLIsReadInTheEncodingThatItDeclares, whoever sends it: old services do not
// write UTF-8.
func TestXMLIsReadInTheEncodingThatItDeclares(t *testing.T) {
	for source, want := range map[string]string{
		"<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\xe9</a>":                     "café",
		"<?xml version=\"1.0\" encoding=\"windows-1252\" ?><a>5 \x80</a>":               "5 €",
		"<?xml version='1.0' encoding='ISO-8859-1'?><a>café</a>":                        "café", // it is UTF-8 all the same
		"<?xml version='1.0' encoding='Shift_JIS'?><a>\x93\xfa\x96\x7b</a>":             "日本",
		"<?xml version='1.0'\n encoding = 'iso-8859-15'\nstandalone='yes'?><a>\xa4</a>": "€",
	} {
		doc, err := parseXML(source)
		if err != nil {
			t.Errorf("%q: %v", source, err)
			continue
		}
		if got := doc.element().children[0].text; got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}

// TestWhatIsWrongWithXMLIsSaid: what is well-formed is not called anything else.
func TestWhatIsWrongWithXMLIsSaid(t *testing.T) {
	for source, want := range map[string]string{
		"<a><b></a>":                         "not well-formed XML: line 1: element <b> closed by </a>",
		"<!DOCTYPE a [<!ENTITY e 'x'>]><a/>": "XML that is not read: a document type that declares something is refused",
		"<?xml version='1.0' encoding='klingon'?><a>\xe9</a>":       `XML that is not read: its encoding "klingon" is not known`,
		"<?xml version='1.0' encoding='shift_jis'?><a>\xfd\xfd</a>": `XML that is not read: it is not in the encoding "shift_jis" that it declares`,
	} {
		if _, err := parseXML(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}
