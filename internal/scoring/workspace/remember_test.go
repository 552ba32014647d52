package workspace

import (
	"fmt"
	"slices"
	"testing"
)

var shop = Binding{Folder: "/home/ana/shop"}

func hidden(paths ...string) Memory {
	var m Memory
	for _, p := range paths {
		m.Files = append(m.Files, File{Path: p, Findings: []Finding{Hidden}})
	}
	return m
}

func (k *known) has(p string, f Finding) bool {
	file, _ := k.look(p)
	return slices.Contains(file.Findings, f)
}

func TestWhatIsKnownFollowsTheFile(t *testing.T) {
	t.Parallel()
	const from = "/home/ana/shop/a.py"
	for name, test := range map[string]struct {
		do     func(*known)
		hidden []string
		clean  []string
	}{
		"nothing":           {func(*known) {}, []string{from}, []string{"/home/ana/shop/b.py"}},
		"written anew":      {func(k *known) { k.write(from, "x = 1", true) }, nil, []string{from}},
		"added to":          {func(k *known) { k.add(from, "x = 1") }, []string{from}, nil},
		"copied":            {func(k *known) { k.copy(from, "/home/ana/shop/b.py") }, []string{from, "/home/ana/shop/b.py"}, nil},
		"moved":             {func(k *known) { k.move(from, "/home/ana/shop/b.py") }, []string{"/home/ana/shop/b.py"}, []string{from}},
		"moved to a folder": {func(k *known) { k.move(from, "/tmp/x") }, []string{"/tmp/x/a.py"}, []string{from}},
		"its folder copied": {func(k *known) { k.copy("/home/ana/shop", "/tmp/x") }, []string{from, "/tmp/x/a.py"}, nil},
		"its folder moved":  {func(k *known) { k.move("/home/ana/shop", "/tmp/x") }, []string{"/tmp/x/a.py"}, []string{from}},
		"removed":           {func(k *known) { k.remove(from) }, nil, []string{from}},
		"its folder gone":   {func(k *known) { k.remove("/home/ana") }, nil, []string{from}},
		"removed, written":  {func(k *known) { k.remove("/home/ana"); k.write(from, "", false) }, []string{from}, nil},
		"by a decoder":      {func(k *known) { k.write("/tmp/b.py", "", false) }, []string{"/tmp/b.py"}, nil},
		"patched":           {func(k *known) { k.changedByUnknown("/tmp/b.py") }, []string{"/tmp/b.py"}, nil},
		"copied over":       {func(k *known) { k.copy("/home/ana/shop/other.py", from) }, nil, []string{from}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKnown(shop, hidden(from))
			test.do(k)
			for _, p := range test.hidden {
				if !k.has(p, Hidden) {
					t.Errorf("%s is forgotten", p)
				}
			}
			for _, p := range test.clean {
				if k.has(p, Hidden) {
					t.Errorf("%s still has what it had", p)
				}
			}
		})
	}
}

func TestForeignFilesStayForeign(t *testing.T) {
	t.Parallel()
	k := newKnown(shop, Memory{Files: []File{{Path: "/tmp/x", Folder: true, Foreign: true}}})
	isForeign := func(p string, want bool) {
		t.Helper()
		if f, _ := k.look(p); f.Foreign != want {
			t.Errorf("%s is foreign: %v", p, f.Foreign)
		}
	}
	isForeign("/tmp/x/run.sh", true)
	isForeign("/tmp/xy/run.sh", false)
	k.add("/tmp/x/run.sh", "echo")
	isForeign("/tmp/x/run.sh", true)
	k.copy("/tmp/x/src/run.sh", "/home/ana/shop/run.sh")
	isForeign("/home/ana/shop/run.sh", true)
	k.copy("/home/ana/shop/a.sh", "/tmp/x")
	isForeign("/tmp/x/a.sh", false)
	isForeign("/tmp/x/other.sh", true)
	k.copy("/home/eve/b.sh", "/home/ana/shop/b.sh")
	isForeign("/home/ana/shop/b.sh", true)
	k.write("/tmp/x/run.sh", "echo", true)
	isForeign("/tmp/x/run.sh", false)
	k.move("/tmp/x", "/home/ana/shop/x")
	isForeign("/home/ana/shop/x/other.sh", true)
	isForeign("/tmp/x/other.sh", false)
}

// What is asked for must not depend on what is remembered, as it is asked before that is
// known.
func TestAnEmptyMemoryAsksForAll(t *testing.T) {
	t.Parallel()
	walk := func(k *known) {
		k.copy("/home/ana/shop/a", "/home/ana/shop/b")
		k.look("/home/ana/shop/b/x.py")
		k.remove("/home/ana/shop/a")
		k.unreviewed()
	}
	empty := newKnown(shop, Memory{})
	walk(empty)
	memory := hidden("/home/ana/shop/a/x.py", "/home/ana/shop/lib/y.py", "/tmp/other.csv")
	full := newKnown(shop, memory)
	walk(full)
	for i, f := range memory.Files {
		if want := i < 2; empty.asked().Wants(f) != want {
			t.Errorf("%s is asked for: %v", f.Path, !want)
		}
	}
	if !full.has("/home/ana/shop/b/x.py", Hidden) {
		t.Error("what was below a copied folder is forgotten")
	}
	used := full.used()
	if len(used) != 1 || used[0].Path != "/home/ana/shop/lib/y.py" {
		t.Errorf("%v counted, want what no person reviewed and this call did not write", used)
	}
}

