package schema

import (
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

const (
	// maxParts bounds how many schemas are gathered for one place.
	maxParts = 64
	// maxMadeUp bounds how deep defaults are filled into defaults: a schema that
	// refers to itself could ask for it for ever.
	maxMadeUp = 16
	// maxFilled bounds how many properties are looked at in all.
	maxFilled = 100_000
)

// ApplyDefaults gives v with the default of each property that it lacks, at the
// top and in the objects beneath that v has. The schema is the one that a JSON
// Pointer names within root; local references, anchors and allOf are followed.
// An absent v counts as an empty object. Members that v has are left as they are.
func ApplyDefaults(root value.Value, pointer string, v value.Value) value.Value {
	at, err := value.ParsePointer(pointer)
	if err != nil {
		return v
	}
	if v.IsAbsent() {
		v = value.Object()
	}
	d := &defaults{root: root, left: maxFilled}
	return d.apply(at.In(root), v, 0)
}

type defaults struct {
	root value.Value
	left int // properties that may still be looked at
}

// apply fills one object. madeUp says how many of the objects around it are
// defaults themselves.
func (d *defaults) apply(schema, v value.Value, madeUp int) value.Value {
	if v.Kind() != value.KindObject || madeUp > maxMadeUp {
		return v
	}
	members := slices.Clone(v.Members())
	position := make(map[string]int, len(members))
	for i, m := range members {
		position[m.Name] = i
	}
	for _, part := range d.parts(schema) {
		for _, property := range part.Get("properties").Members() {
			if d.left--; d.left < 0 {
				return v
			}
			inside := madeUp
			i, there := position[property.Name]
			if !there {
				given := d.defaultOf(property.Value)
				if given.IsAbsent() {
					continue
				}
				i = len(members)
				position[property.Name] = i
				members = append(members, value.Member{Name: property.Name, Value: given})
				inside++
			}
			members[i].Value = d.apply(property.Value, members[i].Value, inside)
		}
	}
	return value.Object(members...)
}

// defaultOf gives the first default that a schema or what it refers to has.
func (d *defaults) defaultOf(schema value.Value) value.Value {
	for _, part := range d.parts(schema) {
		if given := part.Get("default"); !given.IsAbsent() {
			return given
		}
	}
	return value.Absent
}

// parts gives a schema with all that applies to the same value for certain: what
// it refers to and its allOf.
func (d *defaults) parts(schema value.Value) []value.Value {
	var parts []value.Value
	seen := make(map[string]bool)
	var add func(schema value.Value)
	add = func(schema value.Value) {
		if len(parts) == maxParts || schema.IsAbsent() {
			return
		}
		parts = append(parts, schema)
		if reference, ok := schema.Get("$ref").Str(); ok && !seen[reference] {
			seen[reference] = true
			add(d.resolve(reference))
		}
		for _, part := range schema.Get("allOf").Items() {
			add(part)
		}
	}
	add(schema)
	return parts
}

// resolve gives what a local reference names, absent for any other.
func (d *defaults) resolve(reference string) value.Value {
	name, local := strings.CutPrefix(reference, "#")
	if !local {
		return value.Absent
	}
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	if at, err := value.ParsePointer(name); err == nil {
		return at.In(d.root)
	}
	return anchoredAs(name, d.root)
}

// anchoredAs gives the first schema at or beneath v with an $anchor of that name.
func anchoredAs(name string, v value.Value) value.Value {
	if here, ok := v.Get("$anchor").Str(); ok && here == name {
		return v
	}
	for _, item := range v.Items() {
		if found := anchoredAs(name, item); !found.IsAbsent() {
			return found
		}
	}
	for _, m := range v.Members() {
		if found := anchoredAs(name, m.Value); !found.IsAbsent() {
			return found
		}
	}
	return value.Absent
}
