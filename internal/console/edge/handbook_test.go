package edge

import (
	"testing"

	"github.com/countersign/countersign/internal/handbook"
)

func TestEveryExplanationIsAPage(t *testing.T) {
	t.Parallel()
	pages, err := handbook.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range explains {
		found := false
		for _, p := range pages {
			found = found || p.Name == e.page
		}
		if !found {
			t.Errorf("%s is about %s, which is no page", e.page, e.path)
		}
	}
}
