package workspace

import (
	"path"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Running code (rules 1 to 4 and 10): the workspace's own, what builds and tests run, and
// what installs bring in.

// shellOrInterpreter are programs that run what they are given: no session grant covers them.
var shellOrInterpreter = setOf(wordlist.Text("workspace.shellOrInterpreter"))

// own judges that the workspace's own code runs, of which nothing else is known.
func (w *walk) own(because string) {
	if w.b.Sandboxed {
		if w.loadsFound() {
			return
		}
		w.harmless(effects.Execute, "own-code", because)
		return
	}
	w.found(verdict{
		level: level.Medium, cause: "own-code", because: because + ", and there is no sandbox around it", kind: effects.Execute, verb: "run", object: "script", covers: &Scope{Of: "code"},
	})
}

// ownProgram judges a program by its path.
func (w *walk) ownProgram(program shell.Word, args []shell.Word) {
	if w.runsFile(program, "") {
		return
	}
	if w.risks(append([]shell.Word{program}, args...)) {
		return
	}
	w.own("it runs " + brief(program.Text) + " of the workspace")
}

// runsFile judges that a file is run, by what is known of it, and reports whether that
// decides. Language is that of the interpreter; "" for none.
func (w *walk) runsFile(file shell.Word, language string) bool {
	if strings.HasPrefix(file.Text, "<(") && !file.Literal {
		w.held(level.High, effects.Execute, "piped-code", "it runs what another command prints")
		return true
	}
	if strings.Contains(file.Text, "://") {
		w.held(level.Medium, effects.Execute, "foreign", "it runs "+brief(file.Text)+", which comes from an address")
		return true
	}
	if !file.Literal {
		if text, ok := w.expand(file); !ok || strings.Contains(text, "*") {
			w.held(level.Medium, effects.Execute, "unknown-code", "it runs "+brief(file.Text)+", and which file that is is known only when it runs")
			return true
		}
	}
	return w.runsSpot(w.word(file), file.Text)
}

func (w *walk) runsSpot(s spot, shown string) bool {
	shown = brief(shown)
	switch s.zone {
	case nowhere:
		w.held(level.Medium, effects.Execute, "unknown-code", "it runs "+shown+", and where that is is known only when it runs")
		return true
	case outside:
		if w.b.Sandboxed && w.b.isSkill(s.path) {
			w.harmless(effects.Execute, "own-code", "it runs "+shown+", which the user gave this agent")
			return true
		}
		w.found(verdict{level: level.Medium, cause: "outside-code", because: "it runs " + shown + ", which isn't of the workspace", kind: effects.Execute, finding: Child, covers: &Scope{Of: "folder", To: path.Dir(s.path)}})
		return true
	case sink:
		return false
	}
	for _, f := range w.k.matching(s.path) {
		if w.runsSpot(spot{path: f.Path, zone: s.zone}, f.Path) {
			return true
		}
	}
	f, ok := w.k.look(s.path)
	if ok && f.Foreign {
		w.held(level.Medium, effects.Execute, "foreign", "it runs "+shown+", which was downloaded")
		return true
	}
	if s.zone == temporary && !ok {
		w.held(level.Medium, effects.Execute, "outside-code", "it runs "+shown+" in a temporary folder, which this agent didn't write")
		return true
	}
	if ok && w.showsFindings(f.Findings, shown) {
		return true
	}
	if ok && f.Plain {
		w.found(verdict{level: level.Medium, cause: "finding-child", because: "it runs " + shown + ", which was written as data: no one has read what it does", kind: effects.Execute, verb: "run", object: "script", finding: Child})
		return true
	}
	if w.k.unlisted(s.path) {
		w.held(level.Medium, effects.Execute, "own-code", "it runs "+shown+", and this agent wrote more files than are remembered")
		return true
	}
	return false
}

// isSkill reports whether a file is of the skills and extensions that a user gave their
// coding agents: it stands in the folder of one in their home, where no agent writes unasked.
func (b Binding) isSkill(p string) bool {
	rest, ok := strings.CutPrefix(p, b.home()+"/.")
	at := paths.Of().Skills.Match("."+rest, false)
	return ok && at != "" && strings.HasPrefix(strings.ToLower("."+rest), at+"/")
}

// showsFindings judges what is to be run by its findings.
func (w *walk) showsFindings(all []Finding, shown string) bool {
	if len(all) == 0 {
		return false
	}
	worst := all[0]
	for _, f := range all {
		if f == Outside || f == Hidden {
			worst = f
		}
	}
	w.found(verdict{level: levelOf(all), cause: "finding-" + string(worst), because: "it runs " + brief(shown) + ", which " + findingSays[worst], kind: effects.Execute, verb: "run", object: "script", finding: worst})
	return true
}

var findingSays = map[Finding]string{
	Network: "reaches the network with more than a plain request",
	Outside: "reads secrets, or changes what is outside of the workspace",
	Child:   "starts a program that can't itself be read",
	Hidden:  "has code in it that can't be read",
}

// runsText judges a text in another language that stands in the call.
func (w *walk) runsText(language, text, shown string) {
	if language == "javascript" {
		text = w.withoutData(text)
	}
	f := findingsOf(language, "", text, w.b)
	for _, name := range f.writes {
		w.change(w.b.in(w.dir, name), name, "the script writes")
	}
	switch {
	case len(f.all) > 0:
		worst := f.all[0]
		for _, o := range f.all {
			if levelOf([]Finding{o.what}) > levelOf([]Finding{worst.what}) {
				worst = o
			}
		}
		because := "the script in it " + findingSays[worst.what]
		if worst.why != "" {
			because = "the script in it: " + worst.why
		}
		w.found(verdict{level: levelOf([]Finding{worst.what}), cause: "finding-" + string(worst.what), because: because, kind: effects.Execute, verb: "run", object: "script", finding: worst.what})
	case language == "python" && slices.ContainsFunc(imported.FindAllStringSubmatch(text, 20), func(m []string) bool { return w.shadowed(m[1]) }):
	case f.harmless:
		w.harmless(effects.Read, "script", "the script in it only reads and computes")
	default:
		w.own("it runs " + shown)
	}
	for _, name := range f.writes { // only now: it does not load what it has yet to write
		if s := w.b.in(w.dir, name); s.zone == inside || s.zone == temporary {
			w.k.scriptWrites(s.path, text, f)
		}
	}
}

// risks judges a name, or an argument by itself, that says that others are reached (rule 4).
func (w *walk) risks(words []shell.Word) bool {
	back := slices.ContainsFunc(words, func(a shell.Word) bool { // the dry run is taken back
		return a.Text == "--no-dry-run" || strings.HasPrefix(a.Text, "--dry-run=")
	})
	for i, a := range words {
		text := strings.ToLower(a.Text)
		if back {
			break
		}
		if text == "--dry-run" || text == "--check" || text == "--help" || text == "-n" && i > 0 || text == "--dryrun" || text == "--list" {
			return false
		}
	}
	for i, a := range words {
		text := strings.ToLower(a.Text)
		word := ""
		switch {
		case strings.HasPrefix(text, "-"):
			name, _, _ := strings.Cut(text, "=")
			if tools().riskyOptions[strings.TrimLeft(name, "-")] {
				word = name
			}
		case i == 0:
			word = riskyName(text)
		case tools().risky[text]:
			word = text
		case isTask(text):
			word = riskyName(text)
		case strings.Contains(text, "=") && strings.HasPrefix(text, "env=prod"):
			word = text
		}
		if word != "" {
			w.riskyHeld(a.Text, word)
			return true
		}
	}
	return false
}

// isTask reports whether an argument is the name of a task with its parts: db:migrate.
func isTask(text string) bool {
	return strings.Contains(text, ":") && !strings.ContainsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("_-:", r))
	})
}

