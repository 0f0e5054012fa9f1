package pattern

import "math"

// MaxSteps is how many steps of a matcher a match may be allowed: about a second.
const MaxSteps = 50_000_000

// Cost says how much work a pattern is.
type Cost struct {
	root *node
}

// Steps gives the most steps that a match of the pattern in a text of n characters
// takes; +Inf where the number is beyond all bounds.
func (c Cost) Steps(n int) float64 {
	starts := float64(n) + 1
	if c.root.isAnchored() {
		starts = 1
	}
	_, work := c.root.reckon(float64(n))
	return starts * work
}

// isAnchored tells whether a part can match at the beginning of a text alone.
func (p *node) isAnchored() bool {
	return p.kind == list && len(p.children) > 0 && p.children[0].start
}

// kind tells nodes of a pattern apart.
type kind uint8

const (
	empty  kind = iota // an assertion, or nothing at all
	char               // one character of a text
	echo               // a back-reference
	look               // a look-around: what is found in it is not tried again
	list               // one after the other
	choice             // one of several
	repeat
)

// node is a part of a pattern.
type node struct {
	kind     kind
	children []*node
	min, max int  // of repeat; max below 0: without end
	start    bool // of empty: it matches at the beginning of a text alone
	apart    bool // of choice: no character begins two of them
	first    runes
}

// reckon gives the most ways in which a part can match from one place of a text of n
// characters, and the most steps that it takes to try them all.
func (p *node) reckon(n float64) (ways, work float64) {
	switch p.kind {
	case echo:
		return 1, n + 1
	case look:
		_, work = p.children[0].reckon(n)
		return 1, work + 1
	case list:
		ways = 1
		for _, child := range p.children {
			w, steps := child.reckon(n)
			work += ways * steps
			ways *= w
		}
		return ways, work + 1
	case choice:
		for _, child := range p.children {
			w, steps := child.reckon(n)
			work += steps
			if p.apart {
				ways = max(ways, w)
			} else {
				ways += w
			}
		}
		return ways, work + 1
	case repeat:
		return p.reckonRepeat(n)
	default:
		return 1, 1
	}
}

// reckonRepeat adds up the ways of each number of repetitions. Every repetition but
// the last takes a character at least, so there are no more than the text is long.
func (p *node) reckonRepeat(n float64) (ways, work float64) {
	w, steps := p.children[0].reckon(n)
	most := n + 1
	if p.max >= 0 {
		most = min(most, float64(p.max))
	}
	if w <= 1 {
		return max(most-float64(p.min), 0) + 1, (most + 1) * (steps + 1)
	}
	if most*math.Log(w) > 60 { // e^60 is beyond all bounds
		return math.Inf(1), math.Inf(1)
	}
	before := (math.Pow(w, most) - 1) / (w - 1) // in how many ways the last one is come to
	return before*w + 1, before*(steps+w) + 1
}
