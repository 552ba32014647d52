package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// cause is what is said of a word for why something is held.
type cause struct {
	because string // behind what it is that is held
	kind    effects.Kind
	finding Finding
	// grant is what a session grant may be of; "" for what is never granted.
	grant string
}

// causes are those that programs.yaml names.
var causes = map[string]cause{
	"container":   {"starts or changes containers", effects.Write, Network, "program"},
	"compose":     {"starts or stops the services of a compose file", effects.Write, Network, "compose"},
	"cluster":     {"changes a cluster", effects.Write, Network, ""},
	"cloud":       {"changes what runs in a cloud", effects.Write, Network, ""},
	"deploy":      {"deploys, or reaches production", effects.Write, Network, ""},
	"publish":     {"publishes for others", effects.Message, Network, ""},
	"push":        {"sends commits to others", effects.Write, Network, "push"},
	"discard":     {"discards work that isn't saved elsewhere", effects.Delete, "", "program"},
	"history":     {"rewrites history", effects.Delete, "", "program"},
	"settings":    {"changes settings that decide what runs", effects.Permission, Outside, ""},
	"foreign":     {"brings in code of others", effects.Execute, Network, "program"},
	"option":      {"is given an option by which it runs or loads something else", effects.Execute, Child, ""},
	"remote":      {"works on another machine", effects.Execute, Network, "ssh"},
	"network":     {"opens a connection of its own", effects.Execute, Network, ""},
	"tunnel":      {"opens the workspace to the network", effects.Permission, Network, ""},
	"review":      {"writes what others read", effects.Message, Network, "program"},
	"merge":       {"changes what others work on", effects.Write, Network, ""},
	"account":     {"changes who may do what", effects.Permission, Network, ""},
	"secret":      {"shows or changes secrets", effects.Read, Outside, ""},
	"database":    {"changes a database", effects.Write, Network, "program"},
	"drop":        {"destroys data", effects.Delete, Network, ""},
	"service":     {"changes services or settings of the machine", effects.Permission, Outside, ""},
	"schedule":    {"makes something run later", effects.Execute, Outside, ""},
	"sudo":        {"works with the rights of another user", effects.Permission, Outside, ""},
	"agent":       {"starts another agent", effects.Execute, Child, "program"},
	"process":     {"ends processes by their name", effects.Delete, "", "program"},
	"system":      {"changes the machine", effects.Delete, Outside, ""},
	"outside":     {"leaves the workspace", effects.Write, Outside, "program"},
	"encode":      {"runs code that can't be read", effects.Execute, Hidden, ""},
	"interactive": {"waits for what is typed", effects.Execute, Child, "program"},
	"migrate":     {"changes a database's tables", effects.Write, Network, "program"},
	"open":        {"opens something in another program", effects.Execute, Network, ""},
	"email":       {"sends messages", effects.Message, Network, ""},
}

func holdsBecause(shown, word string) string {
	if c, ok := causes[word]; ok {
		return brief(shown) + " " + c.because
	}
	return brief(shown) + " does something a person should look at"
}

func kindOf(word string) effects.Kind {
	if c, ok := causes[word]; ok {
		return c.kind
	}
	return effects.Execute
}

func findingOf(word string) Finding { return causes[word].finding }

// scopeOf is what a session grant for it would cover.
func (w *walk) scopeOf(d deed, shown string, args []shell.Word) *Scope {
	switch causes[d.cause].grant {
	case "program":
		if d.level() > level.Medium {
			return nil
		}
		if shellOrInterpreter[strings.Fields(shown)[0]] {
			return nil
		}
		return &Scope{Of: "program", To: brief(shown)}
	case "ssh":
		return sshScope(shown, args)
	case "compose":
		return w.composeScope(shown, args)
	}
	return nil
}
