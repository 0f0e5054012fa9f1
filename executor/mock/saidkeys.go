package mock

import (
	"errors"
	"net/http"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/keying"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
)

// keysSaid adds to sources the headers that the steps of documents say bear the keys of
// operations (x-weft-idempotency): whoever writes so knows that the API honours them, also
// where its description does not declare them, or by a name that is not known.
func keysSaid(sources []Source, set *source.Set) {
	for _, w := range set.Document.Workflows {
		for _, step := range w.Steps {
			d, name, op := calledBy(set, step)
			if d == nil {
				continue
			}
			said := keying.Of(op, step.Idempotency, w.Idempotency, set.Document.Idempotency).Extension
			if said == nil || said.Off || said.Header == "" {
				continue
			}
			for i := range sources {
				if sources[i].Description == d || sources[i].Description != nil && sources[i].Description.Identity == d.Identity {
					sources[i].honour(name, said.Header)
				}
			}
		}
	}
}

// Honour has the operations of some methods honour keys in a header, but for those in whose
// Keys there is another one; no methods: POST and PATCH. Without a header nothing changes.
func (s *Source) Honour(header string, methods []string) {
	if len(methods) == 0 {
		methods = []string{http.MethodPost, http.MethodPatch}
	}
	for _, op := range s.Catalog.Operations {
		if header != "" && op.Kind == source.Request && slices.Contains(methods, op.Method) {
			s.honour(nameOf(op), header)
		}
	}
}

func (s *Source) honour(operation, header string) {
	if s.Keys == nil {
		s.Keys = map[string]string{}
	}
	if s.Keys[operation] == "" {
		s.Keys[operation] = header
	}
}

// calledBy gives what a step calls or sends on, as the mock names it; nil: nothing that it
// plays.
func calledBy(set *source.Set, step *arazzo.Step) (*source.Description, string, *source.Operation) {
	var d *source.Description
	var op *source.Operation
	var err error
	switch {
	case step.OperationID.Present():
		d, op, err = set.FindOperation(step.OperationID.Value)
	case step.OperationPath.Present():
		d, op, err = set.FindOperationPath(step.OperationPath.Value)
	case step.ChannelPath.Present() && step.Action.Value == string(asyncapi.Send):
		of, channel, lost := set.FindChannel(step.ChannelPath.Value)
		if lost != nil || channel == nil {
			return nil, "", nil
		}
		return of, channel.Key, nil
	}
	var async *source.AsyncOperationError
	switch {
	case errors.As(err, &async) && async.Operation.Channel != nil && step.Action.Value == string(asyncapi.Send):
		return async.Description, async.Operation.Channel.Key, nil
	case err != nil || op == nil:
		return nil, "", nil
	}
	return d, nameOf(op), op
}

// nameOf gives how the mock calls an operation.
func nameOf(op *source.Operation) string {
	if op.ID == "" {
		return op.Method + " " + op.Path
	}
	return op.ID
}
