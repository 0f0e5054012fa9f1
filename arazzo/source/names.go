package source

import (
	"maps"
	"slices"
)

// Names says by which names a user can mean the sources of a document and of those
// that it uses: for servers, credentials and whatever else is told of an API from
// outside.
type Names struct {
	root      *Set
	order     []*Description // the root's own first
	qualified map[*Description]string
	// identities are what the sources that bear a name by itself mean by it.
	identities map[string]map[string]bool
}

// NamesOf names the sources that a document reaches. It may be used by several
// goroutines.
func NamesOf(root *Set) Names {
	n := Names{root: root, qualified: map[*Description]string{}, identities: map[string]map[string]bool{}}
	paths := map[*Set]string{root: ""}
	for open := []*Set{root}; len(open) > 0; open = open[1:] {
		at := open[0]
		for _, d := range at.Sources {
			n.order = append(n.order, d)
			n.qualified[d] = paths[at] + d.Name
			if n.identities[d.Name] == nil {
				n.identities[d.Name] = map[string]bool{}
			}
			n.identities[d.Name][d.Identity] = true
			if _, seen := paths[d.Arazzo]; d.Arazzo != nil && !seen {
				paths[d.Arazzo] = n.qualified[d] + "."
				open = append(open, d.Arazzo)
			}
		}
	}
	return n
}

// Qualified gives the name of a source behind those that lead to its document:
// OUTER.NAME. No two sources share it.
func (n Names) Qualified(d *Description) string {
	if name, ok := n.qualified[d]; ok {
		return name
	}
	return d.Name
}

// Of lists the names of a source, the most exact first: its identity; its qualified
// name; its name alone, unless that means another source too. The root's own
// sources always have theirs.
func (n Names) Of(d *Description) []string {
	names := []string{d.Identity, n.Qualified(d)}
	if d.Name != names[1] && n.means(d.Name, d.Identity) {
		names = append(names, d.Name)
	}
	return names
}

// means tells whether a name alone means one description and no other.
func (n Names) means(name, identity string) bool {
	if own := n.root.Source(name); own != nil {
		return own.Identity == identity
	}
	return len(n.identities[name]) == 1 && n.identities[name][identity]
}

// Meant tells whether a text means a source.
func (n Names) Meant(text string) bool {
	for d := range n.qualified {
		if slices.Contains(n.Of(d), text) {
			return true
		}
	}
	return false
}

// Ambiguous lists the qualified names of the sources that bear a name which by
// itself means none of them; empty where there are none.
func (n Names) Ambiguous(name string) []string {
	if n.root.Source(name) != nil || len(n.identities[name]) < 2 {
		return nil
	}
	var all []string
	for d, qualified := range n.qualified {
		if d.Name == name {
			all = append(all, qualified)
		}
	}
	slices.Sort(all)
	return all
}

// All lists the qualified names of all sources, sorted.
func (n Names) All() []string { return slices.Sorted(maps.Values(n.qualified)) }

// Each visits the sources: the document's own first, then those of the documents
// that it names.
func (n Names) Each(visit func(*Description)) {
	for _, d := range n.order {
		visit(d)
	}
}
