package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/level"
)

// MaxFiles is of how many files of one agent something is remembered. Of own code beyond
// them nobody knows what it holds: Memory.Full.
const MaxFiles = 10_000

// Adding is the memory once writes were submitted, and again when their grant is spent:
// what they hold counts from there on, beside what is known already, as nobody knows yet
// whether they will be made.
func (m Memory) Adding(writes []File) Memory {
	return m.with(writes, func(rows map[string]File, w File) {
		if w.Gone {
			return
		}
		was, ok := covering(rows, w.Path)
		if !ok || was.Gone {
			rows[w.Path] = w.remembered()
			return
		}
		rows[w.Path] = w.added(was)
	})
}

// Replacing is the memory once writes were made and did not fail: what was written anew is
// what the file holds, and what was deleted is forgotten. A file that was only changed
// keeps what it had.
//
// What is gone stands in the result, as Gone, so that a store can take it away.
func (m Memory) Replacing(writes []File) Memory {
	return m.with(writes, func(rows map[string]File, w File) {
		was, ok := covering(rows, w.Path)
		switch {
		case w.Gone && w.Folder:
			for p := range rows {
				if within(w.Path, p) {
					rows[p] = rows[p].gone()
				}
			}
		case w.Gone:
			w.Before = union(w.Before, rows[w.Path].had())
			rows[w.Path] = w.gone()
		case w.Edited && ok && !was.Gone:
			rows[w.Path] = w.added(was)
		default:
			w.Reviewed = w.Reviewed || ok && was.Path == w.Path && was.Reviewed && was.SHA256 == w.SHA256 && w.SHA256 != ""
			if there := rows[w.Path]; there.SHA256 == "" || there.SHA256 != w.SHA256 {
				w.Before = union(w.Before, there.had())
			}
			rows[w.Path] = w.remembered()
		}
	})
}

// Reviewing is the memory once a person approved a build, a test or an install: they have
// seen what the agent wrote so far.
func (m Memory) Reviewing() Memory {
	m.Files = slices.Clone(m.Files)
	for i := range m.Files {
		m.Files[i].Reviewed = true
	}
	return m
}

// with is the memory after writes, in the order of paths, and with no more than MaxFiles.
func (m Memory) with(writes []File, apply func(map[string]File, File)) Memory {
	rows := make(map[string]File, len(m.Files)+len(writes))
	kept := 0
	for _, f := range m.Files {
		rows[f.Path] = f
		if !f.Gone {
			kept++
		}
	}
	for _, w := range writes {
		was, ok := rows[w.Path]
		if isNew := !w.Gone && (!ok || was.Gone); isNew {
			if kept >= MaxFiles {
				m.Full = true
				continue
			}
			kept++
		}
		apply(rows, w)
	}
	m.Files = make([]File, 0, len(rows))
	for _, f := range rows {
		m.Files = append(m.Files, f)
	}
	slices.SortFunc(m.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return m
}

// remembered is a write as it is kept.
func (f File) remembered() File {
	f.Edited = false
	return f
}

// added is a write beside what was known of its file.
func (f File) added(was File) File {
	f.Reviewed = was.Reviewed && (!f.tells() || f.SHA256 != "" && f.SHA256 == was.SHA256)
	f.Findings, f.Tasks = union(was.Findings, f.Findings), worstTasks(was.Tasks, f.Tasks)
	f.Before = union(was.Before, f.Before)
	f.Foreign = f.Foreign || was.Foreign
	f.Plain = f.Plain || was.Plain
	f.Folder = f.Folder || was.Folder && was.Path == f.Path
	return f.remembered()
}

// had are the findings that a file has or had: of a task that is held, as much as it is.
func (f File) had() []Finding {
	all := union(f.Before, f.Findings)
	for _, t := range f.Tasks {
		switch {
		case t.Level >= level.High:
			all = union(all, []Finding{Outside})
		case t.Level > level.Low:
			all = union(all, []Finding{Network})
		}
	}
	return all
}

// gone is what is kept of a file that was deleted.
func (f File) gone() File {
	return File{Path: f.Path, Gone: true, Before: f.had(), Reviewed: f.Reviewed}
}

// tells reports whether more is to be said of a file than that this agent wrote it.
func (f File) tells() bool {
	return len(f.Findings) > 0 || len(f.Tasks) > 0 || f.Foreign || f.IsManifest()
}

// isUnreviewed reports whether a file of code or configuration has what a build or a test
// that is not sandboxed counts, and no person approved one since: findings but a child
// process, or that somebody else wrote it.
func (f File) isUnreviewed() bool {
	return !f.Reviewed && !f.Gone && runsInBuilds(f.Path) &&
		(f.Foreign && !f.Folder || slices.ContainsFunc(f.Findings, func(g Finding) bool { return g != Child }))
}

func (f File) isNewManifest() bool { return f.IsManifest() && !f.Reviewed && !f.Gone }

// Wants reports whether a file is among those that are asked for.
func (a Asks) Wants(f File) bool {
	if a.Unreviewed && f.isUnreviewed() || a.Manifests && f.isNewManifest() || a.Gone && f.Gone && len(f.Before) > 0 {
		return true
	}
	return slices.ContainsFunc(a.Paths, func(p string) bool {
		return within(p, f.Path) || f.Folder && within(f.Path, p)
	})
}
