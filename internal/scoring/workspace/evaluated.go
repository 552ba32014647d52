package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// evaluates judges what a shell evaluates though it stands in quotes: the index of a
// variable that test -v, printf -v and the like are given.
func (w *walk) evaluates(name string, args []shell.Word) bool {
	switch name {
	case "hash":
		if len(args) > 0 && args[0].Text == "-p" {
			w.found(verdict{level: level.Medium, cause: "option", because: "hash -p puts a program in the place of another", kind: effects.Execute, finding: Child})
			return true
		}
		return false
	case "ping", "ping6", "getent", "traceroute", "host", "nslookup", "dig":
		for _, a := range args {
			if strings.Contains(a.Text, "$(") || strings.Contains(a.Text, "`") {
				w.found(verdict{level: level.Medium, cause: "network", because: name + " is given a name that is put together when it runs, which may carry something away", kind: effects.Execute, finding: Network})
				return true
			}
		}
		return false
	}
	if !program.Evaluates(name, args) {
		return false
	}
	w.found(verdict{level: level.High, cause: "unreadable", because: name + " evaluates the command in an index", kind: effects.Execute, finding: Hidden})
	return true
}

// processes is ps: with e among its letters without a dash it prints their environments.
func processes(w *walk, name string, args []shell.Word) {
	if len(args) > 0 {
		if text := args[0].Text; strings.Contains(text, "e") && strings.Trim(text, "aAcegjlmSTuvwxrXhfH") == "" || strings.HasPrefix(text, "-") && strings.Contains(text, "E") {
			w.found(verdict{level: level.Medium, cause: "secret", because: "ps prints the environments of processes, with the secrets in them", kind: effects.Read, sensitive: true, verb: "print", object: "environment", finding: Outside})
			return
		}
	}
	w.only(name, args)
}
