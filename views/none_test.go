package views_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// A dash alone is not read aloud, so the text "None" is behind it.
var (
	loneDash = regexp.MustCompile(`<[a-z][^<>]*>\s*[–—-]\s*</`)
	saidDash = regexp.MustCompile(`<span class="muted" aria-hidden="true">–</span>\s*<span class="visually-hidden">None</span>`)
)

func TestNoValueIsSaid(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(err, "no golden pages")
	}
	said := 0
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		said += len(saidDash.FindAll(page, -1))
		rest := saidDash.ReplaceAll(page, nil)
		for _, dash := range loneDash.FindAllIndex(rest, -1) {
			t.Errorf("%s has a dash that is not read aloud: %s", file, rest[max(0, dash[0]-120):dash[1]])
		}
	}
	if said == 0 {
		t.Error("no golden page has a cell without a value")
	}
}