func TestSubmittedWritesOnlyAdd(t *testing.T) {
	t.Parallel()
	const p = "/home/ana/shop/a.py"
	m := hidden(p)
	clean := []File{{Path: p, SHA256: "1"}}
	if got := m.Adding(clean); !slices.Contains(got.Files[0].Findings, Hidden) {
		t.Error("a write that was only submitted took findings away")
	}
	if got := m.Replacing(clean); len(got.Files[0].Findings) != 0 {
		t.Error("a write that was made left findings of what it replaced")
	}
	edit := []File{{Path: p, Edited: true, Findings: []Finding{Network}}}
	if got := m.Replacing(edit); len(got.Files[0].Findings) != 2 || got.Files[0].Edited {
		t.Errorf("an edit left %v", got.Files[0])
	}
	gone := []File{{Path: "/home/ana", Gone: true, Folder: true}}
	if got := m.Adding(gone); len(got.Files) != 1 || got.Files[0].Gone {
		t.Error("a deletion that was only submitted took the file away")
	}
	if got := newKnown(shop, m.Replacing(gone)); got.has(p, Hidden) {
		t.Error("a file below a deleted folder is remembered")
	}
	cloned := Memory{Files: []File{{Path: "/tmp/x", Folder: true, Foreign: true}}}
	if k := newKnown(shop, cloned.Adding([]File{{Path: "/tmp/x/a.sh"}})); !foreignAt(k, "/tmp/x/a.sh") {
		t.Error("a write that was only submitted made a foreign file the agent's own")
	}
	if m.Files[0].Gone || len(m.Files[0].Findings) != 1 {
		t.Error("the memory itself was changed")
	}
}

func foreignAt(k *known, p string) bool {
	f, _ := k.look(p)
	return f.Foreign
}

func TestAReviewLastsUntilTheNextFinding(t *testing.T) {
	t.Parallel()
	const p = "/home/ana/shop/conftest.py"
	seen := hidden(p).Reviewing()
	count := func(m Memory) int { return len(newKnown(shop, m).unreviewed()) }
	if count(hidden(p)) != 1 || count(seen) != 0 {
		t.Fatal("a review does not count")
	}
	if count(seen.Replacing([]File{{Path: p, Edited: true}})) != 0 {
		t.Error("an edit that adds nothing undid the review")
	}
	if count(seen.Adding([]File{{Path: p, Edited: true, Findings: []Finding{Hidden}}})) != 1 {
		t.Error("an edit with a finding left the file reviewed")
	}
	if count(seen.Replacing([]File{{Path: p, Findings: []Finding{Hidden}, SHA256: "1"}})) != 1 {
		t.Error("a file that was written anew is still reviewed")
	}
	children := Memory{Files: []File{{Path: p, Findings: []Finding{Child}}}}
	if count(children) != 0 {
		t.Error("a child process speaks against a test")
	}
	manifest := Memory{Files: []File{{Path: "/home/ana/shop/package.json"}}}
	if len(newKnown(shop, manifest).manifests()) != 1 || len(newKnown(shop, manifest.Reviewing()).manifests()) != 0 {
		t.Error("a manifest counts until a person approved an install")
	}
}

// Ten thousand small files must not push a payload out of the memory, nor hide one.
func TestManyFilesLoseNoMemory(t *testing.T) {
	t.Parallel()
	m := hidden("/home/ana/shop/evil.py")
	var writes []File
	for i := range MaxFiles {
		writes = append(writes, File{Path: fmt.Sprintf("/home/ana/shop/%d.py", i)})
	}
	m = m.Adding(writes).Replacing(writes)
	if !m.Full || len(m.Files) != MaxFiles {
		t.Errorf("%d files, full is %v", len(m.Files), m.Full)
	}
	k := newKnown(shop, m)
	if !k.has("/home/ana/shop/evil.py", Hidden) {
		t.Error("small files pushed the payload out")
	}
	if !k.unlisted("/home/ana/shop/late.py") {
		t.Error("a file that was not kept counts as known")
	}
	k.copy("/home/ana/shop/late.py", "/home/ana/shop/0.py")
	if f, _ := k.look("/home/ana/shop/0.py"); len(f.Findings) == 0 {
		t.Error("a copy of a file that was not kept counts as known")
	}
	if m = m.Adding([]File{{Path: "/home/ana/shop/evil.py", Findings: []Finding{Network}}}); len(m.Files[len(m.Files)-1].Findings) != 2 {
		t.Error("a file that is kept learns nothing more")
	}
}
