package source

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
)

// async loads the only source of a document that lies in dir as a.yaml.
func async(t *testing.T, l *Loader, dir string) *Description {
	t.Helper()
	s, _ := load(t, l, filepath.Join(dir, "a.yaml"))
	return s.Sources[0]
}

// faultsOf lists the faults of an AsyncAPI description.
func faultsOf(t *testing.T, d *Description) []string {
	t.Helper()
	if d.AsyncAPI == nil {
		t.Fatalf("%s was not loaded: %+v", d.Name, d.Problem)
	}
	var all []string
	for _, f := range d.AsyncAPI.Faults {
		all = append(all, f.Message)
	}
	return all
}

func TestFilesOfAnAsyncAPIDescriptionAreReadOnce(t *testing.T) {
	web := serve(t, map[string]string{
		"/a.yaml":        workflow("sourceDescriptions: [{name: e, url: e/events.yaml}, {name: again, url: ./e/events.yaml}]"),
		"/e/events.yaml": "asyncapi: 3.0.0\nchannels: {c: {$ref: 'more.yaml#/c'}, d: {$ref: './more.yaml#/c'}, x: {$ref: 'file:///etc/passwd'}, y: {$ref: 'urn:a:b'}}\n",
		"/e/more.yaml":   "c: {address: from afar, messages: {m: {payload: {$ref: 'events.yaml#/components/schemas/S'}}}}\n",
	})
	s, problems := load(t, NewLoader(Options{}), web.URL+"/a.yaml")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := map[string]int{"/a.yaml": 1, "/e/events.yaml": 1, "/e/more.yaml": 1}
	if diff := cmp.Diff(want, web.requests()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	d := s.Sources[0]
	if d.AsyncAPI != s.Sources[1].AsyncAPI || d.AsyncAPI.Channel("d").Address.Value != "from afar" {
		t.Errorf("%+v", d.AsyncAPI)
	}
	wantFaults := []string{
		`the reference "file:///etc/passwd" cannot be followed: a description from the network cannot refer to the file file:///etc/passwd`,
		`the reference "urn:a:b" cannot be followed: a urn: URI names something, but not where it can be fetched`,
		`the reference "events.yaml#/components/schemas/S" cannot be followed: its root has no "components"`,
	}
	if diff := cmp.Diff(wantFaults, faultsOf(t, d)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestFilesOfAnAsyncAPIDescriptionAreLookedForBeneathTheRootToo(t *testing.T) {
	dir := files(t, map[string]string{
		"apis/a.yaml":      workflow("sourceDescriptions: [{name: e, url: events.yaml}]"),
		"apis/events.yaml": "asyncapi: 2.6.0\nchannels: {c: {publish: {message: {$ref: shared/m.yaml}}}}\n",
		"shared/m.yaml":    "name: shared\n",
	})
	d := async(t, NewLoader(Options{Root: dir, Offline: true}), filepath.Join(dir, "apis"))
	if len(faultsOf(t, d)) > 0 || d.AsyncAPI.Channels[0].Messages[0].Name != "shared" {
		t.Errorf("%+v", d.AsyncAPI)
	}
}

func TestFilesOfAnAsyncAPIDescriptionAreSubjectToTheLimits(t *testing.T) {
	head := "asyncapi: 3.0.0\nchannels:\n  fine: {}\n"
	var many strings.Builder
	for i := range maxReferred + 2 {
		fmt.Fprintf(&many, "  c%d: {$ref: f%d.yaml}\n", i, i)
	}
	dir := files(t, map[string]string{
		"a.yaml":      workflow("sourceDescriptions: [{name: e, url: events.yaml}]"),
		"events.yaml": head + "  big: {$ref: big.yaml}\n  broken: {$ref: broken.yaml}\n  web: {$ref: 'https://127.0.0.1:1/x.yaml'}\n" + many.String(),
		"big.yaml":    "title: " + strings.Repeat("x", 100_000),
		"broken.yaml": "a: [",
	})
	d := async(t, NewLoader(Options{Offline: true, MaxBytes: 100_000}), dir)
	got := faultsOf(t, d)
	for i, want := range []string{"it is larger than the limit of", "this is no valid YAML", "the network is switched off (--offline)"} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%s, want %s", got[i], want)
		}
	}
	if f := d.AsyncAPI.Faults; f[0].Offline || !f[2].Offline {
		t.Error("what was not tried is not told from what is broken")
	}
	if last := got[len(got)-1]; !strings.Contains(last, "it refers to more than 500 other files") || len(d.AsyncAPI.Channels) != 1 {
		t.Errorf("%s; %d channels", last, len(d.AsyncAPI.Channels))
	}
}

func TestAnAsyncAPIVersionThatIsNotReadIsAProblemOfItsSource(t *testing.T) {
	dir := files(t, map[string]string{
		"a.yaml":      workflow("sourceDescriptions: [{name: e, url: events.yaml}]"),
		"events.yaml": "asyncapi: 1.2.0\ntopics: {}\n",
	})
	d := async(t, NewLoader(Options{Offline: true}), dir)
	if d.Problem == nil || !strings.HasSuffix(d.Problem.Message, `AsyncAPI "1.2.0" cannot be read: expected 2.0 to 2.6, 3.0 or 3.1`) || d.AsyncAPI != nil {
		t.Errorf("%+v", d)
	}
}

func TestACanceledLoadOfAsyncAPIIsNotKept(t *testing.T) {
	web := serve(t, map[string]string{"/more.yaml": "address: a\n"})
	dir := files(t, map[string]string{
		"a.yaml":      workflow("sourceDescriptions: [{name: e, url: events.yaml}]"),
		"events.yaml": "asyncapi: 3.0.0\nchannels: {c: {$ref: '" + web.URL + "/more.yaml'}}\n",
	})
	l := NewLoader(Options{})
	doc, location, _, err := l.LoadDocument(t.Context(), filepath.Join(dir, "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "events.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.parse(canceled, data, fileURL(filepath.Join(dir, "events.yaml"))); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s, _ := l.Load(t.Context(), doc, location)
	if len(faultsOf(t, s.Sources[0])) > 0 || s.Sources[0].AsyncAPI.Channel("c") == nil {
		t.Errorf("%v", faultsOf(t, s.Sources[0]))
	}
}

// TestForeignAsyncAPIDescriptions holds that nothing of what others have written
// is lost: what the catalog has is counted again in the tree.
func TestForeignAsyncAPIDescriptions(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: no foreign descriptions to read")
	}
	read := 0
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || detect(data) != flavourAsyncAPI {
			return err
		}
		c, err := NewLoader(Options{Offline: true}).parse(t.Context(), data, fileURL(path))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		read++
		messages := 0
		for _, channel := range c.async.Channels {
			messages += len(channel.Messages)
		}
		written := 0
		for _, m := range membersOf(c.tree.Get("channels")) {
			written += len(membersOf(m.Value.Get("messages")))
		}
		got := []int{len(c.async.Servers), len(c.async.Channels), len(c.async.Operations), messages, len(c.async.Faults)}
		want := []int{len(membersOf(c.tree.Get("servers"))), len(membersOf(c.tree.Get("channels"))), len(membersOf(c.tree.Get("operations"))), written, 0}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: servers, channels, operations, messages, faults (-want +got):\n%s", path, diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read == 0 {
		t.Error("no description was read")
	}
	t.Logf("%d descriptions were read", read)
}

func membersOf(n *arazzo.Node) []arazzo.Member {
	if n == nil {
		return nil
	}
	return n.Members
}
