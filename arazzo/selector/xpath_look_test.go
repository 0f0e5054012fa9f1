package selector_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/weft-flow/weft/arazzo/selector"
)

// TestLooks holds what is told of the places that an XPath looks at.
func TestLooks(t *testing.T) {
	for _, test := range []struct {
		xpath string
		want  []string
	}{
		{`//status = 'PAID'`, []string{`//status ["PAID"]`}},
		{`/order/status/text() = 'x'`, []string{`/order/status ["x"]`}},
		{`count(//item) > 0`, []string{`//item [0] counted`}},
		{`boolean(//id)`, []string{`//id []`}},
		{`/order/@state = 'v' and not(//fault)`, []string{`/order/@state ["v"]`, `//fault []`}},
		{`//item[@sku = 'TEA']/left > 3 or -1 < /a[2]`, []string{`//item[@sku = "TEA"]/left [3]`, `/a[2] [-1]`}},
		{`contains(normalize-space(/a/b), 'x')`, []string{`/a/b ["x"]`}},
		{`string-length(//n:code) = 4`, []string{`//n:code [4] measured`}},
		{`(//a)[1]/b`, []string{`//a[1]/b []`}},
		{`/order/child::line/parent::order`, nil},
		{`//*[. = 'x']`, []string{`//*[ = "x"] []`}},
	} {
		s, err := selector.Compile(selector.XPath, "xpath-10", test.xpath)
		if err != nil {
			t.Errorf("%s: %v", test.xpath, err)
			continue
		}
		var got []string
		for _, l := range s.Looks() {
			text := fmt.Sprintf("%s %v", l, l.Compared)
			if l.Counted {
				text += " counted"
			}
			if l.Measured {
				text += " measured"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.xpath, got, test.want)
		}
	}
}
