package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// simple reads a simple command.
func (r *reader) simple(sc *scope, src source, s *syntax.Stmt, call *syntax.CallExpr, own []Redirect, input *Word, from int) {
	r.substituted = -1
	var assigns []Assign
	for _, a := range call.Assigns {
		v := r.assigned(sc, src, a)
		assigns = append(assigns, Assign{a.Name.Value, first(v.words)})
		if len(call.Args) == 0 {
			if a.Append || a.Index != nil {
				v = binding{}
			}
			sc.set(name{variable, a.Name.Value}, v)
		}
	}
	words := r.words(sc, src, call.Args)
	if r.substituted >= 0 {
		from = r.substituted
	}
	c := r.command(sc, src, s)
	if s.Semicolon.IsValid() {
		_, c.End = src.places(0, int(s.Semicolon.Offset()))
	}
	c.Words, c.Assigns, c.Redirects = words, assigns, append(own, sc.redirects...)
	if input != nil {
		c.Input, c.From = input, -1
	}
	if from >= 0 {
		c.From, c.Input = from, nil
	}
	switch {
	case len(call.Args) > 0 && len(words) == 0:
		// Its words are variables without a value. Where they had one, nobody knows.
		if len(assigns) > 0 || len(c.Redirects) > 0 {
			r.emit(c)
		}
		return
	case len(words) == 0:
		r.emit(c)
		return
	}
	c.Words = pipeline(c.Words, c.From >= 0)
	if isWindows(c.Program()) && strings.Contains(src.of(s), `\`) || takesBlock(c) && strings.Contains(src.of(s), "{") {
		start, end := int(s.Pos().Offset()), min(int(s.End().Offset()), len(src.text))
		src.text = src.text[:end]
		r.split(c, src, min(start, end))
		return
	}
	r.call(sc, c)
	r.builtin(sc, c)
}

func first(words []Word) Word {
	if len(words) == 0 {
		return Word{Literal: true}
	}
	return words[0]
}

// assigned is the value that an assignment gives.
func (r *reader) assigned(sc *scope, src source, a *syntax.Assign) binding {
	if a.Index != nil {
		r.inside(sc, src, a.Index)
	}
	if a.Array == nil {
		return binding{known: true, words: []Word{r.value(sc, src, a.Value)}}
	}
	b := binding{known: true, array: true}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			r.inside(sc, src, e.Index)
			b.known = false
		}
		if e.Value != nil {
			b.words = append(b.words, r.words(sc, src, []*syntax.Word{e.Value})...)
		}
	}
	return b
}

// declare reads export, local, declare and the like.
func (r *reader) declare(sc *scope, src source, s *syntax.Stmt, d *syntax.DeclClause, own []Redirect) {
	r.substituted = -1
	c := r.command(sc, src, s)
	start, end := src.place(d.Variant)
	c.Words = []Word{{Text: d.Variant.Value, Literal: true, Start: start, End: end}}
	for _, a := range d.Args {
		if a.Name == nil {
			c.Words = append(c.Words, r.words(sc, src, []*syntax.Word{a.Value})...)
			continue
		}
		v := r.assigned(sc, src, a)
		w := Word{Text: src.of(a), Literal: true}
		w.Start, w.End = src.place(a)
		c.Words = append(c.Words, w)
		if a.Naked {
			continue
		}
		c.Assigns = append(c.Assigns, Assign{a.Name.Value, first(v.words)})
		if a.Append || a.Index != nil || d.Variant.Value == "nameref" || len(d.Args) > 1 && strings.HasPrefix(src.of(d.Args[0]), "-") && strings.ContainsAny(src.of(d.Args[0]), "nilu") {
			v = binding{}
		}
		sc.set(name{variable, a.Name.Value}, v)
	}
	c.Redirects = append(own, sc.redirects...)
	r.emit(c)
}

// builtin does what a builtin does to the shell itself.
func (r *reader) builtin(sc *scope, c Command) {
	for len(c.Words) > 1 && (c.Program() == "command" || c.Program() == "builtin") {
		c.Words = c.Words[1:]
	}
	args := c.Words[1:]
	switch c.Program() {
	case "cd", "pushd", "chdir":
		to := Word{Text: "~", Literal: true}
		for len(args) > 1 && strings.HasPrefix(args[0].Text, "-") && len(args[0].Text) > 1 {
			args = args[1:]
		}
		if len(args) > 0 {
			to = args[0]
		}
		sc.dir = sc.dir.enter(to)
	case "popd":
		sc.dir = place{}
	case "read", "mapfile", "readarray", "getopts", "unset", "printf", "let", "wait":
		for _, a := range args {
			if syntax.ValidName(a.Text) {
				sc.forget(a.Text)
			}
			if c.Program() == "unset" {
				sc.set(name{function, a.Text}, binding{})
			}
		}
		if c.Program() == "read" {
			sc.forget("REPLY")
		}
	case "source", ".", "eval":
		if !r.follows(c) {
			sc.forgetAll()
		}
	case "shift":
		if len(args) == 0 && len(sc.arguments) > 0 {
			sc.arguments = sc.arguments[1:]
		} else {
			sc.arguments = nil
		}
	case "set":
		for i, a := range args {
			if a.Text == "--" {
				sc.arguments = append([]Word{}, args[i+1:]...)
				for _, w := range sc.arguments {
					if !w.Literal {
						sc.arguments = nil
						break
					}
				}
				return
			}
		}
	case "unalias":
		for _, a := range args {
			sc.set(name{alias, a.Text}, binding{})
		}
	case "alias":
		for _, a := range args {
			if n, value, ok := strings.Cut(a.Text, "="); ok && n != "" {
				a.Text = value
				sc.set(name{alias, n}, binding{known: a.Literal, words: []Word{a}})
			}
		}
	}
}

// follows reports whether the text of an eval was read, so that what it set is known.
func (r *reader) follows(c Command) bool {
	if c.Program() != "eval" {
		return false
	}
	for _, w := range c.Words {
		if !w.Literal {
			return false
		}
	}
	return true
}

// call lists a command: what it runs where it only runs another one.
func (r *reader) call(sc *scope, c Command) {
	shellItself := true // functions and aliases are of the shell, not of env or xargs
	for range 32 {
		program := c.Words[0]
		if !program.Literal || program.Glob || program.Text == "{}" {
			r.unreadable(NameUnknown, c.Start, c.End)
			r.emit(c)
			return
		}
		if shellItself {
			if r.called(sc, c) {
				return
			}
			r.aliased(sc, &c)
		}
		inner, ok := r.unwrap(sc, &c)
		if !ok {
			return
		}
		shellItself = shellItself && (program.Text == "time" || program.Text == "eval" || program.Text == "builtin")
		c = inner
	}
	r.unreadable(TooDeep, c.Start, c.End)
}

// called lists what a function of the text runs.
func (r *reader) called(sc *scope, c Command) bool {
	b, ok := sc.find(name{function, c.Words[0].Text})
	if !ok || b.of == nil {
		return false
	}
	if b.known {
		c.Role = Function
	}
	if sc.active[b.of] {
		if b.known {
			r.emit(c)
		}
		return b.known
	}
	if !r.repeats(b.of.body, 1) {
		r.unreadable(TooOften, c.Start, c.End)
		r.emit(c)
		return true
	}
	if b.known {
		r.emit(c)
	}
	b.of.read = true
	sc.active[b.of] = true
	in := sc.inner()
	in.arguments = append([]Word{}, c.Words[1:]...)
	in.redirects, in.input, in.from = c.Redirects, c.Input, c.From
	r.stmt(in, b.of.source, b.of.body)
	in.arguments = sc.arguments
	if b.known && !leaves([]*syntax.Stmt{b.of.body}) {
		sc.take(in)
	} else {
		sc.merge(in)
	}
	delete(sc.active, b.of)
	return b.known
}

// aliased lists what an alias of the text stands for. A shell that runs a script takes no
// notice of aliases, one at a terminal does: so the command counts as it stands, too.
func (r *reader) aliased(sc *scope, c *Command) {
	b, ok := sc.find(name{alias, c.Words[0].Text})
	if !ok || len(b.words) != 1 {
		return
	}
	c.Role = Alias
	text := b.words[0].Text
	if !b.known || r.repeated > maxRepeat {
		r.unreadable(AliasUnknown, c.Start, c.End)
		return
	}
	r.repeated += len(text)
	for _, w := range c.Words[1:] {
		text += " " + quote(w)
	}
	in := sc.inner()
	in.names[name{alias, c.Words[0].Text}] = binding{} // ls='ls -l'
	r.nested(in, source{text: text, start: c.Start, end: c.End})
}

// quote is a word as a shell reads it back.
func quote(w Word) string {
	if !w.Literal || w.Glob {
		return w.Text
	}
	q, err := syntax.Quote(w.Text, syntax.LangBash)
	if err != nil {
		return w.Text
	}
	return q
}
