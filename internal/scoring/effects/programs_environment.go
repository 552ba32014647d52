package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// echo prints: the value of a secret variable is a secret.
func (x *commands) echo(_ shell.Command, args []shell.Word) {
	x.found("read", "print", "", x.name()+" prints")
	for _, w := range args {
		if w.Literal {
			continue
		}
		for _, name := range program.VariablesIn(w.Text) {
			if program.IsSecretVariable(name) {
				x.found(sensitiveRead, "print", "secret", x.name()+" prints the variable "+short(name))
			}
		}
	}
}

func (x *commands) environment(c shell.Command, args []shell.Word) {
	if c.Program() == "xargs" {
		x.found("read", "print", "", "xargs prints")
		return
	}
	if c.Program() == "printenv" && len(args) > 0 && !slices.ContainsFunc(args, func(w shell.Word) bool { return program.IsSecretVariable(w.Text) }) {
		x.found("read", "print", "variable", "printenv prints a variable")
		return
	}
	x.found(sensitiveRead, "print", "environment", c.Program()+" prints the environment")
}

func (x *commands) exported(c shell.Command, args []shell.Word) {
	if c.Program() != "unset" && (len(args) == 0 || c.Program() != "set" && len(args) == 1 && slices.Contains([]string{"-p", "-x", "-px"}, args[0].Text)) {
		x.found(sensitiveRead, "print", "environment", c.Program()+" prints the environment")
		return
	}
	if slices.ContainsFunc(args, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "HIST") || w.Text == "history" }) {
		x.found("permission", "stop", "history", c.Program()+" stops what the shell remembers")
		return
	}
	x.found("read", "set", "variable", c.Program()+" sets a variable")
}

// loading are variables that load code, or choose a program, where it is fetched from, or
// who it speaks for.
var loading = setOf(wordlist.Text("effects.loading"))

// assigned reads the variables that are set in front of a command, or by export.
func (x *commands) assigned(c shell.Command) {
	for _, a := range c.Assigns {
		alone := len(c.Words) == 0 // it may be exported already
		if !loading[a.Name] || alone && !slices.Contains([]string{"PATH", "LD_PRELOAD", "PROMPT_COMMAND", "BASH_ENV", "ENV", "PS4"}, a.Name) || isOrdinary(a.Name, a.Value) {
			continue
		}
		x.found("execute", "set", "variable", "the variable "+short(a.Name)+" decides what is loaded or run")
	}
}

// isOrdinary reports whether a variable that may load code or choose a program has a value
// that people give it every day, and that does neither.
func isOrdinary(name string, w shell.Word) bool {
	value := w.Text
	in := func(list string) bool { return slices.Contains(strings.Fields(list), value) }
	switch name {
	case "PATH":
		for _, folder := range strings.Split(value, ":") {
			if !isUsualFolder(folder) {
				return false
			}
		}
		return true
	case "PYTHONPATH", "NODE_PATH", "CLASSPATH":
		return w.Literal && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "~") && !strings.Contains(value, "..")
	case "PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "BROWSER", "PSQL_PAGER":
		return value == "" || in(wordlist.Text("effects.pagers"))
	case "CC", "CXX", "RUSTC":
		return in(wordlist.Text("effects.compilers"))
	case wordlist.OneOf("effects.optionVariables", name):
		for _, bad := range wordlist.List("effects.loadingOptions") {
			if strings.Contains(value, bad) {
				return false
			}
		}
		return w.Literal
	case "PS4":
		return !strings.Contains(value, "$(") && !strings.Contains(value, "`")
	case "GOPROXY":
		return in("off direct https://proxy.golang.org https://proxy.golang.org,direct")
	}
	return false
}

// isUsualFolder reports whether programs of the system or of the user stand in a folder
// of PATH.
func isUsualFolder(folder string) bool {
	switch folder {
	case "$PATH", "${PATH}":
		return true
	}
	if strings.Contains(folder, "..") {
		return false
	}
	for _, usual := range wordlist.List("effects.usualFolders") {
		if strings.HasPrefix(folder, usual) {
			return true
		}
	}
	return strings.HasSuffix(folder, "node_modules/.bin") && !strings.HasPrefix(folder, "/")
}
