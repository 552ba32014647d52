package workspace

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/shell"
)

//go:embed tools.yaml
var toolsYAML []byte

// toolLists is tools.yaml.
type toolLists struct {
	harness, own, remote, local, about, shells, changes, reads, edits, whole, deletes, moves, editors map[string]bool
	// Names of arguments, those first that count where several are there.
	commands, paths, targets []string
	folders                  map[string]bool
}

var toolNames = sync.OnceValue(func() *toolLists {
	var all map[string]string
	if err := yaml.Unmarshal(toolsYAML, &all); err != nil {
		panic("workspace: the embedded tools: " + err.Error()) // a test loads them
	}
	return &toolLists{
		harness: setOf(all["harness"]), own: setOf(all["own"]), remote: setOf(all["remote"]), local: setOf(all["local"]), about: setOf(all["about"]), shells: setOf(all["shells"]), changes: setOf(all["changes"]), reads: setOf(all["reads"]), edits: setOf(all["edits"]), whole: setOf(all["whole"]), deletes: setOf(all["deletes"]), moves: setOf(all["moves"]), editors: setOf(all["editors"]),
		commands: strings.Fields(all["commands"]), paths: strings.Fields(all["paths"]), targets: strings.Fields(all["targets"]), folders: setOf(all["folders"]),
	}
})

// editor reports whether a command is that of an editor: {command: view, path: …}.
func (c toolCall) editor(command string) bool {
	if !toolNames().editors[strings.ToLower(command)] {
		return false
	}
	_, at := c.get("path", "filepath", "file", "filename")
	return at != ""
}

// harmlessTool judges a tool that is the agent's own: notes, plans, sub-agents.
func harmlessTool(w *walk) {
	w.harmless(effects.Read, "read", "it is the agent's own note, plan or question")
}

// ofAgent reports whether a tool's name is that of one of the agent's own.
func (c toolCall) ofAgent() bool {
	t := toolNames()
	return t.harness[c.name] || t.own[c.name] && !strings.HasPrefix(c.input.Function, "mcp__")
}

// internal is a tool that is the agent's own. One that leaves the machine or throws work away is
// none, and what a server has at the address of a file may be that file.
func (c toolCall) internal() ([]step, bool) {
	isolation, _ := c.text("isolation")
	discards, _ := c.get("discardchanges")
	if !c.ofAgent() || isolation == "remote" || discards.Bool() {
		return nil, false
	}
	if uri, at := c.text("uri"); strings.HasPrefix(uri, "file:") {
		return []step{{pointer: at, judge: func(w *walk) {
			if w.reads(shell.Word{Text: strings.TrimPrefix(uri, "file://"), Literal: true}) {
				w.harmless(effects.Read, "read", "it only reads")
			}
		}}}, true
	}
	return []step{{pointer: "/function", judge: harmlessTool}}, true
}

// files is a tool that reads or changes files.
func (c toolCall) files() ([]step, bool) {
	verb := c.verb()
	if verb == "" || c.namesElse() || c.remoteFiles() {
		return nil, false
	}
	var all []step
	for _, path := range c.paths() {
		word := shell.Word{Text: path.text, Literal: true}
		at := path.at
		switch verb {
		case "read":
			all = append(all, step{pointer: at, judge: func(w *walk) {
				if w.reads(word) {
					w.harmless(effects.Read, "read", "it only reads")
				}
			}})
		case "delete":
			all = append(all, step{pointer: at, judge: func(w *walk) { w.deletes(word, isFolder(word.Text)) }})
		case "move":
			to, _ := c.text("destination", "newpath", "to", "target", "targetpath", "newname", "destinationpath")
			all = append(all, step{pointer: at, judge: func(w *walk) {
				w.copied(act.Act{Verb: act.Move, From: []shell.Word{word}, Target: shell.Word{Text: to, Literal: true}}, "mv")
			}})
		default:
			all = append(all, step{pointer: at, judge: func(w *walk) { // what it puts there could not be read
				w.keeps(w.writes(word, "it edits"), "", false, false)
			}})
		}
	}
	if glob, at := c.text("glob", "include", "includepattern"); verb == "read" && at != "" && (c.has("grep") || c.has("search")) {
		all = append(all, step{pointer: at, judge: func(w *walk) {
			if w.reads(shell.Word{Text: glob, Literal: true}) {
				w.harmless(effects.Read, "read", "it only reads")
			}
		}})
	}
	if len(all) == 0 && verb == "read" {
		return []step{{pointer: "/function", judge: func(w *walk) { w.harmless(effects.Read, "read", "it only reads") }}}, true
	}
	return all, len(all) > 0
}

