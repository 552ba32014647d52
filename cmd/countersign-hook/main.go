// Command countersign-hook is “countersign hook” alone, for coding agents that start it
// before every tool call: it starts faster than the whole program.
package main

import (
	"os"
	"runtime/debug"

	"github.com/countersign/countersign/internal/hook"
)

// buildVersion is set by a release build: -ldflags "-X main.buildVersion=v1.2.3".
var buildVersion string

func main() {
	os.Exit(hook.Main(os.Args[1:], version()))
}

func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
