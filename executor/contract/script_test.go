package contract

import "testing"

func TestCallPath(t *testing.T) {
	for _, test := range []struct{ attempt, want string }{
		{"order/pay#3/2", "order/pay"},
		{"order/pay#1/2/shop/send#4/1", "order/pay/shop/send"},
		{"count/down#1/1/count/down#1/1/count/down#1/1", "count/down"},
		{"pages~2/pages/list#1/1", "pages/list"},
		{"pages~13/pages/list#1/1", "pages/list"},
		{"a~1b~0/list#1/1", "a~1b~0/list"},
		{"order/1#2/2/1/go#1/1", "order/1/go"},
	} {
		if got := callPath(test.attempt); got != test.want {
			t.Errorf("%s: %s, expected %s", test.attempt, got, test.want)
		}
	}
}
