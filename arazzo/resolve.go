package arazzo

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weft-flow/weft/internal/spelling"
)

// ErrNoComponent tells that a reference names no component of the document.
var ErrNoComponent = errors.New("no such component")

// The kinds of components that a Reusable Object can refer to.
const (
	KindParameters     = "parameters"
	KindSuccessActions = "successActions"
	KindFailureActions = "failureActions"
)

// componentsPrefix begins every reference of a Reusable Object.
const componentsPrefix = "$components."

// Workflow gives the workflow with the given id, or nil. Of several the first.
func (d *Document) Workflow(id string) *Workflow {
	for _, w := range d.Workflows {
		if w.WorkflowID.Value == id {
			return w
		}
	}
	return nil
}

// Source gives the source description with the given name, or nil.
func (d *Document) Source(name string) *SourceDescription {
	for _, s := range d.Sources {
		if s.Name.Value == name {
			return s
		}
	}
	return nil
}

// Step gives the step with the given id, or nil. Of several the first.
func (w *Workflow) Step(id string) *Step {
	for _, s := range w.Steps {
		if s.StepID.Value == id {
			return s
		}
	}
	return nil
}

// ResolveParameter gives the parameter itself, or the component that it refers
// to, with the value of the reference where that has one. The error wraps
// ErrNoComponent.
func (d *Document) ResolveParameter(p *Parameter) (*Parameter, error) {
	if !p.Reference.Present() {
		return p, nil
	}
	found, err := component(d.Components.Parameters, p.Reference.Value, KindParameters)
	if err != nil {
		return nil, err
	}
	resolved := *found
	if p.Value != nil {
		resolved.Value = p.Value
	}
	return &resolved, nil
}

// ResolveAction gives the action itself, or the component that it refers to,
// under the name that the component gives itself. kind is KindSuccessActions or
// KindFailureActions. The error wraps ErrNoComponent.
func (d *Document) ResolveAction(a *Action, kind string) (*Action, error) {
	if !a.Reference.Present() {
		return a, nil
	}
	from := d.Components.SuccessActions
	if kind == KindFailureActions {
		from = d.Components.FailureActions
	}
	return component(from, a.Reference.Value, kind)
}

// component finds what a reference names among the components of one kind.
func component[T any](among []Named[*T], reference, kind string) (*T, error) {
	path, ok := strings.CutPrefix(reference, componentsPrefix)
	found, name, dotted := strings.Cut(path, ".")
	if !ok || !dotted {
		return nil, fmt.Errorf("reference %s: %w: expected %s%s.<name>", quote(reference), ErrNoComponent, componentsPrefix, kind)
	}
	if found != kind {
		return nil, fmt.Errorf("reference %s: %w: a component of %s is needed here, this names one of %s", quote(reference), ErrNoComponent, kind, quote(found))
	}
	names := make([]string, len(among))
	for i, c := range among {
		if c.Name.Value == name {
			return c.Value, nil
		}
		names[i] = c.Name.Value
	}
	return nil, fmt.Errorf("reference %s: %w: %s", quote(reference), ErrNoComponent, existing(name, names, kind))
}

// existing says which names there are, and which was probably meant.
func existing(name string, names []string, kind string) string {
	if len(names) == 0 {
		return "the document has no " + kind
	}
	if near, ok := spelling.Nearest(name, names); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return kind + " are " + enumerate(names)
}
