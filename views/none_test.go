package views_test

import (
	"regexp"
	"testing"
)

// A dash alone is not read aloud, so the text "None" is behind it.
var (
	loneDash = regexp.MustCompile(`<[a-z][^<>]*>\s*[–—-]\s*</`)
	saidDash = regexp.MustCompile(`<span class="muted" aria-hidden="true">–</span>\s*<span class="visually-hidden">None</span>`)
)

func TestNoValueIsSaid(t *testing.T) {
	t.Parallel()
	said := 0
	for name, c := range every() {
		page := render(t, c)
		said += len(saidDash.FindAllString(page, -1))
		for _, dash := range loneDash.FindAllString(saidDash.ReplaceAllString(page, ""), -1) {
			t.Errorf("%s has a dash that is not read aloud: %s", name, dash)
		}
	}
	if said == 0 {
		t.Error("no page has a cell without a value")
	}
}
