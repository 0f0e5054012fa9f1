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
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
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

	// Source is the description that has the operation or channel; of a channelPath
	// the one that it names, whatever kind it is.
	Source    *source.Description
	Operation *source.Operation   // of CallTarget and ReceiveTarget
	Async     *asyncapi.Operation // of a ChannelTarget that names an operation
	Channel   *asyncapi.Channel   // of a ChannelTarget; nil where the operation names none that there is

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
		found, err := d.Set.FindTarget(model.OperationID.Value)
		return d.operationTarget(model.OperationID, found, err)
	case model.OperationPath.Present():
		description, operation, err := d.Set.FindOperationPath(model.OperationPath.Value)
		var async *source.AsyncOperationError
		if errors.As(err, &async) {
			return d.operationTarget(model.OperationPath, source.Target{Description: async.Description, Async: async.Operation}, nil)
		}
		return d.operationTarget(model.OperationPath, source.Target{Description: description, Operation: operation}, err)
	case model.ChannelPath.Present():
		return d.channelTarget(model.ChannelPath)
	default:
		return Target{}
	}
}

func (d *Document) operationTarget(ref arazzo.Text, found source.Target, err error) Target {
	t := Target{Ref: ref}
	switch {
	case err != nil:
		t.Open, t.Err = d.notFound(ref.Value, err)
		return t
	case found.Async != nil:
		t.Kind, t.Async, t.Channel = ChannelTarget, found.Async, found.Async.Channel
	case found.Operation.Kind == source.Request:
		t.Kind, t.Operation = CallTarget, found.Operation
	default:
		t.Kind, t.Operation = ReceiveTarget, found.Operation
	}
	t.Source = found.Description
	return t
}

// channelTarget finds the channel that a channelPath names.
func (d *Document) channelTarget(ref arazzo.Text) Target {
	description, channel, err := d.Set.FindChannel(ref.Value)
	t := Target{Ref: ref, Source: description, Channel: channel}
	if err != nil {
		t.Channel = nil
		t.Open, t.Err = d.notFound(ref.Value, err)
		return t
	}
	t.Kind = ChannelTarget
	return t
}

// notFound gives the error of a reference that names nothing, or why that cannot
// be known.
func (d *Document) notFound(ref string, err error) (open string, fault error) {
	if open = d.open(ref, err); open != "" {
		return open, nil
	}
	return "", err
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
			t.Open, t.Err = d.notFound(ref.Value, err)
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
		case s.OpenAPI != nil && hidesOperations(s.OpenAPI):
			return fmt.Sprintf("source %q refers to descriptions that were not found", s.Name)
		case s.AsyncAPI != nil && len(s.AsyncAPI.Faults) > 0:
			return fmt.Sprintf("parts of source %q could not be read", s.Name)
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
