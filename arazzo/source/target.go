package source

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/source/asyncapi"
)

// Target is what an operationId names: an operation of OpenAPI, or one of
// AsyncAPI. One of the two is nil.
type Target struct {
	Description *Description
	Operation   *Operation
	Async       *asyncapi.Operation
}

// FindTarget gives the operation of any kind that a step's operationId names. A
// plain id is looked for in all sources, where it must be found once;
// $sourceDescriptions.NAME.ID looks in one. The error is a *NotFoundError or an
// *AmbiguousError; a *NotFoundError comes with the Description where that is known.
func (s *Set) FindTarget(operationID string) (Target, error) {
	expression, ok := sourceExpression(operationID)
	if !ok {
		return s.searchTarget(operationID)
	}
	d, rest, err := s.named(expression, operationID)
	if err != nil {
		return Target{}, err
	}
	id, ok := strings.CutPrefix(rest, ".")
	if !ok || id == "" {
		return Target{}, &NotFoundError{What: "operation", Ref: operationID,
			Detail: "an operation of a source is written " + sourcePrefix + "NAME.OPERATION"}
	}
	target, err := d.target(id, operationID)
	target.Description = d
	return target, err
}

// AsyncOperationError tells that a reference names an operation of AsyncAPI where
// one of OpenAPI is wanted.
type AsyncOperationError struct {
	Description *Description
	Operation   *asyncapi.Operation
}

// Error names the operation and its source.
func (e *AsyncOperationError) Error() string {
	return fmt.Sprintf("operation %s of source %s is of AsyncAPI: it sends or receives messages",
		quote(e.Operation.ID), quote(e.Description.Name))
}

// targets gives the operations of that id.
func (d *Description) targets(id string) []Target {
	var all []Target
	for _, o := range d.OpenAPI.ByID(id) {
		all = append(all, Target{Description: d, Operation: o})
	}
	for _, o := range d.AsyncAPI.ByID(id) {
		all = append(all, Target{Description: d, Async: o})
	}
	return all
}

// ids lists the ids of the operations of a description, in no order.
func (d *Description) ids() []string {
	var ids []string
	if d.OpenAPI != nil {
		for id := range d.OpenAPI.byID {
			ids = append(ids, id)
		}
	}
	if d.AsyncAPI != nil {
		for _, o := range d.AsyncAPI.Operations {
			if o.ID != "" {
				ids = append(ids, o.ID)
			}
		}
	}
	return ids
}

// searchTarget looks for a plain operationId in all sources.
func (s *Set) searchTarget(id string) (Target, error) {
	var found []Target
	for _, d := range s.apis() {
		found = append(found, d.targets(id)...)
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Target{}, s.noOperation(id)
	}
	return Target{}, ambiguous(id, found)
}

// target gives the operation of one description; ref is how messages call it.
func (d *Description) target(id, ref string) (Target, error) {
	if d.OpenAPI == nil && d.AsyncAPI == nil {
		return Target{}, &NotFoundError{What: "operation", Ref: ref, Detail: notOfType(d, TypeOpenAPI)}
	}
	found := d.targets(id)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		e := &NotFoundError{What: "operation", Ref: ref, Candidates: nearest(id, d.ids()),
			Detail: fmt.Sprintf("source %s describes none of that operationId", quote(d.Name))}
		if d.AsyncAPI.Channel(id) != nil {
			e.Detail += ", but a channel, which a channelPath names"
		}
		return Target{}, e
	}
	return Target{}, ambiguous(ref, found)
}

// ambiguous lists what a reference names, each so that it is named alone.
func ambiguous(ref string, found []Target) error {
	perSource := map[*Description]int{}
	for _, t := range found {
		perSource[t.Description]++
	}
	e := &AmbiguousError{What: "operation", Ref: ref}
	for _, t := range found {
		e.Candidates = append(e.Candidates, t.precise(perSource[t.Description] > 1))
	}
	return e
}

// noOperation says what exists in place of an operation, and what could not be looked at.
func (s *Set) noOperation(id string) error {
	e := &NotFoundError{What: "operation", Ref: id}
	var ids, unread []string
	for _, d := range s.apis() {
		if d.Problem != nil {
			unread = append(unread, d.Name)
		}
		ids = append(ids, d.ids()...)
	}
	e.Candidates = append(s.withoutPrefix(id), nearest(id, ids)...)
	switch {
	case len(s.apis()) == 0:
		e.Detail = "the document has no source that describes an API"
	case len(unread) > 0:
		e.Detail = "not looked for in " + list(unread, "and") + ", which could not be loaded"
	}
	return e
}

// noPathsIn says why an operationPath finds nothing in a source.
func noPathsIn(d *Description, path string) error {
	e := &NotFoundError{What: "operation", Ref: path, Detail: notOfType(d, TypeOpenAPI)}
	if d.AsyncAPI == nil {
		return e
	}
	e.Detail = fmt.Sprintf("source %s is of type asyncapi: name an operation by operationId, a channel by channelPath", quote(d.Name))
	_, fragment, _ := strings.Cut(path, "#")
	if pointer, err := fragmentPointer(fragment); err == nil && len(pointer) == 2 && pointer[0] == "operations" {
		for _, t := range d.targets(pointer[1]) {
			e.Candidates = append(e.Candidates, t.precise(false))
		}
	}
	return e
}
