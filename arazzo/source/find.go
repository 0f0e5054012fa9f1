package source

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// sourcePrefix begins an expression that names a source description.
const sourcePrefix = "$sourceDescriptions."

// FindOperation gives the OpenAPI operation that a step's operationId names, with
// its description. A plain id is looked for in all sources, where it must be
// found once; $sourceDescriptions.NAME.ID looks in one. The error is a
// *NotFoundError, an *AmbiguousError, or where the operation is one of AsyncAPI
// an *AsyncOperationError.
func (s *Set) FindOperation(operationID string) (*Description, *Operation, error) {
	target, err := s.FindTarget(operationID)
	if err == nil && target.Async != nil {
		err = &AsyncOperationError{Description: target.Description, Operation: target.Async}
	}
	return target.Description, target.Operation, err
}

// FindOperationPath gives the operation that a step's operationPath names, with
// its description: {$sourceDescriptions.NAME.url}#/paths/…, with the pointer
// percent-encoded as a fragment. The forms that documents write besides are
// read too: the name without braces or without .url, a bare name or URL before
// the #, and $sourceDescriptions.NAME.OPERATION, which means the operationId.
func (s *Set) FindOperationPath(path string) (*Description, *Operation, error) {
	before, fragment, ok := strings.Cut(path, "#")
	if !ok {
		if _, named := sourceExpression(path); named {
			return s.FindOperation(path)
		}
		return nil, nil, &NotFoundError{What: "operation", Ref: path,
			Detail:     "an operationPath is written {" + sourcePrefix + "NAME.url}#/paths/~1PATH/METHOD",
			Candidates: s.byPath(path)}
	}
	d, err := s.sourceOf("operation", before, path, s.apis())
	if err != nil {
		return nil, nil, err
	}
	if d.OpenAPI == nil {
		return nil, nil, noPathsIn(d, path)
	}
	pointer, err := fragmentPointer(fragment)
	if err != nil {
		return nil, nil, &NotFoundError{What: "operation", Ref: path, Detail: err.Error()}
	}
	o, err := d.OpenAPI.ByPointer(pointer)
	if err != nil {
		var at *NotFoundError
		if errors.As(err, &at) {
			at.Ref, at.Detail = path, fmt.Sprintf("in source %s %s", quote(d.Name), at.Detail)
		}
		return d, nil, err
	}
	return d, o, nil
}

// FindWorkflow gives the workflow that a workflowId names, with the set of its
// document: one of this document, or $sourceDescriptions.NAME.ID of another.
func (s *Set) FindWorkflow(ref string) (*Set, *arazzo.Workflow, error) {
	expression, ok := sourceExpression(ref)
	if !ok {
		w, err := s.workflow(ref, ref)
		var lost *NotFoundError
		if errors.As(err, &lost) {
			lost.Candidates = append(s.elsewhere(ref), lost.Candidates...)
		}
		return s, w, err
	}
	d, rest, err := s.named(expression, ref)
	if err != nil {
		return nil, nil, err
	}
	id, ok := strings.CutPrefix(rest, ".")
	if !ok || id == "" {
		return nil, nil, &NotFoundError{What: "workflow", Ref: ref,
			Detail: "a workflow of a source is written " + sourcePrefix + "NAME.WORKFLOW"}
	}
	if d.Arazzo == nil {
		return nil, nil, &NotFoundError{What: "workflow", Ref: ref, Detail: notOfType(d, TypeArazzo)}
	}
	w, err := d.Arazzo.workflow(id, ref)
	return d.Arazzo, w, err
}

// elsewhere gives what means a workflow of that id in the documents that this one uses.
func (s *Set) elsewhere(id string) (refs []string) {
	for _, d := range s.Sources {
		if d.Arazzo != nil && d.Arazzo.Document.Workflow(id) != nil {
			refs = append(refs, sourcePrefix+d.Name+"."+id)
		}
	}
	return refs
}

