package effects

import (
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/sql"
)

// statementEffects reads SQL: every statement, those inside of others, and those in the
// literals that one runs. start is where text stands in the value at pointer. A text that
// does not read to its end as SQL, in any way in which databases read, is execute.
func statementEffects(t *call.Text, pointer string, start int) []Effect {
	r := sqlReader{pointer: pointer, prepared: set{}, known: set{}}
	r.read(t, start)
	if len(r.all) == 0 {
		r.add(Effect{Kind: Read, Verb: "run", Object: "statement", Breadth: One, Certain: true, Evidence: []Evidence{{Pointer: pointer, Start: start, End: start + len(t.String()), Why: "nothing is read or changed"}}})
	}
	return r.worstFirst()
}

// sqlReader gathers what the SQL in one value does.
type sqlReader struct {
	findings
	pointer  string
	depth    int       // of literals around the text that is read
	literal  *Evidence // the place of all that is found, where the text is decoded
	prepared set       // statements that were prepared from what was read
	known    set       // literals that were read: each dialect comes by them again
	// inProcedure says that the text is the body of a block or a procedure.
	inProcedure bool
}

// maxSQLNesting bounds how deep SQL in literals of SQL is followed.
const maxSQLNesting = 4

func (r *sqlReader) read(t *call.Text, start int) {
	text, ways := t.String(), t.SQL().Dialects()
	if strings.Contains(text, "$") && strings.Count(text, "$") > 1 {
		ways = append(ways[:len(ways):len(ways)], sql.Unquoting)
	}
	var unreadable *Evidence
	readable := false
	before := r.all
	for _, d := range ways {
		r.all = nil
		p := sqlText{sqlReader: r, source: t, text: text, start: start, procedural: r.inProcedure}
		p.statements(t.SQL().Tokens(d))
		found := r.all
		r.all = before
		if p.broken == nil {
			readable = true
		} else if unreadable == nil {
			unreadable = p.broken
		}
		if p.broken == nil || d != sql.Unquoting {
			r.merge(found)
		}
		before = r.all
	}
	if !readable && unreadable != nil {
		r.add(Effect{Kind: Execute, Verb: "run", Object: "query", Breadth: One, Certain: true, Evidence: []Evidence{*unreadable}})
	}
}

// sqlText is a text as one dialect reads it.
type sqlText struct {
	*sqlReader
	source     *call.Text
	text       string
	start      int
	broken     *Evidence // why it cannot be read, as far as that is known
	procedural bool      // inside the body of a block, where INTO fills a variable
}

// at is the evidence of a stretch of the text.
func (p *sqlText) at(from, to int, why string) Evidence {
	if p.literal != nil {
		e := *p.literal
		e.Why = why
		return e
	}
	return Evidence{Pointer: p.pointer, Start: p.start + from, End: p.start + to, Why: why}
}

// cannotBeRead notes why the text does not read to its end.
func (p *sqlText) cannotBeRead(t sql.Token, why string) {
	if p.broken == nil {
		e := p.at(t.Start(), t.End(), "can't be read: "+why)
		p.broken = &e
	}
}

// found adds an effect of the tokens from which it was read.
func (p *sqlText) found(e Effect, t sql.Token, why string) {
	if e.Breadth == "" {
		e.Breadth = One
	}
	e.Certain = true
	e.Evidence = []Evidence{p.at(t.Start(), t.End(), why)}
	p.add(e)
}

// word is a token as it is compared.
func (p *sqlText) word(t sql.Token) string { return t.Upper(p.text) }

// name is a name without its quotes, in lower case.
func (p *sqlText) name(t sql.Token) string {
	if t.Quoted && t.Name {
		return strings.ToLower(p.text[t.From+1 : t.To-1])
	}
	return strings.ToLower(p.text[t.From:t.To])
}

