package pattern

// runes are the characters that a part of a pattern can begin with.
type runes struct {
	ranges []rune // pairs of first and last
	any    bool   // not known: any character
	none   bool   // it may take no character at all
}

var (
	unknown     = runes{any: true, none: true}
	transparent = runes{none: true} // it takes no character
)

func (r runes) or(other runes) runes {
	return runes{
		ranges: append(r.ranges[:len(r.ranges):len(r.ranges)], other.ranges...),
		any:    r.any || other.any, none: r.none || other.none,
	}
}

func (r runes) orNothing() runes {
	r.none = true
	return r
}

// firstOf gives what parts that stand one after the other begin with.
func firstOf(parts []*node) runes {
	all := runes{none: true}
	for _, part := range parts {
		if !all.none {
			break
		}
		all.none = false
		all = all.or(part.first)
	}
	return all
}

// areApart tells whether the character ahead says which of several parts can match:
// no two begin with the same one, and none takes nothing.
func areApart(parts []*node) bool {
	for i, part := range parts {
		if part.first.any || part.first.none {
			return false
		}
		for _, other := range parts[:i] {
			if part.first.meets(other.first) {
				return false
			}
		}
	}
	return true
}

func (r runes) meets(other runes) bool {
	for i := 0; i+1 < len(r.ranges); i += 2 {
		for j := 0; j+1 < len(other.ranges); j += 2 {
			if r.ranges[i] <= other.ranges[j+1] && other.ranges[j] <= r.ranges[i+1] {
				return true
			}
		}
	}
	return false
}
