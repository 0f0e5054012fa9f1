package lint

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// componentKinds says of which kind of components a Reusable Object in a list is.
var componentKinds = map[string]string{
	"parameters":              arazzo.KindParameters,
	"onSuccess":               arazzo.KindSuccessActions,
	arazzo.KindSuccessActions: arazzo.KindSuccessActions,
	"onFailure":               arazzo.KindFailureActions,
	arazzo.KindFailureActions: arazzo.KindFailureActions,
}

// usedAt gives the component that the reference at a place uses, as its name and what
// it holds; nil where the place is no reference, or leads to no component of the
// kind that is needed there.
func (d *Document) usedAt(at Place) (name, component *arazzo.Node) {
	path, ok := strings.CutSuffix(at.Pointer, "/reference")
	if !ok {
		return nil, nil
	}
	pointer, err := value.ParsePointer(path)
	if err != nil || len(pointer) < 2 {
		return nil, nil
	}
	reference := d.Model.Node.Lookup(pointer).Get("reference")
	kind := componentKinds[pointer[len(pointer)-2]]
	if reference == nil || reference.Span != at.Span || !strings.HasPrefix(reference.Text, "$components."+kind+".") {
		return nil, nil
	}
	component = d.Component(reference.Text)
	return keyOf(component), component
}

// keyOf gives the name of the member that n is the value of; nil where it is none.
func keyOf(n *arazzo.Node) *arazzo.Node {
	for _, m := range membersAround(n) {
		if m.Value == n {
			return m.Key
		}
	}
	return nil
}

func membersAround(n *arazzo.Node) []arazzo.Member {
	if parent := n.Parent(); parent != nil {
		return parent.Members
	}
	return nil
}

// nameComponent names in a diagnostic of a reference the component that it uses, which
// several may use: there it is mended, or ignored.
func (d *Document) nameComponent(at Place, of *Diagnostic) {
	key, component := d.usedAt(at)
	if key == nil {
		return
	}
	of.component = key.Span
	if component.Span.Start.Offset > key.Span.Start.Offset { // an alias repeats what stands elsewhere
		of.component.End = component.Span.End
	}
	if slices.ContainsFunc(of.Related, func(r Related) bool { return within(r.Span, of.component) }) {
		return
	}
	of.Related = append(slices.Clip(of.Related), See(key, "%s is written here", component.Parent().Token()+"."+key.Text))
}