// namesElse reports whether a tool's name has words that are neither of files nor of what is
// done with them.
func (c toolCall) namesElse() bool {
	t := toolNames()
	return slices.ContainsFunc(c.words, func(w string) bool {
		return !t.about[w] && !t.reads[w] && !t.edits[w] && !t.whole[w] && !t.deletes[w] && !t.moves[w] && !t.editors[w]
	})
}

// changesElse reports whether a tool changes something that is neither a file nor a shell, as
// its name says: delete_user deletes a user, whatever path or command is given with it.
func (c toolCall) changesElse() bool {
	t := toolNames()
	if c.ofAgent() {
		return false
	}
	changes, other := false, false
	for _, w := range c.words {
		verb := t.changes[w] || t.edits[w] || t.whole[w] || t.deletes[w] || t.moves[w]
		changes = changes || verb
		other = other || !verb && !t.about[w] && !t.shells[w] && !t.reads[w] && !t.editors[w]
	}
	return changes && other
}

// remoteFiles reports whether the files of a tool are not those of this machine: a
// repository's at a host, a bucket's.
func (c toolCall) remoteFiles() bool {
	for key := range c.at {
		if toolNames().remote[key] {
			return true
		}
	}
	server, ok := strings.CutPrefix(c.input.Function, "mcp__")
	if !ok {
		return false
	}
	server, _, _ = strings.Cut(strings.ToLower(server), "__")
	return !toolNames().local[server]
}

// isFolder reports whether a path looks like that of a folder: no dot in its name.
func isFolder(path string) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	return !strings.Contains(base, ".")
}

// verb is what a tool does with files: read, edit, delete or move; "" where its
// name does not say.
func (c toolCall) verb() string {
	words := c.words
	if command, at := c.text("command"); at != "" {
		words = strings.Split(strings.ToLower(command), "_")
		if toolNames().editors[strings.ToLower(command)] && len(words) > 1 {
			words = append([]string{strings.ToLower(command)}, words...)
		}
	}
	t := toolNames()
	for _, w := range words {
		switch {
		case t.deletes[w]:
			return "delete"
		case t.moves[w]:
			return "move"
		case t.edits[w] || t.whole[w]:
			return "edit"
		case t.reads[w]:
			if _, at := c.get("content", "filetext", "newstring", "newstr", "codeedit"); at != "" {
				return "edit"
			}
			return "read"
		}
	}
	return ""
}

// pathArgument is a path among the arguments.
type pathArgument struct{ text, at string }

func (c toolCall) paths() []pathArgument {
	var all []pathArgument
	if v, at := c.get("paths", "files", "filepaths", "replacements", "targetdirectories", "include"); v.Kind() == canon.KindArray {
		for i, e := range v.Elements() {
			switch e.Kind() {
			case canon.KindString:
				all = append(all, pathArgument{e.Text(), at + "/" + strconv.Itoa(i)})
			case canon.KindObject:
				for _, key := range []string{"path", "filePath", "file_path"} {
					if p := e.Get(key); p.Kind() == canon.KindString {
						all = append(all, pathArgument{p.Text(), at + "/" + strconv.Itoa(i) + "/" + key})
					}
				}
			default:
			}
		}
	}
	for _, key := range append([]string{"source", "from", "oldpath", "sourcepath"}, toolNames().paths...) {
		if text, at := c.text(key); at != "" && text != "" { // each of several: a tool reads one of them
			if (key == "source" || key == "from") && c.verb() != "move" {
				continue
			}
			all = append(all, pathArgument{strings.TrimPrefix(text, "file://"), at})
		}
	}
	return all
}
