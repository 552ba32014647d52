package internal_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// buildTests builds the test programs of packages, and returns the folder they are in. It
// stays: go links only what is not current there.
func buildTests(t *testing.T, root, kind string, packages []string, flags ...string) (bin string) {
	t.Helper()
	bin = filepath.Join(root, "bin", kind)
	// Without what only a debugger reads, as go test builds what it runs itself.
	args := slices.Concat([]string{"test", "-c", "-vet", "off", "-ldflags", "-s -w", "-o", bin + "/"}, flags, packages)
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Dir = root
	began := time.Now()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("built %d packages in %.0f s, %.0f s of processors", len(packages), time.Since(began).Seconds(), used(build).Seconds())
	return bin
}

// used is what a program that ended took of the processors.
func used(cmd *exec.Cmd) time.Duration {
	if cmd.ProcessState == nil {
		return 0
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// eachOf runs programs side by side, and says how far it is. What is wrong stands
// together at the end, behind the slowest.
func eachOf(t *testing.T, kind string, n int, run func(n int) (name string, took time.Duration, wrong string)) {
	t.Helper()
	type result struct {
		name  string
		took  time.Duration
		wrong string
	}
	next, results := make(chan int), make(chan result)
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for i := range next {
				name, took, wrong := run(i)
				results <- result{name, took, wrong}
			}
		}()
	}
	go func() {
		defer close(next)
		for i := range n {
			next <- i
		}
	}()
	var all []result
	var sum time.Duration
	failed := 0
	for range n {
		r := <-results
		all = append(all, r)
		sum += r.took
		if r.wrong != "" {
			failed++
		}
		if len(all)%10 == 0 || len(all) == n {
			t.Logf("%d of %d %s, %.0f s of processors, %d wrong", len(all), n, kind, sum.Seconds(), failed)
		}
	}
	slices.SortFunc(all, func(a, b result) int { return int(b.took - a.took) })
	for _, r := range all[:min(5, n)] {
		t.Logf("%.1f s of processors: %s", r.took.Seconds(), r.name)
	}
	for _, r := range all {
		if r.wrong != "" {
			t.Error(r.wrong)
		}
	}
}
