package facts

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

// shapesOfText lead lines, options, values and decoded scripts through every part of a room.
var shapesOfText = []string{
	"rm -rf /a; ", "rm -rf / ", "bash -c 'bash -c ", `bash -c "rm \"x\"" `, "git push --repo=a b ", "kubectl delete pod -n a x > b; ", "$(echo $(", "cat <<E\nrm x\nE\n",
	"rm -- a -b ", "a ", "cp --target-directory=/x -S s a b ", "DROP TABLE x; ", "eval 'rm x' ", "psql -c \"DELETE FROM a\" ", "< a > b c ", "a$IFS$IFS",
}

// A room that was used gives the answers of a new one, and holds nothing of what was
// read in it.
func TestRoomIsLeftEmpty(t *testing.T) {
	t.Parallel()
	read := func(text string, in *room) []Fact {
		c := collector{as: context{shell: true}, room: in}
		c.text(whole(text, "/arguments/command"))
		return c.ranked()
	}
	var used room
	for _, n := range []int{1, 3000, 7, 20000, 1} {
		for _, unit := range shapesOfText {
			text := strings.Repeat(unit, max(1, n/len(unit)))
			if got, want := read(text, &used), read(text, &room{}); !reflect.DeepEqual(got, want) {
				t.Fatalf("%d times %q: %v, want %v", n/len(unit), unit, got, want)
			}
			used.clear()
			checkEmpty(t, unit, &used)
		}
	}
}

// Two texts that are read at once never see each other's bytes: what a fact says is a
// copy of what was decoded in the room.
func TestRoomsAreNotShared(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			path := "/" + strings.Repeat(string(rune('a'+n)), 40)
			in := Input{Function: "bash", Arguments: canon.Object(canon.Member{
				Name: "command", Value: canon.String(strings.Repeat(`bash -c "rm \"`+path+`\" ;" ; `, 400)),
			})}
			for range 20 {
				for _, f := range Extract(in) {
					if f.Kind == Path && f.Value != path {
						t.Errorf("%q was read as %q", path, f.Value)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

func checkEmpty(t *testing.T, unit string, r *room) {
	t.Helper()
	blank := func(words []word) {
		for i, w := range words[:cap(words)] {
			if w != (word{}) {
				t.Fatalf("%q: a line is left with %q in it at %d", unit, w.text, i)
			}
		}
	}
	options := func(list []option) {
		for _, o := range list[:cap(list)] {
			if o.word != nil || o.name != "" || o.of != nil {
				t.Fatalf("%q: the option %q is left", unit, o.name)
			}
		}
	}
	waiting := 0
	for _, line := range slices.Concat(r.lines[0], r.lines[1], r.lines[2], r.lines[3]) {
		blank(line)
		waiting += cap(line) * wordSize
	}
	for _, line := range r.large {
		blank(line)
	}
	for _, some := range r.origins {
		for _, o := range some {
			if o.pointer != "" || o.written != nil {
				t.Fatalf("%q: an origin is left", unit)
			}
		}
	}
	blank(r.values)
	options(r.options)
	for _, cmd := range r.commands {
		waiting += cmd.size()
		blank(cmd.files)
		options(cmd.options)
		if cmd.line != nil || cmd.operands != nil || cmd.start != (word{}) || cmd.inputs != nil {
			t.Fatalf("%q: a command is left with its words", unit)
		}
	}
	if len(r.values)+len(r.tokens)+len(r.text)+len(r.written)+len(r.decoded)+r.taken > 0 {
		t.Fatalf("%q: something is left", unit)
	}
	if waiting != r.waiting {
		t.Fatalf("%q: %d bytes wait, and %d are said to", unit, waiting, r.waiting)
	}
}

// Where decoded bytes were written is known through every level of quotes.
func TestDecodedPlaces(t *testing.T) {
	t.Parallel()
	const text = `bash -c "rm \"/a b\" /c\\d" ; sh -c 'sh -c "rm /e'"'"'f"'`
	want := map[string]string{"/a b": "/a b", "/cd": `/c\\d`, "/ef": `/e'"'"'f`}
	for _, f := range Extract(Input{Function: "bash", Arguments: canon.Object(canon.Member{Name: "command", Value: canon.String(text)})}) {
		if f.Kind != Path {
			continue
		}
		if got := text[f.Start:f.End]; got != want[f.Value] {
			t.Errorf("%q is said to be written as %q, want %q", f.Value, got, want[f.Value])
		}
		delete(want, f.Value)
	}
	if len(want) > 0 {
		t.Errorf("not found: %v", want)
	}
}
