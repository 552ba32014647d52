package canon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// TestCorpus runs every file of testdata/corpus through the gate; its README says
// what they are.
func TestCorpus(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("testdata/corpus/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/corpus/*.json")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSuffix(string(table), "\n"), "\n")
	if len(rows) != len(files) || len(rows) < 150 {
		t.Errorf("%d rows for %d files", len(rows), len(files))
	}
	for _, row := range rows {
		name, rest, _ := strings.Cut(row, "\t")
		want, _, ok := strings.Cut(rest, "\t")
		if !ok || (name[0] == 'y') != strings.HasPrefix(want, "sha256:") && name[0] != 'i' {
			t.Errorf("%q is no row", row)
		}
		data, err := os.ReadFile(filepath.Join("testdata", "corpus", name))
		if err != nil {
			t.Error(err)
			continue
		}
		v, err := canon.Parse(data)
		if got := outcome(v, err); got != want {
			t.Errorf("%s: %s (%v), want %s", name, got, err, want)
		}
		if err == nil {
			again, err := canon.Parse(v.Canonical())
			if got := outcome(again, err); got != want {
				t.Errorf("%s in canonical form: %s (%v), want %s", name, got, err, want)
			}
		}
	}
}

// outcome is the digest of what was accepted, or the code of the refusal.
func outcome(v canon.Value, err error) string {
	if err != nil {
		return string(fault.As(err).Code)
	}
	return canon.Digest(v)
}
