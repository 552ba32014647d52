package storetest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

func (p place) keepFiles(t *testing.T, rows ...approvals.FileMemory) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error { return w.KeepFiles(p.agent.ID, rows) })
}

func (p place) files(t *testing.T, agent string, asks workspace.Asks) (rows []approvals.FileMemory, full bool) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		rows, full, err = r.FileMemory(agent, asks)
		return err
	})
	return rows, full
}

func paths(rows []approvals.FileMemory) (all []string) {
	for _, r := range rows {
		all = append(all, r.Path)
	}
	return all
}

func heldAs(f workspace.File) approvals.FileMemory {
	return approvals.FileMemory{Path: f.Path, Held: &f}
}

// What is remembered of files comes back as it was kept, by path, below a folder, and by
// what builds and installs count; another agent has none of it.
func testFileMemory(t *testing.T, w world) {
	p := w.acme
	script := workspace.File{Path: "/srv/shop/a.py", SHA256: strings.Repeat("0a", 32), Findings: []workspace.Finding{workspace.Network}}
	makefile := workspace.File{Path: "/srv/shop/Makefile", Tasks: []workspace.Task{{Name: "all", Level: 2, Because: "it pushes"}}}
	full := approvals.FileMemory{Path: script.Path, Held: &script, Added: &workspace.File{Path: script.Path}, By: "apr_1", Was: &workspace.File{Path: script.Path, Reviewed: true}, WasBy: "apr_2"}
	p.keepFiles(t, full, heldAs(makefile), heldAs(workspace.File{Path: "/srv/shop/package.json"}), heldAs(workspace.File{Path: "/srv/shop/lib", Foreign: true, Folder: true}),
		heldAs(workspace.File{Path: "/srv/shop/lib/Zoë.py"}), heldAs(workspace.File{Path: "/srv/shop-2/x"}), heldAs(workspace.File{Path: "/srv/shop/old.py", Gone: true, Before: []workspace.Finding{workspace.Hidden}}))
	for what, c := range map[string]struct {
		asks workspace.Asks
		want []string
	}{
		"a file":               {workspace.Asks{Paths: []string{"/srv/shop/Makefile"}}, []string{"/srv/shop/Makefile"}},
		"one below a folder":   {workspace.Asks{Paths: []string{"/srv/shop/lib/x/y.py"}}, []string{"/srv/shop/lib"}},
		"a folder":             {workspace.Asks{Paths: []string{"/srv/shop/lib"}}, []string{"/srv/shop/lib", "/srv/shop/lib/Zoë.py"}},
		"the root":             {workspace.Asks{Paths: []string{"/"}}, []string{"/srv/shop-2/x", "/srv/shop/Makefile", "/srv/shop/a.py", "/srv/shop/lib", "/srv/shop/lib/Zoë.py", "/srv/shop/old.py", "/srv/shop/package.json"}},
		"another one":          {workspace.Asks{Paths: []string{"/srv/shop/b.py"}}, nil},
		"what a build counts":  {workspace.Asks{Unreviewed: true, Paths: []string{"/x"}}, []string{"/srv/shop/a.py"}},
		"what was deleted":     {workspace.Asks{Gone: true, Paths: []string{"/x"}}, []string{"/srv/shop/old.py"}},
		"what an install does": {workspace.Asks{Manifests: true, Paths: []string{"/x"}}, []string{"/srv/shop/package.json"}},
	} {
		if rows, isFull := p.files(t, p.agent.ID, c.asks); !slices.Equal(paths(rows), c.want) || isFull {
			t.Errorf("%s: got %q, %v, want %q", what, paths(rows), isFull, c.want)
		}
	}
	rows, _ := p.files(t, p.agent.ID, workspace.Asks{Paths: []string{script.Path}})
	if len(rows) != 1 || !reflect.DeepEqual(rows[0], full) {
		t.Errorf("got %+v, want %+v", rows, full)
	}
	p.keepFiles(t, approvals.FileMemory{Path: script.Path})
	if rows, _ := p.files(t, p.agent.ID, workspace.Asks{Unreviewed: true}); len(rows) != 0 {
		t.Errorf("got %+v", rows)
	}
	if rows, _ := p.files(t, "agt_other", workspace.Asks{Paths: []string{"/"}}); len(rows) != 0 {
		t.Errorf("another agent has %+v", rows)
	}
	if rows, _ := w.beta.files(t, p.agent.ID, workspace.Asks{Paths: []string{"/"}}); len(rows) != 0 {
		t.Errorf("another organisation has %+v", rows)
	}
}

// Ten thousand files make the memory full, and nothing empties it: neither deleting files
// nor time makes it seem that nothing else was written. What it has is never lost.
func testFullMemory(t *testing.T, w world) {
	p := w.acme
	payload := workspace.File{Path: "/srv/shop/payload.py", Findings: []workspace.Finding{workspace.Outside}}
	p.keepFiles(t, heldAs(payload), heldAs(workspace.File{Path: "/srv/shop/old", Gone: true}))
	var small []approvals.FileMemory
	for i := range workspace.MaxFiles - 1 {
		small = append(small, heldAs(workspace.File{Path: fmt.Sprintf("/srv/shop/%05d", i)}))
	}
	p.keepFiles(t, small...)
	all := workspace.Asks{Paths: []string{"/"}}
	if rows, full := p.files(t, p.agent.ID, all); len(rows) != workspace.MaxFiles || full || !slices.Contains(paths(rows), payload.Path) || slices.Contains(paths(rows), "/srv/shop/old") {
		t.Errorf("%d files, full %v", len(rows), full)
	}
	p.keepFiles(t, heldAs(workspace.File{Path: "/srv/shop/late.py"}), heldAs(workspace.File{Path: "/srv/shop/00000", Gone: true}))
	rows, full := p.files(t, p.agent.ID, all)
	if len(rows) != workspace.MaxFiles || !full || !slices.Contains(paths(rows), payload.Path) || slices.Contains(paths(rows), "/srv/shop/late.py") {
		t.Errorf("%d files, full %v", len(rows), full)
	}
	p.keepFiles(t, heldAs(workspace.File{Path: "/srv/shop/later.py"}))
	if rows, full := p.files(t, p.agent.ID, all); !full || !slices.Contains(paths(rows), "/srv/shop/later.py") {
		t.Errorf("with room again: %d files, full %v", len(rows), full)
	}
}

// Of a file with a path that is too long for an index nothing is kept, so the memory is full.
func testLongPaths(t *testing.T, w world) {
	w.acme.keepFiles(t, heldAs(workspace.File{Path: "/" + strings.Repeat("x", 3000)}))
	if rows, full := w.acme.files(t, w.acme.agent.ID, workspace.Asks{Paths: []string{"/"}}); len(rows) != 0 || !full {
		t.Errorf("%d files, full %v", len(rows), full)
	}
}
