package command

import (
	"fmt"

	"github.com/countersign/countersign/internal/version"
)

// versionCmd is --version as a command.
type versionCmd struct{}

func (versionCmd) Run(io streams) error {
	_, err := fmt.Fprintln(io.out, version.Line("countersign"))
	return err
}
