package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Controls are many, and each costs a run of its own. A run takes those that changed in
// the last commits, and of the others a tenth, which is another one from commit to commit.
const (
	recent = 100 // commits
	turns  = 10
)

// testAll is the environment variable that asks for everything: make test-all sets it.
const testAll = "TEST_ALL"

// turnOf is whose turn it is at a commit, by how many there are before it. It is no hash
// of the commit, because that would leave somebody out for long now and then: ten commits
// in a row, from a multiple of ten, have each turn once. Their order changes, so that
// whoever runs the tests at every tenth commit only does not meet the same turn for ever.
func turnOf(commits int) int {
	return rand.New(rand.NewPCG(uint64(commits/turns), 0)).Perm(turns)[commits%turns]
}

// waitsFor is the turn of one control. It hangs on nothing but its name: others may come
// and go.
func waitsFor(name string) int {
	h := fnv.New32a()
	h.Write([]byte(name))
	return int(h.Sum32() % turns)
}

// TestEverybodyHasATurn holds that a run at each commit leaves nobody out for more than
// nineteen of them, and a run at every few commits nobody for ever.
func TestEverybodyHasATurn(t *testing.T) {
	t.Parallel()
	const commits = 3000
	for from := range commits {
		seen := map[int]bool{}
		for n := range 2*turns - 1 {
			seen[turnOf(from+n)] = true
		}
		if len(seen) != turns {
			t.Fatalf("from commit %d on, %d turns of %d come within %d commits", from, len(seen), turns, 2*turns-1)
		}
	}
	for step := 1; step <= 50; step++ {
		seen := map[int]bool{}
		for run := 0; len(seen) < turns; run++ {
			if run == 100 {
				t.Fatalf("a run at every %d. commit: after %d there were %d turns of %d", step, run, len(seen), turns)
			}
			seen[turnOf(run*step)] = true
		}
	}
	var all [turns]int
	for _, c := range controls(t) {
		all[waitsFor(c.name())]++
	}
	if n := slices.Max(all[:]); n > 80 {
		t.Errorf("the turns are of %v controls, want about as many each", all)
	}
}

// history is what git knows about the code. A nil one knows nothing.
type history struct {
	root    string
	base    string // the commit to compare with
	commits int    // up to the one that is checked out
	old     map[string]string
}

// readHistory returns nil, and why, where everything runs.
func readHistory(root string) (h *history, why string) {
	if os.Getenv(testAll) != "" {
		return nil, testAll + " is set"
	}
	h = &history{root: root, old: map[string]string{}}
	if shallow, err := h.git("rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(shallow) != "false" {
		return nil, "git has no whole history here"
	}
	base, err := h.git("rev-parse", "--verify", "--short", fmt.Sprintf("HEAD~%d", recent))
	if err != nil {
		return nil, fmt.Sprintf("there are no %d commits", recent)
	}
	n, err := h.git("rev-list", "--count", "--first-parent", "HEAD")
	if err != nil {
		return nil, err.Error()
	}
	h.base = strings.TrimSpace(base)
	h.commits, err = strconv.Atoi(strings.TrimSpace(n))
	if err != nil {
		return nil, err.Error()
	}
	return h, ""
}

func (h *history) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = h.root
	out, err := cmd.Output()
	return string(out), err
}

// stood says whether a text stood at the base, in any file with this extension: what only moved
// did not change.
func (h *history) stood(ext, text string) bool {
	old, ok := h.old[ext]
	if !ok {
		all, _ := h.git("grep", "-h", "-e", "", h.base, "--", "*"+ext) // an error: there was none
		old = plain(all)
		h.old[ext] = old
	}
	return strings.Contains(old, plain(text))
}

var (
	lineComment = regexp.MustCompile(`(?m)\s*// .*$`)
	qualifier   = regexp.MustCompile(`\b[a-z][A-Za-z0-9]*\.([A-Z])`)
)

// plain is a text without what a move to another package changes, and without its comments.
func plain(text string) string {
	return strings.ToLower(qualifier.ReplaceAllString(lineComment.ReplaceAllString(text, ""), "$1"))
}

// A declaration is a function, or types, constants and variables that stand together,
// without the comment in front.
type declaration struct {
	function string // its name, if it is a function and no method
	from, to int    // in its file
	text     string
}

var (
	declared   = map[string][]declaration{}
	declaredMu sync.Mutex
)

// declarations are those of a Go file. Each file is read once.
func declarations(t *testing.T, path string) []declaration {
	t.Helper()
	declaredMu.Lock()
	defer declaredMu.Unlock()
	if all, ok := declared[path]; ok {
		return all
	}
	code, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, code, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []declaration
	for _, d := range file.Decls {
		one := declaration{from: fset.Position(d.Pos()).Offset, to: fset.Position(d.End()).Offset}
		one.text = string(code[one.from:one.to])
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
			one.function = f.Name.Name
		}
		all = append(all, one)
	}
	declared[path] = all
	return all
}

// functions are the texts of the functions of a folder with this name: one, but for tests
// of a package and of its test package.
func functions(t *testing.T, dir, name string) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		for _, d := range declarations(t, path) {
			if d.function == name {
				texts = append(texts, d.text)
			}
		}
	}
	return texts
}
