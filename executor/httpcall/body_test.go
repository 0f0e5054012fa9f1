package httpcall

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

func ptr[T any](v T) *T { return &v }

func TestBodies(t *testing.T) {
	encoding := &source.MediaType{Encoding: map[string]*openapi3.Encoding{
		"csv":  {Explode: ptr(false)},
		"deep": {Style: "deepObject", Explode: ptr(true)},
		"flat": {Style: "form"},
		"text": {ContentType: "application/json"},
	}}
	tests := []struct {
		name, contentType, value string
		verbatim                 bool
		declared                 *source.MediaType
		want                     string
	}{
		{"JSON keeps members and numbers", "application/json", `{"b":10.10,"a":9007199254740993,"n":null}`, false, nil, `{"b":10.10,"a":9007199254740993,"n":null}`},
		{"a string as JSON", "application/json", `"a\"b"`, false, nil, `"a\"b"`},
		{"a template as JSON", "application/json; charset=utf-8", `" {\"a\": 1.0} "`, true, nil, ` {"a": 1.0} `},
		{"null as JSON", "application/problem+json", `null`, false, nil, `null`},
		{"an object as a form", "application/x-www-form-urlencoded", `{"grant":"a b&c","code":"x1","n":1.0,"x":null}`, false, nil, `grant=a%20b%26c&code=x1&n=1.0`},
		{"lists in a form", "application/x-www-form-urlencoded", `{"t":["a","b"],"e":[]}`, false, nil, `t=a&t=b`},
		{"objects in a form", "application/x-www-form-urlencoded", `{"o":{"k":[1]},"l":[{"a":1}]}`, false, nil, `o=%7B%22k%22%3A%5B1%5D%7D&l=%7B%22a%22%3A1%7D`},
		{"declared encodings of a form", "application/x-www-form-urlencoded", `{"csv":["a","b,c"],"deep":{"k":1},"flat":{"x":2},"text":"s"}`, false, encoding, `csv=a,b%2Cc&deep%5Bk%5D=1&x=2&text=%22s%22`},
		{"text as a form", "application/x-www-form-urlencoded", `"a=b c&a=d"`, true, nil, `a=b c&a=d`},
		{"text", "text/plain", `"hello\n"`, false, nil, "hello\n"},
		{"a number as text", "text/plain", `1.50`, false, nil, "1.50"},
		{"text in a charset", "text/plain; charset=ISO-8859-1", `"caf\u00e9"`, false, nil, "caf\xe9"},
		{"text in UTF-16", "text/plain; charset=utf-16", `"a\u00e9"`, false, nil, "\xff\xfea\x00\xe9\x00"},
		{"XML in the encoding that it declares", "application/xml", `"<?xml version='1.0' encoding='ISO-8859-1'?><a>\u00e9</a>"`, true, nil, "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>"},
		{"XML in the charset of its content type", "text/xml; charset=utf-8", `"<?xml version='1.0' encoding='ISO-8859-1'?><a>\u00e9</a>"`, true, nil, "<?xml version='1.0' encoding='ISO-8859-1'?><a>é</a>"},
		{"text in UTF-8, said so", "text/plain; charset=UTF-8", `"caf\u00e9"`, false, nil, "café"},
		{"XML", "application/xml", `"<o><id>x</id></o>"`, true, nil, "<o><id>x</id></o>"},
		{"a form keeps what is written twice", "application/x-www-form-urlencoded", `"a=%FF&a=%FF"`, true, nil, "a=%FF&a=%FF"},
		{"bytes", "application/octet-stream", `"\u0000é"`, false, nil, "\x00é"},
		{"no bytes", "application/octet-stream", `""`, false, nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := aCall("POST", "http://server.test", "/")
			call.Body = &executor.Body{ContentType: test.contentType, Value: js(t, test.value), Verbatim: test.verbatim, Declared: test.declared}
			p, err := Prepare(call)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(p.Body); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if got := p.Header.Get("Content-Type"); got != test.contentType || p.Body == nil {
				t.Errorf("content type %s", got)
			}
		})
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	tests := []struct {
		name, contentType string
		value             value.Value
		verbatim          bool
		want              string
	}{
		{"a template that is not JSON", "application/json", value.String(`{"a": }`), true, "the template is not JSON"},
		{"an empty template", "application/json", value.String(""), true, "the template is not JSON"},
		{"an object as XML", "application/xml", js(t, `{"a":1}`), false, "this content type is sent from a string"},
		{"an object as text", "text/plain", js(t, `{"a":1}`), false, "this content type is sent from a string"},
		{"text that the charset cannot write", "text/plain; charset=iso-8859-1", value.String("€ 漢"), false, "cannot write the text"},
		{"XML that its encoding cannot write", "application/xml", value.String("<?xml version='1.0' encoding='iso-8859-1'?><a>漢</a>"), true, `its charset "iso-8859-1" cannot write the text`},
		{"an unknown charset", "text/plain; charset=klingon", value.String("x"), false, `its charset "klingon" is not known`},
		{"a number as bytes", "application/octet-stream", js(t, `1`), false, "this content type is sent from a string"},
		{"a list as a form", "application/x-www-form-urlencoded", js(t, `[1]`), false, "a form is written from an object or a string"},
		{"a list as multipart", "multipart/form-data", js(t, `[1]`), false, "it is written from an object or a string"},
		{"text as multipart without a boundary", "multipart/form-data", value.String("x"), true, "must name its boundary"},
		{"text that is not UTF-8 as JSON", "application/json", value.Array(value.String("a\xff")), false, "not UTF-8"},
		{"text that is not UTF-8 in a template of JSON", "application/json", value.String("\"a\xff\""), true, "not UTF-8"},
		{"text that is not UTF-8 in an object in a form", "application/x-www-form-urlencoded", value.Object(value.Member{Name: "o", Value: value.Array(value.Array(value.String("\xff")))}), false, "not UTF-8"},
		{"text that is not UTF-8 in an object in a part", "multipart/form-data", value.Object(value.Member{Name: "o", Value: value.Array(value.Array(value.String("\xff")))}), false, "not UTF-8"},
		{"nothing", "application/json", value.Absent, false, "its payload is absent"},
		{"no content type", "", value.Null, false, `"" is not a content type`},
		{"a content type with a line break", "text/plain; a=\"\r\nX: 1\"", value.String("x"), false, "control character"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := aCall("POST", "http://server.test", "/")
			call.Body = &executor.Body{ContentType: test.contentType, Value: test.value, Verbatim: test.verbatim}
			if _, err := Prepare(call); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

// prepareMultipart prepares a body and reads its parts back.
func prepareMultipart(t *testing.T, body *executor.Body) (*Prepared, []*multipart.Part, []string) {
	t.Helper()
	call := aCall("POST", "http://server.test", "/")
	call.Body = body
	p, err := Prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	reader := multipart.NewReader(bytes.NewReader(p.Body), params["boundary"])
	var parts []*multipart.Part
	var contents []string
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return p, parts, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		parts, contents = append(parts, part), append(contents, string(content))
	}
}

func TestMultipart(t *testing.T) {
	binary := &openapi3.SchemaRef{Value: &openapi3.Schema{Format: "binary"}}
	list := &openapi3.SchemaRef{Value: &openapi3.Schema{Items: binary}}
	media := &openapi3.SchemaRef{Value: &openapi3.Schema{ContentMediaType: "image/png"}}
	body := &executor.Body{
		ContentType: "multipart/form-data",
		Value:       js(t, `{"field":"x1","n":1.0,"o":{"a":1},"doc":"D","docs":["E","F"],"icon":"I","pdf":"P","note":"N","q\"\r\n":"Q","gone":null}`),
		Declared: &source.MediaType{
			Schema: &openapi3.Schema{Properties: openapi3.Schemas{"doc": binary, "docs": list, "icon": media}},
			Encoding: map[string]*openapi3.Encoding{
				"pdf": {ContentType: "application/pdf"}, "note": {ContentType: "text/markdown"}, "icon": {ContentType: "image/png, image/gif"},
			},
		},
	}
	want := []struct{ name, file, contentType, content string }{
		{"field", "", "", "x1"},
		{"n", "", "", "1.0"},
		{"o", "", "application/json", `{"a":1}`},
		{"doc", "doc", "application/octet-stream", "D"},
		{"docs", "docs", "application/octet-stream", "E"},
		{"docs", "docs", "application/octet-stream", "F"},
		{"icon", "icon", "image/png", "I"},
		{"pdf", "pdf", "application/pdf", "P"},
		{"note", "", "text/markdown", "N"},
		{"q%22%0D%0A", "", "", "Q"},
	}
	first, parts, contents := prepareMultipart(t, body)
	if len(parts) != len(want) {
		t.Fatalf("%d parts:\n%s", len(parts), first.Body)
	}
	for i, w := range want {
		part := parts[i]
		if part.FormName() != w.name || part.FileName() != w.file || part.Header.Get("Content-Type") != w.contentType || contents[i] != w.content {
			t.Errorf("part %d: %v %q", i, part.Header, contents[i])
		}
	}
	again, _, _ := prepareMultipart(t, body)
	if !bytes.Equal(first.Body, again.Body) || first.Header.Get("Content-Type") != again.Header.Get("Content-Type") {
		t.Error("a retry carries other bytes")
	}
}

func TestABoundaryOccursInNoPart(t *testing.T) {
	hostile := []part{{name: "a", content: []byte("x")}}
	first := deriveBoundary(hostile)
	// No content can hold the boundary that follows from itself; a list of parts is
	// checked all the same.
	if occurs(first, hostile) || !occurs(first, []part{{content: []byte("--" + first)}}) {
		t.Error("a boundary inside a part is not seen")
	}
}

func TestMultipartWithABoundaryOfTheDocument(t *testing.T) {
	p, parts, _ := prepareMultipart(t, &executor.Body{
		ContentType: "multipart/mixed; boundary=mine",
		Value:       js(t, `{"a":"b"}`),
	})
	if got := p.Header.Get("Content-Type"); got != "multipart/mixed; boundary=mine" || len(parts) != 1 {
		t.Errorf("%s, %d parts", got, len(parts))
	}
}
