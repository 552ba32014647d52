package workspace

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// interpret is python, node and the like.
func interpret(w *walk, name string, args []shell.Word) {
	language := code.Interpreters()[name]
	var options *program.Options // of a language that is only run
	if slices.Contains([]string{"python", "javascript", "ruby", "perl", "php", "java", "lua"}, language) {
		options = program.OptionsOf(strings.Replace(language, "javascript", "node", 1))
	}
	if name == "php" && len(args) > 0 && args[0].Text == "artisan" {
		args = append([]shell.Word{{Text: "./artisan", Literal: true}}, args[1:]...)
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		text := a.Text
		switch {
		case text == "-" || text == "/dev/stdin":
			w.piped(language, name)
			return
		case len(text) < 2 || text[0] != '-':
			w.runScript(language, name, a, args[i+1:])
			return
		case text == "--":
			continue
		case language == "javascript" && (text == "--test" || text == "--check" || text == "--watch" || text == "-c"):
			if text == "--watch" {
				continue
			}
			w.builds(nil, name+" "+text, program.OptionsOf("python -m").Take(args[i+1:]))
			return
		case wordlist.Is("workspace.looksOnly", language+" "+text):
			w.harmless(effects.Read, "read", name+" only looks at a script")
			return
		case language == "python" && (text == "-m" || strings.HasPrefix(text, "-m") && !strings.HasPrefix(text, "--")):
			module := shell.Word{Text: text[2:], Literal: a.Literal}
			rest := args[i+1:]
			if module.Text == "" && i+1 < len(args) {
				module, rest = args[i+1], args[i+2:]
			}
			w.module(name, module, rest)
			return
		case language == "php" && text == "-S":
			if i+1 < len(args) {
				w.serves(name, args[i:])
				return
			}
		case w.inline(language, text) && (i+1 < len(args) || strings.Contains(text, "=")):
			code := shell.Word{}
			if i+1 < len(args) {
				code = args[i+1]
			}
			if _, value, ok := strings.Cut(text, "="); ok && strings.HasPrefix(text, "--") {
				code = shell.Word{Text: value, Literal: a.Literal}
			}
			if language == "perl" || language == "ruby" {
				w.perl(language, name, args, code)
				return
			}
			w.code(language, name, code)
			return
		case slices.Contains(options.Loads(), strings.SplitN(text, "=", 2)[0]) && language != "perl" && language != "python":
			value := shell.Word{}
			if _, v, ok := strings.Cut(text, "="); ok {
				value = shell.Word{Text: v, Literal: a.Literal}
			} else if i+1 < len(args) {
				i++
				value = args[i]
			}
			if strings.HasPrefix(value.Text, "data:") || strings.Contains(value.Text, "://") {
				w.held(level.High, effects.Execute, "assembled-code", name+" loads code from an address")
				return
			}
			if strings.ContainsAny(value.Text, "/") && !strings.HasPrefix(value.Text, "@") && !strings.Contains(value.Text, "node_modules") {
				if w.runsFile(value, language) {
					return
				}
			}
		case options.TakesNext(text):
			i++
		}
	}
	if w.c.Input != nil || w.c.From >= 0 || w.fromFile() != nil {
		w.piped(language, name)
		return
	}
	if len(args) > 0 {
		w.harmless(effects.Read, "read", name+" is only asked about itself")
		return
	}
	w.held(level.Medium, effects.Execute, "interactive", name+" waits for what is typed")
}

// inline reports whether an option is one behind which a text stands.
func (w *walk) inline(language, text string) bool {
	name, _, _ := strings.Cut(text, "=")
	if name == "--eval" || name == "--print" || name == "--execute" || name == "--run" {
		return true
	}
	letters := code.Inline(language)
	if strings.HasPrefix(text, "--") || letters == "" {
		return false
	}
	last := text[len(text)-1]
	return strings.IndexByte(letters, last) >= 0 && len(text) <= 6
}

// code judges a text of another language.
func (w *walk) code(language, name string, code shell.Word) {
	if !code.Literal && strings.ContainsAny(code.Text, "$`") && !w.valueOnly(code) {
		w.held(level.High, effects.Execute, "assembled-code", name+" runs a text that is put together when it runs")
		return
	}
	w.runsText(language, code.Text, "a script in the call, by "+name)
}

// valueOnly reports whether what is not known of a text is only the value of variables of
// the environment with plain names, as in `python -c "print($N)"`: not what a command prints.
func (w *walk) valueOnly(code shell.Word) bool {
	return !strings.Contains(code.Text, "$(") && !strings.Contains(code.Text, "`")
}

