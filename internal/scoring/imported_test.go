package scoring

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What was accepted of an imported tool lowers for its agent, its exact name and its
// digest; when the server describes the tool otherwise it only raises.
func TestAcceptedTools(t *testing.T) {
	t.Parallel()
	one, other := strings.Repeat("a", 64), strings.Repeat("b", 64)
	p := DefaultPolicy()
	p.Judgement = effects.Default()
	p.Functions = []Function{
		{Glob: "frobnicate", Agent: "bot", Tool: one, Effect: effects.Read},
		{Glob: "frob_sync", Agent: "bot", Tool: one, Effect: effects.Delete},
		{Glob: "update_ticket", Agent: "bot", Tool: one, Effect: effects.Write, LowerTo: level.Low},
	}
	c, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	tool := func(name, digest string) *effects.Tool { return &effects.Tool{Name: name, SHA256: digest} }
	for _, call := range []struct {
		about, function string
		in              Inputs
		want            level.Level
	}{
		{"accepted", "frobnicate", Inputs{Agent: "bot", Tool: tool("frobnicate", one)}, level.Low},
		{"never imported", "frobnicate", Inputs{Agent: "bot"}, level.Medium},
		{"another agent", "frobnicate", Inputs{Agent: "other", Tool: tool("frobnicate", one)}, level.Medium},
		{"changed since", "frobnicate", Inputs{Agent: "bot", Tool: tool("frobnicate", other)}, level.Medium},
		{"another spelling", "Frobnicate", Inputs{Agent: "bot", Tool: tool("frobnicate", one)}, level.Medium},
		{"raised", "frob_sync", Inputs{Agent: "bot", Tool: tool("frob_sync", one)}, level.High},
		{"raised, and changed since", "frob_sync", Inputs{Agent: "bot", Tool: tool("frob_sync", other)}, level.High},
		{"raised, and taken away", "frob_sync", Inputs{Agent: "bot"}, level.High},
		{"lowered", "update_ticket", Inputs{Agent: "bot", Tool: tool("update_ticket", one)}, level.Low},
		{"lowered, and changed since", "update_ticket", Inputs{Agent: "bot", Tool: tool("update_ticket", other)}, level.Medium},
	} {
		a := draft{function: call.function, point: PreToolCall}.action(t)
		if got := c.Examine(a, nil).Given(call.in).Assess(1); got.Floor.Level != call.want {
			t.Errorf("%s: got %+v, want %v", call.about, got.Floor, call.want)
		}
	}
}
