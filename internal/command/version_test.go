package command

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/version"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"--version"}} {
		var out, err strings.Builder
		if code := run(t.Context(), args, streams{strings.NewReader(""), &out, &err}); code != 0 || strings.TrimSpace(out.String()) != version.Line("countersign") {
			t.Errorf("%v: exit %d, %q, %q", args, code, out.String(), err.String())
		}
	}
}
