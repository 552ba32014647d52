package effects

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// A text about commands is no command: the title of a ticket, what is searched for, what
// echo prints. The models find words of commands in it all the same. Here it is said which
// texts of a call nothing of the call runs; what is not known to be such a text may be run.

//go:embed texts.yaml
var textsYAML []byte

// textTools is what texts.yaml says; it tells what each member is.
type textTools struct {
	Calls []textCall
	Files struct {
		textCall `yaml:",inline"`
		Paths    set
	}
	Names, Runs, Prose, Orders, Filters, Runners set
	Commands                                     struct{ All set }
}

// textCall is a kind of call by the words of its name, and the arguments that are texts.
type textCall struct{ Verbs, Things, Keys set }

var textLists = sync.OnceValue(func() *textTools {
	t, err := loadTexts(textsYAML)
	if err != nil {
		panic("effects: the embedded list of texts: " + err.Error()) // a test loads it
	}
	return t
})

func loadTexts(raw []byte) (*textTools, error) {
	t := &textTools{}
	if err := yaml.Unmarshal(raw, t); err != nil {
		return nil, err
	}
	for name := range t.Filters {
		if t.Runners[name] {
			return nil, fmt.Errorf("%q runs what it reads, and doesn't", name)
		}
	}
	return t, nil
}

// scripted is a text that a shell runs.
type scripted struct {
	text, at string
	script   shell.Script
}

// shell reads a text as a shell does.
func (r *reader) shell(text, at string) []Effect {
	t := r.in.Call.Text(text)
	r.scripts = append(r.scripts, scripted{text, at, t.Script()})
	return shellEffects(t, at)
}

// maxTextScript bounds the executed text in which texts are looked for.
const maxTextScript = 64 << 10

// Texts are the places of a call that are texts and nothing else: nothing of the call runs
// them. all are its effects. Beside an effect that is not a read, a write or a message
// there are none, because there what is run was not read to its end, or is as bad as what
// the texts speak of.
func (r Reading) Texts(all []Effect) []scan.Place {
	if !r.called || slices.ContainsFunc(all, func(e Effect) bool { return e.Kind != Read && e.Kind != Write && e.Kind != Message }) {
		return nil
	}
	var places []scan.Place
	for _, s := range r.scripts {
		if len(s.text) <= maxTextScript {
			places = append(places, textLists().inScript(s)...)
		}
	}
	if Harmless(all) {
		for _, s := range r.statements {
			if len(s.text.String()) <= maxTextScript {
				places = append(places, inStatement(s)...)
			}
		}
		for _, s := range r.programs {
			if len(s.text.String()) <= maxTextScript {
				places = append(places, inProgram(s)...)
			}
		}
	}
	if !r.runs {
		places = append(places, textLists().inCall(r.function, r.arguments)...)
	}
	return places
}

// inCall are the texts among the arguments of a call that executes nothing.
func (t *textTools) inCall(function string, args canon.Value) []scan.Place {
	if _, disguised := scan.Plain(function); disguised {
		return nil
	}
	name := split(function)
	if len(name) == 0 || len(name) == maxNameWords {
		return nil
	}
	w := textWalk{textTools: t}
	for _, c := range t.Calls {
		if t.isCalled(c, name) {
			w.keys = append(w.keys, c.Keys)
		}
	}
	if t.isCalled(t.Files.textCall, name) {
		w.files = t.Files.Keys
	}
	if len(w.keys) == 0 && w.files == nil {
		return nil
	}
	w.walk(args, argumentsAt, "")
	switch {
	case w.runs:
		return nil
	case w.path && !w.prose, !w.path:
		return w.texts
	}
	return append(w.texts, w.contents...)
}

const argumentsAt = "/arguments"

// isCalled reports whether a name has a verb and a thing of a kind of call, and no other
// words.
func (t *textTools) isCalled(c textCall, name []word) bool {
	verb, thing := false, false
	for i, w := range name {
		verb, thing = verb || c.Verbs[w.text], thing || c.Things[w.text]
		if !c.Verbs[w.text] && !c.Things[w.text] && !t.Names[w.text] && (i == 0 || strings.Trim(w.text, "0123456789") != "") {
			return false
		}
	}
	return verb && thing
}

// textWalk goes through the arguments of a call.
type textWalk struct {
	*textTools
	keys     []set
	files    set
	texts    []scan.Place
	contents []scan.Place // of files
	path     bool         // a path was found
	prose    bool         // and all of them are of prose
	runs     bool         // an argument says that something is run
}

func (w *textWalk) walk(v canon.Value, at, key string) {
	switch v.Kind() {
	case canon.KindObject:
		for name, member := range v.Members() {
			key := lowered(name)
			for part := range strings.SplitSeq(key, "_") {
				w.runs = w.runs || w.textTools.Runs[part]
			}
			w.walk(member, at+"/"+canon.PointerEscape(name), key)
		}
	case canon.KindArray:
		for i, e := range v.Elements() {
			w.walk(e, at+"/"+strconv.Itoa(i), key)
		}
	case canon.KindString:
		s := v.Text()
		if w.Files.Paths[key] && w.files != nil {
			w.prose = w.isProse(s) && (w.prose || !w.path)
			w.path = true
			return
		}
		place := scan.Place{Pointer: at, End: len(s)}
		if w.files[key] {
			w.contents = append(w.contents, place)
		}
		if slices.ContainsFunc(w.keys, func(keys set) bool { return keys[key] }) && !isOrder(s) {
			w.texts = append(w.texts, place)
		}
	default:
	}
}

// isOrder reports whether a line of a text begins as an order to a robot that reads along:
// /deploy, !run.
func isOrder(s string) bool {
	for line := range strings.Lines(s) {
		if line = strings.TrimLeft(line, " \t>"); strings.HasPrefix(line, "/") || strings.HasPrefix(line, "!") {
			return true
		}
	}
	return false
}

// isProse reports whether nothing runs a file, by its name: notes.md, and neither
// .github/x.md nor AGENTS.md.
func (t *textTools) isProse(path string) bool {
	if path == "" || len(path) > 4096 || strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || strings.ContainsRune("*?$`{}|:;&<>%", r) }) {
		return false
	}
	clean := cleanPath(path)
	if isGuardingPath(clean) {
		return false
	}
	parts := strings.Split(strings.Trim(clean, "/"), "/")
	for _, part := range parts {
		if strings.HasPrefix(part, ".") && part != ".." {
			return false
		}
	}
	base := parts[len(parts)-1]
	stem, ending, ok := strings.Cut(base, ".") // run.sh.md has the ending sh.md
	if !ok || stem == "" || !t.Prose[ending] {
		return false
	}
	return !slices.ContainsFunc(strings.FieldsFunc(stem, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), func(w string) bool { return t.Orders[w] })
}
