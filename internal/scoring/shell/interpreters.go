package shell

import (
	"strings"
)

// shells are the programs that read a text as this package does, or nearly.
const shells = "sh bash zsh dash ksh ash mksh rbash fish pdksh yash"

// interpreters run a text of another language: with no script they read it from where
// they read everything.
const interpreters = "python python2 python3 pypy pypy3 node nodejs deno bun ruby perl php lua osascript Rscript tclsh"

// interpreter lists what a shell would run that is given a text, and reports whether
// the command was one.
func (r *reader) interpreter(sc *scope, c *Command) bool {
	program := c.Program()
	args := c.Words[1:]
	switch {
	case has(shells, program):
		r.runsShell(sc, c, args)
	case program == "su" || program == "runuser":
		if text, ok := optionValue(args, "-c --command --session-command"); ok {
			r.shell(sc, c.within(), text)
		} else if c.Input != nil {
			r.shell(sc, c.within(), *c.Input)
		} else if i := dashes(args); i >= 0 && i+1 < len(args) && program == "runuser" {
			in := c.within()
			in.Words = args[i+1:]
			r.call(sc, in)
		} else {
			r.unreadable(StartsShell, c.Start, c.End)
			r.emit(*c)
		}
	case program == "eval":
		if len(args) == 0 {
			r.emit(*c)
			return true
		}
		r.evaluated(sc, c, join(args))
	case program == "trap" && len(args) > 1 && args[0].Text != "-" && args[0].Text != "" && !strings.HasPrefix(args[0].Text, "-"):
		r.emit(*c)
		in := c.within()
		in.Words = nil
		r.evaluated(sc, &in, args[0])
	case program == "source" || program == ".":
		r.sources(c, args)
	case program == "find":
		r.found(sc, c, args)
	case program == "fd" || program == "fdfind":
		r.emit(*c)
		for i, a := range args {
			if has("-x --exec -X --exec-batch", a.Text) && i+1 < len(args) {
				r.given(sc, c, args[i+1:])
				break
			}
		}
	case program == "parallel":
		r.parallel(sc, c, args)
	case program == "script":
		r.emit(*c)
		if text, ok := optionValue(args, "-c --command"); ok {
			r.shell(sc, c.within(), text)
		}
	case program == "git":
		r.git(sc, c)
	case program == "cmd" || program == "powershell" || program == "pwsh":
		r.windows(sc, c, args)
	case has(interpreters, program):
		r.reads(c, args)
	default:
		return false
	}
	return true
}

// within is a command that runs in this one.
func (c Command) within() Command {
	in := c
	in.Role = Program
	in.Wrappers = append(in.Wrappers[:len(in.Wrappers):len(in.Wrappers)], c.Program())
	return in
}

func dashes(args []Word) int {
	for i, a := range args {
		if a.Text == "--" {
			return i
		}
	}
	return -1
}

// runsShell is bash and the like: a text, a script, or what they read.
func (r *reader) runsShell(sc *scope, c *Command, args []Word) {
	text, stdin := false, false
	for len(args) > 0 {
		a := args[0]
		switch {
		case !a.Literal && a.assembled:
			if !text && c.From >= 0 && strings.HasPrefix(a.Text, "<(") {
				r.piped(sc, c)
				return
			}
		case a.Text == "--help" || a.Text == "--version":
			r.emit(*c)
			return
		case a.Text == "--":
			args = args[1:]
			goto operands
		case strings.HasPrefix(a.Text, "--"):
			args = args[1:]
			if has("--rcfile --init-file", a.Text) && len(args) > 0 {
				args = args[1:]
			}
			continue
		case len(a.Text) > 1 && (a.Text[0] == '-' || a.Text[0] == '+'):
			text = text || a.Text[0] == '-' && strings.Contains(a.Text, "c")
			stdin = stdin || a.Text[0] == '-' && strings.Contains(a.Text, "s")
			args = args[1:]
			if strings.HasSuffix(a.Text, "o") || strings.HasSuffix(a.Text, "O") {
				args = args[min(1, len(args)):]
			}
			continue
		}
		break
	}
operands:
	switch {
	case text && len(args) > 0:
		in := c.within()
		if len(args) > 1 {
			in.Words = args[2:]
		} else {
			in.Words = nil
		}
		r.shell(sc, in, args[0])
	case text:
		r.emit(*c)
	case len(args) > 0 && !stdin && !has("- /dev/stdin /dev/fd/0 /proc/self/fd/0", args[0].Text):
		r.emit(*c)
		if !args[0].Literal {
			r.unreadable(ScriptUnknown, c.Start, c.End)
		}
	default:
		r.piped(sc, c)
	}
}

