package gateway

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ given, own, want string }{
		{"", "mcp-servers/everything", "mcp-servers-everything"},
		{"fs", "secure-filesystem-server", "fs"},
		{"My Files", "", "My-Files"},
		{"a__b____c", "", "a_b_c"},
		{"ünïcode\n", "", "n-code"},
		{"__", "", "server"},
		{"", "", "server"},
		{strings.Repeat("x", 99), "", strings.Repeat("x", 64)},
	} {
		if got := sanitised(c.given, &mcp.Implementation{Name: c.own}); got != c.want {
			t.Errorf("%q of %q is called %q, want %q", c.given, c.own, got, c.want)
		}
	}
}
