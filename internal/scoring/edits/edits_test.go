package edits_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/scan"
)

func reading(t *testing.T, function, arguments string) (*call.Call, []edits.File) {
	t.Helper()
	v, err := canon.Parse([]byte(arguments))
	if err != nil {
		t.Fatalf("%s: %v", arguments, err)
	}
	c := &call.Call{Function: function, Arguments: v}
	return c, edits.Read(c)
}

// told writes files as "does path +added −removed".
func told(all []edits.File) string {
	var b strings.Builder
	for _, f := range all {
		to := ""
		if f.To != "" {
			to = " to " + f.To
		}
		fmt.Fprintf(&b, "%s %s%s +%d -%d; ", f.Does, f.Path, to, f.Added, f.Removed)
	}
	return strings.TrimSuffix(b.String(), "; ")
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestShapes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ function, arguments, want string }{
		{"Edit", `{"file_path":"a.go","old_string":"a\nb\n","new_string":"a\nc\n"}`, "change a.go +1 -1"},
		{"edit_file", `{"path":"a.go","edits":[{"oldText":"a","newText":"b\nc"}]}`, "change a.go +2 -1"},
		{"mcp__filesystem__edit_file", `{"path":"a.go","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":""}]}`, "change a.go +1 -2"},
		{"multi_edit", `{"edits":[{"file_path":"a","old_string":"a","new_string":"b"},{"file_path":"b","old_string":"a","new_string":"b"}]}`, "change a +1 -1; change b +1 -1"},
		{"replace_in_file", `{"path":"a","diff":"------- SEARCH\na\n=======\nb\n+++++++ REPLACE\n"}`, "change a +1 -1"},
		{"replace_in_file", `{"path":"a","diff":"<<<<<<< SEARCH\n:start_line:1\n-------\na\n=======\n>>>>>>> REPLACE"}`, "change a +0 -3"},
		{"str_replace_editor", `{"command":"view","path":"a"}`, ""},
		{"str_replace_editor", `{"command":"create","path":"a","file_text":"x\ny\n"}`, "create a +2 -0"},
		{"str_replace_editor", `{"command":"insert","path":"a","insert_line":3,"new_str":"x"}`, "change a +1 -0"},
		{"str_replace_editor", `{"command":"undo_edit","path":"a"}`, ""},
		{"Write", `{"file_path":"a","content":"x\n"}`, "change a +1 -0"},
		{"Write", `{"file_path":"a","content":""}`, "empty a +0 -0"},
		{"write_file", `{"path":"a","content":"","mode":"append"}`, "change a +0 -0"},
		{"append_to_file", `{"path":"a","content":""}`, "change a +0 -0"},
		{"edit_file_v2", `{"path":"a","contents":"x"}`, "change a +1 -0"},
		{"replace_symbol_body", `{"relative_path":"a","name_path":"f","body":""}`, "change a +0 -0"},
		{"Edit", `{"file_path":"a","new_string":""}`, "change a +0 -0"},
		{"create_file", `{"path":"a/__init__.py","content":""}`, "create a/__init__.py +0 -0"},
		{"create_or_update_file", `{"owner":"o","repo":"r","path":"a","content":""}`, "empty a +0 -0"},
		{"push_files", `{"files":[{"path":"a","content":"x"},{"path":"b","content":""}]}`, "change a +1 -0; empty b +0 -0"},
		{"edit_file", `{"target_file":"a","code_edit":"// ... existing code ..."}`, "change a +1 -0"},
		{"NotebookEdit", `{"notebook_path":"n.ipynb","new_source":"","edit_mode":"delete"}`, "change n.ipynb +0 -0"},
		{"call_tool", `{"name":"Write","arguments":{"file_path":"a","content":""}}`, "empty a +0 -0"},
		{"write_file", `{"input":{"path":"a","content":"x"}}`, "change a +1 -0"},
		{"write_file", `[{"path":"a","content":"x"}]`, "change a +1 -0"},
		{"write_file", `{"path":"file:///srv/a","content":"x"}`, "change /srv/a +1 -0"},
		// What is written may be a patch; it is not applied.
		{"Write", `{"file_path":"a.patch","content":"--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n"}`, "change a.patch +4 -0"},
		// None of these edits a file.
		{"create_issue", `{"path":"a","content":"x"}`, ""},
		{"create_page", `{"path":"/blog","content":""}`, ""},
		{"read_file", `{"path":"a","content":"x"}`, ""},
		{"review_patch", `{"patch":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}`, ""},
		{"send_message", `{"text":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`, ""},
		{"update_page", `{"page_id":"1","old_str":"a","new_str":"b"}`, ""},
		{"delete_file", `{"path":"a"}`, ""},
		{"bash", `{"command":"rm a"}`, ""},
		{"Edit", `null`, ""},
		{"Edit", `{"file_path":7,"old_string":[],"new_string":{}}`, ""},
	} {
		if _, all := reading(t, test.function, test.arguments); told(all) != test.want {
			t.Errorf("%s %s:\n%s, want\n%s", test.function, test.arguments, told(all), test.want)
		}
	}
}

