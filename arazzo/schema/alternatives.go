package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// alternatives tells why none of the branches of anyOf or oneOf fits. Where the
// branches differ in one simple thing, one fault names what each of them wants;
// else the faults are those of the branch that is nearest to fitting.
func (s *Set) alternatives(f *finding, root value.Value) []Fault {
	branches := make([][]Fault, 0, len(f.causes))
	for _, cause := range f.causes {
		faults := s.flatten(cause, root)
		if len(faults) == 0 {
			return nil // what this branch was refused for is accepted after all
		}
		branches = append(branches, faults)
	}
	merged := Fault{
		Pointer:       f.instance,
		Keyword:       f.keyword,
		SchemaPointer: f.keywordAt(),
		Schema:        s.lookup(f.uri, f.at),
	}
	here := f.instance.In(root)
	if wanted, ok := eachWants(branches, f.instance, "type"); ok {
		merged.Message = "expected " + orList(wanted) + ", this is " + described(here)
		return []Fault{merged}
	}
	if wanted, ok := eachWants(branches, f.instance, "required"); ok {
		merged.Message = "needs one of " + orList(wanted)
		return []Fault{merged}
	}
	if wanted, ok := eachWants(branches, f.instance, "const", "enum"); ok {
		merged.Message = "expected " + orList(wanted)
		return []Fault{merged}
	}
	return slices.MinFunc(branches, func(a, b []Fault) int {
		return distance(a, f.instance).compare(distance(b, f.instance))
	})
}

// eachWants tells what the branches want where all their faults are of the given
// keywords at one place.
func eachWants(branches [][]Fault, place value.Pointer, keywords ...string) ([]string, bool) {
	var wanted []string
	for _, faults := range branches {
		var of []string
		for _, fault := range faults {
			if !slices.Contains(keywords, fault.Keyword) || !slices.Equal(fault.Pointer, place) {
				return nil, false
			}
			of = append(of, wants(fault)...)
		}
		if len(of) == 0 {
			return nil, false
		}
		if keywords[0] == "required" {
			of = []string{strings.Join(of, " with ")}
		}
		wanted = append(wanted, of...)
	}
	slices.Sort(wanted)
	return slices.Compact(wanted), true
}

func wants(fault Fault) []string {
	switch fault.Keyword {
	case "required":
		return []string{fault.Property}
	case "const":
		return []string{shown(fault.Schema.Get("const"))}
	default: // type, enum: a word or a list of them
		given := fault.Schema.Get(fault.Keyword)
		if word, ok := given.Str(); ok {
			return []string{word}
		}
		var of []string
		for _, item := range given.Items() {
			of = append(of, shown(item))
		}
		return of
	}
}

// distances says how far a value is from fitting a branch; the parts count in order.
type distances struct {
	otherType int // the value is of another type altogether
	otherKind int // a member that tells kinds apart has another value
	shallow   int // faults deep inside mean that the outside fits
	faults    int
}

func distance(faults []Fault, place value.Pointer) distances {
	d := distances{faults: len(faults)}
	for _, fault := range faults {
		depth := len(fault.Pointer) - len(place)
		if depth == 0 && fault.Keyword == "type" {
			d.otherType = 1
		}
		if depth <= 1 && (fault.Keyword == "const" || fault.Keyword == "enum") {
			d.otherKind++
		}
		if depth == 0 || depth == 1 && fault.OfName {
			d.shallow++
		}
	}
	return d
}

func (d distances) compare(e distances) int {
	return cmp.Or(
		cmp.Compare(d.otherType, e.otherType),
		cmp.Compare(d.otherKind, e.otherKind),
		cmp.Compare(d.shallow, e.shallow),
		cmp.Compare(d.faults, e.faults),
	)
}
