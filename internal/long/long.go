// Package long is for tests only: what the ordinary run does a part of, the long run
// (make test-all, which sets TEST_ALL=1) does whole.
package long

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// whole reads the environment each time: so go test knows that a result depends on it.
func whole() bool { return os.Getenv("TEST_ALL") == "1" }

// Count is few, or all in the long run.
func Count(few, all int) int {
	if whole() {
		return all
	}
	return few
}

// Run skips a test that only the long run makes.
func Run(t testing.TB) {
	t.Helper()
	if !whole() {
		t.Skip("runs in make test-all, or with TEST_ALL=1")
	}
}

// raced has the names of the tests that the race detector watches, whatever they stand on.
var raced sync.Map

// Race marks a test, with its parts, in which several act at once. What it stands on may say NotUnderRace: that
// is about the tests that stand on it and are not marked.
func Race(t testing.TB) { raced.Store(t.Name(), true) }

// NotUnderRace skips a test in the run under the race detector, which go test -short is: the
// detector makes it six times as long, and why says that it has nothing to see in it. The
// ordinary run makes it.
func NotUnderRace(t testing.TB, why string) {
	t.Helper()
	if !testing.Short() {
		return
	}
	for name := t.Name(); name != ""; name = name[:max(0, strings.LastIndexByte(name, '/'))] {
		if _, is := raced.Load(name); is {
			return
		}
	}
	t.Skip("not under the race detector: " + why)
}
