package internal_test

import (
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
	"strconv"
	"strings"
	"testing"
	"time"
)

var fuzzTargets = flag.Bool("fuzz-targets", false, "run each fuzz test for some thousand inputs")

// A fuzzTest is one of them, by its folder.
type fuzzTest struct{ dir, name string }

// coverage is what go test -fuzz would tell the compiler in the long run, but for the code whose branches
// should lead a fuzz test to new inputs only: ours, and the parsers of others that it
// calls. The short run has what is compiled for the unit tests: to compile it once more takes much longer than 2,000 inputs.
var coverage = []string{
	"-gcflags=" + module + "grant/...=-d=libfuzzer",
	"-gcflags=" + module + "internal/...=-d=libfuzzer",
	"-gcflags=mvdan.cc/sh/v3/...=-d=libfuzzer",
	"-gcflags=go.yaml.in/yaml/v3=-d=libfuzzer",
}

// TestFuzzTargets runs each fuzz test for 2,000 inputs, and for 10,000 in the long run.
// They are counted: given a time, a fuzz test fails now and then on a busy machine (golang/go#75804).
// All run every time, because building them is most of what they cost.
func TestFuzzTargets(t *testing.T) {
	if !*fuzzTargets {
		t.Log("run make fuzz for this: the unit tests run the seeds")
		return
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	inputs, flags := 2000, withSwitches(t, root)
	if os.Getenv(testAll) != "" {
		inputs, flags = 10_000, coverage
	}
	targets := findFuzzTargets(t, root)
	var packages []string
	for _, f := range targets {
		packages = append(packages, "./"+f.dir)
	}
	bin := buildTests(t, root, "fuzz", slices.Compact(packages), flags...)
	cached, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	corpus := filepath.Join(strings.TrimSpace(string(cached)), "fuzz", module) // where go test -fuzz has it
	t.Logf("%d fuzz tests, %d inputs each", len(targets), inputs)
	eachOf(t, "fuzz tests", len(targets), func(i int) (string, time.Duration, string) {
		f := targets[i]
		name := f.dir + " " + f.name
		var took time.Duration
		fuzz := func(inputs int) ([]byte, error) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(bin, filepath.Base(f.dir)+".test"), "-test.run", "^$", "-test.fuzz", exactly(f.name), "-test.fuzztime", fmt.Sprintf("%dx", inputs),
				"-test.fuzzminimizetime", "20x", "-test.parallel", "1", "-test.fuzzcachedir", filepath.Join(corpus, f.dir))
			cmd.Dir = filepath.Join(root, f.dir)
			out, err := cmd.CombinedOutput()
			took += used(cmd)
			return out, err
		}
		// What it begins with, its seeds and what earlier runs found, counts as input too.
		out, err := fuzz(1)
		if m := baseline.FindSubmatch(out); err == nil && m != nil {
			first, _ := strconv.Atoi(string(m[1]))
			out, err = fuzz(first + inputs)
		}
		if err != nil || !fuzzed.Match(out) {
			return name, took, fmt.Sprintf("%s: %v\n%s", name, err, out)
		}
		return name, took, ""
	})
}

// What a fuzz test says, with coverage and without.
var (
	baseline = regexp.MustCompile(`(?:gathering baseline coverage|testing seed corpus): 0/(\d+) completed`)
	fuzzed   = regexp.MustCompile(`(?:gathering baseline coverage|testing seed corpus): \d+/\d+ completed, now fuzzing`)
)

// findFuzzTargets are all fuzz tests of the repository.
func findFuzzTargets(t *testing.T, root string) (all []fuzzTest) {
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
				all = append(all, fuzzTest{filepath.ToSlash(dir), string(m[1])})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(all, func(a, b fuzzTest) int { return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.name, b.name)) })
	return all
}
