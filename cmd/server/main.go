// Command server is Countersign under the name that README.md uses.
package main

import (
	"os"

	"github.com/countersign/countersign/internal/command"
)

func main() {
	os.Exit(command.Main(os.Args[1:]))
}
