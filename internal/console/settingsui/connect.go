package settingsui

import (
	"fmt"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// ExamplesOf are the ways to connect a program, each one text to copy. The key is written to
// the settings by the shell itself, so that no list of processes has it.
func ExamplesOf(say texts.Printer, secret, base string) []views.Secret {
	file := fmt.Sprintf(`(umask 077; mkdir -p ~/.config/countersign; echo '{"url":"%s","key":"%s"}' > ~/.config/countersign/config.json)`, base, secret) + "\n"
	hook := func(agent string) string {
		return fmt.Sprintf("%scountersign hook install %[2]s && countersign hook doctor %[2]s", file, agent)
	}
	return []views.Secret{
		{ID: "connect-claude", Label: say.Say("Claude Code"), Value: hook("claude-code")},
		{ID: "connect-codex", Label: say.Say("Codex"), Value: hook("codex")},
		{ID: "connect-gemini", Label: say.Say("Gemini"), Value: hook("gemini")},
		{ID: "connect-mcp", Label: say.Say("MCP"), Value: file + "countersign mcp install --client claude-desktop"},
		{ID: "connect-python", Label: say.Say("Python"), Value: file + pythonExample},
		{ID: "connect-typescript", Label: say.Say("TypeScript"), Value: file + typescriptExample},
		{ID: "connect-curl", Label: say.Say("curl"), Value: exampleOf(say, secret, base)},
	}
}

// exampleOf is a first submission for a shell; it is held, so that there is something
// to decide.
func exampleOf(say texts.Printer, secret, base string) string {
	return say.Say("export COUNTERSIGN_KEY='%s'\ncurl -sS '%s/api/v1/approvals' \\\n  -H \"Authorization: Bearer $COUNTERSIGN_KEY\" \\\n  -H 'Content-Type: application/json' \\\n  -d '{\"function\":\"delete_user\",\"arguments\":{\"user_id\":\"usr_123\"},\"environment\":\"staging\"}'", secret, base)
}

// connectedOf says how far the program of an agent is with a key: of its newest where key is "".
func connectedOf(say texts.Printer, m auth.Member, l tenants.AgentList, key string) settings.Connected {
	a := l.Agents[0]
	call, gate := settings.ConnectedStep{Text: say.Say("Waiting for the first call")}, settings.ConnectedStep{Text: say.Say("The gate wasn't tested yet: countersign hook doctor does that")}
	for _, k := range l.Keys[a.ID] {
		if k.ID == key || key == "" && k.Works(l.Now) {
			if when, _ := present.LastUse(say, k.LastUsedAt, l.Now); when != "" {
				call = settings.ConnectedStep{Text: say.Say("A call came %s", when), Done: true}
			}
			break
		}
	}
	if c := a.Canary; c != nil {
		when, _ := present.LastUse(say, &c.At, l.Now)
		if gate = (settings.ConnectedStep{Text: say.Say("The gate refused a test call %s", when), Done: true}); c.Failed != "" {
			gate = settings.ConnectedStep{Text: say.Say("The gate let a test call run %s", when)}
		}
	}
	return settings.Connected{URL: urls.Agent(m.Tenant, a.ID), Steps: []settings.ConnectedStep{call, gate}}
}

const (
	pythonExample = `pip install ./countersign_client-*.whl   # from the release
python3 - <<'END'
import countersign

@countersign.gate
def delete_user(user_id: str):
    """Permanently remove a user account."""
    print("deleted", user_id)

delete_user("usr_123")   # waits until someone decides
END`
	typescriptExample = `npm install ./countersign-*.tgz   # from the release
node --input-type=module - <<'END'
import { gate } from "countersign";

const deleteUser = gate(({ user_id }) => console.log("deleted", user_id), { name: "delete_user" });

await deleteUser({ user_id: "usr_123" });   // waits until someone decides
END`
)
