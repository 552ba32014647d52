package facts

import (
	"reflect"
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
		c := &in.collector
		c.as, c.room = context{shell: true}, in
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
	checkStack(t, unit, r.line)
	checkStack(t, unit, r.waiting)
	checkStack(t, unit, r.words)
	checkStack(t, unit, r.values)
	checkStack(t, unit, r.options)
	checkStack(t, unit, r.inputs)
	checkStack(t, unit, r.owed)
	checkStack(t, unit, r.quoted)
	checkPile(t, unit, r.origins)
	checkPile(t, unit, r.texts)
	checkStack(t, unit, stack[Fact]{all: r.collector.found})
	checkStack(t, unit, stack[word]{all: r.collector.covered})
	for _, s := range r.selections {
		made := 0
		for _, cmd := range s.commands[:cap(s.commands)] {
			if cmd == nil {
				continue
			}
			made++
			if !reflect.ValueOf(*cmd).IsZero() {
				t.Fatalf("%q: the command %q is left", unit, cmd.name)
			}
		}
		if made != s.made || s.used > 0 {
			t.Fatalf("%q: %d commands wait, and %d are said to, %d of them used", unit, made, s.made, s.used)
		}
	}
	if len(r.spans)+len(r.text)+len(r.written)+len(r.decoded) > 0 {
		t.Fatalf("%q: something is left", unit)
	}
}

// checkStack looks at all that stood in a stack, also at what was given back.
func checkStack[T any](t *testing.T, unit string, s stack[T]) {
	t.Helper()
	for i, one := range s.all[:cap(s.all)] {
		if !reflect.ValueOf(one).IsZero() {
			t.Fatalf("%q: %v is left at %d", unit, one, i)
		}
	}
	if len(s.all) > 0 || s.most > 0 {
		t.Fatalf("%q: something is left", unit)
	}
}

func checkPile[T any](t *testing.T, unit string, p pile[T]) {
	t.Helper()
	for _, block := range p.blocks {
		if !reflect.ValueOf(*block).IsZero() {
			t.Fatalf("%q: %v is left", unit, *block)
		}
	}
	if p.n > 0 {
		t.Fatalf("%q: something is left", unit)
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