// statements reads each statement: up to a semicolon, or GO.
func (p *sqlText) statements(tokens []sql.Token) {
	from, any := 0, false
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) && tokens[i].Word() != ";" && (tokens[i].Word() != "GO" || tokens[i].Quoted) {
			continue
		}
		if from < i {
			any = true
			p.statement(tokens[from:i])
		}
		from = i + 1
	}
	if !any {
		p.cannotBeRead(sql.Token{}, "there is no statement")
	}
}

// statement reads one: each verb in it for itself, and each call.
func (p *sqlText) statement(tokens []sql.Token) {
	for _, t := range tokens {
		if t.Open {
			p.cannotBeRead(t, "a quote isn't closed")
		}
		if t.Word() == `\` {
			p.cannotBeRead(t, "it is no statement")
		}
	}
	closing, balanced := closings(tokens)
	if !balanced {
		p.cannotBeRead(tokens[0], "brackets aren't closed")
	}
	s := sqlStatement{sqlText: p, tokens: tokens, closing: closing}
	s.read()
}

// closings says where the bracket that opens at each token closes.
func closings(tokens []sql.Token) (closing []int32, balanced bool) {
	closing, balanced = make([]int32, len(tokens)), true
	var open []int32
	for i, t := range tokens {
		switch {
		case t.Quoted:
		case t.Word() == "(":
			closing[i] = int32(len(tokens))
			open = append(open, int32(i))
		case t.Word() == ")" && len(open) == 0:
			balanced = false
		case t.Word() == ")":
			closing[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
	}
	return closing, balanced && len(open) == 0
}

// plain is a name that may stand in a reason; what is no plain name has none.
func (p *sqlText) plain(name string) string {
	if name == "" || len(name) > 64 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_.$") != "" {
		return "a name"
	}
	return name
}

// inLiteral reads a literal as SQL that is run.
func (p *sqlText) inLiteral(t sql.Token) {
	if p.depth >= maxSQLNesting {
		p.cannotBeRead(t, "statements are nested too deep in literals")
		return
	}
	inner, from, exact := p.contents(t)
	if p.known[inner] {
		return
	}
	p.known[inner] = true
	at, literal, depth := p.at(t.Start(), t.End(), ""), p.literal, p.depth
	if !exact && p.literal == nil {
		p.literal = &at
	}
	p.depth++
	p.read(p.source.Inner(inner), p.start+from)
	p.literal, p.depth = literal, depth
}

// inShell reads a literal as a command that is run.
func (p *sqlText) inShell(t sql.Token) {
	inner, from, exact := p.contents(t)
	for _, e := range shellEffects(p.source.Inner(inner), p.pointer) {
		e.Evidence = slices.Clone(e.Evidence)
		if len(e.Evidence) == 0 {
			e.Evidence = []Evidence{{Why: "runs a command"}}
		}
		for i := range e.Evidence {
			if exact && p.literal == nil {
				e.Evidence[i].Start += p.start + from
				e.Evidence[i].End += p.start + from
			} else {
				e.Evidence[i] = p.at(t.Start(), t.End(), e.Evidence[i].Why)
			}
		}
		p.add(e)
	}
}

// contents is what stands in a literal; exact says that it stands so in the text, from
// byte from on.
func (p *sqlText) contents(t sql.Token) (inner string, from int, exact bool) {
	text := p.text[t.From:t.To]
	if tag := sql.DollarTag(text); text[0] == '$' && tag != "" {
		return strings.TrimSuffix(text[len(tag):], tag), t.Start() + len(tag), true
	}
	inner = strings.TrimSuffix(text[1:], text[:1])
	double := text[:1] + text[:1]
	if !strings.Contains(inner, double) && !strings.Contains(inner, `\`) {
		return inner, t.Start() + 1, true
	}
	return strings.NewReplacer(double, text[:1], `\'`, "'", `\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(inner), 0, false
}

// verbOn is a reason: "DELETE of orders".
func (p *sqlText) verbOn(verb, name string) string {
	if name == "" {
		return verb
	}
	return fmt.Sprintf("%s of %s", verb, p.plain(name))
}
