package scoring

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// The freeze: what was said of some 27,000 calls, each without a workspace, in one and in a
// sandboxed one, before the readers of a call were merged. testdata/freeze/calls.gz has the
// calls, one a line, a line with a folder before those that are bound to it: all examples and
// vectors of this folder, and a draw by hash from each program of the tables with each of its
// options and subcommands. said.gz has a row for each. A wanted difference stands in a text
// beside them with its reason; any other fails.
//
//	go test ./internal/scoring -run TestFreeze -freeze-topic paths -freeze-because "One list of paths."
//
// adds all new differences to paths.txt (read them first), and drops those that are none any
// more. A call that was held and is LOW now needs a topic that begins with "low-".

var (
	freezeTopic   = flag.String("freeze-topic", "", "add the differences to the file of this topic")
	freezeBecause = flag.String("freeze-because", "", "the reason of a new topic")
	freezeMost    = flag.Int("freeze-most", 20, "how many differences to show")
	freezeRecord  = flag.Bool("freeze-record", false, "write said.gz anew")
)

const frozen = "testdata/freeze/"

// row is what is said of one call: without a workspace, in one, in a sandboxed one, and its
// facts. The first letter of the first three is the level.
type row [4]string

var rowFields = [...]string{"unbound", "workspace", "sandbox", "facts"}

// frozenCall is a call with the folder of its workspace.
type frozenCall struct{ folder, action string }

func TestFreeze(t *testing.T) {
	long.NotUnderRace(t, "each call is read by itself")
	t.Parallel()
	calls := frozenCalls(t)
	if 3*len(calls) < 50_000 {
		t.Fatalf("only %d calls", len(calls))
	}
	now := sayAll(t, calls)
	if *freezeRecord {
		recordFreeze(t, now)
		return
	}
	said, wanted := frozenRows(t, len(calls)), readWanted(t)
	if *freezeTopic != "" {
		wanted.update(t, calls, said, now)
		return
	}
	bad := 0
	for i := range calls {
		for f := range now[i] {
			w, listed := wanted.of(i, f)
			if listed && w.is(now[i][f]) || !listed && now[i][f] == said[i][f] {
				continue
			}
			if bad++; bad <= *freezeMost {
				t.Errorf("%d %s: %s\n  was %s\n  is  %s", i, rowFields[f], calls[i].action, said[i][f], now[i][f])
			}
		}
	}
	if bad > *freezeMost {
		t.Errorf("%d differences in all", bad)
	}
	for _, w := range wanted.all {
		if w.field < 3 && w.now[0] == 'L' && w.was[0] != 'L' && !strings.HasPrefix(w.topic, "low-") {
			t.Errorf("%s lists a call that was held and is LOW now: %s", w.topic, w.now)
		}
		for i := range w.rows {
			if i >= len(said) || w.field < 3 && said[i][w.field] != w.was {
				t.Errorf("%s lists row %d, which was something else", w.topic, i)
			} else if w.is(said[i][w.field]) {
				t.Errorf("%s lists row %d, which is as it was", w.topic, i)
			}
		}
	}
}

// sayAll are the rows of all calls.
func sayAll(t *testing.T, calls []frozenCall) []row {
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]row, len(calls))
	var wait sync.WaitGroup
	for n := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := n; i < len(calls); i += runtime.GOMAXPROCS(0) {
				rows[i] = calls[i].say(t, policy)
			}
		})
	}
	wait.Wait()
	return rows
}

