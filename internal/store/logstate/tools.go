package logstate

import "github.com/countersign/countersign/internal/audit"

// Tools is what the newest event says of an agent's tools.
type Tools struct {
	At  int64
	Sum string // "" in events of before they had it: what is stored stands for them
	All string // the same, of what the sum leaves out
}

// ToolsKinds are what Tools follow from.
var ToolsKinds = []audit.Kind{audit.ToolsImported, audit.ToolsRemoved}

// ApplyTools adds one event.
func ApplyTools(logged map[string]Tools, e audit.Event) {
	logged[e.Agent] = Tools{e.Index, e.Data.Get("tools_sum").Text(), e.Data.Get("tools_whole").Text()}
}
