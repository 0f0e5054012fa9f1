package lint

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
)

// TargetKind is what a step or an action leads to.
type TargetKind uint8

// The kinds of target.
const (
	NoTarget      TargetKind = iota // it names nothing, or see Err and Open
	CallTarget                      // an operation of OpenAPI that the step calls
	ReceiveTarget                   // a webhook or callback of OpenAPI
	ChannelTarget                   // an operation or channel of AsyncAPI
	WorkflowTarget
)

// Target is what a step calls, or where an action leads.
type Target struct {
	Kind TargetKind
	Ref  arazzo.Text // the field that names it
	// Err tells why it names nothing that is there: a *source.NotFoundError or a
	// *source.AmbiguousError. Open tells why that cannot be known: then all that
	// depends on it is silent. Where the kind is set, both are empty.
	Err  error
	Open string

	// Source is the description that has the operation; of a channelPath the one
	// that it names, whatever kind it is.
	Source    *source.Description
	Operation *source.Operation // of CallTarget and ReceiveTarget

	world *world
	set   *source.Set // the document of the workflow
	model *arazzo.Workflow
}

// Workflow gives the workflow of a WorkflowTarget, resolved, nil for any other
// kind. It may belong to another document.
func (t *Target) Workflow() *Workflow {
	if t.model == nil {
		return nil
	}
	return t.world.document(t.set).byModel[t.model]
}

// stepTarget finds what a step calls.
func (d *Document) stepTarget(model *arazzo.Step) Target {
	switch {
	case model.WorkflowID.Present():
		return d.workflowTarget(model.WorkflowID)
	case model.OperationID.Present():
		description, operation, err := d.Set.FindOperation(model.OperationID.Value)
		return d.operationTarget(model.OperationID, description, operation, err)
	case model.OperationPath.Present():
		description, operation, err := d.Set.FindOperationPath(model.OperationPath.Value)
		return d.operationTarget(model.OperationPath, description, operation, err)
	case model.ChannelPath.Present():
		return Target{Ref: model.ChannelPath, Source: sourceNamed(d.Set, model.ChannelPath.Value),
			Open: "channels of AsyncAPI are not read yet"}
	default:
		return Target{}
	}
}

func (d *Document) operationTarget(ref arazzo.Text, s *source.Description, o *source.Operation, err error) Target {
	t := Target{Ref: ref, Source: s, Operation: o, Err: err}
	switch {
	case err != nil:
		t.Source, t.Operation = nil, nil
		if t.Open = d.open(ref.Value, err); t.Open != "" {
			t.Err = nil
		}
	case o == nil:
		t.Kind = ChannelTarget
	case o.Kind == source.Request:
		t.Kind = CallTarget
	default:
		t.Kind = ReceiveTarget
	}
	return t
}

// workflowTarget finds the workflow that a workflowId names.
func (d *Document) workflowTarget(ref arazzo.Text) Target {
	if !ref.Present() {
		return Target{}
	}
	set, model, err := d.Set.FindWorkflow(ref.Value)
	if err != nil {
		t := Target{Ref: ref, Err: err}
		if strings.HasPrefix(strings.TrimPrefix(ref.Value, "{"), sourcePrefix) {
			if t.Open = d.open(ref.Value, err); t.Open != "" {
				t.Err = nil
			}
		}
		return t
	}
	return Target{Kind: WorkflowTarget, Ref: ref, world: d.world, set: set, model: model}
}

const sourcePrefix = "$sourceDescriptions."

// open tells why it cannot be known whether a reference that was not found names
// something: a source in which it may be was not loaded, or not wholly; empty
// where it names nothing for certain.
func (d *Document) open(ref string, err error) string {
	var missing *source.NotFoundError
	if !errors.As(err, &missing) || missing.What == "source" {
		return ""
	}
	named := sourceNamed(d.Set, ref)
	for _, s := range d.Set.Sources {
		if named != nil && s != named {
			continue
		}
		switch {
		case s.Problem != nil:
			return fmt.Sprintf("source %q was not loaded", s.Name)
		case s.OpenAPI == nil && s.Arazzo == nil:
			return fmt.Sprintf("what source %q of type %s offers is not read", s.Name, s.Type)
		case s.OpenAPI != nil && hidesOperations(s.OpenAPI):
			return fmt.Sprintf("source %q refers to descriptions that were not found", s.Name)
		}
	}
	return ""
}

// sourceNamed gives the source that a reference names; nil where it names none.
func sourceNamed(set *source.Set, ref string) *source.Description {
	var best *source.Description
	rest, isExpression := strings.CutPrefix(strings.TrimPrefix(ref, "{"), sourcePrefix)
	for _, s := range set.Sources {
		after, ok := strings.CutPrefix(rest, s.Name)
		if !ok || s.Name == "" || after != "" && !strings.ContainsRune(".}#", rune(after[0])) {
			continue
		}
		if !isExpression && !strings.HasPrefix(after, "#") {
			continue
		}
		if best == nil || len(s.Name) > len(best.Name) {
			best = s
		}
	}
	return best
}

// componentRef is a reference to a component that holds no operations.
var componentRef = regexp.MustCompile(`#/components/(schemas|parameters|responses|headers|examples|requestBodies|links|securitySchemes|mediaTypes)/`)

// hidesOperations tells whether a reference that leads nowhere may stand for
// paths with operations.
func hidesOperations(c *source.Catalog) bool {
	return slices.ContainsFunc(c.Unresolved, func(r source.BrokenReference) bool { return !componentRef.MatchString(r.Ref) })
}

// dependency finds the step that an entry of dependsOn names.
func (c *compiler) dependency(text arazzo.Text) *Dependency {
	d := &Dependency{Text: text}
	if d.Ref, d.Err = expression.ParseStepReference(text.Value, c.names); d.Err != nil {
		return d
	}
	model := c.workflow.Model
	switch {
	case d.Ref.Source != "":
		ref := sourcePrefix + d.Ref.Source + "." + d.Ref.Workflow
		t := c.document.workflowTarget(arazzo.Text{Node: text.Node, Value: ref})
		d.Err, d.Open, model = t.Err, t.Open, t.model
	case d.Ref.Workflow != "":
		t := c.document.workflowTarget(arazzo.Text{Node: text.Node, Value: d.Ref.Workflow})
		d.Err, model = t.Err, t.model
	}
	switch {
	case model == nil:
	case model == c.workflow.Model:
		d.Step = c.workflow.Step(d.Ref.Step)
		fallthrough
	default:
		if model.Step(d.Ref.Step) == nil {
			d.Err = errNoStep
		}
	}
	return d
}

func contains(names []string, name string) bool { return slices.Contains(names, name) }
