package internal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// roomMost is how many Go files a package has at most, without tests: so many a newcomer can
// still keep in mind.
const roomMost = 35

// crowded are the packages that have more, with how many they may have. A number here only sinks,
// and a package that has as few as the others leaves the list.
var crowded = map[string]int{
	"approvals": 81, "command": 38, "scoring": 43, "scoring/effects": 52, "scoring/workspace": 54,
	"store/storetest": 44, // one file for each subject of the suite that defines a database
}

// TestRooms holds each package to a number of files.
func TestRooms(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "testdata") {
			found[filepath.ToSlash(filepath.Dir(path))]++
		}
		return err
	})
	if err != nil || len(found) < 50 {
		t.Fatalf("looked at %d packages: %v", len(found), err)
	}
	for room, n := range found {
		switch most, listed := crowded[room]; {
		case listed && n < most:
			t.Errorf("internal/%s has %d files: put that number into crowded in place of %d, or take it out of the list", room, n, most)
		case listed && n > most, !listed && n > roomMost:
			t.Errorf("internal/%s has %d files, want at most %d: give what belongs together a room of its own", room, n, max(most, roomMost))
		}
	}
	for room, most := range crowded {
		if most <= roomMost || found[room] == 0 {
			t.Errorf("internal/%s is in crowded with %d files; it doesn't belong there", room, most)
		}
	}
}
