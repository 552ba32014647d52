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

// What a shell itself does: redirects, variables, and what of the text is not known.

// redirected judges the files that a command reads and writes by redirects.
func (w *walk) redirected(c shell.Command) {
	for _, r := range c.Redirects {
		if r.Op == "<" {
			w.reads(r.File)
			continue
		}
		if strings.HasPrefix(r.File.Text, "/dev/tcp/") || strings.HasPrefix(r.File.Text, "/dev/udp/") {
			w.held(level.High, effects.Execute, "network", "it opens a connection of its own")
			continue
		}
		if !r.File.Literal && (strings.HasPrefix(r.File.Text, ">(") || strings.HasPrefix(r.File.Text, "<(")) {
			continue // its commands are judged
		}
		s := w.writes(r.File, "it writes")
		if s.zone != inside && s.zone != temporary || s.glob {
			continue
		}
		if slices.Contains(w.fetched, s.path) {
			continue
		}
		text, readable := w.output()
		if path.Base(s.path) == "package.json" && slices.ContainsFunc(c.Words, func(word shell.Word) bool { return !word.Literal }) {
			readable = false // what runs of it is what another command prints
		}
		w.keeps(s, text, readable, r.Op != ">>" && r.Op != "&>>" && r.Op != "<>")
		w.queried(s, c)
	}
}

// output is what the command that is judged prints, where that stands in the text.
func (w *walk) output() (string, bool) {
	c := w.c
	switch {
	case len(c.Words) == 0:
		return "", true
	case c.Program() == ":" || c.Program() == "true":
		return "", true
	}
	for _, word := range c.Words {
		if !word.Literal && c.Program() != "echo" && c.Program() != "printf" {
			return "", false
		}
	}
	switch c.Program() {
	case "cat":
		if c.Input != nil && (len(c.Words) == 1 || len(c.Words) == 2 && c.Words[1].Text == "-") {
			return c.Input.Text, true
		}
	case "echo", "printf":
		var b strings.Builder
		for i, word := range c.Words[1:] {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(word.Text)
		}
		text := b.String()
		if c.Program() == "printf" || strings.Contains(text, `\n`) {
			text = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `%s`, "").Replace(text)
		}
		if strings.Contains(text, `\x`) || strings.Contains(text, `\0`) || strings.Contains(text, `\u`) {
			return text, false
		}
		return text, true
	case "tee":
		if c.Input != nil {
			return c.Input.Text, true
		}
	}
	if isLog(c) {
		return "", true // what programs print of their own is no code
	}
	return "", false
}

// isLog reports whether a redirect only keeps what a program of the list prints about
// itself: of what only prints other files, or decodes, nobody knows the text.
func isLog(c shell.Command) bool {
	switch name := c.Program(); name {
	case wordlist.OneOf("workspace.logPrograms", name):
		return name != "git" || len(c.Words) > 1 && c.Words[1].Text != "show" && c.Words[1].Text != "cat-file"
	}
	return false
}

// assigned judges variables that load code or choose a program, a folder, an index or
// production.
func (w *walk) assigned(c shell.Command) {
	for _, a := range c.Assigns {
		how, ok := tools().variables[a.Name]
		switch {
		case !ok && strings.HasPrefix(a.Name, "GIT_CONFIG_"), !ok && strings.HasPrefix(a.Name, "npm_config_"), !ok && strings.HasPrefix(a.Name, "NPM_CONFIG_"), !ok && strings.HasPrefix(a.Name, "TF_CLI_"):
			how, ok = "loads", true
		case !ok && strings.HasPrefix(a.Name, "CARGO_TARGET_") && (strings.HasSuffix(a.Name, "_RUNNER") || strings.HasSuffix(a.Name, "_LINKER")):
			how, ok = "loads", true
		case !ok && strings.HasPrefix(a.Name, "CGO_") && strings.HasSuffix(a.Name, "FLAGS") && strings.Contains(a.Value.Text, "plugin"):
			how, ok = "loads", true
		case !ok && (strings.HasSuffix(a.Name, "_ENV") || strings.HasSuffix(a.Name, "_ENVIRONMENT") || a.Name == "ENVIRONMENT" || a.Name == "STAGE"):
			how, ok = "stage", true
		}
		if !ok || w.mild(how, a.Value) {
			continue
		}
		if a.Name == "IFS" && (c.Program() == "read" || a.Value.Literal && strings.Trim(a.Value.Text, " \t\n") == "") {
			continue // words part at blanks, or only those that read takes apart
		}
		v := verdict{level: level.Medium, cause: "variable", because: "it sets " + a.Name + ", which decides what runs or where it connects", kind: effects.Execute, verb: "set", object: "variable", finding: Outside}
		if how == "stage" {
			v.cause, v.because, v.finding = "deploy", "it sets "+a.Name+" to production", Network
		}
		if how == "loads" && len(c.Words) == 0 && a.Value.Text == "" {
			continue
		}
		w.found(v)
	}
}

