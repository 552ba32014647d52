package approvals

import (
	"reflect"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// What is remembered of the files that an agent writes in its workspace, so that what it
// runs later is judged by what it wrote (docs/workspace.md). It is the agent's, whatever
// the session.
//
// What a submission would write counts at once, since many agents act on what is let
// through without spending anything. What a spent grant writes is what the file holds from
// then on, and what was known of it before is kept until the agent reports how it went.
// An act is never judged by its own writes: it runs before them.

// FileMemory is what is remembered of one file of an agent.
type FileMemory struct {
	Path string
	// Held is what the file holds, as far as that is known; nil for nothing.
	Held *workspace.File
	// Added is what the approval By would write and is not spent yet.
	Added *workspace.File
	By    string
	// Was is what it held before the grant of WasBy was spent, which wrote it.
	Was   *workspace.File
	WasBy string
}

// MemoryOf is what an act is judged by: all but what it would write itself.
func MemoryOf(rows []FileMemory, full bool, approval string) workspace.Memory {
	m := workspace.Memory{Files: held(rows), Full: full}
	var added []workspace.File
	for _, r := range rows {
		if r.Added != nil && (approval == "" || r.By != approval) {
			added = append(added, *r.Added)
		}
	}
	m = m.Adding(added)
	m.Files = slices.DeleteFunc(m.Files, func(f workspace.File) bool { return f.Gone && len(f.Before) == 0 })
	return m
}

func held(rows []FileMemory) (all []workspace.File) {
	for _, r := range rows {
		if r.Held != nil {
			all = append(all, *r.Held)
		}
	}
	return all
}

// mostRounds bounds how often files are read that others were found to run: a task runs
// another one, and that a script.
const mostRounds = 4

// remembering gives an examination what its agent is bound to, and what is remembered of
// the files that the call asks about. id is the approval, "" for one that is not stored.
func remembering(r Reader, exam scoring.Examination, in scoring.Inputs, agent, id string) (scoring.Examination, error) {
	in.Memory = nil
	exam = exam.In(in.Workspace)
	asks := exam.Asks()
	if in.Workspace == nil || asks.None() {
		return exam.Given(in), nil
	}
	var m workspace.Memory
	for range mostRounds {
		rows, full, err := r.FileMemory(agent, asks)
		if err != nil {
			return exam, err
		}
		m = MemoryOf(rows, full, id)
		known := len(asks.Paths)
		if asks = exam.AsksKnowing(m); len(asks.Paths) <= known {
			break
		}
	}
	in.Memory = &m
	return exam.Given(in), nil
}

// writes are what a would write in its workspace.
func writes(as scoring.Assessment) []workspace.File {
	if as.Workspace == nil {
		return nil
	}
	return as.Workspace.Writes
}

// ledger changes rows of a memory and knows which.
type ledger struct {
	rows    map[string]*FileMemory
	changed map[string]bool
}

// open reads what is remembered of the files that were written, and of all below them.
func openLedger(w Writer, agent string, files ...[]workspace.File) (*ledger, error) {
	var asks workspace.Asks
	for _, f := range slices.Concat(files...) {
		asks.Paths = append(asks.Paths, f.Path)
	}
	rows, _, err := w.FileMemory(agent, asks)
	l := &ledger{rows: map[string]*FileMemory{}, changed: map[string]bool{}}
	for _, r := range rows {
		l.rows[r.Path] = &r
	}
	return l, err
}

// all are the rows by path.
func (l *ledger) all() (rows []FileMemory) {
	for _, r := range l.rows {
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b FileMemory) int { return strings.Compare(a.Path, b.Path) })
	return rows
}

// row is that of a path, which is changed from here on.
func (l *ledger) row(path string) *FileMemory {
	if l.rows[path] == nil {
		l.rows[path] = &FileMemory{Path: path}
	}
	l.changed[path] = true
	return l.rows[path]
}

// keep writes what was changed.
func (l *ledger) keep(w Writer, agent string) error {
	rows := slices.DeleteFunc(l.all(), func(r FileMemory) bool { return !l.changed[r.Path] })
	if len(rows) == 0 {
		return nil
	}
	return w.KeepFiles(agent, rows)
}

