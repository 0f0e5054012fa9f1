package schema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Fault is one reason why a value does not fit a schema.
type Fault struct {
	// Pointer names the value that is at fault, from the root of what was
	// validated. Where a member is missing, it names the object, or the member
	// that asks for it.
	Pointer value.Pointer
	// Property is the member that is missing, or whose name is at fault.
	Property string
	// OfName tells that the name of the member at Pointer is at fault, not its value.
	OfName bool
	// Keyword is the keyword of JSON Schema that says no; empty for the schema
	// false and where the value could not be checked.
	Keyword string
	// Message says what is wrong and what was expected, without naming the
	// place. It never repeats a string of the value, which may be a secret.
	Message string
	// SchemaPointer is the place of the keyword: a URI with a JSON Pointer as
	// its fragment.
	SchemaPointer string
	// Schema is the schema that holds the keyword; absent where it is one of
	// the meta-schema.
	Schema value.Value
}

// flatten gives the faults that a tree of reasons comes down to.
func (s *Set) flatten(f *finding, root value.Value) []Fault {
	if (f.keyword == "anyOf" || f.keyword == "oneOf") && len(f.causes) > 0 {
		return s.alternatives(f, root)
	}
	if len(f.causes) > 0 && f.keyword != "minContains" {
		var faults []Fault
		for _, cause := range f.causes {
			faults = append(faults, s.flatten(cause, root)...)
		}
		return faults
	}
	fault := Fault{
		Pointer:       f.instance,
		OfName:        f.ofName,
		Keyword:       f.keyword,
		SchemaPointer: f.keywordAt(),
		Schema:        s.lookup(f.uri, f.at),
	}
	if f.ofName && len(f.instance) > 0 {
		fault.Property = f.instance[len(f.instance)-1]
	}
	return s.leaves(fault, f, f.instance.In(root))
}

// leaves tells one reason in our own words. Keywords that speak of several
// members at once give a fault for each.
func (s *Set) leaves(fault Fault, f *finding, at value.Value) []Fault {
	switch f.keyword {
	case "required":
		return missing(fault, at)
	case "dependentRequired":
		return missingBeside(fault, f)
	case "additionalProperties":
		return unknownMembers(fault, at)
	case "format":
		if fault.Schema.IsAbsent() && acceptedPattern(f.text, at) {
			return nil
		}
	case "uniqueItems":
		fault.Pointer, fault.Message = duplicate(f)
		return []Fault{fault}
	case "unevaluatedProperties":
		fault.OfName, fault.Property = true, f.instance[len(f.instance)-1]
	}
	if f.ofName {
		at = value.String(fault.Property)
	}
	fault.Message = message(f, fault.Schema, at)
	return []Fault{fault}
}

// missing gives a fault for each required member that is not there.
func missing(fault Fault, at value.Value) []Fault {
	var faults []Fault
	for _, item := range fault.Schema.Get("required").Items() {
		name, _ := item.Str()
		if !at.Get(name).IsAbsent() {
			continue
		}
		fault.Property = name
		fault.Message = "missing required property " + name
		faults = append(faults, fault)
	}
	if faults == nil { // a schema that is not ours to read
		fault.Message = "a required property is missing"
		faults = append(faults, fault)
	}
	return faults
}

// missingBeside gives a fault for a member that another asks for, at the one
// that asks.
func missingBeside(fault Fault, f *finding) []Fault {
	asks := f.trail[0]
	for _, item := range fault.Schema.Get("dependentRequired").Get(asks).Items() {
		if name, _ := item.Str(); strings.Contains(f.text, "'"+name+"' is required") {
			fault.Property = name
		}
	}
	fault.Pointer = append(slices.Clone(f.instance), asks)
	fault.Message = asks + " needs the property " + fault.Property + " beside it"
	return []Fault{fault}
}

// unknownMembers gives a fault for each member that the schema does not name.
func unknownMembers(fault Fault, at value.Value) []Fault {
	known := fault.Schema.Get("properties")
	var patterns []*regexp.Regexp
	for _, m := range fault.Schema.Get("patternProperties").Members() {
		if pattern, err := regexp.Compile(m.Name); err == nil {
			patterns = append(patterns, pattern)
		}
	}
	var faults []Fault
	for _, m := range at.Members() {
		named := !known.Get(m.Name).IsAbsent() ||
			slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(m.Name) })
		if named {
			continue
		}
		unknown := fault
		unknown.Pointer = append(slices.Clone(fault.Pointer), m.Name)
		unknown.Property, unknown.OfName = m.Name, true
		unknown.Message = "unknown property " + m.Name + suggestion(m.Name, memberNames(known))
		faults = append(faults, unknown)
	}
	return faults
}

func memberNames(v value.Value) []string {
	members := v.Members()
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.Name
	}
	return names
}

// acceptedPattern tells whether the meta-schema refused a pattern only because
// Go's regexp does not read it.
func acceptedPattern(text string, at value.Value) bool {
	pattern, ok := at.Str()
	return ok && strings.HasSuffix(text, "is not valid 'regex'") && isPattern(pattern)
}

// inOrder sorts faults by their places and drops repetitions.
func inOrder(faults []Fault) []Fault {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if c := comparePlaces(a.Pointer, b.Pointer); c != 0 {
			return c
		}
		return strings.Compare(a.Message, b.Message)
	})
	return slices.CompactFunc(faults, func(a, b Fault) bool {
		return a.Message == b.Message && slices.Equal(a.Pointer, b.Pointer)
	})
}

// comparePlaces orders pointers: parents first, positions by number.
func comparePlaces(a, b value.Pointer) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		i, isPosition := value.ArrayIndex(x)
		j, both := value.ArrayIndex(y)
		if isPosition && both {
			return i - j
		}
		return strings.Compare(x, y)
	})
}
