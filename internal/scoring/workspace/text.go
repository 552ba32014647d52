package workspace

import (
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// judgeText judges a shell text that runs in a folder: a script's, or a task's.
func judgeText(text, dir string, k *known) []verdict {
	depth := k.binding.nested
	if depth > maxTexts {
		return []verdict{{level: level.High, cause: "unreadable", because: "it nests too many texts", finding: Hidden}}
	}
	w := newWalk(parsed(text), text, folder{dir, dir != ""}, k, depth)
	w.run()
	return w.all
}

// parsed is what a shell would run of a text that stands in no call: of a file.
func parsed(text string) shell.Script { return new(call.Call).Text(text).Script() }

// worst is the verdict that decides: of those with the highest level the first, and where
// nothing is held the one that says most.
func worst(all []verdict) verdict {
	w := verdict{level: level.Low, because: "nothing is changed"}
	for i, v := range all {
		if i == 0 || v.level > w.level || v.level == level.Low && w.level == level.Low && weight(v.cause) > weight(w.cause) {
			w = v
		}
	}
	return w
}

// weight orders what is harmless by how much it does.
func weight(cause string) int {
	switch cause {
	case "own-code", "script":
		return 6
	case "build", "restore":
		return 5
	case "git", "http", "localhost", "process":
		return 4
	case "edit", "artefacts":
		return 3
	case "scratch":
		return 2
	case "folder", "wrapper": // what runs there, or by it, says more
		return 0
	}
	return 1
}
