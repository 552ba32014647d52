package views_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// golden are the pages that are held to the letter, each for what no other has. Of a
// whole page it is the main part, but for the queue: its file has the shell too. What all
// pages hold is in the rules, which draw every sample.
var golden = []string{
	"queue", "rows-sealed", "push-queue", "push-row-hostile", "push-ended", "push-told",
	"request-explicit-also", "request-quiz", "edit", "select", "session",
	"audit", "audit-entry", "insights",
	"policy-wrong", "policy-preview-single", "list-draft",
	"settings-agent", "settings-tools", "settings-routing", "settings-standing-preview", "account-notices", "first-run",
}

// The golden files hold one element a line, so that a change shows where it is.
func TestGolden(t *testing.T) {
	t.Parallel()
	cases := every()
	maps.Copy(cases, parts())
	for _, name := range golden {
		got := render(t, cases[name])
		if from, to := strings.Index(got, "<main"), strings.Index(got, "</main>"); from >= 0 && name != "queue" {
			got = got[from : to+len("</main>")]
		}
		got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
		file := filepath.Join("testdata", name+".golden.html")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}

			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v (go test ./views -update writes it)", err)
		}
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for n := range max(len(gotLines), len(wantLines)) {
			if n >= len(gotLines) || n >= len(wantLines) || gotLines[n] != wantLines[n] {
				t.Errorf("%s:%d\n got %q\nwant %q", file, n+1, gotLines[n:min(n+1, len(gotLines))], wantLines[n:min(n+1, len(wantLines))])

				break
			}
		}
	}
	if files, err := filepath.Glob("testdata/*.golden.html"); err != nil || len(files) != len(golden) {
		t.Errorf("%d golden files for %d pages, %v", len(files), len(golden), err)
	}
}
