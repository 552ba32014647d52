package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

const (
	rsyncValues = "-e --rsh --rsync-path -f --filter --exclude --include --exclude-from --include-from --files-from --log-file --bwlimit --timeout --port --suffix --backup-dir --compare-dest --copy-dest --link-dest -T --temp-dir --partial-dir --out-format --password-file -B --block-size --max-size --min-size --chmod --chown --info -M --remote-option --write-batch --read-batch --only-write-batch"
	// rsyncLetters are options of one letter that only say how files are copied.
	rsyncLetters = "avzrlptgoDhPnucimWHqSX"
)

// rsyncPlain are options that only say which files are copied, and what is printed.
var rsyncPlain = setOf("--archive --verbose --progress --exclude --include --stats --human-readable --dry-run --update --checksum --recursive --mkpath --quiet --info --compress --times --perms --links --ignore-existing --existing --inplace --partial --size-only --itemize-changes --delete --delete-after --delete-before --delete-during --delete-excluded --no-perms --no-owner --no-group --no-times --max-size --min-size --prune-empty-dirs")

// rsync copies as cp does, where both ends are on this machine.
func rsync(w *walk, name string, args []shell.Word) {
	all, c := operands(args, rsyncValues)
	local := len(all) > 1
	for _, o := range all {
		host, _, remote := strings.Cut(o.Text, ":")
		local = local && o.Literal && !(remote && !strings.Contains(host, "/"))
	}
	deletes := false
	for _, o := range c.options {
		deletes = deletes || strings.HasPrefix(o.name, "--del")
		local = local && (rsyncPlain[o.name] || !strings.HasPrefix(o.name, "--") && strings.Trim(o.name[1:], rsyncLetters) == "")
	}
	if !local {
		w.listed(tools().programs["rsync"], name, args)
		return
	}
	to, from := all[len(all)-1], all[:len(all)-1]
	target := w.word(to)
	if c.has("-n", true) || c.has("--dry-run", false) {
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
