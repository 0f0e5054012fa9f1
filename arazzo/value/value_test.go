package value

import (
	"fmt"
	"testing"
)

func TestAbsentIsTheZeroValueAndNotNull(t *testing.T) {
	var v Value
	if !v.IsAbsent() || v.IsNull() || !v.IsNothing() || v.IsScalar() {
		t.Error("the zero value is not absent alone")
	}
	if Null.IsAbsent() || !Null.IsNull() || !Null.IsNothing() || !Null.IsScalar() {
		t.Error("null is not null alone")
	}
}

func TestAccessorsGiveNothingOfAnotherKind(t *testing.T) {
	text := String("true")
	if b, ok := text.Bool(); b || ok {
		t.Error("a string gives a boolean")
	}
	if s, ok := Int(5).Str(); s != "" || ok {
		t.Error("a number gives a string")
	}
	if n, ok := String("5").NumberText(); n != "" || ok {
		t.Error("a string gives a number")
	}
	if _, ok := String("5").Int64(); ok {
		t.Error("a string gives an integer")
	}
	if text.Items() != nil || text.Members() != nil || text.Len() != 0 || !text.Get("a").IsAbsent() || !text.At(0).IsAbsent() {
		t.Error("a string has something beneath it")
	}
	if Kind(200).String() != "unknown" {
		t.Error("a kind that is none has a name")
	}
}

func TestObjectLeavesOutAbsentAndKeepsTheLastOfAName(t *testing.T) {
	for _, n := range []int{1, 30} { // below and above where members are indexed
		var members []Member
		for i := range n {
			members = append(members, Member{fmt.Sprint("m", i), Int(int64(i))})
		}
		members = append(members, Member{"gone", Absent}, Member{"m0", Int(99)}, Member{"last", Null})
		v := Object(members...)
		if v.Len() != n+1 {
			t.Errorf("%d members, want %d", v.Len(), n+1)
		}
		if v.Members()[0].Name != "m0" || v.Get("m0").Text() != "99" {
			t.Errorf("the repeated member is %v", v.Members()[0])
		}
		if !v.Get("last").IsNull() || !v.Get("gone").IsAbsent() {
			t.Error("null is lost, or absent kept")
		}
	}
}

func TestArrayTurnsAbsentIntoNull(t *testing.T) {
	if got := Array(Int(1), Absent).String(); got != "[1,null]" {
		t.Error(got)
	}
	v := Array(Int(1))
	if !v.At(-1).IsAbsent() || !v.At(1).IsAbsent() || v.At(0).Text() != "1" {
		t.Error("elements are not at their positions")
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		`absent`: "", `null`: "null", `true`: "true", `10.10`: "10.10", `"a\"b"`: `a"b`,
		`{"k": [1, 2]}`: `{"k":[1,2]}`, `["a"]`: `["a"]`,
	} {
		if got := read(t, in).Text(); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