// mild reports whether the value of such a variable leads nowhere else.
func (w *walk) mild(how string, value shell.Word) bool {
	text := value.Text
	switch how {
	case "stage":
		lower := strings.ToLower(text)
		return lower != "production" && lower != "prod" && lower != "live"
	case "compiler":
		return wordlist.Is("workspace.compilers", path.Base(text)) && (!strings.Contains(text, "/") || paths.Of().Programs[path.Dir(text)])
	case "empty": // what it names would run, unless there is none
		return text == "" || text == "cat" || text == "true" || text == ":" || text == "less" || text == "0" || text == "false"
	case "search": // own code, named by folder
		for _, part := range strings.Split(text, ":") {
			if part == "" || strings.HasPrefix(part, "$") && strings.HasSuffix(part, "PATH") || strings.HasPrefix(part, "${") && strings.Contains(part, "PATH") {
				continue
			}
			s := w.word(shell.Word{Text: part, Literal: !strings.ContainsAny(part, "$`")})
			if s.zone != inside {
				return false
			}
			if f, ok := w.k.look(s.path); ok && f.Foreign {
				return false
			}
		}
		return text != ""
	case "folder": // what a program keeps there is its own
		s := w.word(value)
		return s.zone == inside || s.zone == temporary
	case "programs":
		for _, part := range strings.Split(text, ":") {
			if part == "$PATH" || part == "${PATH}" || paths.Of().Programs[part] {
				continue
			}
			part = strings.NewReplacer(wordlist.List("workspace.homes")...).Replace(part)
			if strings.ContainsAny(part, "$`") || part == "" {
				return false
			}
			m := paths.Of().Paths.Match(part, false)
			if m == "" || !strings.HasSuffix(strings.ToLower(part), m) && !strings.HasPrefix(m, ".") || paths.Of().Temporary["/"+strings.Split(strings.Trim(part, "/"), "/")[0]] {
				return false
			}
		}
		return true
	case "options":
		for _, word := range strings.Fields(text) {
			name, _, _ := strings.Cut(word, "=")
			switch name {
			case wordlist.OneOf("workspace.mildOptions", name):
			default:
				if !strings.HasPrefix(name, "-Xm") && !strings.HasPrefix(name, "-W") && !strings.HasPrefix(name, "-O") {
					return false
				}
			}
		}
		return true
	}
	return false
}

// showsVariables judges that the value of a variable is printed whose name says that it is
// a secret (rule 14).
func (w *walk) showsVariables(name string, args []shell.Word) {
	switch name {
	case wordlist.OneOf("workspace.printers", name):
	default:
		return
	}
	if name == "test" || name == "[" || name == "curl" || name == "wget" {
		return
	}
	for _, a := range args {
		if a.Literal {
			continue
		}
		if at := strings.Index(a.Text, "${!"); at >= 0 && !strings.ContainsAny(a.Text[at:at+1+max(strings.IndexByte(a.Text[at:], '}'), 0)], "*@[") {
			w.found(verdict{level: level.Medium, cause: "secret", because: "it prints variables whose names are known only when it runs", kind: effects.Read, sensitive: true, verb: "read", object: "secret", finding: Outside})
			return
		}
		for _, v := range program.VariablesIn(a.Text) {
			if program.IsSecretVariable(v) {
				w.found(verdict{level: level.Medium, cause: "secret", because: "it prints $" + brief(v) + ", which is named like a secret", kind: effects.Read, sensitive: true, verb: "read", object: "secret", finding: Outside})
				return
			}
		}
	}
}

// namedProgram judges a program whose name is known only when it runs, as far as that
// says which it is: $(go env GOPATH)/bin/golangci-lint.
func (w *walk) namedProgram(u shell.Unreadable) bool {
	for _, c := range w.script.Commands {
		if c.Start != u.Start || len(c.Words) == 0 || c.Words[0].Literal {
			continue
		}
		text := tidy(c.Words[0].Text)
		for _, p := range []string{"$(go env GOPATH)/bin/", "$GOPATH/bin/", "${GOPATH}/bin/", "$(npm bin)/", "$HOME/go/bin/", "$HOME/.cargo/bin/", "$VIRTUAL_ENV/bin/", "$(npm root)/.bin/"} {
			if name := strings.TrimPrefix(text, p); name != text && !strings.ContainsAny(name, "/$`") && w.knows(plainName(name)) {
				w.at, w.c, w.dir = 0, c, w.b.below(w.start, c)
				w.c.Words = append([]shell.Word{{Text: name, Literal: true}}, c.Words[1:]...)
				w.program(w.c)
				return true
			}
		}
	}
	return false
}
