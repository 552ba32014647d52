package workspace

import (
	"path"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/level"
)

// What is known of the tasks of files: targets of a Makefile, scripts of a package.json.

// tasks are those that a file defines; ok says that this agent wrote some of them.
func (k *known) tasks(p string) (all []Task, ok bool) {
	f, _ := k.look(p)
	return f.Tasks, len(f.Tasks) > 0
}

// task is what a file says of one of its tasks, with what is remembered of the files that
// this runs; name is "" for the first one. A part of which nobody knows to which task it
// belongs counts for all of them, and so does a file that its runner reads instead.
func (k *known) task(p, name string) (Task, bool) {
	worst, ok := Task{}, false
	consider := func(t Task) {
		if !ok || t.Level > worst.Level {
			worst, ok = t, true
		}
	}
	for _, at := range taskFiles(p) {
		all, _ := k.tasks(at)
		for i, t := range all {
			if t.Name == name || t.Name == "" || name == "" && i == 0 {
				consider(k.withRuns(t))
			}
		}
		if f, known := k.look(at); known && at != p && len(f.Findings) > 0 {
			consider(Task{Name: name, Level: levelOf(f.Findings), Because: at + " has findings"})
		}
	}
	for _, f := range k.all(func(f File) bool { return path.Ext(f.Path) == ".mk" }) { // a Makefile may include it
		if isMakefile(p) && len(f.Findings) > 0 {
			k.count(f)
			consider(Task{Name: name, Level: levelOf(f.Findings), Because: f.Path + " has findings"})
		}
		for _, t := range f.Tasks {
			if t.Level > level.Low && isMakefile(p) && (t.Name == name || t.Name == "") {
				k.count(f)
				consider(t)
			}
		}
	}
	return worst, ok
}

// taskFiles are the names under which a runner looks for its tasks.
func taskFiles(p string) []string {
	for _, list := range [][]string{
		{"Makefile", "GNUmakefile", "makefile"},
		{"justfile", "Justfile", ".justfile"},
		{"Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml", "taskfile.yml", "taskfile.yaml"},
		{"mise.toml", ".mise.toml"},
	} {
		if slices.Contains(list, path.Base(p)) {
			all := []string{p}
			for _, name := range list {
				if at := path.Join(path.Dir(p), name); at != p {
					all = append(all, at)
				}
			}
			return all
		}
	}
	return []string{p}
}

func isMakefile(p string) bool { return strings.HasSuffix(strings.ToLower(path.Base(p)), "makefile") }

// withRuns is a task that is as bad as what was found in the files that it runs.
func (k *known) withRuns(t Task) Task {
	k.asks.Unreviewed = true // which files those are is known only with the task
	for _, p := range t.Runs {
		f, ok := covering(k.files, p)
		if !ok || f.Gone {
			continue
		}
		if l := levelOf(f.Findings); l > t.Level {
			k.count(f)
			t.Level, t.Because = l, "it runs "+p+", which has findings"
		}
	}
	return t
}

// worstTasks are the tasks of both, of two with one name the worse one.
func worstTasks(a, b []Task) []Task {
	all := slices.Clone(a)
	for _, t := range b {
		at := slices.IndexFunc(all, func(o Task) bool { return o.Name == t.Name })
		switch {
		case at < 0:
			all = append(all, t)
		case t.Level > all[at].Level:
			all[at] = t
		}
	}
	return all
}