func (w *walk) riskyHeld(shown, word string) {
	v := verdict{level: level.Medium, cause: "risky-name", because: brief(shown) + " says that it reaches others or changes what isn't the workspace's", kind: effects.Execute, verb: "run", object: "task", finding: Network}
	switch strings.TrimLeft(word, "-") {
	case "deploy", "prod", "production", "publish", "release":
		v.cause = "deploy"
	case "push", "upload", "install", "ssh", "remote", "login":
	default:
		v.covers = &Scope{Of: "program", To: brief(shown)}
	}
	w.found(v)
}

// riskyName is the word that leads the name of a task or a script; "" where it is none
// that says anything. A colon parts a name, unless it begins with a test.
func riskyName(name string) string {
	name = path.Base(strings.TrimSuffix(name, "/"))
	parts := strings.Split(name, ":")
	if last := name[strings.LastIndexAny(name, ":-_")+1:]; shows[last] {
		return ""
	}
	builds := false
	for i, part := range parts {
		lead := part
		for {
			at := strings.IndexAny(part, "-_. ")
			if at <= 0 {
				lead = part
				break
			}
			if lead = part[:at]; lead != "db" && lead != "database" {
				break
			}
			part = part[at+1:] // db-reset
		}
		if i == 0 && tools().testWords[lead] {
			return ""
		}
		builds = builds || i == 0 && tools().buildWord[lead]
		if tools().risky[lead] && !(builds && strings.HasPrefix(lead, "prod")) {
			return lead
		}
	}
	return ""
}

