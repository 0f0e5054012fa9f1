package check

import "math"

// survey knows of the schemas on a shelf what can be said without a value.
type survey struct {
	extents map[*node]extent
	chains  map[*node]int
	// odd tells that some schema has gaps, or a chain beyond the limit. As long as
	// none has, no schema has to be walked for what it refers to.
	odd bool
}

func newSurvey() survey {
	return survey{extents: map[*node]extent{}, chains: map[*node]int{}}
}

// extent says how far a schema reaches, whatever the value.
type extent struct {
	paths, depth int // math.MaxInt where it uses itself
	patterns     int // instructions of the largest group of patterns that one text is held against
}

var endless = extent{paths: math.MaxInt, depth: math.MaxInt}

func (e extent) plus(of extent) extent {
	if of.paths == math.MaxInt || e.paths > maxWork {
		return endless
	}
	return extent{e.paths + of.paths, max(e.depth, of.depth+1), max(e.patterns, of.patterns)}
}

func (s *survey) extent(n *node) extent {
	if e, ok := s.extents[n]; ok {
		return e
	}
	s.extents[n] = endless // while it is being measured: it uses itself
	e := extent{1, 1, n.patterns}
	for _, entry := range n.entries {
		for _, child := range entry.nodes {
			e = e.plus(s.extent(child))
		}
	}
	s.extents[n] = e
	return e
}

// maxChain bounds how many schemas may judge the same value one within the other.
const maxChain = 250

// chain gives the longest chain of schemas from a node on that judge the same
// value; math.MaxInt where it has no end.
func (s *survey) chain(n *node) int {
	if length, ok := s.chains[n]; ok {
		return length
	}
	s.chains[n] = math.MaxInt // while it is being measured
	longest := 0
	for _, e := range n.entries {
		if !inPlace[e.keyword] {
			continue
		}
		for _, child := range e.nodes {
			longest = max(longest, s.chain(child))
		}
	}
	if longest < math.MaxInt {
		longest++
	}
	s.chains[n] = longest
	return longest
}

// include looks at new definitions.
func (s *survey) include(defs []placed) {
	var look func(n *node)
	look = func(n *node) {
		s.odd = s.odd || len(n.gaps) > 0 || s.chain(n) > maxChain
		for _, e := range n.entries {
			for _, child := range e.nodes {
				if child.def < 0 {
					look(child)
				}
			}
		}
	}
	for _, d := range defs {
		look(d.node)
	}
}

// maxGaps bounds the gaps that are told of one schema.
const maxGaps = 50

// oddities gives the gaps of a schema and of all that it refers to. sound is
// false where a chain in it is beyond the limit.
func (s *survey) oddities(root *node) (gaps []Gap, sound bool) {
	sound = true
	if !s.odd {
		return nil, sound
	}
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		gaps = append(gaps, n.gaps[:min(len(n.gaps), maxGaps-len(gaps))]...)
		sound = sound && s.chain(n) <= maxChain
		for _, e := range n.entries {
			for _, child := range e.nodes {
				walk(child)
			}
		}
	}
	walk(root)
	return gaps, sound
}
