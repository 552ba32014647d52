package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stmt reads one statement.
func (r *reader) stmt(sc *scope, src source, s *syntax.Stmt) {
	if s == nil {
		return
	}
	if s.Background || s.Coprocess || s.Disown {
		sc = sc.inner()
	}
	r.substituted = -1
	own, input := r.redirects(sc, src, s.Redirs)
	from := r.substituted
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.simple(sc, src, s, c, own, input, from)
		return
	case *syntax.DeclClause:
		r.declare(sc, src, s, c, own)
		return
	case nil:
		r.opens(sc, src, s, own)
		return
	}
	if len(own) > 0 || input != nil || from >= 0 {
		redirects, in, before := sc.redirects, sc.input, sc.from
		if len(redirects) > maxGroups {
			r.opens(sc, src, s, own)
			own = nil
		}
		sc.redirects = append(append([]Redirect(nil), redirects...), own...)
		if input != nil || from >= 0 {
			sc.input, sc.from = input, from
		}
		defer func() { sc.redirects, sc.input, sc.from = redirects, in, before }()
	}
	before := len(r.script.Commands)
	r.compound(sc, src, s.Cmd)
	if len(own) > 0 && len(r.script.Commands) == before {
		r.opens(sc, src, s, own)
	}
}

// opens is a statement that runs nothing and opens files.
func (r *reader) opens(sc *scope, src source, s *syntax.Stmt, own []Redirect) {
	if len(own) == 0 {
		return
	}
	c := r.command(sc, src, s)
	c.Redirects = append(own, sc.redirects...)
	r.emit(c)
}

func (r *reader) emit(c Command) { r.script.Commands = append(r.script.Commands, c) }

// command is a command at a place, without words.
func (r *reader) command(sc *scope, src source, n syntax.Node) Command {
	start, end := src.place(n)
	return Command{Dir: sc.dir.path, DirKnown: sc.dir.known, From: sc.from, Input: sc.input, Start: start, End: end}
}

func (r *reader) compound(sc *scope, src source, c syntax.Command) {
	switch c := c.(type) {
	case *syntax.Block:
		r.stmts(sc, src, c.Stmts)
	case *syntax.Subshell:
		r.stmts(sc.inner(), src, c.Stmts)
	case *syntax.BinaryCmd:
		r.binary(sc, src, c)
	case *syntax.IfClause:
		r.condition(sc, src, c)
	case *syntax.CaseClause:
		r.value(sc, src, c.Word)
		var branches []*scope
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				r.inside(sc, src, p)
			}
			branch := sc.inner()
			for _, b := range branches { // ;& goes on in the next one
				branch.merge(b)
			}
			r.stmts(branch, src, item.Stmts)
			branches = []*scope{branch}
		}
		for _, b := range branches {
			sc.merge(b)
		}
	case *syntax.WhileClause:
		r.loop(sc, src, func(in *scope) {
			r.stmts(in, src, c.Cond)
			r.stmts(in, src, c.Do)
		}, c)
	case *syntax.ForClause:
		r.each(sc, src, c)
	case *syntax.FuncDecl:
		r.function(sc, src, c)
	case *syntax.TimeClause:
		r.stmt(sc, src, c.Stmt)
	case *syntax.CoprocClause:
		if _, simple := c.Stmt.Cmd.(*syntax.CallExpr); simple && c.Name != nil {
			// The parser takes the program for a name, which bash does of groups only.
			start, end := src.place(c)
			r.unreadable(NameUnknown, start, end)
		}
		r.stmt(sc.inner(), src, c.Stmt)
	default: // tests and arithmetic
		r.inside(sc, src, c)
		r.quoted(src, c)
		r.counted(sc, c)
	}
}

// quoted says of quoted texts in arithmetic, and in the index of -v, that what they would
// run is not read.
func (r *reader) quoted(src source, c syntax.Command) {
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.TestClause:
			return true
		case *syntax.BinaryTest:
			return false
		case *syntax.UnaryTest:
			return n.Op == syntax.TsVarSet
		case *syntax.SglQuoted:
			if strings.Contains(n.Value, "$(") || strings.Contains(n.Value, "`") {
				start, end := src.place(n)
				r.unreadable(IndexRuns, start, end)
			}
		}
		return true
	})
}

