package check

import (
	"slices"
	"strconv"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

const (
	maxHops  = 100       // references that lead straight to each other
	maxSteps = 2_000_000 // tokens and references followed to read one schema
)

// reading is one walk through a description.
type reading struct {
	*source.Written
	left int // steps
}

// cursor stands at a value of a description and knows the way on from there.
type cursor struct {
	files *reading
	place source.Place
	value value.Value
}

// top gives a cursor at the root of a file.
func top(files *reading, location string) cursor {
	return cursor{files: files, place: source.Place{Location: location}, value: files.File(location)}
}

func (c cursor) isAbsent() bool { return c.value.IsAbsent() }

// in steps down by some tokens, without following a reference.
func (c cursor) in(tokens ...string) cursor {
	c.value = value.Pointer(tokens).In(c.value)
	c.place.Pointer = slices.Concat(c.place.Pointer, tokens)
	return c
}

// step steps down by one token, through a reference where nothing else is there.
func (c cursor) step(token string) cursor { return c.stepWithin(token, maxHops) }

func (c cursor) stepWithin(token string, left int) cursor {
	if c.files == nil {
		return cursor{}
	}
	if c.files.left--; c.files.left < 0 {
		return cursor{}
	}
	if !(value.Pointer{token}).In(c.value).IsAbsent() {
		return c.in(token)
	}
	target, ok := c.followWithin(left)
	if !ok {
		return cursor{}
	}
	return target.stepWithin(token, left-1)
}

// walk steps down by many tokens.
func (c cursor) walk(tokens ...string) cursor {
	for _, token := range tokens {
		if c.isAbsent() {
			break
		}
		c = c.step(token)
	}
	return c
}

// resolved gives what the references that begin here lead to in the end.
func (c cursor) resolved() cursor {
	for range maxHops {
		next, ok := c.follow()
		if !ok {
			return c
		}
		c = next
	}
	return c
}

// follow gives what the reference that stands here leads to; false where there
// is none, or it leads nowhere.
func (c cursor) follow() (cursor, bool) { return c.followWithin(maxHops) }

func (c cursor) followWithin(left int) (cursor, bool) {
	ref, ok := c.value.Get("$ref").Str()
	if !ok || left <= 0 || c.files.left <= 0 {
		return cursor{}, false
	}
	target := c.target(ref, left-1)
	return target, !target.isAbsent()
}

// target gives what a reference that stands here leads to, absent where that is nothing.
func (c cursor) target(ref string, left int) cursor {
	location, fragment, ok := c.files.Resolve(c.place.Location, ref)
	if !ok {
		return cursor{}
	}
	return top(c.files, location).fragment(fragment, left)
}

// fragment gives what a fragment names beneath a cursor: a JSON Pointer or an anchor.
func (c cursor) fragment(fragment string, left int) cursor {
	pointer, err := value.ParsePointer(fragment)
	if err != nil {
		return c.anchor(fragment)
	}
	for _, token := range pointer {
		if c.isAbsent() {
			return c
		}
		c = c.stepWithin(token, left)
	}
	return c
}

// anchor finds the schema that has an $anchor or $dynamicAnchor of that name.
func (c cursor) anchor(name string) cursor {
	if c.files.left--; c.files.left < 0 {
		return cursor{}
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if text, ok := c.value.Get(keyword).Str(); ok && text == name {
			return c
		}
	}
	for _, m := range c.value.Members() {
		if m.Value.Len() == 0 || isData(m.Name) {
			continue
		}
		if found := c.in(m.Name).anchor(name); !found.isAbsent() {
			return found
		}
	}
	for i, item := range c.value.Items() {
		if item.Len() == 0 {
			continue
		}
		if found := c.in(strconv.Itoa(i)).anchor(name); !found.isAbsent() {
			return found
		}
	}
	return cursor{}
}