func TestPatches(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, patch, want string }{
		{"agents", "*** Begin Patch\n*** Add File: n.md\n+a\n+b\n*** Update File: a b.py\n*** Move to: c.py\n@@ def f\n x\n-y\n+z\n*** Delete File: d.py\n*** End Patch\n", "create n.md +2 -0; move a b.py to c.py +1 -1; delete d.py +0 -0"},
		{"agents, indented", "*** Begin Patch\n*** Add File: n.md\n+a\n  *** Delete File: d.py\n*** End Patch", "create n.md +1 -0; delete d.py +0 -0"},
		{"agents, in a text", "Apply this:\r\n*** Begin Patch\r\n*** Update File: a\r\n-x\r\n+y\r\n*** End Patch\r\n", "change a +1 -1"},
		{"diff", "--- a/x.c\t2026-01-01\n+++ b/x.c\t2026-01-02\n@@ -1,2 +1 @@\n a\n--- y\n+++ z\n", "change x.c +1 -1"},
		{"a new file", "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", "create x +1 -0"},
		{"a deleted one", "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "delete x +0 -1"},
		{"an emptied one", "--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n", "empty x +0 -1"},
		{"several", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "change x +1 -1; change y +1 -1"},
		{"a header in the middle of a hunk", "--- a/x\n+++ b/x\n@@ -1,99 +1,99 @@\n-a\n--- a/.git/hooks/pre-commit\n+++ b/.git/hooks/pre-commit\n@@ -1 +1 @@\n+b\n", "change x +0 -1; change .git/hooks/pre-commit +1 -0"},
		{"two names", "--- a/Makefile\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n", "change Makefile +0 -0; change src/x +1 -1"},
		{"the names of a copy", "--- x.orig\n+++ x\n@@ -1 +1 @@\n-a\n+b\n", "change x +1 -1"},
		{"git", "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "change x +1 -1"},
		{"git: a rename", "diff --git a/x b/y z\nsimilarity index 100%\nrename from x\nrename to y z\n", "move x to y z +0 -0"},
		{"git: a rename with a change", "diff --git a/x b/y\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "move x to y +1 -1"},
		{"git: a copy", "diff --git a/x b/y\ncopy from x\ncopy to y\n", "create y +0 -0"},
		{"git: a file that is gone, without lines", "diff --git a/x y b/x y\ndeleted file mode 100644\nindex 1..0\n", "delete x y +0 -0"},
		{"git: a binary file", "diff --git a/x.png b/x.png\nnew file mode 100644\nBinary files /dev/null and b/x.png differ\n", "create x.png +0 -0"},
		{"git: a mode", "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "change x +0 -0"},
		{"git: a quoted name", "diff --git \"a/\\303\\251 x\" \"b/\\303\\251 x\"\n--- \"a/\\303\\251 x\"\n+++ \"b/\\303\\251 x\"\n@@ -1 +1 @@\n-a\n+b\n", "change é x +1 -1"},
		{"git: a letter", "From 1 Mon\nSubject: x\n\n---\n x | 1 +\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.2\n", "change x +1 -1"},
		{"none", "-a\n+b\n", ""},
	} {
		_, all := reading(t, "apply_patch", `{"anything":`+quoted(test.patch)+`}`)
		if told(all) != test.want {
			t.Errorf("%s: %s, want %s", test.name, told(all), test.want)
		}
		if got := edits.Patch(test.patch, "/x"); told(got) != test.want {
			t.Errorf("%s, as a text: %s, want %s", test.name, told(got), test.want)
		}
		if want := test.want != ""; edits.IsPatch(test.patch) != want {
			t.Errorf("%s: a patch: %t, want %t", test.name, !want, want)
		}
	}
}

// Of a patch beside a path, both are named unless they are one file, or the path is a folder.
func TestPatchesBesideAPath(t *testing.T) {
	t.Parallel()
	diff := quoted("--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n")
	for _, test := range []struct{ function, arguments, want string }{
		{"apply_diff", `{"file_path":"/srv/src/x","diff":` + diff + `}`, "change /srv/src/x +1 -1"},
		{"apply_diff", `{"path":"/srv","diff":` + diff + `}`, "change src/x +1 -1"},
		{"apply_diff", `{"path":".git/hooks/pre-commit","diff":` + diff + `}`, "change .git/hooks/pre-commit +0 -0; change src/x +1 -1"},
		{"apply_diff", `{"path":"src/y.c","diff":"@@ -1 +1 @@\n-a\n+b"}`, "change src/y.c +1 -1"},
		{"shell", `{"command":["apply_patch","*** Begin Patch\n*** Delete File: a\n*** End Patch"]}`, "delete a +0 -0"},
	} {
		if _, all := reading(t, test.function, test.arguments); told(all) != test.want {
			t.Errorf("%s %s: %s, want %s", test.function, test.arguments, told(all), test.want)
		}
	}
}

// at is the text at a place of a call.
func at(t *testing.T, c *call.Call, p scan.Place) string {
	t.Helper()
	s := c.At(p.Pointer)
	if p.Start < 0 || p.Start > p.End || p.End > len(s) {
		t.Fatalf("%+v is no place of %q", p, s)
	}
	return s[p.Start:p.End]
}

// checkPlaces holds each text of the files against the bytes that it comes from.
func checkPlaces(t *testing.T, c *call.Call, all []edits.File) {
	t.Helper()
	for _, f := range all {
		if f.Path == "" || f.Added < 0 || f.Removed < 0 || (f.Does == edits.Move) != (f.To != "") {
			t.Errorf("%+v", f)
		}
		if path := at(t, c, f.At); !strings.Contains(path, `"`) && !strings.HasSuffix(path, f.Path) {
			t.Errorf("the path %q stands at %q", f.Path, path)
		}
		at(t, c, f.ToAt)
		for _, h := range f.Hunks {
			for _, side := range []edits.Side{h.Old, h.New} {
				var b strings.Builder
				for _, p := range side.At {
					b.WriteString(at(t, c, p))
				}
				if b.String() != side.Text {
					t.Errorf("%q comes from %q", side.Text, b.String())
				}
			}
		}
	}
}

func TestHunks(t *testing.T) {
	t.Parallel()
	c, all := reading(t, "apply_patch", `{"input":"*** Begin Patch\n*** Update File: a\n@@\n x\r\n-y\n+z\n@@\n\nw\n-v"}`)
	checkPlaces(t, c, all)
	if len(all) != 1 || len(all[0].Hunks) != 2 {
		t.Fatalf("%+v", all)
	}
	one, two := all[0].Hunks[0], all[0].Hunks[1]
	if one.Old.Text != "x\r\ny\n" || one.New.Text != "x\r\nz\n" || two.Old.Text != "\nw\nv" || two.New.Text != "\nw\n" {
		t.Errorf("%+v", all[0].Hunks)
	}
	if got := all[0].Text(); got != "z\n\n\n" {
		t.Errorf("puts %q into it", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"file_path":"a","old_string":"a","new_string":"b"}`, `{"path":"a","edits":[{"oldText":"a","newText":"b"}]}`, `{"path":"a","content":""}`,
		`{"input":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-a\n+b\n*** End Patch"}`, `{"diff":"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n-a\n"}`,
		`{"path":"a","diff":"<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE"}`, `{"diff":"--- \n+++ \n"}`, `{"diff":"diff --git \n"}`, `{"command":["apply_patch","--- a\n+++ b"]}`,
	} {
		f.Add("apply_patch", seed)
		f.Add("edit_file", seed)
	}
	f.Fuzz(func(t *testing.T, function, arguments string) {
		v, err := canon.Parse([]byte(arguments))
		if err != nil {
			return
		}
		c := &call.Call{Function: function, Arguments: v}
		checkPlaces(t, c, edits.Read(c))
	})
}
