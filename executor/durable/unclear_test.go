package durable

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestAnIDUnderAnotherKey: the same start again, in a process with another key, is not told
// that its id is another run's; also where it has joined one.
func TestAnIDUnderAnotherKey(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		with := func(key string) *Store {
			o := quickOptions(t)
			o.Key = key
			return openStore(t, url, o)
		}
		first, other, none := with("the first key of all"), with("another key than that"), with("")
		spec := Spec{Bundle: b, Run: "one", Token: "t", Join: true, Config: executor.Config{Servers: servers}}
		begin(t, first, spec, `{"ref":"1"}`)
		joining := spec
		joining.Run = "two"
		if h := held(t, first, joining, `{"ref":"1"}`); h.Holder.Run != "one" {
			t.Fatal(h)
		}
		plain := spec
		plain.Run, plain.Token = "three", "plain"
		begin(t, none, plain, `{"ref":"1"}`)
		start := func(s *Store, spec Spec, text string) (Started, error) {
			spec.Inputs = inputs(t, text)
			return s.Start(t.Context(), spec)
		}
		for name, s := range map[string]*Store{"another key": other, "no key": none} {
			for _, same := range []Spec{spec, joining} {
				if _, err := start(s, same, `{"ref":"1"}`); !errors.Is(err, ErrRunUnclear) || !errors.Is(err, ErrSealed) || errors.Is(err, ErrRunExists) {
					t.Errorf("%s, %s: %v", name, same.Run, err)
				}
			}
			another := spec
			another.Token = "another"
			if _, err := start(s, another, `{"ref":"1"}`); !errors.Is(err, ErrRunExists) {
				t.Errorf("%s, another token: %v", name, err)
			}
		}
		if again, err := start(other, plain, `{"ref":"1"}`); err != nil || !again.Again {
			t.Errorf("kept without a key: %+v, %v", again, err)
		}
		if _, err := start(other, plain, `{"ref":"2"}`); !errors.Is(err, ErrRunExists) {
			t.Errorf("others, kept without a key: %v", err)
		}
	})
}

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
