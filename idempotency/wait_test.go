package idempotency

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var noon = time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)

func TestStatement13ReadingRetryAfter(t *testing.T) {
	tests := []struct {
		value string
		want  time.Duration
		ok    bool
	}{
		{"0", 0, true},
		{"120", 2 * time.Minute, true},
		{" 5 ", 5 * time.Second, true},
		{"007", 7 * time.Second, true},
		{"86400", 24 * time.Hour, true},
		{"86401", 24 * time.Hour, true},
		{"99999999999999999999999999", 24 * time.Hour, true},
		{"-1", 0, false},
		{"-99999999999999999999999999", 0, false},
		{"Fri, 06 Nov 2026 12:00:30 GMT", 30 * time.Second, true},
		{"Friday, 06-Nov-26 12:00:30 GMT", 30 * time.Second, true},
		{"Fri Nov  6 12:00:30 2026", 30 * time.Second, true},
		{"Fri, 06 Nov 2026 11:00:00 GMT", 0, true},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 0, true},
		{"Sat, 06 Nov 2027 12:00:00 GMT", 24 * time.Hour, true},
		{"Fri, 06 Nov 9999 12:00:00 GMT", 24 * time.Hour, true},
		{"", 0, false},
		{"-", 0, false},
		{"+5", 0, false},
		{"--5", 0, false},
		{"1.5", 0, false},
		{"5s", 0, false},
		{"5, 6", 0, false},
		{"soon", 0, false},
		{"2026-11-06T12:00:30Z", 0, false},
		{"Fri, 32 Nov 2026 12:00:30 GMT", 0, false},
	}
	for _, test := range tests {
		got, ok := ParseRetryAfter(test.value, noon)
		if got != test.want || ok != test.ok {
			t.Errorf("ParseRetryAfter(%q) = %v, %v; want %v, %v", test.value, got, ok, test.want, test.ok)
		}
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"120", "-1", "Fri, 06 Nov 2026 12:00:30 GMT", "Friday, 06-Nov-26 12:00:30 GMT", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		after, ok := ParseRetryAfter(value, noon)
		if after < 0 || after > MaxRetryAfter || !ok && after != 0 {
			t.Errorf("ParseRetryAfter(%q) = %v, %v", value, after, ok)
		}
	})
}

func TestStatement13Backoff(t *testing.T) {
	tests := []struct {
		base   time.Duration
		factor float64
		limit  time.Duration
		used   int
		want   time.Duration
	}{
		{0, 0, 0, 0, 0},
		{time.Second, 0, 0, 3, time.Second},
		{time.Second, 1, 0, 3, time.Second},
		{time.Second, 2, 0, 0, time.Second},
		{time.Second, 2, 0, 1, 2 * time.Second},
		{time.Second, 2, 0, 4, 16 * time.Second},
		{time.Second, 2, 10 * time.Second, 4, 10 * time.Second},
		{time.Second, 1.5, 0, 2, 2250 * time.Millisecond},
		{time.Second, 0.5, 0, 1, 500 * time.Millisecond},
		{time.Minute, 0, 10 * time.Second, 0, 10 * time.Second},
		{time.Second, 2, 0, 10_000, math.MaxInt64},
		{time.Second, 2, time.Hour, 10_000, time.Hour},
		{0, 2, 0, 10_000, math.MaxInt64}, // 0 times infinity is not a number
		{-time.Second, 2, 0, 1, 0},
		{time.Second, -2, 0, 1, time.Second},
		{time.Second, math.NaN(), 0, 1, time.Second},
		{time.Second, math.Inf(1), time.Minute, 1, time.Minute},
	}
	for _, test := range tests {
		got := Backoff(test.base, test.factor, test.limit, test.used)
		if got != test.want {
			t.Errorf("Backoff(%v, %v, %v, %d) = %v, want %v", test.base, test.factor, test.limit, test.used, got, test.want)
		}
	}
}

func TestStatement13JitterIsDerivedFromTheName(t *testing.T) {
	if a, b := Jitter("w/s#1/2", time.Second), Jitter("w/s#1/2", time.Second); a != b {
		t.Errorf("the same name gave %v and %v", a, b)
	}
	for _, limit := range []time.Duration{0, -time.Second} {
		if got := Jitter("w/s#1/2", limit); got != 0 {
			t.Errorf("Jitter up to %v is %v", limit, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		limit := time.Duration(rapid.Int64Range(1, math.MaxInt64).Draw(t, "limit"))
		if got := Jitter(rapid.String().Draw(t, "name"), limit); got < 0 || got > limit {
			t.Fatalf("%v is not within 0 and %v", got, limit)
		}
	})
}

func TestStatement13JitterIsSpreadEvenly(t *testing.T) {
	const names, parts = 10_000, 10
	var seen [parts]int
	for i := range names {
		seen[int(Jitter(fmt.Sprint("w/s#1/", i), parts-1))]++
	}
	for part, n := range seen {
		if n < names/parts*8/10 || n > names/parts*12/10 {
			t.Errorf("part %d has %d of %d names", part, n, names)
		}
	}
}
