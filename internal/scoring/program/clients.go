package program

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// IsClient reports whether a program is a client of a database.
func IsClient(name string) bool { return Of().readers[name].name == "client" }

// IsRedis reports whether what a client is given are commands of Redis.
func IsRedis(name string) bool {
	return strings.HasPrefix(name, "redis") || strings.HasPrefix(name, "valkey")
}

// IsMongo reports whether what a client is given is JavaScript.
func IsMongo(name string) bool { return strings.HasPrefix(name, "mongo") }

// client reads a client of a database: where it connects, and what it runs there.
func client(name string, args []shell.Word, c shell.Command) []act.Act {
	kind := kindOf(name)
	if kind == "sqlite" { // it takes both -csv and --csv
		args = slices.Clone(args)
		for i := range args {
			if rest, ok := strings.CutPrefix(args[i].Text, "--"); ok {
				args[i].Text = "-" + rest
			}
		}
	}
	cut := OptionsOf(name).Take(args)
	all := operandsOfClient(name, kind, cut.Operands)
	add := func(v act.Verb, w shell.Word, code string) { all = append(all, does(v, w, code)) }
	if kind == "elsewhere" {
		add(act.Connect, shell.Word{}, "server")
	} else if cut.Unknown != "" {
		add(act.Unknown, shell.Word{Text: cut.Unknown, Literal: true}, "")
	}
	for _, o := range cut.Options {
		if !o.Known && !o.Begins && cut.Unknown == "" && kind != "elsewhere" {
			add(act.Unknown, o.Word, "")
		}
		switch o.Role() {
		case "statement":
			add(act.Statement, o.Value, "")
		case "script":
			add(act.Load, o.Value, "statements")
		case "host":
			if kind != "psql" || !strings.HasPrefix(o.Value.Text, "/") { // a socket
				add(act.Connect, o.Value, "server")
			}
		case "connection":
			if saysServer(o.Value.Text) || kind == "redis" {
				add(act.Connect, o.Value, "server")
			}
		case "output":
			add(act.Write, o.Value, "")
		case "lists":
			if o.cluster { // a letter among others makes nothing harmless
				continue
			}
			add(act.Print, shell.Word{}, "lists")
		case "starts":
			all = append(all, act.Act{Verb: act.Run, Target: o.Value, Reason: act.Because("option", name, o.Name)})
		}
	}
	given := act.Has(all, act.Statement, act.Load, act.Print)
	switch {
	case c.Input != nil:
		add(act.Statement, *c.Input, "")
	case given: // then it reads nothing else
	case c.From >= 0 || slices.ContainsFunc(c.Redirects, func(r shell.Redirect) bool { return r.Op == "<" }):
		add(act.Load, shell.Word{}, "statements")
	default:
		add(act.Wait, shell.Word{}, "")
	}
	return all
}

// operandsOfClient are what the operands of a client say.
func operandsOfClient(name, kind string, operands []shell.Word) (all []act.Act) {
	if len(operands) == 0 {
		return nil
	}
	if IsRedis(name) { // each is a word of one command
		one := shell.Word{Text: joined1(operands), Literal: operands[0].Literal, Start: operands[0].Start, End: operands[len(operands)-1].End}
		return []act.Act{does(act.Statement, one, "")}
	}
	if kind == "sqlite" {
		if saysServer(operands[0].Text) {
			all = append(all, does(act.Connect, operands[0], "server"))
		}
		all, operands = append(all, does(act.Open, operands[0], "")), operands[1:]
	}
	for _, w := range operands {
		switch {
		case kind == "sqlite", name == "cypher-shell", IsMongo(name) && strings.Contains(w.Text, "("):
			all = append(all, does(act.Statement, w, ""))
		case saysServer(w.Text), !w.Literal && kind != "mysql":
			all = append(all, does(act.Connect, w, "server"))
		case IsMongo(name) && strings.Contains(w.Text, "."):
			all = append(all, does(act.Load, w, "statements"))
		}
	}
	return all
}

func joined1(all []shell.Word) string {
	texts := make([]string, len(all))
	for i, w := range all {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// saysServer reports whether what may name a database says a server, too.
func saysServer(text string) bool {
	return strings.Contains(text, "://") || strings.Contains(text, "host=")
}
