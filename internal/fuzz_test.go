package internal_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var fuzzTargets = flag.Bool("fuzz-targets", false, "run each fuzz test for some thousand inputs")

// A fuzzTarget is one fuzz test.
type fuzzTarget struct{ dir, name string }

func (f fuzzTarget) String() string { return f.dir + " " + f.name }

// TestFuzzTargets runs fuzz tests for 2,000 inputs each, and for 10,000 in the long run.
// It counts them: given a time, a fuzz test fails now and then on a busy machine (golang/go#75804).
// Each package is built once for all of its targets.
func TestFuzzTargets(t *testing.T) {
	if !*fuzzTargets {
		t.Log("run make fuzz for this: the unit tests run the seeds")
		return
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	inputs := 2000
	if os.Getenv("TEST_ALL") != "" {
		inputs = 10_000
	}
	list := findFuzzTargets(t, root)
	chosen := choose(t, root, "fuzz tests", names(list, fuzzTarget.String), func(h *history, i int) bool { return fuzzChanged(t, h, list[i]) })
	cached, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	corpus := filepath.Join(strings.TrimSpace(string(cached)), "fuzz") // where go test -fuzz has it

	bin := filepath.Join(root, "bin", "fuzz")
	built := map[string]func() (string, error){} // go builds one package with its flag -fuzz at a time
	for _, i := range chosen {
		dir := list[i].dir
		if built[dir] == nil {
			built[dir] = sync.OnceValues(func() (string, error) {
				binary := filepath.Join(bin, strings.ReplaceAll(dir, "/", "-")+".test")
				build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet", "off", "-ldflags", "-s -w", "-fuzz", ".", "-o", binary, "./"+dir)
				build.Dir = root
				if out, err := build.CombinedOutput(); err != nil {
					return "", fmt.Errorf("%w: %s", err, out)
				}
				return binary, nil
			})
		}
	}
	eachOf(t, "fuzz tests", len(chosen), func(n int) (string, time.Duration, string) {
		f := list[chosen[n]]
		binary, err := built[f.dir]()
		if err != nil {
			return f.String(), 0, err.Error()
		}
		found := filepath.Join(corpus, module+f.dir)
		before, _ := os.ReadDir(filepath.Join(found, f.name)) // which run once more, and count
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, binary, "-test.run", "^$", "-test.fuzz", exactly(f.name), "-test.fuzztime", fmt.Sprintf("%dx", inputs+len(before)),
			"-test.fuzzminimizetime", "20x", "-test.parallel", "1", "-test.fuzzcachedir", found)
		cmd.Dir = filepath.Join(root, f.dir)
		out, err := cmd.CombinedOutput()
		switch {
		case err != nil:
			return f.String(), used(cmd), fmt.Sprintf("%s: %v\n%s", f, err, out)
		case !bytes.Contains(out, []byte("now fuzzing with 1 workers")):
			return f.String(), used(cmd), fmt.Sprintf("%s did not run: %s", f, out)
		}
		return f.String(), used(cmd), ""
	})
}

// findFuzzTargets are all fuzz tests of the repository.
func findFuzzTargets(t *testing.T, root string) (all []fuzzTarget) {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)
	for _, top := range []string{"cmd", "grant", "internal"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			code, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			dir, err := filepath.Rel(root, filepath.Dir(path))
			for _, m := range declared.FindAllSubmatch(code, -1) {
				all = append(all, fuzzTarget{filepath.ToSlash(dir), string(m[1])})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(all, func(a, b fuzzTarget) int { return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.name, b.name)) })
	return all
}

// fuzzChanged says whether a fuzz test, or anything that its package does, is another than at the base.
func fuzzChanged(t *testing.T, h *history, f fuzzTarget) bool {
	t.Helper()
	dir := filepath.Join(h.root, f.dir)
	held := functions(t, dir, f.name)
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if !strings.HasSuffix(path, "_test.go") {
			for _, d := range declarations(t, path) {
				held = append(held, d.text)
			}
		}
	}
	return slices.ContainsFunc(held, func(text string) bool { return !h.stood(f.dir, ".go", text) })
}