// counted forgets the variables that an arithmetic expression may set.
func (r *reader) counted(sc *scope, n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok && syntax.ValidName(w.Lit()) {
			if _, bound := sc.find(name{variable, w.Lit()}); bound {
				sc.forget(w.Lit())
			}
		}
		_, test := n.(*syntax.TestClause)
		return !test
	})
}

// binary reads a && b, a || b and a | b. They lean to the left, and may be many.
func (r *reader) binary(sc *scope, src source, c *syntax.BinaryCmd) {
	var right []*syntax.BinaryCmd
	left := c.X
	for {
		right = append(right, c)
		b, ok := left.Cmd.(*syntax.BinaryCmd)
		if !ok || len(left.Redirs) > 0 || isPipe(b) != isPipe(c) {
			break
		}
		c, left = b, b.X
	}
	if isPipe(c) {
		r.pipe(sc, src, left, right)
		return
	}
	// What stands to the right of && runs only behind what stands to its left, so there
	// it is known what that did. Behind all of them it is not, but for what fails of
	// nothing but a folder that is not there.
	r.stmt(sc, src, left)
	branch := sc.inner()
	sure := mostlySucceeds(left)
	for i := len(right) - 1; i >= 0; i-- {
		and := right[i].Op == syntax.AndStmt
		switch {
		case and && sure:
			r.stmt(sc, src, right[i].Y)
			branch = sc.inner()
		case and:
			r.stmt(branch, src, right[i].Y)
		default:
			other := branch.inner()
			r.stmt(other, src, right[i].Y)
			branch.merge(other)
		}
		sure = sure && and && mostlySucceeds(right[i].Y)
	}
	sc.merge(branch)
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// mostlySucceeds reports whether a statement only goes to a folder, makes one, prints or
// sets: what stands behind && is then taken to run.
func mostlySucceeds(s *syntax.Stmt) bool {
	if s.Negated || len(s.Redirs) > 0 {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.DeclClause:
		return true
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return true
		}
		switch c.Args[0].Lit() {
		case "cd", "pushd", "mkdir", "echo", "true", ":", "pwd":
			return true
		}
	}
	return false
}

// pipe reads a | b | c: each in a subshell, and each reads what the one before prints.
func (r *reader) pipe(sc *scope, src source, left *syntax.Stmt, right []*syntax.BinaryCmd) {
	before := len(r.script.Commands)
	r.stmt(sc.inner(), src, left)
	for i := len(right) - 1; i >= 0; i-- {
		in := sc.inner()
		if n := len(r.script.Commands); n > before {
			in.from, in.input = n-1, nil
			// Of several commands, as in { a; b; } | c, the last prints only a part.
			if text, ok := r.printed(n - 1); ok && n-before == 1 {
				c := r.script.Commands[n-1]
				in.input = &Word{Text: text, Literal: true, Start: c.Start, End: c.End}
			}
		}
		before = len(r.script.Commands)
		r.stmt(in, src, right[i].Y)
	}
}

// condition reads if, elif and else: one of the branches runs, or none.
func (r *reader) condition(sc *scope, src source, c *syntax.IfClause) {
	var branches []*scope
	for ; c != nil; c = c.Else {
		r.stmts(sc, src, c.Cond)
		branch := sc.inner()
		r.stmts(branch, src, c.Then)
		branches = append(branches, branch)
	}
	for _, b := range branches {
		sc.merge(b)
	}
}

// loop reads a body of which nobody knows how often it runs: what it sets is not known
// in it either.
func (r *reader) loop(sc *scope, src source, body func(*scope), n syntax.Node) {
	in := sc.inner()
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				in.forget(n.Name.Value)
			}
		case *syntax.WordIter:
			in.forget(n.Name.Value)
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				break
			}
			switch n.Args[0].Lit() {
			case "cd", "pushd", "popd":
				in.dir.known = false
			case "shift", "set":
				in.arguments = nil
			case "read", "mapfile", "readarray", "printf", "getopts", "unset":
				for _, a := range n.Args[1:] {
					in.forget(a.Lit())
				}
			case "eval", "source", ".":
				in.forgetAll()
			}
		}
		return true
	})
	body(in)
	sc.merge(in)
}

