package main

import (
	"github.com/countersign/countersign/internal/install"
)

// mcpInstallCmd is “countersign mcp install”.
type mcpInstallCmd struct {
	changing

	Client string `required:"" placeholder:"CLIENT" help:"claude-desktop, cursor, claude-code, or the file that holds the servers."`
}

func (c *mcpInstallCmd) Run(s streams) error {
	m, err := thisMachine()
	if err != nil {
		return err
	}
	path, err := install.ClientFile(m, c.Client)
	if err != nil {
		return exitWith(2, err)
	}
	change, notes, err := install.PlanMCP(m, path, c.Undo)
	if err != nil {
		return err
	}
	if change.Changed() && !c.Undo {
		notes = append(notes, "Start the client anew. Its servers then ask Countersign before each call.")
	}
	return c.carryOut(s, change, installed{Agent: c.Client, Next: []string{}}, func() ([]string, error) {
		return notes, change.Apply()
	})
}