func (c frozenCall) say(t *testing.T, policy *Compiled) (r row) {
	tree, err := canon.Parse([]byte(c.action))
	if err != nil {
		t.Errorf("%s: %v", c.action, err)
		return r
	}
	a, err := NewAction(tree)
	if err != nil {
		t.Errorf("%s: %v", c.action, err)
		return r
	}
	e := policy.Examine(a, nil)
	plain := e.Given(Inputs{}).Assess(1)
	r[0] = letter(plain.Level.String()) + " " + letter(plain.Floor.Level.String()) + " " + string(plain.Floor.Effect) + effectsText(plain.Effects)
	for n, sandboxed := range []bool{false, true} {
		in := e.Given(Inputs{Workspace: &workspace.Binding{Folder: c.folder, Sandboxed: sandboxed}}).Assess(1)
		r[1+n] = letter(in.Level.String())
		if w := in.Workspace; w != nil {
			r[1+n] += " " + w.Cause + effectsText(in.Effects)
			if s := w.Covers; s != nil {
				r[1+n] += " covers " + s.Of + " " + s.To
			}
		}
	}
	var b strings.Builder
	for _, f := range plain.Facts {
		fmt.Fprintf(&b, "%s %s %s %d-%d;", f.Kind, f.Label, f.Pointer, f.Start, f.End)
	}
	r[3] = b.String()
	for f := range r {
		r[f] = strings.NewReplacer("\n", "⏎", "\t", "⇥").Replace(r[f])
	}
	return r
}

func letter(level string) string { return level[:1] }

// effectsText is what effects decide by: not their words.
func effectsText(all []effects.Effect) string {
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "; %s %s", e.Kind, e.Breadth)
		if e.Reversible != nil {
			fmt.Fprintf(&b, " reversible=%v", *e.Reversible)
		}
		if e.Sensitive {
			b.WriteString(" sensitive")
		}
		if !e.Certain {
			b.WriteString(" uncertain")
		}
		if e.Audience != "" {
			b.WriteString(" " + string(e.Audience))
		}
		if e.Amount != nil {
			fmt.Fprintf(&b, " %v%s", e.Amount.Value, e.Amount.Currency)
		}
	}
	return b.String()
}

