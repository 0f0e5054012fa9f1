package sim

import "time"

// entry is something that is due at a time.
type entry struct {
	at     time.Time
	order  int // of two that are due at once, the one that was made first
	happen func()
}

// agenda is what is due, as a heap (container/heap).
type agenda []entry

func (a agenda) Len() int { return len(a) }
func (a agenda) Less(i, j int) bool {
	if a[i].at.Equal(a[j].at) {
		return a[i].order < a[j].order
	}
	return a[i].at.Before(a[j].at)
}
func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push adds an entry (heap.Interface).
func (a *agenda) Push(x any) { *a = append(*a, x.(entry)) }

// Pop takes the last entry (heap.Interface).
func (a *agenda) Pop() any {
	old := *a
	last := old[len(old)-1]
	old[len(old)-1] = entry{}
	*a = old[:len(old)-1]
	return last
}
