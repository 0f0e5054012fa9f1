package circle

// Of tells of things that lead to each other which of them lie in a circle with
// each other: two that do have the same number. One that leads only to itself has a
// number of its own, as has one that is in no circle. It takes time in proportion to
// the number of ways (R. Tarjan: Depth-first search and linear graph algorithms, 1972).
func Of[T comparable](all []T, next func(T) []T) map[T]int {
	c := &search[T]{next: next, index: make(map[T]int, len(all)), low: make(map[T]int, len(all)), circle: make(map[T]int, len(all))}
	for _, from := range all {
		if _, seen := c.index[from]; !seen {
			c.follow(from)
		}
	}
	return c.circle
}

// search holds what a search has come across.
type search[T comparable] struct {
	next   func(T) []T
	index  map[T]int // in which order things were found
	low    map[T]int // the earliest to which a way leads back
	circle map[T]int
	open   []T // found, and in no circle yet
	found  int
}

// visit is a thing on the way of the search, with where it leads still.
type visit[T comparable] struct {
	at   T
	left []T
}

// follow follows all ways from a thing. It keeps the way itself, as ways may be longer
// than calls can be deep.
func (c *search[T]) follow(from T) {
	for way := []visit[T]{c.enter(from)}; len(way) > 0; {
		last := &way[len(way)-1]
		if len(last.left) > 0 {
			to := last.left[0]
			last.left = last.left[1:]
			if _, seen := c.index[to]; !seen {
				way = append(way, c.enter(to))
			} else if _, closed := c.circle[to]; !closed {
				c.low[last.at] = min(c.low[last.at], c.index[to])
			}
			continue
		}
		c.leave(last.at)
		way = way[:len(way)-1]
		if len(way) > 0 {
			before := way[len(way)-1].at
			c.low[before] = min(c.low[before], c.low[last.at])
		}
	}
}

func (c *search[T]) enter(at T) visit[T] {
	c.found++
	c.index[at], c.low[at] = c.found, c.found
	c.open = append(c.open, at)
	return visit[T]{at, c.next(at)}
}

// leave closes the circle of which a thing was found first.
func (c *search[T]) leave(at T) {
	if c.low[at] != c.index[at] {
		return
	}
	for {
		member := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.circle[member] = c.index[at]
		if member == at {
			return
		}
	}
}
