package durable

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestATokenUnderAnotherKey: inputs that cannot be read are not said to be others, and those
// that were kept without a key are compared by a process that has one.
func TestATokenUnderAnotherKey(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		spec := Spec{Bundle: b, Token: "sealed", Config: executor.Config{Servers: servers}}
		with := func(key string) *Store {
			o := quickOptions(t)
			o.Key = key
			return openStore(t, url, o)
		}
		first, other, none := with("the first key of all"), with("another key than that"), with("")
		begin(t, first, spec, `{"ref":"1"}`)
		if h := held(t, first, spec, `{"ref":"1"}`); !h.Same || h.Unclear != nil {
			t.Errorf("under the same key: %+v", h)
		}
		if h := held(t, first, spec, `{"ref":"2"}`); h.Same || h.Unclear != nil || !strings.Contains(h.Error(), "with other inputs") {
			t.Errorf("other inputs: %v", h)
		}
		for name, s := range map[string]*Store{"another key": other, "no key": none} {
			h := held(t, s, spec, `{"ref":"1"}`)
			if h.Same || !errors.Is(h.Unclear, ErrSealed) || !strings.Contains(h.Error(), "whose inputs cannot be compared: ") {
				t.Errorf("%s: %v", name, h)
			}
		}
		spec.Token = "plain"
		begin(t, none, spec, `{"ref":"1"}`)
		if h := held(t, first, spec, `{"ref":"1"}`); !h.Same || h.Unclear != nil {
			t.Errorf("kept without a key: %v", h)
		}
		if h := held(t, first, spec, `{"ref":"2"}`); h.Same || h.Unclear != nil {
			t.Errorf("others, kept without a key: %v", h)
		}
	})
}
