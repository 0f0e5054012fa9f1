package source

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkLoadSmall loads a document with its five sources, as a run does at
// its start.
func BenchmarkLoadSmall(b *testing.B) {
	for b.Loop() {
		l := NewLoader(Options{Offline: true})
		doc, location, _, err := l.LoadDocument(b.Context(), "testdata/parent.arazzo.yaml")
		if err != nil {
			b.Fatal(err)
		}
		if _, problems := l.Load(b.Context(), doc, location); len(problems) > 0 {
			b.Fatal(problems)
		}
	}
}

// BenchmarkLoadLarge reads descriptions of 13 MB, as the largest public APIs
// have them. One round is to take at most 3 s of CPU and 700 MB.
func BenchmarkLoadLarge(b *testing.B) {
	for _, notation := range []string{"json", "yaml"} {
		b.Run(notation, func(b *testing.B) {
			if testing.Short() {
				b.Skip("takes seconds")
			}
			data := largeDescription(notation == "json", 13_000_000)
			l := NewLoader(Options{Offline: true})
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				c, _, err := l.parseOpenAPI(context.Background(), flavourOpenAPI, data, "file:///large")
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(c.Operations)), "operations")
			}
		})
	}
}

// largeDescription writes a description of about size bytes, a quarter of it
// schemas that refer to each other.
func largeDescription(asJSON bool, size int) []byte {
	const schemas = 600
	var b strings.Builder
	w := writer{b: &b, json: asJSON}
	w.open("")
	w.text("openapi", "3.1.0")
	w.open("info")
	w.text("title", "Large")
	w.text("version", "1")
	w.close()
	w.open("components")
	w.open("schemas")
	for i := range schemas {
		writeSchema(&w, i, schemas, size/4/schemas/190)
	}
	w.close()
	w.close()
	w.open("paths")
	for i := 0; b.Len() < size; i++ {
		w.open(fmt.Sprintf("/resources%d/{id}", i))
		for _, method := range []string{"get", "put", "delete"} {
			writeOperation(&w, method, i, schemas)
		}
		w.close()
	}
	w.close()
	w.close()
	return []byte(b.String())
}

func writeSchema(w *writer, i, schemas, properties int) {
	w.open(fmt.Sprintf("Resource%d", i))
	w.text("type", "object")
	w.open("properties")
	for k := range properties {
		w.open(fmt.Sprintf("field%d", k))
		if k%6 == 0 {
			w.text("$ref", fmt.Sprintf("#/components/schemas/Resource%d", (i*7+k+1)%schemas))
		} else {
			w.text("type", "string")
			w.text("description", fmt.Sprintf("What field %d says about the resource, as it was when somebody changed it last.", k))
			w.text("example", "abc")
		}
		w.close()
	}
	w.close()
	w.close()
}

func writeOperation(w *writer, method string, i, schemas int) {
	schema := func() {
		w.open("content")
		w.open("application/json")
		w.open("schema")
		w.text("$ref", fmt.Sprintf("#/components/schemas/Resource%d", i%schemas))
		w.close()
		w.open("example")
		for k := range 12 {
			w.text(fmt.Sprintf("field%d", k), fmt.Sprintf("an example of field %d", k))
		}
		w.close()
		w.close()
		w.close()
	}
	w.open(method)
	w.text("operationId", fmt.Sprintf("%s%d", method, i))
	w.text("description", "What it does, in a sentence or two, and why one would want to call it at all.")
	w.open("requestBody")
	schema()
	w.close()
	w.open("responses")
	for _, status := range []string{"200", "404", "422"} {
		w.open(status)
		w.text("description", "What it means.")
		schema()
		w.close()
	}
	w.close()
	w.close()
}

// writer writes nested objects of texts as JSON or YAML.
type writer struct {
	b     *strings.Builder
	json  bool
	depth int
	begun bool // the present object has a member
}

func (w *writer) name(name string) {
	if w.json {
		if w.begun {
			w.b.WriteByte(',')
		}
		w.b.WriteByte('\n')
	}
	w.indent()
	if w.json {
		fmt.Fprintf(w.b, "%q: ", name)
	} else {
		fmt.Fprintf(w.b, "'%s':", name)
	}
	w.begun = true
}

func (w *writer) indent() { w.b.WriteString(strings.Repeat("  ", w.depth)) }

func (w *writer) open(name string) {
	if name != "" {
		w.name(name)
		w.depth++
	}
	if w.json {
		w.b.WriteByte('{')
	} else if name != "" {
		w.b.WriteByte('\n')
	}
	w.begun = false
}

func (w *writer) text(name, value string) {
	w.name(name)
	if w.json {
		fmt.Fprintf(w.b, "%q", value)
	} else {
		fmt.Fprintf(w.b, " '%s'\n", value)
	}
}

func (w *writer) close() {
	if w.json {
		w.b.WriteByte('}')
	}
	w.depth--
	w.begun = true
}
