package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// rsync copies as cp does, where both ends are on this machine.
func rsync(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	local := len(all) > 1
	for _, o := range all {
		host, _, remote := strings.Cut(o.Text, ":")
		local = local && o.Literal && !(remote && !strings.Contains(host, "/"))
	}
	deletes := false
	for _, o := range c.Options {
		deletes = deletes || strings.HasPrefix(o.Name, "--del")
		local = local && o.IsPlain() && !o.Begins
	}
	if !local {
		w.listed(tools().programs["rsync"], name, args)
		return
	}
	to, from := all[len(all)-1], all[:len(all)-1]
	target := w.word(to)
	if c.Has("--dry-run", false) && c.Unknown == "" {
		for _, f := range from {
			w.reads(f)
		}
		w.harmless(effects.Read, "read", "rsync --dry-run copies nothing")
		return
	}
	if deletes {
		w.gone(target, to, true)
	}
	for _, f := range from {
		s := w.word(f)
		w.copiesSecret(s, f, target)
		w.intoFolder(s, target, to)
		if target.zone != inside && target.zone != temporary {
			continue
		}
		if s.zone == nowhere {
			w.held(level.Medium, effects.Write, "unknown-target", "it copies what is known only when it runs")
			continue
		}
		if strings.HasSuffix(f.Text, "/") { // what stands in it, and not itself
			for _, row := range w.k.below(s.path) {
				w.k.carry(row, target.path+strings.TrimPrefix(row.Path, s.path))
			}
		}
		w.k.copy(s.path, target.path)
	}
}
