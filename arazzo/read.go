package arazzo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"gopkg.in/yaml.v3"
)

// read gives the root of the one document that the text holds, as the YAML
// reader gives it.
func (t *text) read() (*yaml.Node, []Fault) {
	d := yaml.NewDecoder(bytes.NewReader(t.data))
	document, err := next(d)
	switch {
	case errors.Is(err, io.EOF):
		return nil, []Fault{*t.fault(0, 0, "the file is empty: an Arazzo document was expected")}
	case err != nil:
		return nil, []Fault{t.syntaxFault(err)}
	case isBlankRoot(document):
		return nil, []Fault{*t.fault(t.offset(document.Line, document.Column), 0, "the document is empty: an Arazzo document was expected")}
	}
	second, err := next(d)
	switch {
	case errors.Is(err, io.EOF):
		return document.Content[0], nil
	case err != nil:
		return document.Content[0], []Fault{t.syntaxFault(err)}
	}
	at := t.offset(second.Line, second.Column)
	return document.Content[0], []Fault{*t.fault(at, at+len("---"), "a second YAML document begins here: a file holds one")}
}

// readRaw reads the first two documents of the text, giving the last.
func (t *text) readRaw() (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(t.data))
	document, err := next(d)
	if err != nil {
		return nil, err
	}
	if second, err := next(d); !errors.Is(err, io.EOF) {
		return second, err
	}
	return document, nil
}

// isBlankRoot tells whether a document holds nothing.
func isBlankRoot(document *yaml.Node) bool {
	root := document.Content[0]
	return isEmpty(root) && root.Anchor == "" && root.Style&yaml.TaggedStyle == 0
}

// next reads the next YAML document. A panic of the reader is an error of the
// text, not of the program that reads it.
func next(d *yaml.Decoder) (document *yaml.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	document = &yaml.Node{}
	if err := d.Decode(document); err != nil {
		return nil, err
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, errors.New("yaml: no document")
	}
	return document, nil
}

// problem gives what the YAML reader says is wrong, and the line it names, 0
// where it names none.
func problem(err error) (message string, line int) {
	message = strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(message, "line %d: ", &line); n == 1 {
		_, message, _ = strings.Cut(message, ": ")
	}
	return message, line
}

// slowReader hands out one byte at a time and so shows how far a parser has
// read when it fails.
type slowReader struct {
	data  []byte
	at    int
	ended bool // the parser asked for more than there is
}

// Read gives the next byte.
func (r *slowReader) Read(p []byte) (int, error) {
	if r.at == len(r.data) || len(p) == 0 {
		r.ended = true
		return 0, io.EOF
	}
	p[0] = r.data[r.at]
	r.at++
	return 1, nil
}

// consumed gives how many bytes the YAML reader has taken when it fails, and
// whether it had come to the end.
func (t *text) consumed() (int, bool) {
	r := &slowReader{data: t.data}
	d := yaml.NewDecoder(r)
	for range 2 {
		if _, err := next(d); err != nil {
			break
		}
	}
	return r.at, r.ended
}
