package value_test

import (
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestSizeCountsTextsNamesAndValues(t *testing.T) {
	tests := []struct {
		json string
		want int
	}{{`null`, 1}, {`"four"`, 5}, {`10.10`, 6}, {`["a","b"]`, 5}, {`{"name":["a"]}`, 8}}
	for _, test := range tests {
		v, err := value.ParseJSON([]byte(test.json))
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Size(1000); got != test.want {
			t.Errorf("%s: size %d, want %d", test.json, got, test.want)
		}
	}
}

// A value that holds itself over and over is small in memory and large when written:
// counting must not take the time that writing would.
func TestSizeStopsAboveTheMost(t *testing.T) {
	v := value.String("x")
	for range 100 {
		v = value.Array(v, v)
	}
	if got := v.Size(1000); got <= 1000 || got > 1200 {
		t.Errorf("counted up to %d", got)
	}
}