// piped is a shell that runs what it reads.
func (r *reader) piped(sc *scope, c *Command) {
	in := c.within()
	in.Words = nil
	for _, d := range c.Redirects {
		if d.Op == "<" {
			r.emit(*c) // a script
			if !d.File.Literal {
				r.unreadable(ScriptUnknown, c.Start, c.End)
			}
			return
		}
	}
	switch {
	case c.Input != nil:
		r.emit(outer(*c, true))
		r.shell(sc, in, *c.Input)
	case c.From >= 0:
		r.unreadable(Printed, c.Start, c.End)
		r.emit(*c)
	default:
		r.unreadable(StartsShell, c.Start, c.End)
		r.emit(*c)
	}
}

// reads is an interpreter of another language: what it reads must be known.
func (r *reader) reads(c *Command, args []Word) {
	r.emit(*c)
	for _, a := range args {
		if a.Text != "-" && a.Text != "/dev/stdin" && !(strings.HasPrefix(a.Text, "<(") && !a.Literal) {
			if !strings.HasPrefix(a.Text, "-") || has("-c -e -m --eval --version -V -v --help -h -p --print", a.Text) {
				return
			}
			continue
		}
		break
	}
	if c.From >= 0 && c.Input == nil {
		r.unreadable(Printed, c.Start, c.End)
	}
}

// shell reads a text that another shell is given, at the place of the command.
func (r *reader) shell(sc *scope, c Command, text Word) {
	in := sc.fresh()
	in.dir = place{c.Dir, c.DirKnown}
	in.redirects, in.input, in.from = c.Redirects, nil, c.From
	if c.Input != nil && c.Input.Text != text.Text {
		in.input = c.Input
	}
	in.arguments = append([]Word(nil), c.Words...)
	if len(c.Words) == 0 || len(c.Wrappers) > 0 && !has(shells, c.Wrappers[len(c.Wrappers)-1]) {
		in.arguments = nil
	}
	decides := false // what the shell itself runs first
	for _, a := range c.Assigns {
		in.forget(a.Name)
		decides = decides || has("BASH_ENV ENV LD_PRELOAD PATH PROMPT_COMMAND PS4", a.Name)
	}
	if decides {
		set := c
		set.Words, set.Redirects, set.Input, set.From = nil, nil, nil, -1
		r.emit(set)
	}
	r.inText(in, c, text)
}

// evaluated reads a text that this shell itself evaluates.
func (r *reader) evaluated(sc *scope, c *Command, text Word) {
	redirects, input, from := sc.redirects, sc.input, sc.from
	sc.redirects, sc.input, sc.from = c.Redirects, c.Input, c.From
	r.inText(sc, *c, text)
	sc.redirects, sc.input, sc.from = redirects, input, from
}

// inText reads a text that stands in a word.
func (r *reader) inText(sc *scope, c Command, text Word) {
	if !text.Literal && text.assembled {
		r.unreadable(Assembled, text.Start, text.End)
	}
	src := source{text: text.Text, start: text.Start, end: text.End}
	if text.at > 0 {
		src.exact, src.base = true, text.at-1
	}
	before := len(r.script.Commands)
	last := r.nested(sc, src)
	for i := before; i < len(r.script.Commands); i++ {
		in := &r.script.Commands[i]
		in.Wrappers = append(append([]string(nil), c.Wrappers...), in.Wrappers...)
	}
	if last < 0 { // it was empty
		if n := len(c.Wrappers); len(c.Words) == 0 && n > 0 {
			c.Words = []Word{{Text: c.Wrappers[n-1], Literal: true, Start: c.Start, End: c.End}}
			c.Wrappers = c.Wrappers[:n-1]
		}
		r.emit(c)
	}
}

// sources is a script that this shell itself runs.
func (r *reader) sources(c *Command, args []Word) {
	r.emit(*c)
	switch {
	case len(args) == 0:
	case strings.HasPrefix(args[0].Text, "<(") && !args[0].Literal:
		r.unreadable(Printed, c.Start, c.End)
	case has("/dev/stdin /dev/fd/0 -", args[0].Text):
		r.unreadable(ReadsCode, c.Start, c.End)
	case !args[0].Literal && args[0].assembled:
		r.unreadable(ScriptUnknown, c.Start, c.End)
	}
}

// found is find: -exec and its like run a command for each file.
func (r *reader) found(sc *scope, c *Command, args []Word) {
	r.emit(*c)
	for i := 0; i < len(args); i++ {
		if !has("-exec -execdir -ok -okdir", args[i].Text) {
			continue
		}
		j := i + 1
		for j < len(args) && args[j].Text != ";" && !(args[j].Text == "+" && j > i+1 && args[j-1].Text == "{}") {
			j++
		}
		r.given(sc, c, args[i+1:min(j, len(args))])
		i = j
	}
}

// given is a command that another program runs for each thing that it finds.
func (r *reader) given(sc *scope, c *Command, words []Word) {
	if len(words) == 0 {
		return
	}
	in := c.within()
	in.Words = append([]Word(nil), words...)
	in.Redirects, in.Input, in.From = nil, nil, -1
	for i, w := range in.Words {
		if i > 0 && strings.Contains(w.Text, "{}") {
			in.Words[i].Literal = false
		}
	}
	r.call(sc, in)
}