// each reads for x in …: once for each word where they are known and few.
func (r *reader) each(sc *scope, src source, c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.inside(sc, src, c.Loop)
		r.loop(sc, src, func(in *scope) {
			r.counted(in, c.Loop)
			r.stmts(in, src, c.Do)
		}, c)
		return
	}
	items := r.words(sc, src, iter.Items)
	known := !c.Select && iter.InPos.IsValid() && len(items) > 0 && len(items) <= maxLoop
	for _, w := range items {
		known = known && w.Literal
	}
	v := name{variable, iter.Name.Value}
	if !known || !r.repeats(c, len(items)-1) {
		r.loop(sc, src, func(in *scope) {
			b := binding{}
			if len(items) == 1 {
				b.loop = &items[0]
			}
			in.set(v, b)
			r.stmts(in, src, c.Do)
		}, c)
		return
	}
	early := leaves(c.Do)
	for _, w := range items {
		for range 2 { // a pattern stands for several words: the next round begins where this one ended
			before := sc.dir
			sc.set(v, binding{known: true, words: []Word{w}})
			branch := sc.inner()
			r.stmts(branch, src, c.Do)
			if early {
				sc.merge(branch)
			} else {
				sc.take(branch)
			}
			if !w.Glob || sc.dir == before {
				break
			}
		}
	}
}

// leaves reports whether a body may be left before its end.
func leaves(body []*syntax.Stmt) bool {
	found := false
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				switch c.Args[0].Lit() {
				case "break", "continue", "return", "exit", "eval":
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// take takes over what was certainly done in an inner scope.
func (s *scope) take(in *scope) {
	if in.cleared {
		s.forgetAll()
	}
	for n, b := range in.names {
		s.names[n] = b
	}
	s.dir, s.arguments = in.dir, in.arguments
}

// function declares one. Its body is read where it is called, and at the end where it is not.
func (r *reader) function(sc *scope, src source, c *syntax.FuncDecl) {
	if c.Name == nil {
		r.stmt(sc.inner(), src, c.Body)
		return
	}
	in := sc.inner()
	in.arguments, in.input, in.from = nil, nil, -1
	d := &declared{body: c.Body, source: src, scope: in}
	r.functions = append(r.functions, d)
	sc.set(name{function, c.Name.Value}, binding{known: true, of: d})
}

// redirects reads those of a statement, and the text of its last here-document.
func (r *reader) redirects(sc *scope, src source, all []*syntax.Redirect) (own []Redirect, input *Word) {
	for _, d := range all {
		switch d.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w := r.document(sc, src, d)
			input = &w
		case syntax.WordHdoc:
			w := r.value(sc, src, d.Word)
			if w.Literal {
				w.at = 0
			}
			w.Text += "\n"
			input = &w
		case syntax.DplIn, syntax.DplOut:
			w := r.value(sc, src, d.Word)
			if d.Op == syntax.DplOut && d.N == nil && w.Text != "-" && strings.Trim(w.Text, "0123456789-") != "" {
				own = append(own, Redirect{"&>", w})
			}
		default:
			w := r.value(sc, src, d.Word)
			own = append(own, Redirect{d.Op.String(), w})
		}
	}
	return own, input
}

// document is the text of a here-document.
func (r *reader) document(sc *scope, src source, d *syntax.Redirect) Word {
	if d.Hdoc == nil {
		start, end := src.place(d)
		return Word{Literal: true, Start: start, End: end}
	}
	quoted := false
	for _, p := range d.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(lit.Value, `\`)
	}
	var w Word
	if quoted {
		w.Start, w.End = src.place(d.Hdoc)
		w.Text, w.Literal = d.Hdoc.Lit(), true
		if src.exact {
			w.at = w.Start + 1
		}
	} else {
		f := r.field(src, d.Hdoc)
		f.unsplit = true
		f.parts(sc, d.Hdoc.Parts, true)
		f.end()
		w = f.blank
		if len(f.out) > 0 {
			w = f.out[0]
		}
		if w.Literal && src.exact && strings.HasPrefix(src.of(d.Hdoc), w.Text) {
			w.at = w.Start + 1
		}
	}
	if d.Op == syntax.DashHdoc {
		lines := strings.Split(w.Text, "\n")
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], "\t")
		}
		w.Text, w.at = strings.Join(lines, "\n"), 0
	}
	return w
}
