package source

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOperationsAreFoundByTheirReferences(t *testing.T) {
	s := wellLoaded(t, NewLoader(Options{Offline: true}), "testdata/parent.arazzo.yaml")
	for _, test := range []struct{ ref, source, id string }{
		{"getItem", "stock", "getItem"},
		{"emit", "stock.v2", "emit"},
		{"eventSent", "stock.v2", "eventSent"},
		{"itemChanged", "stock", "itemChanged"},
		{"$sourceDescriptions.stock.getItem", "stock", "getItem"},
		{"$sourceDescriptions.stock.v2.emit", "stock.v2", "emit"}, // the longest name wins
		{"{$sourceDescriptions.legacy.addEntry}", "legacy", "addEntry"},
	} {
		d, o, err := s.FindOperation(test.ref)
		if err != nil || d.Name != test.source || o.ID != test.id {
			t.Errorf("%s: %v %v %v", test.ref, d, o, err)
		}
	}
}

func TestOperationsAreFoundByTheirPaths(t *testing.T) {
	s := wellLoaded(t, NewLoader(Options{Offline: true}), "testdata/parent.arazzo.yaml")
	stock := s.Source("stock")
	for _, test := range []struct{ path, source, id string }{
		{"{$sourceDescriptions.stock.url}#/paths/~1items~1{id}/get", "stock", "getItem"},
		{"{$sourceDescriptions.stock.url}#/paths/~1items~1%7Bid%7D/get", "stock", "getItem"},
		{"{$sourceDescriptions.stock.v2.url}#/webhooks/event.sent/post", "stock.v2", "eventSent"},
		{"{$sourceDescriptions.stock.url}#/paths/~1watch/post/callbacks/changed/%7B$request.body%23~1to%7D/post", "stock", "itemChanged"},
		{"$sourceDescriptions.stock.url#/paths/~1watch/post", "stock", "watch"},
		{"$sourceDescriptions.stock#/paths/~1watch/post", "stock", "watch"},
		{"{$sourceDescriptions.stock}#/paths/~1watch/post", "stock", "watch"},
		{"stock#/paths/~1watch/post", "stock", "watch"},
		{"stock.yaml#/paths/~1watch/post", "stock", "watch"},
		{stock.Identity + "#/paths/~1watch/post", "stock", "watch"},
		{"$sourceDescriptions.stock.watch", "stock", "watch"},
	} {
		d, o, err := s.FindOperationPath(test.path)
		if err != nil || d.Name != test.source || o.ID != test.id {
			t.Errorf("%s: %v %v %v", test.path, d, o, err)
		}
	}
}

func TestABareFragmentMeansTheOnlySource(t *testing.T) {
	s := wellLoaded(t, NewLoader(Options{Offline: true}), "testdata/child.arazzo.yaml")
	if _, o, err := s.FindOperationPath("#/paths/~1watch/post"); err != nil || o.ID != "watch" {
		t.Errorf("%v %v", o, err)
	}
}

func TestWorkflowsAreFoundByTheirReferences(t *testing.T) {
	s := wellLoaded(t, NewLoader(Options{Offline: true}), "testdata/parent.arazzo.yaml")
	child := s.Source("child").Arazzo
	for ref, want := range map[string]*Set{"main": s, "$sourceDescriptions.child.fetch": child} {
		set, w, err := s.FindWorkflow(ref)
		if err != nil || set != want || w == nil {
			t.Errorf("%s: %v %v %v", ref, set, w, err)
		}
	}
}

