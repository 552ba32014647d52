package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits of what is followed. What is beyond them is not read, and said to be so.
const (
	maxDepth      = 8        // shells inside of shells
	maxRepeat     = 32 << 10 // bytes that are read again: of loops, functions and aliases
	maxLoop       = 16       // words of a loop that are followed one by one
	maxGroups     = 8        // files of groups around a command that stand at the command
	maxUnreadable = 64
)

// Read reads a command text. It never fails: what cannot be read is in Unreadable.
func Read(text string) Script {
	r := &reader{text: text}
	r.nested(newScope(), source{text: text, exact: true})
	return r.script
}

// ReadArgv reads a program and its arguments, as a list that no shell splits. Where one of
// them is an operator of a shell the caller joins them, and so it is read. Places are
// bytes of the arguments joined with a space.
func ReadArgv(argv []string) Script {
	text := strings.Join(argv, " ")
	r := &reader{text: text}
	var words []Word
	joined, at := false, 0
	for _, a := range argv {
		words = append(words, Word{Text: a, Literal: true, Glob: strings.ContainsAny(a, "*?"), Start: at, End: at + len(a), at: at + 1})
		joined = joined || len(a) < 4 && a != "" && strings.Trim(a, "|&;<>") == "" && a != ";" && a != "<>"
		at += len(a) + 1
	}
	if len(argv) > 0 && strings.ContainsAny(argv[0], " \t\n|&;<>$`'\"") {
		joined = true
	}
	sc := newScope()
	if joined {
		r.nested(sc, source{text: text, exact: true})
		return r.script
	}
	if len(words) > 0 {
		words[0].Glob = false
		r.total(0, len(text), func() {
			r.call(sc, Command{Words: words, DirKnown: true, From: -1, End: len(text)})
		})
	}
	return r.script
}

// reader reads one text, and those inside of it.
type reader struct {
	text     string
	script   Script
	depth    int
	expanded int // bytes that variables added
	repeated int // bytes that were read again
	// substituted is the command whose output the last process substitution reads.
	substituted int
	functions   []*declared
}

// declared is a function of the text that was not called yet.
type declared struct {
	body   *syntax.Stmt
	source source
	scope  *scope
	read   bool
}

// source is a text that is read, and where it stands in the whole one.
type source struct {
	text       string
	exact      bool // byte i is byte base+i of the whole text
	base       int
	start, end int // where it stands, if not exact
}

func (s source) place(n syntax.Node) (start, end int) {
	return s.places(int(n.Pos().Offset()), int(n.End().Offset()))
}

func (s source) places(start, end int) (int, int) {
	if !s.exact {
		return s.start, s.end
	}
	start = min(start, len(s.text))
	return s.base + start, s.base + min(max(start, end), len(s.text))
}

// of is a node as it is written.
func (s source) of(n syntax.Node) string {
	start := min(int(n.Pos().Offset()), len(s.text))
	return s.text[start:min(max(start, int(n.End().Offset())), len(s.text))]
}

func (r *reader) unreadable(why Cause, start, end int) {
	for _, u := range r.script.Unreadable {
		if u.Start <= start && end <= u.End {
			return
		}
	}
	if len(r.script.Unreadable) < maxUnreadable {
		r.script.Unreadable = append(r.script.Unreadable, Unreadable{why, start, end})
		return
	}
	last := &r.script.Unreadable[len(r.script.Unreadable)-1]
	last.Start, last.End = min(last.Start, start), max(last.End, end)
}

// repeats reports whether a part of a text may be read so many times more.
func (r *reader) repeats(n syntax.Node, times int) bool {
	size := int(n.End().Offset()-n.Pos().Offset()) * times
	if r.repeated+size > maxRepeat {
		return false
	}
	r.repeated += size
	return true
}

// total runs the parser, or what follows its tree, so that a mistake in either is a text
// that cannot be read.
func (r *reader) total(start, end int, run func()) {
	defer func() {
		if recover() != nil {
			r.unreadable(NoParse, start, end)
		}
	}()
	run()
}

// nested reads a text: the whole one, or that of a shell inside of it. It returns the last
// command that it found, or -1.
func (r *reader) nested(sc *scope, src source) int {
	start, end := src.places(0, len(src.text))
	if r.depth == maxDepth || tooDeep(src.text) {
		r.unreadable(TooDeep, start, end)
		return -1
	}
	r.depth++
	defer func() { r.depth-- }()
	before, functions := len(r.script.Commands), r.functions
	r.functions = nil
	r.total(start, end, func() {
		var all []*syntax.Stmt
		read := 0
		var err error
		for s, failed := range syntax.NewParser(syntax.Variant(syntax.LangBash)).StmtsSeq(strings.NewReader(src.text)) {
			if failed != nil {
				err = failed
				break
			}
			all, read = append(all, s), int(s.End().Offset())
		}
		r.script.Commands = slices.Grow(r.script.Commands, len(all))
		r.stmts(sc, src, all)
		if err != nil {
			r.tolerant(sc, src, min(read, len(src.text)))
		}
		for i := 0; i < len(r.functions); i++ { // one may declare another
			if d := r.functions[i]; !d.read {
				d.read = true
				r.stmt(d.scope, d.source, d.body)
			}
		}
	})
	r.functions = functions
	if len(r.script.Commands) == before {
		return -1
	}
	return len(r.script.Commands) - 1
}

// stmts reads statements one behind the other, and returns the last command, or -1.
func (r *reader) stmts(sc *scope, src source, all []*syntax.Stmt) int {
	before := len(r.script.Commands)
	for _, s := range all {
		r.stmt(sc, src, s)
	}
	if len(r.script.Commands) == before {
		return -1
	}
	return len(r.script.Commands) - 1
}

// inside reads the substitutions in what else is not read.
func (r *reader) inside(sc *scope, src source, n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			r.apart(sc, src, n.Stmts)
			return false
		case *syntax.ProcSubst:
			r.apart(sc, src, n.Stmts)
			return false
		}
		return true
	})
}

// apart reads statements in a subshell that reads nothing from where it stands.
func (r *reader) apart(sc *scope, src source, all []*syntax.Stmt) int {
	in := sc.inner()
	in.redirects, in.input, in.from = nil, nil, -1
	return r.stmts(in, src, all)
}
