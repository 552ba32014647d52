package effects

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/call"
)

// textOf is a text that stands alone.
func textOf(text string) *call.Text { return (&call.Call{}).Text(text) }

func TestLowered(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"to": "to", "tool_name": "tool_name", "toolName": "tool_name", "_id": "id", "id_": "id", "a__b": "a_b", "a-b": "a_b", "HTTPMethod": "http_method", "x1y": "x_y", "": "", "_": "", "é": "é",
		strings.Repeat("a_", 40) + "a": strings.TrimSuffix(strings.Repeat("a_", maxNameWords), "_"),
	} {
		if got := lowered(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