// shows are words at the end of a task's name by which it only shows: migrate:status.
var shows = setOf(wordlist.Text("workspace.shows"))

// builds judges that a build, a test, a formatter or a linter runs.
func (w *walk) builds(p *entry, shown string, c cut) {
	w.reviews = true
	if !w.staysInside(p, shown, c) || w.serves(shown, append(optionWords(c), c.Operands...)) {
		return
	}
	if checker, _, _ := strings.Cut(shown, " "); !w.b.Sandboxed && checker != "tsc" && checker != "pyright" { // these two run nothing of what they check
		for _, f := range w.k.unreviewed() {
			var all []Finding
			for _, g := range f.Findings {
				if g != Child {
					all = append(all, g)
				}
			}
			if f.Foreign && len(all) == 0 {
				w.held(level.Medium, effects.Execute, "foreign", shown+" may run "+brief(f.Path)+", which was downloaded")
				return
			}
			if w.showsFindings(all, f.Path) {
				return
			}
		}
	}
	w.harmless(effects.Execute, "build", shown+" builds or tests the workspace")
}

// foreignFolder judges that something runs in a folder that was cloned or unpacked, or
// outside of the workspace.
func (w *walk) foreignFolder(shown string) bool {
	if !w.dir.known {
		w.held(level.Medium, effects.Execute, "unknown-folder", "where "+shown+" runs is known only when it does")
		return true
	}
	switch w.b.zoneOf(w.dir.path) {
	case outside:
		w.found(verdict{level: level.Medium, cause: "outside-code", because: shown + " runs what is in " + brief(w.dir.path) + ", outside of the workspace", kind: effects.Execute, finding: Child, covers: &Scope{Of: "folder", To: w.dir.path}})
		return true
	case temporary:
		if f, ok := w.k.look(w.dir.path); !w.made(w.dir.path) || ok && f.Foreign {
			w.held(level.Medium, effects.Execute, "outside-code", shown+" runs what is in "+brief(w.dir.path)+", which this agent didn't make")
			return true
		}
	default:
		for _, at := range append([]string{w.dir.path}, pathsOf(w.k.matching(w.dir.path))...) {
			if f, ok := w.k.look(at); ok && f.Foreign {
				w.held(level.Medium, effects.Execute, "foreign", shown+" runs what was downloaded to "+brief(at))
				return true
			}
		}
	}
	return false
}

// staysInside judges that a program that changes or runs the workspace is given no path
// outside, and runs in no folder outside.
func (w *walk) staysInside(p *entry, shown string, c cut) bool {
	if w.foreignFolder(shown) {
		return false
	}
	for _, a := range c.Operands {
		if !w.isInside(a, shown, false) {
			return false
		}
	}
	for _, o := range c.Options {
		if strings.HasPrefix(o.Value.Text, "{") && strings.HasSuffix(o.Name, "config") && strings.Contains(o.Value.Text, "/") {
			w.held(level.Medium, effects.Execute, "option", shown+" "+o.Name+" is given settings that may load something else")
			return false
		}
		if p != nil && p.Options.IsText(o.Name) || o.Value.Text == "" || !o.Joined {
			continue
		}
		if p != nil && p.Options.IsWritten(o.Name) || outputs(o.Name) {
			w.makes(o.Value)
			continue
		}
		if !w.isInside(o.Value, shown, true) {
			return false
		}
	}
	return true
}

func outputs(option string) bool {
	for _, word := range wordlist.List("workspace.outputKeys") {
		if strings.Contains(option, word) {
			return option != "-o" || len(option) == 2
		}
	}
	return false
}

