package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/effects"
	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// readCode reads a program. What stands outside of literals in a part of one may stand in
// a literal of the whole, and the other way round: where that cannot be told, both count.
func readCode(f *textFindings, language, name, text string, b Binding) {
	js := language == "javascript"
	if !js && (strings.Contains(text, "!") || strings.HasPrefix(strings.TrimSpace(text), "%") || strings.Contains(text, "\n%")) {
		rest, commands := code.Cell(text)
		for _, c := range commands {
			readShell(f, c.Text, c.Start, c.End, b)
		}
		text = rest
	}
	markup := js && (b.part || strings.Contains(text, "</") || strings.Contains(text, "/>"))
	quotes := []string{""}
	if b.part {
		for _, q := range map[bool][]string{true: {"`"}, false: {`"""`, "'''"}}[js] {
			if strings.Count(text, q)%2 == 1 {
				quotes = append(quotes, q)
			}
		}
	}
	whole := !b.part && !markup
	for _, q := range quotes {
		p := code.ReadPart(language, q+text, b.part || markup)
		whole = whole && p.Broken == "" && effects.Harmless(effects.ProgramEffects(p, p.Source(), ""))
		(&codeFold{textFindings: f, b: b, commands: map[string]bool{}}).program(p, len(q))
	}
	f.harmless = whole && len(f.all) == 0
}

// codeFold gathers what speaks against a program of what it does.
type codeFold struct {
	*textFindings
	b Binding
	// commands are those that it starts and that were read.
	commands map[string]bool
}

func (r *codeFold) program(p *code.Program, offset int) {
	before := len(r.all)
	r.decodes = r.decodes || p.Decodes
	for _, a := range p.Acts {
		if a.Flags&act.Guessed == 0 {
			r.act(a)
		}
	}
	for _, t := range p.Texts() {
		r.text(t)
	}
	for i := before; i < len(r.all); i++ { // places are those of the text without the quote in front
		r.all[i].start, r.all[i].end = max(0, r.all[i].start-offset), max(0, r.all[i].end-offset)
	}
}

func (r *codeFold) act(a act.Act) {
	at := func(what Finding, why string) { r.found(what, a.Start, a.End, why) }
	switch a.Verb {
	case act.Make:
		at(Hidden, a.Reason.Code)
	case act.Library:
		at(Child, a.Reason.Code)
	case act.Show:
		at(Outside, "it reads the environment as a whole")
	case act.Run:
		text, ok := a.Target.Text, a.Target.Literal
		if len(a.From) > 0 {
			text, ok = shellText(a.From)
		}
		if !ok {
			at(Child, "it starts a program that can't be read, with "+a.Text)
		} else if !r.commands[text] {
			r.commands[text] = true
			readShell(r.textFindings, text, a.Start, a.End, r.b)
		}
	case act.Connect:
		r.connects(a)
	case act.Request:
		r.request(a)
	case act.Change:
		r.changes(a)
	}
}

// shellText are the words of a command as a shell has them: what is known only when it runs
// stands in it as a variable, which no text may be assembled of.
func shellText(words []shell.Word) (string, bool) {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case w.Literal:
			b.WriteString("'" + strings.ReplaceAll(w.Text, "'", `'\''`) + "'")
		case w.Text == code.Rest && i > 0:
			b.WriteString(`"$@"`)
		case w.Text != "" && w.Text != code.Rest: // its own interpreter
			b.WriteString(w.Text)
		case i == 0:
			return "", false
		default:
			b.WriteString(unknownWord)
		}
	}
	return b.String(), len(words) > 0
}

// unknownWord is a word of a command that only the program knows that runs it.
const unknownWord = `"$x"`

// changes judges what writes, deletes or changes files.
func (r *codeFold) changes(a act.Act) {
	for _, w := range a.From {
		switch {
		case w.Text == "":
		case r.b.leavesFolder(w.Text):
			r.found(Outside, a.Start, a.End, "it changes what is outside of the workspace, with "+a.Text)
		case !w.Literal:
		case slices.Contains([]string{".", "./", "*", r.b.Folder}, w.Text) && containsAny(a.Text, wordlist.List("workspace.deleting")):
			r.found(Outside, a.Start, a.End, "it deletes the whole workspace")
		case r.b.guarded(w.Text) != "":
			r.found(r.b.guarded(w.Text), a.Start, a.End, "it changes "+shown(w.Text, "")+", which isn't to be changed unseen")
		case len(r.writes) < maxFound && !slices.Contains(r.writes, w.Text):
			r.writes = append(r.writes, w.Text)
		}
	}
}

// prints are functions that only print what they are given.
var prints = setOf("log print info warn error debug")

// text looks at a literal: a path of secrets, an address that only the inside reaches, a
// text that may be written.
func (r *codeFold) text(t code.Literal) {
	text := t.Text
	if !prints[t.Call] && len(r.texts) < maxFound {
		r.texts = append(r.texts, text)
	}
	if strings.ContainsAny(text, " \n(") && len(r.literals) < maxFound {
		r.literals = append(r.literals, text)
	}
	if len(text) < 4 || len(text) > 1024 || strings.ContainsAny(text, " \n\t") {
		return
	}
	if strings.Contains(text, "169.254.169.254") || strings.Contains(text, "metadata.google.internal") {
		r.found(Outside, t.Start, t.End, "it asks the machine's own cloud for its identity")
		return
	}
	if strings.Contains(text, "://") || strings.Contains(text, "ca-bundle") || strings.Contains(text, "/certs/") || !r.b.holdsSecrets(text) {
		return
	}
	base := text[strings.LastIndexByte(text, '/')+1:]
	reads := slices.Contains([]string{"open", "readFile", "readFileSync", "read_text", "read_bytes", "Path", "createReadStream", "copy", "copyfile", "copyFileSync", "copyFile", "file", "readTextFile", "load_key", "from_file"}, t.Call)
	if strings.HasPrefix(base, ".env") && !reads {
		return // what settings are loaded from by those who load settings
	}
	exact := paths.Of().Secrets.Exact(base) // and no ending, such as a class of a style sheet: .key
	if reads || strings.Contains(text, "/") || exact && base[0] == '.' {
		r.found(Outside, t.Start, t.End, "it names "+shown(text, "")+", which holds secrets")
	}
}

// readOther reads a program in a language of which only words are known.
func readOther(f *textFindings, language, text string, b Binding) {
	p := code.Read(language, new(call.Call).Text(text))
	(&codeFold{textFindings: f, b: b, commands: map[string]bool{}}).program(p, 0)
}

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
