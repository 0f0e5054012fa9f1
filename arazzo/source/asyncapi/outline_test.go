package asyncapi

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
)

// tree parses a text that has to be one.
func tree(t testing.TB, text string) *arazzo.Node {
	t.Helper()
	root, faults := arazzo.ParseTree([]byte(text))
	if root == nil {
		t.Fatalf("no tree: %v", faults)
	}
	return root
}

// files is an Opener over texts by path; what it does not have is an error.
func files(t testing.TB, texts map[string]string) Opener {
	return func(u *url.URL) (*arazzo.Node, error) {
		text, ok := texts[u.Path]
		if !ok {
			return nil, fmt.Errorf("%s: no such file", u.Path)
		}
		return tree(t, text), nil
	}
}

// read catalogs a text that refers to no file.
func read(t testing.TB, text string) *Catalog {
	t.Helper()
	c, err := Read(tree(t, text), "file:///x/main.yaml", files(t, nil))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// testdata catalogs a file of testdata.
func testdata(t testing.TB, name string) *Catalog {
	t.Helper()
	open := func(name string) (*arazzo.Node, error) {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			return nil, err
		}
		return tree(t, string(data)), nil
	}
	root, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(root, "file:///"+name, func(u *url.URL) (*arazzo.Node, error) { return open(u.Path) })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// outline writes a catalog as text, a line an item.
func outline(c *Catalog) string {
	o := &outliner{}
	o.line("%s %s, %s", c.Title, c.Version, c.ContentType)
	for _, s := range c.Servers {
		o.line("server %s %s %s%s", s.Name, s.URL(), s.ProtocolVersion, bound(s.Bindings))
		for _, q := range s.Security {
			o.line("  needs %s", needs(q))
		}
	}
	for _, channel := range c.Channels {
		o.channel(channel)
	}
	for _, operation := range c.Operations {
		o.operation(operation)
	}
	o.faults(c)
	return o.String()
}

type outliner struct{ strings.Builder }

func (o *outliner) line(format string, args ...any) {
	o.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ,") + "\n")
}

func (o *outliner) channel(c *Channel) {
	address := "unknown"
	if c.Address.Present() {
		address = c.Address.Value
	}
	o.line("channel %s at %s over %s%s", c.Key, address, strings.Join(c.Protocols(), " "), bound(c.Bindings))
	for _, p := range c.Parameters {
		location := ""
		if p.Location != nil {
			location = p.Location.String()
		}
		o.line("  {%s} %v %s %s", p.Name, p.Enum, p.Default.Value, location)
	}
	for _, m := range c.Messages {
		o.line("  message %s %s%s%s%s", m.Key, m.ContentType, described(" headers", m.Headers), described(" payload", m.Payload), bound(m.Bindings))
		if m.Correlation != nil {
			o.line("    correlates by %s", m.Correlation.Location)
		}
	}
}

func (o *outliner) operation(x *Operation) {
	o.line("%s %s on %s: %s%s", x.Action, x.ID, keyOf(x.Channel), messageKeys(x.Messages), bound(x.Bindings))
	for _, q := range x.Security {
		o.line("  needs %s", needs(q))
	}
	if x.Reply != nil {
		o.line("  reply to %v on %s: %s", x.Reply.Address, keyOf(x.Reply.Channel), messageKeys(x.Reply.Messages))
	}
}

func (o *outliner) faults(c *Catalog) {
	for _, f := range c.Faults {
		o.line("fault in %s at %s: %s", f.File, f.Node.Pointer(), f.Message)
	}
}

func keyOf(c *Channel) string {
	if c == nil {
		return "nothing"
	}
	return c.Key
}

func messageKeys(messages []*Message) string {
	keys := make([]string, len(messages))
	for i, m := range messages {
		keys[i] = m.Key
	}
	return strings.Join(keys, " ")
}

func needs(q *Requirement) string {
	var all []string
	for _, s := range q.Schemes {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s(%s) %s", s.Name, s.Type, strings.Join(s.Scopes, " "))))
	}
	if q.Unknown {
		all = append(all, "what is not known")
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, " and ")
}

func described(what string, s *Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Merged:
		return what + " merged"
	default:
		return what + " " + s.Node.Pointer()
	}
}

func bound(b Bindings) string {
	var names []string
	for name := range b {
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return " [" + strings.Join(names, " ") + "]"
}
