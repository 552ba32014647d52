package command

import (
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// A demo's terminal tells what its agents do, and logs what goes wrong, unless somebody
// asks for more.
func TestLogLevel(t *testing.T) {
	t.Setenv("COUNTERSIGN_LOG_LEVEL", "") // put back in the end
	if err := os.Unsetenv("COUNTERSIGN_LOG_LEVEL"); err != nil {
		t.Fatal(err)
	}
	level := func(args string) string {
		t.Helper()
		var c commands
		parser, err := kong.New(&c)
		if err != nil {
			t.Fatal(err)
		}
		k, err := parser.Parse(strings.Fields(args))
		if err != nil {
			t.Fatal(err)
		}
		return logLevel(k, c.LogLevel)
	}
	for args, want := range map[string]string{
		"demo": "warn", "demo --log-level info": "info", "--log-level debug demo": "debug", "serve": "info", "serve --log-level error": "error",
	} {
		if got := level(args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	t.Setenv("COUNTERSIGN_LOG_LEVEL", "info")
	if got := level("demo"); got != "info" {
		t.Errorf("demo, with info in the environment: %s", got)
	}
}
