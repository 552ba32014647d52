package workspace

import "github.com/countersign/countersign/internal/scoring/level"

// judgeText judges a shell text that runs in a folder: a script's, or a task's.
func judgeText(text, dir string, k *known) []verdict { return nil }

// worst is the verdict that decides.
func worst(all []verdict) verdict {
	w := verdict{level: level.Low, because: "nothing is changed"}
	for i, v := range all {
		if i == 0 || v.level > w.level {
			w = v
		}
	}
	return w
}