// fold counts among what a file holds what somebody else would write, so that there is room
// for the next.
func (l *ledger) fold(path, but string) {
	r := l.rows[path]
	if r == nil || r.Added == nil || r.By == but {
		return
	}
	m := workspace.Memory{Files: held(l.all())}.Adding([]workspace.File{*r.Added})
	if at := slices.IndexFunc(m.Files, func(f workspace.File) bool { return f.Path == path }); at >= 0 {
		r = l.row(path)
		r.Held, r.Added, r.By = &m.Files[at], nil, ""
	}
}

// addFiles remembers what a would write.
func (a Approval) addFiles(w Writer) error {
	all := slices.DeleteFunc(slices.Clone(writes(a.Assessment)), func(f workspace.File) bool { return f.Gone })
	if len(all) == 0 {
		return nil
	}
	l, err := openLedger(w, a.Agent.ID, all)
	if err != nil {
		return err
	}
	for _, f := range all {
		l.fold(f.Path, a.ID)
		r := l.row(f.Path)
		r.Added, r.By = &f, a.ID
	}
	return l.keep(w, a.Agent.ID)
}

// replaceFiles remembers what a wrote: its grant is spent. as is its assessment of now,
// since what was copied or moved holds what it holds now.
func (a Approval) replaceFiles(w Writer, as scoring.Assessment) error {
	wrote, asked := writes(as), writes(a.Assessment)
	if len(wrote)+len(asked) == 0 {
		return nil
	}
	l, err := openLedger(w, a.Agent.ID, wrote, asked)
	if err != nil {
		return err
	}
	for _, r := range l.all() {
		if r.By == a.ID {
			own := l.row(r.Path)
			own.Added, own.By = nil, ""
		}
	}
	before := held(l.all())
	m := workspace.Memory{Files: before}.Replacing(wrote)
	if len(a.Carried) > 0 { // what is masked was read when it came in
		m = m.Adding(asked)
	}
	for _, f := range m.Files {
		if old := l.rows[f.Path]; old != nil && old.Held != nil && reflect.DeepEqual(*old.Held, f) {
			continue
		}
		r := l.row(f.Path)
		if r.WasBy == "" || !slices.ContainsFunc(wrote, func(w workspace.File) bool { return w.Path == f.Path && w.Edited }) {
			r.Was, r.WasBy = r.Held, a.ID
		}
		r.Held = &f
	}
	return l.keep(w, a.Agent.ID)
}

// failedFiles takes back what a wrote, as far as that is known: it failed somewhere, so that
// each file holds what it held before, or what was written, or both.
func (a Approval) failedFiles(w Writer) error {
	wrote := writes(a.Assessment)
	if len(wrote) == 0 {
		return nil
	}
	l, err := openLedger(w, a.Agent.ID, wrote)
	if err != nil {
		return err
	}
	for _, old := range l.all() {
		if old.WasBy != a.ID {
			continue
		}
		r := l.row(old.Path)
		switch {
		case r.Was == nil:
		case r.Held == nil || r.Held.Gone:
			r.Held = r.Was
		default:
			both := workspace.Memory{Files: []workspace.File{*r.Was}}.Adding([]workspace.File{*r.Held})
			r.Held = &both.Files[0]
		}
		r.Was, r.WasBy = nil, ""
	}
	return l.keep(w, a.Agent.ID)
}

// reviewFiles remembers that a person saw what the agent wrote so far: those who approve a
// build, a test or an install have its findings before them. What was written since is not
// what they saw.
func (a Approval) reviewFiles(w Writer) error {
	as := a.Assessment
	if a.Status != Approved || !a.byPerson() || as.Workspace == nil || !as.Workspace.Reviews || len(as.Workspace.Used) == 0 {
		return nil
	}
	l, err := openLedger(w, a.Agent.ID, as.Workspace.Used)
	if err != nil {
		return err
	}
	now := MemoryOf(l.all(), false, a.ID)
	for _, seen := range as.Workspace.Used {
		at := slices.IndexFunc(now.Files, func(f workspace.File) bool { return f.Path == seen.Path })
		if at < 0 {
			continue
		}
		f := now.Files[at]
		f.Reviewed = seen.Reviewed
		if !reflect.DeepEqual(f, seen) {
			continue
		}
		f.Reviewed = true
		r := l.row(f.Path)
		r.Held = &f
		if r.By != a.ID {
			r.Added, r.By = nil, ""
		}
	}
	return l.keep(w, a.Agent.ID)
}