// workflow gives the workflow of this document; ref is how messages call it.
func (s *Set) workflow(id, ref string) (*arazzo.Workflow, error) {
	var found *arazzo.Workflow
	for _, w := range s.Document.Workflows {
		if w == nil || w.WorkflowID.Value != id {
			continue
		}
		if found != nil {
			return nil, &AmbiguousError{What: "workflow", Ref: ref, Candidates: []string{found.Node.Pointer(), w.Node.Pointer()}}
		}
		found = w
	}
	if found == nil {
		var ids []string
		for _, w := range s.Document.Workflows {
			if w != nil {
				ids = append(ids, w.WorkflowID.Value)
			}
		}
		e := &NotFoundError{What: "workflow", Ref: ref, Candidates: nearest(id, ids)}
		if short, ok := strings.CutPrefix(id, "workflows."); ok && slices.Contains(ids, short) {
			e.Candidates = []string{strings.TrimSuffix(ref, id) + short}
		}
		return nil, e
	}
	return found, nil
}

// sourceExpression strips the braces and the prefix of an expression that names
// a source; ok is false where it is none.
func sourceExpression(text string) (string, bool) {
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		text = strings.TrimSuffix(inner, "}")
	}
	return strings.CutPrefix(text, sourcePrefix)
}

// named finds the source that NAME, at the start of an expression, is: the
// longest declared name wins, since names may contain dots. rest is what follows.
func (s *Set) named(expression, ref string) (d *Description, rest string, err error) {
	names := make([]string, 0, len(s.Sources))
	for _, candidate := range s.Sources {
		names = append(names, candidate.Name)
		after, ok := strings.CutPrefix(expression, candidate.Name)
		if !ok || candidate.Name == "" || after != "" && after[0] != '.' {
			continue
		}
		if d == nil || len(candidate.Name) > len(d.Name) {
			d, rest = candidate, after
		}
	}
	if d != nil {
		return d, rest, nil
	}
	name, _, _ := strings.Cut(expression, ".")
	e := &NotFoundError{What: "source", Ref: name, Candidates: nearest(name, names)}
	if len(names) == 0 {
		e.Detail = "the document has no sourceDescriptions"
	} else if len(e.Candidates) == 0 {
		e.Detail = "declared: " + list(names, "and")
	}
	e.Detail = strings.TrimSuffix("needed by "+quote(ref)+"; "+e.Detail, "; ")
	return nil, "", e
}

// sourceOf finds the source that stands before the # of a reference to an
// operation or channel; where nothing stands there, the only one of those given.
func (s *Set) sourceOf(what, before, ref string, only []*Description) (*Description, error) {
	if expression, ok := sourceExpression(before); ok {
		d, rest, err := s.named(expression, ref)
		if err == nil && rest != "" && rest != ".url" {
			return nil, &NotFoundError{What: what, Ref: ref,
				Detail: fmt.Sprintf("before the # only %s%s.url can stand", sourcePrefix, d.Name)}
		}
		return d, err
	}
	for _, d := range s.Sources {
		if before != "" && (before == d.Name || before == d.URL || before == d.Identity || before == d.Location) {
			return d, nil
		}
	}
	if before == "" && len(only) == 1 {
		return only[0], nil
	}
	names := make([]string, len(s.Sources))
	for i, d := range s.Sources {
		names[i] = d.Name
	}
	return nil, &NotFoundError{What: "source", Ref: before, Detail: "needed by " + quote(ref), Candidates: nearest(before, names)}
}

// apis lists the sources that may describe operations.
func (s *Set) apis() []*Description {
	var out []*Description
	for _, d := range s.Sources {
		if d.Type != TypeArazzo {
			out = append(out, d)
		}
	}
	return out
}

// fragmentPointer reads the part behind the # as a JSON Pointer in the form of a
// URI fragment (RFC 6901, section 6).
func fragmentPointer(fragment string) (value.Pointer, error) {
	decoded, err := url.PathUnescape(fragment)
	if err != nil {
		return nil, fmt.Errorf("its fragment is not percent-encoded rightly: %s", strings.TrimPrefix(err.Error(), "invalid URL escape "))
	}
	pointer, err := value.ParsePointer(decoded)
	if err != nil {
		return nil, fmt.Errorf("its fragment is no JSON Pointer: %w", err)
	}
	return pointer, nil
}

func notOfType(d *Description, wanted string) string {
	if d.Problem != nil {
		return fmt.Sprintf("source %s could not be loaded", quote(d.Name))
	}
	return fmt.Sprintf("source %s is of type %s, not %s", quote(d.Name), d.Type, wanted)
}