// parallel runs a command for each of its arguments, or of what it reads.
func (r *reader) parallel(sc *scope, c *Command, args []Word) {
	end := len(args)
	for i, a := range args {
		if strings.HasPrefix(a.Text, ":::") {
			end = i
			break
		}
	}
	at := operand(args[:end], 0, "-j --jobs -a --arg-file -S --sshlogin --colsep -C -d --delimiter --timeout --joblog --results -I -n -N -L --retries --delay --halt --tmpdir")
	at = min(at, end)
	if at == end {
		r.unreadable(ReadsCode, c.Start, c.End)
		r.emit(*c)
		return
	}
	in := c.within()
	in.Words = append(append([]Word(nil), args[at:end]...), Word{Text: "{}", Start: c.Start, End: c.End})
	in.Input, in.From = nil, -1
	if end-at == 1 && strings.ContainsAny(args[at].Text, " \t;|&") {
		in.Words = nil
		r.shell(sc, in, args[at])
		return
	}
	r.call(sc, in)
}

// git runs the texts of rebase -x, bisect run and submodule foreach.
func (r *reader) git(sc *scope, c *Command) {
	words := c.Words
	at := operand(words, 1, ahead["git"])
	sub := ""
	if at < len(words) {
		sub = words[at].Text
	}
	if to, ok := optionValue(words[1:min(at, len(words))], "-C"); ok {
		p := place{c.Dir, c.DirKnown}.enter(to)
		c.Dir, c.DirKnown = p.path, p.known
	}
	r.emit(*c)
	rest := words[min(at+1, len(words)):]
	in := c.within()
	in.Words = nil
	switch {
	case sub == "rebase":
		if text, ok := optionValue(rest, "-x --exec"); ok {
			r.shell(sc, in, text)
		}
	case sub == "bisect" && len(rest) > 1 && rest[0].Text == "run":
		in.Words = rest[1:]
		r.call(sc, in)
	case sub == "submodule" && len(rest) > 1 && rest[0].Text == "foreach":
		if i := operand(rest, 1, ""); i < len(rest) {
			r.shell(sc, in, join(rest[i:]))
		}
	case sub == "filter-branch":
		for _, o := range []string{"--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--parent-filter", "--tag-name-filter", "--setup"} {
			if text, ok := optionValue(rest, o); ok {
				r.shell(sc, in, text)
			}
		}
	}
}

// printed is the text that a command prints, where it is only to print one.
func (r *reader) printed(i int) (string, bool) {
	c := r.script.Commands[i]
	if c.Role != Program || len(c.Redirects) > 0 {
		return "", false
	}
	for _, w := range c.Words {
		if !w.Literal || w.Glob {
			return "", false
		}
	}
	switch c.Program() {
	case "cat":
		if c.Input != nil && c.Input.Literal && (len(c.Words) == 1 || len(c.Words) == 2 && c.Words[1].Text == "-") {
			return c.Input.Text, true
		}
	case "echo":
		return echo(c.Words[1:]), true
	case "printf":
		return printf(c.Words[1:])
	}
	return "", false
}

func echo(args []Word) string {
	escapes, end := false, "\n"
	for len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' && strings.Trim(args[0].Text[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].Text, "e")
		if strings.Contains(args[0].Text, "n") {
			end = ""
		}
		args = args[1:]
	}
	text := ""
	if len(args) > 0 {
		text = join(args).Text
	}
	if escapes {
		text = ansi(text)
	}
	return text + end
}

// printf is what it prints where its format has no more than %s, %b and %%.
func printf(args []Word) (string, bool) {
	if len(args) > 0 && args[0].Text == "--" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0].Text, "-") {
		return "", false
	}
	format, args := args[0].Text, args[1:]
	var b strings.Builder
	for {
		used := false
		for i := 0; i < len(format); i++ {
			if format[i] == '\\' {
				j := i + 2
				for j < len(format) && j < i+10 && strings.IndexByte("0123456789abcdefABCDEF", format[j]) >= 0 && strings.IndexByte("xuU01234567", format[i+1]) >= 0 {
					j++
				}
				b.WriteString(ansi(format[i:min(j, len(format))]))
				i = j - 1
				continue
			}
			if format[i] != '%' {
				b.WriteByte(format[i])
				continue
			}
			i++
			switch {
			case i < len(format) && format[i] == '%':
				b.WriteByte('%')
			case i < len(format) && (format[i] == 's' || format[i] == 'b'):
				used = true
				if len(args) > 0 {
					text := args[0].Text
					if format[i] == 'b' {
						text = ansi(text)
					}
					b.WriteString(text)
					args = args[1:]
				}
			default:
				return "", false
			}
		}
		if !used || len(args) == 0 || b.Len() > maxExpanded {
			return b.String(), true
		}
	}
}