// perl judges perl -e and ruby -e: with -i they change their files.
func (w *walk) perl(language, name string, args []shell.Word, code shell.Word) {
	inPlace := false
	var files []shell.Word
	skip := false
	for _, a := range args {
		switch {
		case skip:
			skip = false
		case len(a.Text) > 1 && a.Text[0] == '-' && a.Text[1] != '-':
			letters := a.Text[1:]
			if at := strings.IndexByte(letters, 'i'); at >= 0 && strings.Trim(letters[:at], "nplaw0123456789s") == "" {
				inPlace = true
			}
			skip = strings.HasSuffix(letters, "e") || strings.HasSuffix(letters, "E")
		case a.Text != "":
			files = append(files, a)
		}
	}
	if !code.Literal && strings.Contains(code.Text, "$(") {
		w.held(level.High, effects.Execute, "assembled-code", name+" runs a text that is put together when it runs")
		return
	}
	modules := slices.ContainsFunc(args, func(a shell.Word) bool {
		return strings.HasPrefix(a.Text, "-M") || strings.HasPrefix(a.Text, "-m") || strings.HasPrefix(a.Text, "-r")
	})
	if !modules && perlOnlySubstitutes(code.Text) {
		if inPlace {
			for _, f := range files {
				w.edits(f, code.Text)
			}
			return
		}
		w.only(name, files)
		return
	}
	w.runsText(language, code.Text, "a script in the call, by "+name)
	if inPlace {
		for _, f := range files {
			w.edits(f, code.Text)
		}
	}
}

// perlOnlySubstitutes reports whether a program of perl or ruby is one that only changes or
// prints lines: s/a/b/g, print if /x/.
func perlOnlySubstitutes(code string) bool {
	for _, word := range wordlist.List("workspace.perlActs") {
		if strings.Contains(code, word) {
			return false
		}
	}
	rest := code
	for { // s///e runs what it puts in
		at := strings.Index(rest, "s")
		if at < 0 {
			return true
		}
		rest = rest[at+1:]
		if rest == "" {
			return true
		}
		if strings.IndexByte("/|#{!,~@%", rest[0]) < 0 {
			continue
		}
		close := rest[0]
		if close == '{' {
			close = '}'
		}
		parts, i := 0, 1
		for ; i < len(rest) && parts < 2; i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == close {
				parts++
			}
		}
		for ; i < len(rest) && rest[i] >= 'a' && rest[i] <= 'z'; i++ {
			if rest[i] == 'e' {
				return false
			}
		}
		rest = rest[min(i, len(rest)):]
	}
}

// fromFile is the file that a command reads by a redirect.
func (w *walk) fromFile() *shell.Word {
	for _, r := range w.c.Redirects {
		if r.Op == "<" {
			return &r.File
		}
	}
	return nil
}

// piped judges an interpreter that reads its script.
func (w *walk) piped(language, name string) {
	if file := w.fromFile(); file != nil {
		w.runScript(language, name, *file, nil)
		return
	}
	if w.c.Input != nil {
		w.code(language, name, *w.c.Input)
		return
	}
	if w.c.From >= 0 {
		return // it stands among what cannot be read
	}
	w.held(level.Medium, effects.Execute, "interactive", name+" waits for what is typed")
}

// script judges a script by its path.
func (w *walk) runScript(language, name string, file shell.Word, args []shell.Word) {
	if name == "deno" || name == "bun" {
		w.denoBun(name, file, args)
		return
	}
	if strings.Contains(file.Text, "://") {
		w.held(level.Medium, effects.Execute, "foreign", name+" runs what an address serves")
		return
	}
	if name == "perl" || name == "ruby" { // ruby -S bundle
		switch file.Text {
		case "bundle", "rake", "rspec":
			w.own("it runs " + file.Text)
			return
		}
	}
	if w.runsFile(file, language) {
		return
	}
	if w.risks(append([]shell.Word{file}, args...)) {
		return
	}
	if w.serves(name, args) {
		return
	}
	if language == "python" && strings.HasSuffix(file.Text, "manage.py") && len(args) > 0 && manageHeld[args[0].Text] {
		w.held(level.Medium, effects.Write, "database", "manage.py "+args[0].Text+" changes data, or waits for what is typed")
		return
	}
	if language == "python" && strings.HasSuffix(file.Text, "manage.py") && len(args) > 0 && (manageTests[args[0].Text] || manageShows(args)) {
		w.builds(nil, "manage.py "+args[0].Text, cut{})
		return
	}
	w.own(name + " runs " + brief(file.Text) + " of the workspace")
}

