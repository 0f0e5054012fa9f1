package config

import (
	"math"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "100B": 100, "512KiB": 512 << 10, "10MiB": 10 << 20, "2GiB": 2 << 30,
		"3kB": 3000, "3KB": 3000, "2MB": 2e6, "1GB": 1e9, "4 MiB": 4 << 20, "9223372036854775807": math.MaxInt64,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "0", "-1", "MiB", "1.5MiB", "10 potatoes", "1mib", "1e3", "9223372036854775808", "9223372036854775807KiB",
	} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q) = %d", text, got)
		}
	}
}
