package rules

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/spelling"
	"github.com/weft-flow/weft/lint"
)

// texts calls visit for all strings beneath a node that are no prose.
func texts(n *arazzo.Node, visit func(string)) {
	if n == nil {
		return
	}
	if n.Kind == value.KindString {
		visit(n.Text)
	}
	for _, item := range n.Items {
		texts(item, visit)
	}
	for _, m := range n.Members {
		if name := m.Key.Text; name != "description" && name != "summary" {
			texts(m.Value, visit)
		}
	}
}

// mentions holds what expressions in texts name, each with what its parts name: of
// $steps.a.outputs.b#/c also a, a.outputs and a.outputs.b. It is read from the
// texts, so that what is written with a fault counts too.
type mentions map[string]bool

// add adds what follows a prefix such as $steps. in the strings beneath a node.
func (m mentions) add(n *arazzo.Node, prefix string) {
	texts(n, func(text string) {
		for {
			_, after, ok := strings.Cut(text, prefix)
			if !ok {
				return
			}
			text = after
			for at := 0; at <= len(after); at++ {
				if at == len(after) || !isNameByte(after[at]) {
					m[after[:at]] = true
					if at == len(after) || after[at] != '.' {
						break
					}
				}
			}
		}
	})
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func checkUnusedInputs(p *lint.Pass) {
	eachUnusedInput(p, func(w *lint.Workflow, property *arazzo.Node) {
		if property.Get("x-weft-callback") == nil { // else it is for another rule
			p.Reportf(lint.Name(property), "nothing in workflow %s uses the input %s", quote(w.ID()), quote(property.Token()))
		}
	})
	checkUnusedSharedInputs(p)
}

// eachUnusedInput finds the inputs that nothing uses.
func eachUnusedInput(p *lint.Pass, found func(*lint.Workflow, *arazzo.Node)) {
	named := namedInputs(p)
	for _, w := range p.Workflows {
		if len(w.Names.Inputs) == 0 {
			continue
		}
		used := named.in(w)
		for _, property := range ownInputs(w.Model.Inputs) {
			if !used(property.Token()) {
				found(w, property)
			}
		}
	}
}

// inputMentions tells which inputs the expressions of a document name.
type inputMentions struct {
	shared mentions // outside of any workflow
	given  mentions // inputs of workflows, each with the id before it
}

func namedInputs(p *lint.Pass) *inputMentions {
	m := &inputMentions{shared: make(mentions), given: make(mentions)}
	m.shared.add(p.Model.Components.Node, "$inputs.")
	if p.Model.Idempotency != nil {
		m.shared.add(p.Model.Idempotency.Node, "$inputs.")
	}
	m.given.add(p.Model.Node, "$workflows.")
	return m
}

// in tells of the inputs of a workflow whether something uses them, if under a
// misspelt name.
func (m *inputMentions) in(w *lint.Workflow) func(name string) bool {
	used := usedInputs(w)
	meant := sync.OnceValue(func() map[string]bool { return meantInputs(w, used) })
	return func(name string) bool {
		return used[name] || m.shared[name] || m.given[w.ID()+".inputs."+name] || meant()[name]
	}
}

// meantInputs gives the inputs that were probably meant by names of inputs that a
// workflow does not declare, which another rule tells.
func meantInputs(w *lint.Workflow, used mentions) map[string]bool {
	meant := make(map[string]bool)
	there := make(map[string]bool, len(w.Names.Inputs))
	for _, name := range w.Names.Inputs {
		there[name] = true
	}
	left := maxMeant
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if name == "" || strings.Contains(name, ".") || there[name] || left == 0 {
			continue
		}
		left--
		if near, ok := spelling.Nearest(name, w.Names.Inputs); ok {
			meant[near] = true
		}
	}
	return meant
}

// usedInputs gives the inputs of a workflow that its own expressions name. Workflows
// that it depends on get its inputs of the same names.
func usedInputs(w *lint.Workflow) mentions {
	used := make(mentions)
	for _, m := range w.Model.Node.Members {
		if m.Key.Text != "inputs" {
			used.add(m.Value, "$inputs.")
		}
	}
	before := dependencies(w)
	if len(before) >= maxDependencies {
		before = append(before, w) // one of the others may have any of its inputs
	}
	for _, other := range before {
		for _, name := range other.Names.Inputs {
			used[name] = true
		}
	}
	return used
}

// maxDependencies bounds how many workflows are looked for that run before one.
const maxDependencies = 100

// dependencies gives the workflows that run before a workflow, and those before them.
func dependencies(w *lint.Workflow) []*lint.Workflow {
	var all []*lint.Workflow
	seen := map[*lint.Workflow]bool{w: true}
	for open := []*lint.Workflow{w}; len(open) > 0 && len(all) < maxDependencies; {
		at := open[0]
		open = open[1:]
		for _, target := range at.DependsOn {
			if other := target.Workflow(); other != nil && !seen[other] {
				seen[other] = true
				all, open = append(all, other), append(open, other)
			}
		}
	}
	return all
}

// ownInputs gives the properties that a schema of inputs itself writes.
func ownInputs(schema *arazzo.Node) []*arazzo.Node {
	if schema == nil || schema.Kind != value.KindObject {
		return nil
	}
	var all []*arazzo.Node
	if properties := schema.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			all = append(all, m.Value)
		}
	}
	if parts := schema.Get("allOf"); parts != nil {
		for _, part := range parts.Items {
			all = append(all, ownInputs(part)...)
		}
	}
	return all
}

