// Command countersign is Countersign; see README.md for the settings.
package main

import (
	"os"

	"github.com/countersign/countersign/internal/command"
)

func main() {
	os.Exit(command.Main(os.Args[1:]))
}
