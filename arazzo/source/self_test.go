package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheFileThatTheIdentityNamesComesFirst: before the one beside the document,
// which is read only where the identity is not there, and before the root.
func TestTheFileThatTheIdentityNamesComesFirst(t *testing.T) {
	const source = "sourceDescriptions: [{name: o, url: s.yaml, type: openapi}]"
	tests := []struct {
		name  string
		self  string
		there []string
		want  string
	}{
		{"a relative $self", "sub/p.yaml", []string{"wf/sub/s.yaml", "wf/s.yaml", "root/s.yaml"}, "wf/sub/s.yaml"},
		{"a relative $self that leads up", "../p.yaml", []string{"s.yaml", "wf/s.yaml"}, "s.yaml"},
		{"a $self that is a file", "file://DIR/else/p.yaml", []string{"else/s.yaml", "wf/s.yaml"}, "else/s.yaml"},
		{"only beside the document", "sub/p.yaml", []string{"wf/s.yaml", "root/s.yaml"}, "wf/s.yaml"},
		{"only beneath the root", "sub/p.yaml", []string{"root/s.yaml"}, "root/s.yaml"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			contents := map[string]string{}
			for _, name := range test.there {
				contents[name] = api("op")
			}
			dir := files(t, contents)
			writeWorkflow(t, dir, strings.ReplaceAll(test.self, "DIR", filepath.ToSlash(dir)), source)
			s := wellLoaded(t, NewLoader(Options{Root: filepath.Join(dir, "root")}), filepath.Join(dir, "wf/a.yaml"))
			if got, want := s.Source("o").Location, fileURL(filepath.Join(dir, test.want)); got != want {
				t.Errorf("read %s, want %s", got, want)
			}
		})
	}
}

// TestWhatIsWrongAtTheIdentityIsTold, and every place where nothing is.
func TestWhatIsWrongAtTheIdentityIsTold(t *testing.T) {
	const source = "sourceDescriptions: [{name: o, url: s.yaml, type: openapi}]"
	dir := files(t, map[string]string{"wf/sub/s.yaml": "nonsense", "wf/s.yaml": api("op")})
	writeWorkflow(t, dir, "sub/p.yaml", source)
	_, problems := load(t, NewLoader(Options{}), filepath.Join(dir, "wf/a.yaml"))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, filepath.Join("sub", "s.yaml")) {
		t.Errorf("problems %v", problems)
	}
	dir = files(t, nil)
	writeWorkflow(t, dir, "sub/p.yaml", source)
	_, problems = load(t, NewLoader(Options{Root: filepath.Join(dir, "root")}), filepath.Join(dir, "wf/a.yaml"))
	for _, place := range []string{"wf/sub/s.yaml", "wf/s.yaml", "root/s.yaml"} {
		if len(problems) != 1 || !strings.Contains(problems[0].Message, filepath.Join(dir, place)) {
			t.Errorf("problems %v, want %s among them", problems, place)
		}
	}
}

// writeWorkflow writes wf/a.yaml with a $self and its sources.
func writeWorkflow(t *testing.T, dir, self, sources string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, "wf"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wf/a.yaml"), []byte(workflow("$self: '"+self+"'", sources)), 0o644); err != nil {
		t.Fatal(err)
	}
}
