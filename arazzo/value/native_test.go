package value

import (
	"encoding/json"
	"math"
	"testing"
)

func TestOfKeepsNumbersExact(t *testing.T) {
	v, err := Of(map[string]any{"b": int64(9007199254740993), "a": json.Number("10.10"), "c": []any{nil, true, "<&>"}, "v": Int(7)})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":10.10,"b":9007199254740993,"c":[null,true,"<&>"],"v":7}`; v.String() != want {
		t.Errorf("got %s, want %s", v, want)
	}
	back, err := Of(v.Native())
	if err != nil || !Identical(back, v) {
		t.Errorf("there and back gives %s, %v", back, err)
	}
}

func TestOfRefusesWhatIsNoJSON(t *testing.T) {
	for _, data := range []any{math.NaN(), make(chan int), func() {}} {
		if v, err := Of(data); err == nil {
			t.Errorf("%T gives %s", data, v)
		}
	}
}

func TestValueIsReadAndWrittenByEncodingJSON(t *testing.T) {
	var record struct{ V, Missing Value }
	if err := json.Unmarshal([]byte(`{"V":{"z":1.50,"a":[]}}`), &record); err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(record)
	if err != nil || string(written) != `{"V":{"z":1.50,"a":[]},"Missing":null}` {
		t.Errorf("%s, %v", written, err)
	}
}