func checkUnusedComponents(p *lint.Pass) {
	components := p.Model.Components.Node
	if components == nil || components.Kind != value.KindObject {
		return
	}
	referred := reachedComponents(p.Model.Node, components)
	addMeant(referred, components)
	for _, kind := range components.Members {
		for _, m := range kind.Value.Members {
			if isComponentKind(kind.Key.Text) && !p.Referred(m.Value) && !referred[kind.Key.Text+"."+m.Key.Text] {
				p.Reportf(lint.At(m.Key), "nothing refers to the component %s of %s", quote(m.Key.Text), kind.Key.Text)
			}
		}
	}
}

// maxMeant is for how many references to nothing is asked what they may mean.
const maxMeant = 20

// addMeant adds the components that were probably meant by references to some that are
// not there, which another rule tells.
func addMeant(referred mentions, components *arazzo.Node) {
	there := make(mentions)
	for _, kind := range components.Members {
		for _, m := range kind.Value.Members {
			there[kind.Key.Text+"."+m.Key.Text] = true
		}
	}
	left := maxMeant
	for _, reference := range slices.Sorted(maps.Keys(referred)) {
		kind, name, ok := strings.Cut(reference, ".")
		if !ok || there[reference] || left == 0 {
			continue
		}
		left--
		if !isComponentKind(kind) {
			kind, _ = spelling.Nearest(kind, memberNames(components))
		}
		if near, ok := spelling.Nearest(name, memberNames(components.Get(kind))); ok && !there[kind+"."+name] {
			name = near
		}
		referred[kind+"."+name] = true
	}
}

// reachedComponents gives the components that something outside of components refers
// to, and those that these refer to.
func reachedComponents(root, components *arazzo.Node) mentions {
	reached := make(mentions)
	take := func(n *arazzo.Node) {
		reached.add(n, "$components.")
		reached.addPointers(n)
	}
	for _, m := range root.Members {
		if m.Value != components {
			take(m.Value)
		}
	}
	looked := make(map[*arazzo.Node]bool)
	for more := true; more; {
		more = false
		for _, kind := range components.Members {
			for _, m := range kind.Value.Members {
				if !looked[m.Value] && (reached[kind.Key.Text+"."+m.Key.Text] || !isComponentKind(kind.Key.Text)) {
					looked[m.Value], more = true, true
					take(m.Value)
				}
			}
		}
	}
	return reached
}

func isComponentKind(name string) bool {
	switch name {
	case "inputs", arazzo.KindParameters, arazzo.KindSuccessActions, arazzo.KindFailureActions:
		return true
	default:
		return false
	}
}

// addPointers adds the components that each $ref beneath a node leads into.
func (m mentions) addPointers(n *arazzo.Node) {
	texts(n, func(text string) {
		_, fragment, _ := strings.Cut(text, "#")
		if !strings.HasPrefix(fragment, "/components/") {
			return
		}
		if pointer, err := value.ParsePointer(fragment); err == nil && len(pointer) > 2 {
			m[pointer[1]+"."+pointer[2]] = true
		}
	})
}

func checkUnusedSources(p *lint.Pass) {
	used := make(map[*source.Description]bool)
	for _, s := range p.Steps() {
		switch {
		case s.Target.Source != nil:
			used[s.Target.Source] = true
		case s.Target.Kind == lint.NoTarget && s.Target.Ref.Present() && !strings.Contains(s.Target.Ref.Value, "$"):
			return // a plain name that leads nowhere may mean any source
		case missing(s.Target.Err, "source") != nil:
			return // a misspelt source may be the one
		}
	}
	sources := make(map[string]int)
	for _, s := range p.Set.Sources {
		sources[s.Name]++
	}
	named := make(mentions)
	named.add(p.Model.Node, "$sourceDescriptions.")
	before := namedBefore(p)
	for i, s := range p.Set.Sources {
		model := p.Model.Sources[i]
		if used[s] || !isText(model.Name) || sources[s.Name] > 1 { // which of two is meant is told by another rule
			continue
		}
		if named[s.Name] || before[s.Name] || before[s.URL] {
			continue
		}
		p.Reportf(lint.At(model.Name.Node), "nothing uses the source %s", quote(s.Name))
	}
}

// namedBefore gives what stands before the # where a step names an operation or a
// channel: the name or the URL of a source, which no expression writes.
func namedBefore(p *lint.Pass) map[string]bool {
	before := make(map[string]bool)
	for _, s := range p.Steps() {
		if name, _, ok := strings.Cut(s.Target.Ref.Value, "#"); ok {
			before[name] = true
		}
	}
	return before
}

func checkUnusedOutputs(p *lint.Pass) {
	for _, w := range p.Workflows {
		used := make(mentions)
		used.add(w.Model.Node, "$steps.")
		for _, use := range w.Uses {
			if e := use.Expression; e.Root == expression.Steps {
				used[e.Owner+".outputs."+e.Name] = true
			}
		}
		for _, s := range w.Steps {
			for _, o := range s.Outputs {
				name := o.Model.Name.Value
				if used[s.ID()+".outputs."+name] {
					continue
				}
				p.Reportf(lint.At(o.Model.Name.Node), "nothing uses the output %s of step %s", quote(name), quote(s.ID()))
			}
		}
	}
}
