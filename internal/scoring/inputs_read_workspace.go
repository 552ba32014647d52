package scoring

import (
	"path"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// The binding to a workspace and the memory of it, as inputs have them.

func (r *inputReader) workspace(v canon.Value) *workspace.Binding {
	r.known(v, "/workspace", "folder", "sandboxed")
	b, err := workspace.NewBinding(r.text(v, "/workspace/folder"), r.flag(v, "/workspace/sandboxed"))
	if err != nil {
		r.refuse("/workspace/folder", fault.Textf("the full path of a folder: %s", fault.As(err).Text()))
	}
	return &b
}

func (r *inputReader) memory(v canon.Value) *workspace.Memory {
	r.known(v, "/memory", "files", "full")
	m := workspace.Memory{Full: r.flag(v, "/memory/full")}
	r.each(v, "/memory/files", func(f canon.Value, at string) { m.Files = append(m.Files, r.file(f, at)) })
	return &m
}

// each reads the elements of a list; an absent one has none.
func (r *inputReader) each(v canon.Value, member string, read func(one canon.Value, at string)) {
	list := v.Get(last(member))
	if list.IsAbsent() || list.Kind() == canon.KindNull {
		return
	}
	if list.Kind() != canon.KindArray {
		r.refuse(member, fault.Textf("a list"))
		return
	}
	for i, one := range list.Elements() {
		read(one, member+"/"+strconv.Itoa(i))
	}
}

func (r *inputReader) file(v canon.Value, at string) workspace.File {
	r.known(v, at, "path", "sha256", "findings", "foreign", "folder", "plain", "tasks", "reviewed", "gone", "before", "edited")
	f := workspace.File{
		Path: r.text(v, at+"/path"), SHA256: r.text(v, at+"/sha256"),
		Foreign: r.flag(v, at+"/foreign"), Folder: r.flag(v, at+"/folder"), Plain: r.flag(v, at+"/plain"), Reviewed: r.flag(v, at+"/reviewed"), Gone: r.flag(v, at+"/gone"), Edited: r.flag(v, at+"/edited"),
	}
	if !strings.HasPrefix(f.Path, "/") || path.Clean(f.Path) != f.Path {
		r.refuse(at+"/path", fault.Textf("a full path without . and .."))
	}
	f.Findings, f.Before = r.findings(v, at+"/findings"), r.findings(v, at+"/before")
	r.each(v, at+"/tasks", func(one canon.Value, at string) {
		r.known(one, at, "name", "level", "because", "runs")
		t := workspace.Task{Name: r.text(one, at+"/name"), Because: r.text(one, at+"/because")}
		l, err := level.Parse(r.text(one, at+"/level"))
		if t.Level = l; err != nil {
			r.refuse(at+"/level", fault.Textf("one of SAFE, LOW, MEDIUM, HIGH, CRITICAL"))
		}
		r.each(one, at+"/runs", func(one canon.Value, _ string) { t.Runs = append(t.Runs, one.Text()) })
		f.Tasks = append(f.Tasks, t)
	})
	return f
}

func (r *inputReader) findings(v canon.Value, member string) (all []workspace.Finding) {
	r.each(v, member, func(one canon.Value, at string) {
		found := workspace.Finding(one.Text())
		if !found.Valid() {
			r.refuse(at, fault.Textf("one of %s", strings.Join(wordsOf(workspace.Findings()...), ", ")))
		}
		all = append(all, found)
	})
	return all
}
