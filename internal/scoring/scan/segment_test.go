package scan

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

func parse(t *testing.T, json string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(json))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestArgumentsAreDepthFirstInCanonicalOrder(t *testing.T) {
	t.Parallel()
	args := parse(t, `{"b":[20.0,null,"",{"z~/":false}],"a":{"":"x","k":"v"}}`)
	want := []Segment{
		{"/arguments/a", true, "a"},
		{"/arguments/a/", false, "x"}, // its empty name adds nothing
		{"/arguments/a/k", true, "k"},
		{"/arguments/a/k", false, "v"},
		{"/arguments/b", true, "b"},
		{"/arguments/b/0", false, "20"},
		{"/arguments/b/3/z~0~1", true, "z~/"},
		{"/arguments/b/3/z~0~1", false, "false"},
	}
	if got := Arguments(args, "/arguments"); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	for _, s := range want {
		if got, want := s.NamesMemberOf("/arguments"), s.Key && (s.Pointer == "/arguments/a" || s.Pointer == "/arguments/b"); got != want {
			t.Errorf("%v names a member of the arguments: %v, want %v", s, got, want)
		}
	}
}

func TestArgumentsOfScalarsAndNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		json string
		want []Segment
	}{
		{`"x"`, []Segment{{"/a", false, "x"}}},
		{`[["x"]]`, []Segment{{"/a/0/0", false, "x"}}},
		{`[{"n":1}]`, []Segment{{"/a/0/n", true, "n"}, {"/a/0/n", false, "1"}}}, // nested names count
		{`null`, nil},
		{`[]`, nil},
		{`{"x":""}`, nil},
	} {
		got := slices.DeleteFunc(Arguments(parse(t, test.json), "/a"), func(s Segment) bool { return s.NamesMemberOf("/a") })
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.json, got, test.want)
		}
	}
	if got := Arguments(canon.Value{}, "/a"); got != nil {
		t.Errorf("absent: got %v", got)
	}
}

func TestTextKnowsWhereEachByteCameFrom(t *testing.T) {
	t.Parallel()
	text := Join([]Segment{{"/a/0", false, "rm"}, {"/a/1", false, ""}, {"/a/2", true, "-rf"}, {"/a/3", false, "/data"}})
	if got, want := text.String(), "rm -rf /data"; got != want {
		t.Fatalf("joined %q, want %q", got, want)
	}
	for _, test := range []struct {
		start, end int
		want       []Place
	}{
		{0, 6, []Place{{Pointer: "/a/0", Start: 0, End: 2}, {Pointer: "/a/2", Start: 0, End: 3, Key: true}}},
		{0, 2, []Place{{Pointer: "/a/0", Start: 0, End: 2}}},
		{2, 3, nil}, // the joining space belongs to nobody
		{2, 8, []Place{{Pointer: "/a/2", Start: 0, End: 3, Key: true}, {Pointer: "/a/3", Start: 0, End: 1}}},
		{8, 12, []Place{{Pointer: "/a/3", Start: 1, End: 5}}},
		{8, 99, []Place{{Pointer: "/a/3", Start: 1, End: 5}}},
		{12, 12, nil},
	} {
		if got := text.Places(test.start, test.end); !slices.Equal(got, test.want) {
			t.Errorf("Places(%d, %d) = %v, want %v", test.start, test.end, got, test.want)
		}
	}
	if got := (Text{}).Places(0, 1); got != nil {
		t.Errorf("no text has places: %v", got)
	}
}
