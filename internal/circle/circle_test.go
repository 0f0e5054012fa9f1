package circle_test

import (
	"testing"

	"github.com/weft-flow/weft/internal/circle"
)

func TestCircles(t *testing.T) {
	ways := map[int][]int{1: {2}, 2: {3, 4}, 3: {1}, 4: {5, 5}, 5: {4, 6}, 6: {6}, 7: {1}}
	found := circle.Of([]int{7, 1, 2, 3, 4, 5, 6}, func(n int) []int { return ways[n] })
	for _, test := range []struct {
		a, b int
		same bool
	}{{1, 2, true}, {1, 3, true}, {2, 3, true}, {4, 5, true}, {3, 4, false}, {5, 6, false}, {6, 1, false}, {7, 1, false}} {
		if same := found[test.a] == found[test.b]; same != test.same {
			t.Errorf("%d and %d: %v", test.a, test.b, same)
		}
	}
	if len(found) != 7 {
		t.Errorf("%d of 7 have a number", len(found))
	}
}

// TestLongCircle holds that ways may be longer than calls can be deep.
func TestLongCircle(t *testing.T) {
	const length = 1 << 20
	found := circle.Of([]int{0}, func(n int) []int { return []int{(n + 1) % length} })
	if len(found) != length || found[0] != found[length-1] {
		t.Errorf("%d in the circle", len(found))
	}
}
