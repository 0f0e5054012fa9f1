package contract

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// deepestElement bounds how deep elements are looked into for states.
const deepestElement = 16

// spokenBody gives what a response says, to be looked into for states: of XML the elements
// beneath its root, by their local names, each the first of its name.
func spokenBody(r *executor.Response) value.Value {
	if contentType, _ := r.Header.Get("Content-Type"); !strings.Contains(contentType, "xml") {
		body, _ := value.ParseJSON(r.Body)
		return body
	}
	d := xml.NewDecoder(bytes.NewReader(r.Body))
	for {
		token, err := d.Token()
		if err != nil {
			return value.Absent
		}
		if _, begins := token.(xml.StartElement); begins {
			body, err := elementValue(d, 0)
			if err != nil {
				return value.Absent
			}
			return body
		}
	}
}

var errTooDeep = errors.New("elements are nested too deep")

// elementValue reads an element to its end: its text where it has no elements.
func elementValue(d *xml.Decoder, depth int) (value.Value, error) {
	if depth > deepestElement {
		return value.Absent, errTooDeep
	}
	var text strings.Builder
	var members []value.Member
	known := map[string]bool{}
	for {
		token, err := d.Token()
		switch t := token.(type) {
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			v, err := elementValue(d, depth+1)
			if err != nil {
				return value.Absent, err
			}
			if !known[t.Name.Local] {
				known[t.Name.Local] = true
				members = append(members, value.Member{Name: t.Name.Local, Value: v})
			}
		case xml.EndElement:
			if len(members) > 0 {
				return value.Object(members...), nil
			}
			return value.String(strings.TrimSpace(text.String())), nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return value.Absent, err
		}
	}
}
