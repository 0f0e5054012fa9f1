package idempotency

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func orderParts() KeyParts {
	return KeyParts{
		Tenant:   "shop",
		Document: "https://example.com/order.arazzo.yaml",
		RunKey:   "order-4711",
		Path:     []string{"placeOrder", "create", "1"},
	}
}

// These values are published: a change of them breaks every run that is resumed
// by a newer version.
func TestStatement02KeysAreDerivedAndNeverChange(t *testing.T) {
	tests := []struct {
		name  string
		parts KeyParts
		want  string
	}{
		{"an order", orderParts(), "b096b155-52ef-51bd-aeed-908c1d204f5b"},
		{"nothing at all", KeyParts{}, "a1205f45-521a-53a9-aefa-670b84bb9cca"},
		{"letters beyond ASCII", KeyParts{RunKey: "Größe", Path: []string{"w", "s", "12"}}, "2fbdf892-2e78-5eae-844e-599a22ff7f71"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := DeriveKey(test.parts)
			if got != test.want {
				t.Errorf("DeriveKey = %s, want %s", got, test.want)
			}
			if id := uuid.MustParse(got); id.Version() != 5 || id.Variant() != uuid.RFC4122 {
				t.Errorf("version %v, variant %v; want a version 5 UUID", id.Version(), id.Variant())
			}
		})
	}
}

func TestStatement02TheSameBytesSplitOtherwiseGiveAnotherKey(t *testing.T) {
	seen := map[string]string{}
	for _, parts := range []KeyParts{
		{Tenant: "ab"},
		{Tenant: "a", Document: "b"},
		{Tenant: "a", RunKey: "b"},
		{Document: "ab"},
		{RunKey: "ab"},
		{Path: []string{"ab"}},
		{Path: []string{"a", "b"}},
		{Path: []string{"a", "", "b"}},
		{Path: []string{"a", "b", ""}},
		{Path: []string{"", "a", "b"}},
		{Path: []string{"1:a1:b"}},
		{RunKey: "a1:b"},
	} {
		key, label := DeriveKey(parts), fmt.Sprintf("%+v", parts)
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have one key", label, other)
		}
		seen[key] = label
	}
}

func TestStatement02OnlyTheSamePartsGiveTheSameKey(t *testing.T) {
	part := rapid.StringMatching(`[a1:]{0,3}`)
	parts := rapid.Custom(func(t *rapid.T) KeyParts {
		return KeyParts{
			Tenant: part.Draw(t, "tenant"), Document: part.Draw(t, "document"), RunKey: part.Draw(t, "run key"),
			Path: rapid.SliceOfN(part, 0, 3).Draw(t, "path"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		same := fmt.Sprintf("%q", a) == fmt.Sprintf("%q", b)
		if (DeriveKey(a) == DeriveKey(b)) != same {
			t.Fatalf("%q and %q: keys %s and %s", a, b, DeriveKey(a), DeriveKey(b))
		}
	})
}

func BenchmarkDeriveKey(b *testing.B) {
	parts := orderParts()
	b.ReportAllocs()
	for b.Loop() {
		DeriveKey(parts)
	}
}
