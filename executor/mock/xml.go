package mock

import (
	"bytes"
	"encoding/xml"

	"github.com/weft-flow/weft/arazzo/value"
)

// appendXML writes a value as an element: members as elements, an array as one
// element for each of its own. It knows nothing of the XML Object of OpenAPI: who
// needs a certain document writes it as an example.
func appendXML(dst []byte, name string, v value.Value) []byte {
	if v.Kind() == value.KindArray {
		for _, item := range v.Items() {
			dst = appendXML(dst, name, item)
		}
		return dst
	}
	dst = append(dst, '<')
	dst = append(append(dst, name...), '>')
	if v.Kind() == value.KindObject {
		for _, m := range v.Members() {
			dst = appendXML(dst, m.Name, m.Value)
		}
	} else {
		var text bytes.Buffer
		_ = xml.EscapeText(&text, []byte(v.Text())) // a Buffer takes everything
		dst = append(dst, text.Bytes()...)
	}
	dst = append(dst, '<', '/')
	return append(append(dst, name...), '>')
}