// isInside reports whether a word is no path outside; otherwise that is held.
func (w *walk) isInside(word shell.Word, shown string, option bool) bool {
	text := word.Text
	if !word.Literal || text == "" || strings.Contains(text, "://") {
		return true
	}
	if text[0] != '/' && text[0] != '~' && !strings.HasPrefix(text, "../") && text != ".." {
		return true
	}
	s := w.word(word)
	switch s.zone {
	case outside:
		if within("/usr/lib", s.path) || within("/usr/include", s.path) || within("/nix/store", s.path) || strings.Count(s.path, "/") == 1 && !strings.HasPrefix(text, "~") {
			return true // `/foo` is as often a route or a pattern as a path
		}
		w.found(verdict{level: level.Medium, cause: "outside", because: shown + " is given " + brief(text) + ", which is outside of the workspace", kind: effects.Execute, finding: Outside, covers: &Scope{Of: "folder", To: path.Dir(s.path)}})
		return false
	case temporary:
		if f, ok := w.k.look(s.path); !ok && !w.made(s.path) || f.Foreign {
			if f.Foreign {
				w.held(level.Medium, effects.Execute, "foreign", shown+" is given "+brief(text)+", which was downloaded")
			} else {
				w.held(level.Medium, effects.Execute, "outside", shown+" is given "+brief(text)+", which this agent didn't write")
			}
			return false
		} else if !w.b.Sandboxed && runsInBuilds(s.path) && w.showsFindings(f.Findings, text) {
			return false
		}
	}
	return true
}

// makes judges a file that a build makes of what it is given: that is the workspace's own.
func (w *walk) makes(word shell.Word) {
	if s := w.writes(word, "it writes"); s.zone == inside || s.zone == temporary {
		if f, ok := w.k.look(s.path); !ok || !f.Folder {
			w.k.write(s.path, "", true)
		}
	}
}

// restores judges an install from a lock file or a manifest (rule 10).
func (w *walk) restores(shown string, c cut) {
	w.reviews = true
	if w.foreignFolder(shown) {
		return
	}
	for _, a := range append(slices.Clone(c.Operands), c.Values()...) {
		if strings.Contains(a.Text, "://") && !strings.HasPrefix(a.Text, "-") {
			w.installs(shown)
			return
		}
		if !strings.ContainsAny(a.Text, "./~") {
			continue
		}
		if !w.isInside(a, shown, true) {
			return
		}
		switch f, ok := w.k.look(w.word(a).path); {
		case ok && f.Foreign:
			w.held(level.Medium, effects.Execute, "foreign", shown+" installs "+brief(a.Text)+", which was downloaded")
			return
		case ok && !f.Folder && !f.Reviewed && !f.Gone:
			w.found(verdict{
				level: level.Medium, cause: "install", because: shown + " installs what " + brief(a.Text) + " says, which this agent wrote", kind: effects.Write, verb: "install", object: "package",
				covers: w.installScope(), finding: Network,
			})
			return
		}
	}
	for _, f := range w.k.manifests() {
		w.found(verdict{
			level: level.Medium, cause: "install", because: shown + " installs what " + brief(strings.TrimPrefix(f.Path, w.b.Folder+"/")) + " says, which this agent wrote", kind: effects.Write, verb: "install", object: "package",
			covers: w.installScope(), finding: Network,
		})
		return
	}
	w.harmless(effects.Write, "restore", shown+" installs what the workspace's own files name")
}

// installs judges that packages are added.
func (w *walk) installs(shown string) {
	w.reviews = true
	w.found(verdict{level: level.Medium, cause: "install", because: brief(shown) + " brings in packages of others", kind: effects.Write, verb: "install", object: "package", covers: w.installScope(), finding: Network})
}

// hazards judges words by which a program does more than it is known for: runs another one,
// loads code, writes a file, changes the machine.
func (w *walk) hazards(name string, c cut, args []shell.Word) bool {
	for _, h := range program.Hazards(name, args) {
		if h.Given || h.Anywhere {
			continue
		}
		said := name + " " + brief(h.Word.Text)
		switch h.Does {
		case "write":
			if h.Value.Text == "" || !strings.HasPrefix(strings.ToLower(strings.TrimLeft(h.Word.Text, "-")), "o") && !strings.HasPrefix(h.Word.Text, "--log") {
				continue // a formatter's own files
			}
			if s := w.writes(h.Value, "it writes"); s.zone == inside || s.zone == temporary {
				w.k.changedByUnknown(s.path)
			}
			continue
		case "permission":
			w.found(verdict{level: level.High, cause: "system", because: said + " changes the machine", kind: effects.Permission, finding: Outside})
		case "sensitive":
			w.found(verdict{level: level.Medium, cause: "secret", because: said + " shows secrets", kind: effects.Read, sensitive: true, finding: Outside})
		case "delete":
			w.held(level.Medium, effects.Delete, "delete", said+" ends or deletes something")
		default:
			w.found(verdict{level: level.Medium, cause: "option", because: said + " runs or loads what it is given", kind: effects.Execute, verb: "run", object: "command", finding: Child})
		}
		return true
	}
	for _, o := range c.Options {
		if program.OptionsOf(name).IsWritten(o.Name) && o.Value.Text != "" {
			w.makes(o.Value)
		}
	}
	return false
}
