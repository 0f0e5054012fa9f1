package asyncapi

import (
	"fmt"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// maxCopied bounds the members that traits give to all objects together: a large
// trait of many messages would multiply.
const maxCopied = 1_000_000

// layer is one of the objects that are laid over each other.
type layer struct {
	node  *arazzo.Node
	trait bool
}

// withTraits gives an operation or message with its traits merged in by the
// rules of JSON Merge Patch (RFC 7396), in their order. In AsyncAPI 2.x a trait
// overrides what it is applied to, in 3.x it fills in what is missing. The
// result keeps the place of the object.
func (r *reader) withTraits(n *arazzo.Node) *arazzo.Node {
	traits := r.items(n, "traits")
	if len(traits) == 0 {
		return n
	}
	var layers []layer // the uppermost first
	for i := len(traits) - 1; i >= 0; i-- {
		if trait := r.object(traits[i], "a trait"); trait != nil {
			layers = append(layers, layer{trait, true})
		}
	}
	if r.major == 2 {
		layers = append(layers, layer{node: n})
	} else {
		layers = append([]layer{{node: n}}, layers...)
	}
	for _, l := range layers {
		r.copied += len(l.node.Members)
	}
	if r.copied > maxCopied {
		r.fault(n, fmt.Errorf("the traits of the description have more than %d members together; they are left out here", maxCopied))
		return n
	}
	return r.overlay(n, layers, true)
}

// overlay gives a copy of n with the members of all layers.
func (r *reader) overlay(n *arazzo.Node, layers []layer, top bool) *arazzo.Node {
	stacks := map[string][]layer{}
	var keys []*arazzo.Node
	for _, l := range layers {
		for _, m := range l.node.Members {
			if stacks[m.Key.Text] == nil {
				keys = append(keys, m.Key)
			}
			stacks[m.Key.Text] = append(stacks[m.Key.Text], layer{m.Value, l.trait})
		}
	}
	merged := *n
	merged.Members = make([]arazzo.Member, 0, len(keys))
	for _, key := range keys {
		if v := r.combine(stacks[key.Text], top); v != nil {
			merged.Members = append(merged.Members, arazzo.Member{Key: key, Value: v})
		}
	}
	r.merged[&merged] = true
	return &merged
}

// combine gives the value of several layers, nil where a trait removes it: the
// uppermost, or all objects down to the first value that is none. A reference
// directly in the object that has the traits counts as what it leads to; deeper
// down it is not followed, and counts alone.
func (r *reader) combine(stack []layer, top bool) *arazzo.Node {
	first := stack[0]
	if first.trait && first.node.Kind == value.KindNull {
		return nil
	}
	if len(stack) == 1 {
		return first.node
	}
	var objects []layer
	for _, l := range stack {
		if top {
			l.node = r.follow(l.node)
		}
		if l.node == nil || l.node.Kind != value.KindObject || !top && r.refOf(l.node) != nil {
			break
		}
		objects = append(objects, l)
		r.copied += len(l.node.Members)
	}
	if len(objects) < 2 || r.copied > maxCopied {
		return first.node
	}
	return r.overlay(objects[0].node, objects, false)
}
