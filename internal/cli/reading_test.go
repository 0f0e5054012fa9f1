package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// readingCase is a document, what it must send, and how its run must end.
type readingCase struct {
	Name    string
	Version string // of Arazzo; default 1.1.0
	Head    string // a line before the sources
	Flow    string // the list of workflows, and what stands behind it
	// Answers are what a path, with or without its query, answers in turn; the last
	// answer again and again. Other paths answer 200 with their own target.
	Answers map[string][]readingAnswer
	Sources string // further source descriptions
	File    string // a further file, with its Text
	Text    string
	Args    []string
	Headers []string // the fields that Sent tells of
	Exit    int
	Says    string
	Sent    []string // METHOD TARGET [FIELD: VALUE]… [BODY]; keys are KEY1, KEY2, …
}

type readingAnswer struct {
	Status int
	Header map[string]any // a text or a list; JSON where it says nothing
	Body   string
	Latin1 string // the body in that encoding
}

// TestTheReadingOfTheSpecification holds what is sent, byte for byte, against the text
// of the specification and the decisions of docs/semantics.md.
func TestTheReadingOfTheSpecification(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "reading.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []readingCase
	if err := yaml.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("there are %d cases only", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { c.run(t) })
	}
}

func (c readingCase) run(t *testing.T) {
	t.Parallel()
	server := &readingServer{answers: c.Answers, headers: c.Headers}
	_, base := start(t, server.answer)
	dir := t.TempDir()
	api := readFile(t, filepath.Join("testdata", "reading-api.yaml"))
	writeFile(t, filepath.Join(dir, "api.yaml"), strings.ReplaceAll(api, "BASE", base))
	if c.File != "" {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, c.File)), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, c.File), strings.ReplaceAll(c.Text, "BASE", base))
	}
	version, sources := "1.1.0", "{name: api, url: api.yaml, type: openapi}"
	if c.Version != "" {
		version = c.Version
	}
	if c.Sources != "" {
		sources += ", " + c.Sources
	}
	writeFile(t, filepath.Join(dir, "flow.yaml"), fmt.Sprintf("arazzo: %s\ninfo: {title: t, version: \"1\"}\n%s\nsourceDescriptions: [%s]\nworkflows:\n%s", version, c.Head, sources, c.Flow))
	code, output := weft(append([]string{"run", filepath.Join(dir, "flow.yaml")}, c.Args...)...)
	if code != c.Exit || !strings.Contains(output, c.Says) {
		t.Errorf("exit code %d, want %d and the words %q:\n%s", code, c.Exit, c.Says, output)
	}
	if diff := cmp.Diff(c.Sent, server.sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s\n%s", diff, output)
	}
}

// readingServer answers as a case says, and notes what comes.
type readingServer struct {
	answers map[string][]readingAnswer
	headers []string

	mu   sync.Mutex
	keys []string
	sent []string
}

func (s *readingServer) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(r)
	answers := s.answers[r.URL.Path]
	if len(answers) == 0 {
		respondJSON(http.StatusOK, fmt.Sprintf(`{"path":%q,"n":%d}`, r.RequestURI, len(s.sent)))(w, r)
		return
	}
	if len(answers) > 1 {
		s.answers[r.URL.Path] = answers[1:]
	}
	answers[0].write(w)
}

func (s *readingServer) note(r *http.Request) {
	line := r.Method + " " + r.RequestURI
	for _, name := range s.headers {
		if text := r.Header.Get(name); text != "" {
			if name == "Idempotency-Key" {
				text = s.keyName(text)
			}
			line += " " + name + ": " + text
		}
	}
	if body, _ := io.ReadAll(r.Body); len(body) > 0 {
		line += " " + string(body)
	}
	s.sent = append(s.sent, line)
}

// keyName names keys in the order in which they come.
func (s *readingServer) keyName(key string) string {
	for i, known := range s.keys {
		if known == key {
			return fmt.Sprintf("KEY%d", i+1)
		}
	}
	s.keys = append(s.keys, key)
	return fmt.Sprintf("KEY%d", len(s.keys))
}

func (a readingAnswer) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	for name, value := range a.Header {
		w.Header().Del(name)
		switch value := value.(type) {
		case []any:
			for _, text := range value {
				w.Header().Add(name, fmt.Sprint(text))
			}
		default:
			w.Header()[name] = []string{fmt.Sprint(value)}
			if value == "" {
				w.Header()[name] = nil // net/http would make a guess
			}
		}
	}
	w.WriteHeader(a.Status)
	body := []byte(a.Body)
	for _, r := range a.Latin1 {
		body = append(body, byte(r))
	}
	if a.Status != http.StatusNoContent {
		_, _ = w.Write(body)
	}
}
