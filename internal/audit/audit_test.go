package audit_test

import (
	"bytes"
	"crypto/sha256"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/rfc6962"
	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

func event(index int64) audit.Event {
	return audit.Event{
		Tenant: "acme", Index: index, At: noon.Add(time.Duration(index) * time.Second), Kind: audit.Submitted,
		Actor: audit.Actor{Kind: "agent", ID: "agt_1"}, Approval: "apr_1", Agent: "agt_1", Level: "HIGH", Function: "délete_📁",
		Data: canon.Object(canon.Member{Name: "n", Value: canon.Int(index)}),
	}
}

// log makes n records and their head.
func log(t *testing.T, n int64) ([]audit.Record, audit.Head) {
	t.Helper()
	var head audit.Head
	var all []audit.Record
	for i := range n {
		b, err := event(i).Bytes()
		if err != nil {
			t.Fatal(err)
		}
		leaf := audit.Leaf(b)
		if head, err = head.Append(leaf); err != nil {
			t.Fatal(err)
		}
		all = append(all, audit.Record{Event: event(i), Bytes: b, Leaf: leaf[:]})
	}
	return all, head
}

func each(all []audit.Record) iter.Seq2[audit.Record, error] {
	return func(yield func(audit.Record, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func TestBytesAreTheDocumentedForm(t *testing.T) {
	t.Parallel()
	e := event(7)
	e.At = time.Date(2026, 3, 1, 15, 0, 0, 5000, time.FixedZone("", 3*3600))
	e.Actor, e.Level, e.Data = audit.Actor{Kind: "clock"}, "", canon.Value{}
	got, err := e.Bytes()
	want := `{"actor":{"kind":"clock"},"agent":"agt_1","approval":"apr_1","at":"2026-03-01T12:00:00.000005Z","data":{},"function":"délete_📁","index":7,"kind":"approval.submitted","tenant":"acme","v":1}`
	if err != nil || string(got) != want {
		t.Errorf("bytes are\n%s, %v; want\n%s", got, err, want)
	}
}

func TestBytesRefuses(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(*audit.Event){
		"no tenant":         func(e *audit.Event) { e.Tenant = "" },
		"no kind":           func(e *audit.Event) { e.Kind = "" },
		"no actor":          func(e *audit.Event) { e.Actor.Kind = "" },
		"negative index":    func(e *audit.Event) { e.Index = -1 },
		"index above 2^53":  func(e *audit.Event) { e.Index = 1 << 54 },
		"data is no object": func(e *audit.Event) { e.Data = canon.Array() },
		"invalid UTF-8":     func(e *audit.Event) { e.Function = "a\xff" },
		"NUL":               func(e *audit.Event) { e.Agent = "a\x00" },
		"year 10000":        func(e *audit.Event) { e.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
	} {
		e := event(0)
		edit(&e)
		b, err := e.Bytes()
		if err == nil {
			if _, err = audit.Parse(b); err == nil {
				t.Errorf("%s: became %s, want it refused", name, b)
			}
		}
	}
	e := event(0)
	e.Data = canon.Object(canon.Member{Name: "x", Value: canon.String(strings.Repeat("x", audit.MaxBytes))})
	if _, err := e.Bytes(); !fault.Is(err, fault.BodyTooLarge) {
		t.Errorf("an event above 1 MiB: %v, want body-too-large", err)
	}
}

func TestParseRoundTrip(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`[ -~é€📁]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		e := audit.Event{
			Tenant: "t" + text.Draw(t, "tenant"), Index: rapid.Int64Range(0, 1<<53-1).Draw(t, "index"),
			At:   time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "at")).UTC(),
			Kind: audit.Kind("k" + text.Draw(t, "kind")), Actor: audit.Actor{Kind: "person", ID: text.Draw(t, "actor")},
			Approval: text.Draw(t, "approval"), Agent: text.Draw(t, "agent"), Level: text.Draw(t, "level"), Function: text.Draw(t, "function"),
			Data: canon.Object(canon.Member{Name: text.Draw(t, "name"), Value: canon.String(text.Draw(t, "value"))}),
		}
		b, err := e.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		back, err := audit.Parse(b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if !back.Data.Equal(e.Data) {
			t.Fatalf("data came back as %s", back.Data.Canonical())
		}
		back.Data, e.Data = canon.Value{}, canon.Value{}
		if back.At != e.At || back.Actor != e.Actor || back.Tenant != e.Tenant || back.Index != e.Index || back.Kind != e.Kind || back.Function != e.Function {
			t.Fatalf("came back as %+v, want %+v", back, e)
		}
	})
}

func TestParseRefusesEveryOtherForm(t *testing.T) {
	t.Parallel()
	good, _ := event(3).Bytes()
	for name, edit := range map[string][2]string{
		"unknown member":      {`"v":1`, `"v":1,"w":1`},
		"version 2":           {`"v":1`, `"v":2`},
		"version as text":     {`"v":1`, `"v":"1"`},
		"space":               {`"v":1`, `"v": 1`},
		"index as text":       {`"index":3`, `"index":"3"`},
		"index as fraction":   {`"index":3`, `"index":3.5`},
		"index missing":       {`"index":3,`, ``},
		"empty text":          {`"level":"HIGH"`, `"level":""`},
		"null":                {`"level":"HIGH"`, `"level":null`},
		"number for text":     {`"level":"HIGH"`, `"level":4`},
		"time without digits": {`.123456Z`, `Z`},
		"time with offset":    {`.123456Z`, `.123456+00:00`},
		"unknown actor part":  {`"kind":"agent"`, `"kind":"agent","x":1`},
		"data is a list":      {`"data":{"n":3}`, `"data":[]`},
		"escaped slash":       {`apr_1`, `apr\u005f1`},
	} {
		b := strings.Replace(string(good), edit[0], edit[1], 1)
		if b == string(good) {
			t.Fatalf("%s: the edit changes nothing", name)
		}
		if e, err := audit.Parse([]byte(b)); err == nil {
			t.Errorf("%s: parsed %+v, want it refused", name, e)
		}
	}
}

// The reference is the textbook definition of RFC 6962 §2.1, over all leaves.
func TestRootIsRFC6962(t *testing.T) {
	t.Parallel()
	var head audit.Head
	if empty := sha256.Sum256(nil); !bytes.Equal(head.RootHash(), empty[:]) {
		t.Errorf("root of the empty log is %x", head.RootHash())
	}
	var leaves [][]byte
	for n := int64(1); n <= 130; n++ {
		leaf := audit.Leaf([]byte{byte(n)})
		before := slices.Clone(head.Frontier)
		next, err := head.Append(leaf)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(before, head.Frontier, bytes.Equal) {
			t.Fatalf("Append changed the head of size %d", n-1)
		}
		head, leaves = next, append(leaves, leaf[:])
		if want := mth(leaves); head.Size != n || !bytes.Equal(head.Root, want) {
			t.Fatalf("size %d: root %x, want size %d, %x", head.Size, head.Root, n, want)
		}
	}
}

func mth(leaves [][]byte) []byte {
	if len(leaves) == 1 {
		return leaves[0]
	}
	k := 1
	for k*2 < len(leaves) {
		k *= 2
	}
	return rfc6962.DefaultHasher.HashChildren(mth(leaves[:k]), mth(leaves[k:]))
}

func TestAppendRefusesAFrontierOfAnotherSize(t *testing.T) {
	t.Parallel()
	_, head := log(t, 5)
	for name, h := range map[string]audit.Head{
		"too few nodes": {Size: 5, Root: head.Root, Frontier: head.Frontier[:1]},
		"too many":      {Size: 4, Root: head.Root, Frontier: head.Frontier},
		"short node":    {Size: 5, Root: head.Root, Frontier: [][]byte{head.Frontier[0], {1}}},
		"negative size": {Size: -1},
	} {
		if _, err := h.Append([32]byte{}); err == nil {
			t.Errorf("%s: appended, want an error", name)
		}
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	all, head := log(t, 20)
	r, err := audit.Verify("acme", head, each(all))
	if err != nil || !r.OK || r.Size != 20 || r.FirstBroken != -1 || r.Problem != "" || !bytes.Equal(r.Root, head.Root) {
		t.Fatalf("an untouched log: %+v, %v", r, err)
	}
	if r, err := audit.Verify("acme", audit.Head{}, each(nil)); err != nil || !r.OK {
		t.Fatalf("the empty log: %+v, %v", r, err)
	}
	for name, c := range map[string]struct {
		edit func(all []audit.Record, h *audit.Head) []audit.Record
		at   int64
		says string
	}{
		"edited byte": {func(a []audit.Record, _ *audit.Head) []audit.Record {
			a[7].Bytes = bytes.Replace(a[7].Bytes, []byte("HIGH"), []byte("LOWW"), 1)
			return a
		}, 7, "leaf"},
		"edited byte and leaf": {func(a []audit.Record, _ *audit.Head) []audit.Record {
			a[7].Bytes = bytes.Replace(a[7].Bytes, []byte(`"n":7`), []byte(`"n":8`), 1)
			leaf := audit.Leaf(a[7].Bytes)
			a[7].Leaf = leaf[:]
			return a
		}, 20, "root"},
		"bytes are no event": {func(a []audit.Record, _ *audit.Head) []audit.Record { a[3].Bytes = []byte("{}"); return a }, 3, "aren't an event"},
		"edited leaf": {func(a []audit.Record, _ *audit.Head) []audit.Record {
			a[4].Leaf = bytes.Repeat([]byte{1}, 32)
			return a
		}, 4, "leaf"},
		"removed row":  {func(a []audit.Record, _ *audit.Head) []audit.Record { return slices.Delete(a, 5, 6) }, 5, "index 6"},
		"swapped pair": {func(a []audit.Record, _ *audit.Head) []audit.Record { a[8], a[9] = a[9], a[8]; return a }, 8, "index 9"},
		"swapped bodies": {func(a []audit.Record, _ *audit.Head) []audit.Record {
			a[8].Bytes, a[9].Bytes = a[9].Bytes, a[8].Bytes
			return a
		}, 8, "event 9"},
		"last row gone": {func(a []audit.Record, _ *audit.Head) []audit.Record { return a[:19] }, 19, "19 events"},
		"row too many":  {func(a []audit.Record, h *audit.Head) []audit.Record { h.Size = 19; return a }, 19, "20 events"},
		"other root":    {func(a []audit.Record, h *audit.Head) []audit.Record { h.Root = bytes.Repeat([]byte{1}, 32); return a }, 20, "root"},
		"other frontier": {func(a []audit.Record, h *audit.Head) []audit.Record {
			h.Frontier = [][]byte{h.Frontier[0], bytes.Repeat([]byte{1}, 32)}
			return a
		}, 20, "frontier"},
		"column tenant":     {column(2, func(e *audit.Event) { e.Tenant = "other" }), 2, "column tenant"},
		"column time":       {column(2, func(e *audit.Event) { e.At = e.At.Add(time.Microsecond) }), 2, "column time"},
		"column kind":       {column(2, func(e *audit.Event) { e.Kind = audit.Denied }), 2, "column kind"},
		"column actor kind": {column(2, func(e *audit.Event) { e.Actor.Kind = "person" }), 2, "column actor kind"},
		"column actor":      {column(2, func(e *audit.Event) { e.Actor.ID = "per_2" }), 2, "column actor"},
		"column approval":   {column(2, func(e *audit.Event) { e.Approval = "" }), 2, "column approval"},
		"column agent":      {column(2, func(e *audit.Event) { e.Agent = "x" }), 2, "column agent"},
		"column level":      {column(2, func(e *audit.Event) { e.Level = "LOW" }), 2, "column level"},
		"column function":   {column(2, func(e *audit.Event) { e.Function = "x" }), 2, "column function"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, head := log(t, 20)
			all = c.edit(all, &head)
			r, err := audit.Verify("acme", head, each(all))
			if err != nil || r.OK || r.FirstBroken != c.at || !strings.Contains(r.Problem, c.says) {
				t.Errorf("found %+v, %v; want it broken at %d and to say %q", r, err, c.at, c.says)
			}
		})
	}
	if r, _ := audit.Verify("other", head, each(all)); r.OK || r.FirstBroken != 0 || !strings.Contains(r.Problem, "organisation") {
		t.Errorf("the log of another tenant: %+v", r)
	}
}

func column(at int, edit func(*audit.Event)) func([]audit.Record, *audit.Head) []audit.Record {
	return func(a []audit.Record, _ *audit.Head) []audit.Record { edit(&a[at].Event); return a }
}

func TestExport(t *testing.T) {
	t.Parallel()
	all, head := log(t, 9)
	var out bytes.Buffer
	if err := audit.Export(&out, "acme", head, each(all)); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 10 || strings.TrimSuffix(lines[4], "\n") != string(all[4].Bytes) {
		t.Fatalf("%d lines; line 4 is %q", len(lines), lines[4])
	}
	if r, err := audit.VerifyExport(strings.NewReader(out.String())); err != nil || !r.OK || r.Size != 9 || r.Tenant != "acme" {
		t.Fatalf("an untouched export: %+v, %v", r, err)
	}
	for name, lines := range map[string][]string{
		"line removed":   slices.Delete(slices.Clone(lines), 3, 4),
		"line twice":     slices.Insert(slices.Clone(lines), 3, lines[3]),
		"last one gone":  slices.Delete(slices.Clone(lines), 8, 9),
		"no head":        lines[:9],
		"nothing":        nil,
		"after the head": append(slices.Clone(lines), "\n", lines[0]),
		"edited":         {strings.Replace(strings.Join(lines, ""), `"n":4`, `"n":5`, 1)},
		"other tenant":   {strings.Replace(strings.Join(lines, ""), `"tenant":"acme"`, `"tenant":"acmf"`, 1)},
		"too long":       {strings.Repeat("x", audit.MaxBytes+3)},
	} {
		if r, err := audit.VerifyExport(strings.NewReader(strings.Join(lines, ""))); err != nil || r.OK || r.Problem == "" {
			t.Errorf("%s: %+v, %v; want it found", name, r, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	good, _ := event(1).Bytes()
	f.Add(good)
	f.Add([]byte(`{"v":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := audit.Parse(b)
		if err != nil {
			return
		}
		again, err := e.Bytes()
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%q parsed, but is written as %q, %v", b, again, err)
		}
	})
}