func TestReferencesThatNameNothingAreExplained(t *testing.T) {
	dir := files(t, map[string]string{
		"a.yaml": workflow("sourceDescriptions: [{name: one, url: one.yaml}, {name: two, url: two.yaml}, {name: gone, url: gone.yaml}, {name: child, url: child.yaml}]"),
		"one.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /a: {get: {operationId: list, responses: {}}, put: {operationId: twice, responses: {}}}\n" +
			"  /b: {get: {operationId: twice, responses: {}}}\n",
		"two.yaml":   api("list"),
		"child.yaml": workflow(),
	})
	s, _ := load(t, NewLoader(Options{Offline: true}), filepath.Join(dir, "a.yaml"))
	operation := func(ref string) error { _, _, err := s.FindOperation(ref); return err }
	path := func(ref string) error { _, _, err := s.FindOperationPath(ref); return err }
	flow := func(ref string) error { _, _, err := s.FindWorkflow(ref); return err }
	for _, test := range []struct {
		err  error
		want string
	}{
		{operation("lists"), `no operation "lists": not looked for in "gone", which could not be loaded; did you mean "list"?`},
		{operation("list"), `operation "list" is ambiguous: it names "$sourceDescriptions.one.list" and "$sourceDescriptions.two.list"`},
		{operation("twice"), `operation "twice" is ambiguous: it names "{$sourceDescriptions.one.url}#/paths/~1a/put" and "{$sourceDescriptions.one.url}#/paths/~1b/get"`},
		{operation("$sourceDescriptions.one.twice"), `operation "$sourceDescriptions.one.twice" is ambiguous: it names "{$sourceDescriptions.one.url}#/paths/~1a/put" and "{$sourceDescriptions.one.url}#/paths/~1b/get"`},
		{operation("$sourceDescriptions.two.LIST"), `no operation "$sourceDescriptions.two.LIST": source "two" describes none of that operationId; did you mean "list"?`},
		{operation("$sourceDescriptions.three.list"), `no source "three": needed by "$sourceDescriptions.three.list"; declared: "one", "two", "gone" and "child"`},
		{operation("$sourceDescriptions.tow.list"), `no source "tow": needed by "$sourceDescriptions.tow.list"; did you mean "two"?`},
		{operation("$sourceDescriptions.gone.list"), `no operation "$sourceDescriptions.gone.list": source "gone" could not be loaded`},
		{operation("$sourceDescriptions.child.w"), `no operation "$sourceDescriptions.child.w": source "child" is of type arazzo, not openapi`},
		{operation("$sourceDescriptions.one"), `no operation "$sourceDescriptions.one": an operation of a source is written $sourceDescriptions.NAME.OPERATION`},
		{path("{$sourceDescriptions.one.url}#/paths/~1a/post"), `no operation "{$sourceDescriptions.one.url}#/paths/~1a/post": in source "one" the pointer leads as far as /paths/~1a, which has no "post"; did you mean "get" or "put"?`},
		{path("{$sourceDescriptions.one.url}#/paths/%zz"), `no operation "{$sourceDescriptions.one.url}#/paths/%zz": its fragment is not percent-encoded rightly: "%zz"`},
		{path("{$sourceDescriptions.one.title}#/paths/~1a/get"), `no operation "{$sourceDescriptions.one.title}#/paths/~1a/get": before the # only $sourceDescriptions.one.url can stand`},
		{path("/none"), `no operation "/none": an operationPath is written {$sourceDescriptions.NAME.url}#/paths/~1PATH/METHOD`},
		{path("PUT /a"), `no operation "PUT /a": an operationPath is written {$sourceDescriptions.NAME.url}#/paths/~1PATH/METHOD; did you mean "{$sourceDescriptions.one.url}#/paths/~1a/put"?`},
		{operation("two.list"), `no operation "two.list": not looked for in "gone", which could not be loaded; did you mean "$sourceDescriptions.two.list"?`},
		{flow("$sourceDescriptions.child.workflows.w"), `no workflow "$sourceDescriptions.child.workflows.w"; did you mean "$sourceDescriptions.child.w"?`},
		{path("ones#/paths/~1a/get"), `no source "ones": needed by "ones#/paths/~1a/get"; did you mean "one"?`},
		{flow("v"), `no workflow "v"`},
		{flow("$sourceDescriptions.child.v"), `no workflow "$sourceDescriptions.child.v"`},
		{flow("$sourceDescriptions.one.w"), `no workflow "$sourceDescriptions.one.w": source "one" is of type openapi, not arazzo`},
	} {
		var lost *NotFoundError
		var many *AmbiguousError
		if !errors.As(test.err, &lost) && !errors.As(test.err, &many) {
			t.Errorf("%v is neither NotFoundError nor AmbiguousError", test.err)
			continue
		}
		if diff := cmp.Diff(test.want, test.err.Error()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestTheNearestNamesComeFirst(t *testing.T) {
	names := []string{"createOrder", "createOrders", "cancelOrder", "CREATEORDER", "getPet"}
	want := []string{"CREATEORDER", "createOrder", "createOrders"}
	if diff := cmp.Diff(want, nearest("createorder", names)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := nearest("zzz", names); len(got) != 0 {
		t.Errorf("%v are near to zzz", got)
	}
}

// TestAWorkflowOfAnotherDocumentIsProposed as it is to be written.
func TestAWorkflowOfAnotherDocumentIsProposed(t *testing.T) {
	dir := files(t, map[string]string{
		"a.yaml":     workflow("sourceDescriptions: [{name: child, url: child.yaml, type: arazzo}]"),
		"child.yaml": strings.Replace(workflow(), "workflowId: w", "workflowId: login", 1),
	})
	s := wellLoaded(t, NewLoader(Options{Offline: true}), filepath.Join(dir, "a.yaml"))
	const want = `no workflow "login"; did you mean "$sourceDescriptions.child.login"?`
	if _, _, err := s.FindWorkflow("login"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