// gzipped reads or writes a compressed text.
func gzipped(t *testing.T, path string, write []byte) []string {
	t.Helper()
	if write != nil {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(write); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

func frozenCalls(t *testing.T) (calls []frozenCall) {
	folder := "/srv/shop"
	for _, line := range gzipped(t, frozen+"calls.gz", nil) {
		if line[0] == '/' {
			folder = line
			continue
		}
		calls = append(calls, frozenCall{folder, line})
	}
	return calls
}

// frozenRows are those of said.gz: tabs between the fields, = for what the field before says.
func frozenRows(t *testing.T, n int) []row {
	lines := gzipped(t, frozen+"said.gz", nil)
	if len(lines) != n {
		t.Fatalf("%d rows for %d calls", len(lines), n)
	}
	rows := make([]row, n)
	for i, line := range lines {
		fields := strings.Split(line, "\t")
		if len(fields) != len(row{}) {
			t.Fatalf("row %d: %q", i, line)
		}
		if fields[2] == "=" {
			fields[2] = fields[1]
		}
		rows[i] = row(fields)
	}
	return rows
}

func recordFreeze(t *testing.T, rows []row) {
	var b bytes.Buffer
	for _, r := range rows {
		if r[2] == r[1] {
			r[2] = "="
		}
		b.WriteString(strings.Join(r[:], "\t") + "\n")
	}
	gzipped(t, frozen+"said.gz", b.Bytes())
}

// wanted are the differences that stand in the lists.
type wanted struct {
	all     []*difference
	reasons map[string]string // the lines at the head of each topic
	at      map[[2]int]*difference
}

// difference is one difference of a field, and the rows that have it. That of facts is kept as
// a sum for each row.
type difference struct {
	topic    string
	field    int
	was, now string
	example  string
	rows     map[int]string
	row      int // as which it was found, for is
}

func (d *difference) is(said string) bool {
	if d.field == 3 {
		return d.rows[d.row] == factsSum(said)
	}
	return said == d.now
}

func factsSum(said string) string {
	h := fnv.New32a()
	h.Write([]byte(said))
	return strconv.FormatUint(uint64(h.Sum32()), 36)
}

func (w *wanted) of(i, field int) (difference, bool) {
	d := w.at[[2]int{i, field}]
	if d == nil {
		return difference{}, false
	}
	found := *d
	found.row = i
	return found, true
}

func readWanted(t *testing.T) *wanted {
	w := &wanted{reasons: map[string]string{}, at: map[[2]int]*difference{}}
	files, err := filepath.Glob(frozen + "*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		topic := strings.TrimSuffix(filepath.Base(file), ".txt")
		var d *difference
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			switch {
			case line == "":
			case d == nil && line[0] == '#':
				w.reasons[topic] += line + "\n"
			case strings.HasPrefix(line, "  # "):
				d.example = line[4:]
			case line[0] == ' ':
				for n := range strings.FieldsSeq(line) {
					n, sum, _ := strings.Cut(n, ":")
					i, err := strconv.Atoi(n)
					if err != nil {
						t.Fatal(topic, err)
					}
					key := [2]int{i, d.field}
					if w.at[key] != nil {
						t.Errorf("row %d %s stands in %s and in %s", i, rowFields[d.field], topic, w.at[key].topic)
					}
					w.at[key], d.rows[i] = d, sum
				}
			default:
				name, change, _ := strings.Cut(line, ": ")
				was, now, _ := strings.Cut(change, " → ")
				d = &difference{topic: topic, field: slices.Index(rowFields[:], name), was: was, now: now, rows: map[int]string{}}
				if d.field < 0 {
					t.Fatalf("%s: %q", topic, line)
				}
				w.all = append(w.all, d)
			}
		}
		if len(w.reasons[topic]) < 10 {
			t.Errorf("%s has no reason", topic)
		}
	}
	return w
}

// update puts each new difference into the topic, takes out what is none any more, and writes
// all topics.
func (w *wanted) update(t *testing.T, calls []frozenCall, said, now []row) {
	topics := map[string]map[string]*difference{*freezeTopic: {}}
	for topic := range w.reasons {
		topics[topic] = map[string]*difference{}
	}
	if *freezeBecause != "" {
		w.reasons[*freezeTopic] = "# " + *freezeBecause + "\n"
	}
	for i := range calls {
		for f := range now[i] {
			if now[i][f] == said[i][f] {
				continue
			}
			topic := *freezeTopic
			if d, listed := w.of(i, f); listed && d.is(now[i][f]) {
				topic = d.topic
			}
			head, sum := rowFields[f]+": "+said[i][f]+" → "+now[i][f], ""
			if f == 3 {
				head, sum = rowFields[f]+": changed", factsSum(now[i][f])
			}
			if f < 3 && now[i][f][0] == 'L' && said[i][f][0] != 'L' && !strings.HasPrefix(topic, "low-") {
				topic = "low-" + topic
			}
			if topics[topic] == nil {
				topics[topic] = map[string]*difference{}
				w.reasons[topic] = "# " + *freezeBecause + "\n"
			}
			d := topics[topic][head]
			if d == nil {
				example := calls[i].action
				if len(example) > 160 {
					example = strings.ToValidUTF8(example[:160], "") + "…"
				}
				d = &difference{example: example, rows: map[int]string{}}
				topics[topic][head] = d
			}
			d.rows[i] = sum
		}
	}
	for topic, all := range topics {
		if len(all) == 0 {
			_ = os.Remove(frozen + topic + ".txt")
			continue
		}
		var b strings.Builder
		b.WriteString(w.reasons[topic])
		for _, head := range slices.Sorted(maps.Keys(all)) {
			fmt.Fprintf(&b, "\n%s\n  # %s\n ", head, all[head].example)
			for _, i := range slices.Sorted(maps.Keys(all[head].rows)) {
				b.WriteString(" " + strconv.Itoa(i))
				if sum := all[head].rows[i]; sum != "" {
					b.WriteString(":" + sum)
				}
			}
			b.WriteString("\n")
		}
		if err := os.WriteFile(frozen+topic+".txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
