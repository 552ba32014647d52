// Command countersign-hook is “countersign hook” alone, for coding agents that start it
// before every tool call: it starts faster than the whole program.
package main

import (
	"fmt"
	"os"

	"github.com/countersign/countersign/internal/hook"
	"github.com/countersign/countersign/internal/version"
)

func main() {
	os.Exit(run(os.Args[1:]))
}

func run(args []string) int {
	if len(args) == 1 && args[0] == "--version" {
		if _, err := fmt.Println(version.Line("countersign-hook")); err != nil {
			return 2
		}
		return 0
	}
	return hook.Main(args, version.Number())
}
