package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/countersign/countersign/internal/install"
)

// hookDoctorCmd is “countersign hook doctor”.
type hookDoctorCmd struct {
	Agent   string `arg:"" help:"claude-code, codex, gemini, opencode, cursor or copilot."`
	JSON    bool   `name:"json" help:"Print the report as JSON."`
	Live    bool   `help:"Start the agent itself, against a model of our own on this machine, and see that it doesn't run what is refused."`
	Program string `placeholder:"PATH" help:"The agent's program, if it isn't the first one on the PATH."`
}

func (c *hookDoctorCmd) Run(ctx context.Context, s streams) error {
	a, err := install.AgentNamed(c.Agent)
	if err != nil {
		return exitWith(2, err)
	}
	m, err := thisMachine()
	if err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	d := install.Doctor{Machine: m, Agent: a, Program: c.Program, Folder: folder, Live: c.Live, Now: time.Now}
	report := d.Examine(ctx)
	if c.JSON {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		if err := e.Encode(report); err != nil {
			return err
		}
	} else {
		for _, check := range report.Checks {
			word := map[bool]string{true: "ok  ", false: "FAIL"}[check.OK]
			fmt.Fprintf(s.out, "%s  %-18s %s\n", word, check.Name, check.Detail)
			if check.Fix != "" {
				fmt.Fprintf(s.out, "      %-18s %s\n", "", check.Fix)
			}
		}
		fmt.Fprintf(s.out, "\nThe gate of %s %s is %s.\n", report.Agent, report.Version, report.Gate)
	}
	if report.Gate != "closed" {
		return errFailed
	}
	return nil
}