// denoBun judges deno and bun, which are runner, installer and interpreter in one.
func (w *walk) denoBun(name string, file shell.Word, args []shell.Word) {
	if name == "bun" {
		if strings.ContainsAny(file.Text, "./") {
			if !w.runsFile(file, "javascript") && !w.risks(append([]shell.Word{file}, args...)) {
				w.own("bun runs " + brief(file.Text) + " of the workspace")
			}
			return
		}
		packages(w, name, append([]shell.Word{file}, args...))
		return
	}
	switch file.Text {
	case "run":
		if len(args) > 0 {
			for len(args) > 1 && strings.HasPrefix(args[0].Text, "-") {
				args = args[1:]
			}
			if strings.Contains(args[0].Text, ":") && !strings.HasPrefix(args[0].Text, ".") {
				w.held(level.Medium, effects.Execute, "foreign", "deno runs what an address serves")
				return
			}
			w.runScript("javascript", "node", args[0], args[1:])
			return
		}
	case "eval":
		if len(args) > 0 {
			w.code("javascript", name, args[len(args)-1])
			return
		}
	}
	if file.Text == "task" && len(args) > 0 && args[0].Literal && (w.taskText("deno.json", args[0].Text, "deno task") || w.taskText("package.json", args[0].Text, "deno task")) {
		return
	}
	if p := tools().programs["deno-subcommands"]; p != nil {
		w.listed(p, name, append([]shell.Word{file}, args...))
	}
}

// shells is sh, bash and the like with a script; what they run by -c is listed apart.
func shells(w *walk, name string, args []shell.Word) {
	all := args
	for len(all) > 0 && len(all[0].Text) > 1 && (all[0].Text[0] == '-' || all[0].Text[0] == '+') {
		if all[0].Text == "-n" || strings.HasPrefix(all[0].Text, "-n") && len(all[0].Text) < 4 {
			w.only(name, all[1:])
			return
		}
		if all[0].Text == "--rcfile" || all[0].Text == "--init-file" {
			if len(all) > 1 && w.runsFile(all[1], "shell") {
				return
			}
			all = all[1:]
		}
		all = all[1:]
	}
	if len(all) == 0 || all[0].Text == "-" {
		if file := w.fromFile(); file != nil {
			w.runScript("shell", name, *file, nil)
		}
		return // what it reads is listed, or cannot be read
	}
	if !all[0].Literal && strings.HasPrefix(all[0].Text, "<(") {
		return
	}
	w.runScript("shell", name, all[0], all[1:])
}

// sources is source: a virtual environment, or a script.
func sources(w *walk, name string, args []shell.Word) {
	if len(args) == 0 || !args[0].Literal && strings.HasPrefix(args[0].Text, "<(") {
		return
	}
	file := args[0]
	s := w.word(file)
	if isActivate(s.path) && s.zone != nowhere {
		f, wrote := w.k.look(s.path)
		if s.zone == inside && (!wrote || len(f.Findings) == 0 && !f.Foreign) {
			w.harmless(effects.Execute, "build", "it enters the workspace's own environment")
			return
		}
		if s.zone == outside || s.zone == temporary && !wrote {
			if s.zone == temporary && w.made(s.path) {
				w.harmless(effects.Execute, "build", "it enters an environment that this agent made")
				return
			}
			w.held(level.Medium, effects.Execute, "outside-code", "it runs "+brief(file.Text)+", which isn't of the workspace")
			return
		}
	}
	if m := w.b.secretIn(s); m != "" {
		w.found(verdict{level: level.Medium, cause: "secret", because: "it takes over " + brief(file.Text) + ", which holds secrets", kind: effects.Read, sensitive: true, finding: Outside})
		return
	}
	if s.zone == outside && plainSettings[strings.TrimPrefix(s.path, w.b.home())] {
		w.harmless(effects.Execute, "build", "it reads the settings of the user's own shell")
		return
	}
	if !w.runsFile(file, "shell") {
		if w.risks(args[:1]) {
			return
		}
		w.own("it runs " + brief(file.Text) + " of the workspace")
	}
}

// plainSettings are what every shell of this user reads anyway.
var plainSettings = setOf(wordlist.Text("workspace.plainSettings"))

func isActivate(p string) bool {
	return strings.HasSuffix(p, "/bin/activate") || strings.HasSuffix(p, "/bin/activate.fish") || strings.HasSuffix(p, "/Scripts/activate") || strings.HasSuffix(p, "/bin/activate.csh") || strings.HasSuffix(p, "/etc/profile.d/conda.sh")
}
