package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/scoring/sql"
)

// Literals of statements and programs that only read, where nothing but the database's own
// comparison, or who asked, gets them.

// coded is a text that is executed: a statement, or a program in Python.
type coded struct {
	text *call.Text
	at   string
}

// statement reads a text as SQL.
func (r *reader) statement(text, at string) []Effect {
	t := r.in.Call.Text(text)
	r.statements = append(r.statements, coded{t, at})
	return statementEffects(t, at, 0)
}

// python reads a text as a program in Python.
func (r *reader) python(text, at string) []Effect {
	t := r.in.Call.Text(text)
	r.programs = append(r.programs, coded{t, at})
	return programEffects("python", t, at)
}

// inStatement are the literals of one SELECT that stand in no call of a function, as every
// database reads them.
func inStatement(s coded) (places []scan.Place) {
	text := s.text.String()
	for i, d := range s.text.SQL().Dialects() {
		found, ok := literals(text, s.text.SQL().Tokens(d))
		if !ok {
			return nil
		}
		if i == 0 {
			for _, span := range found {
				places = append(places, scan.Place{Pointer: s.at, Start: span.Start, End: span.End})
			}
			continue
		}
		places = slices.DeleteFunc(places, func(p scan.Place) bool { return !slices.Contains(found, scan.Span{Start: p.Start, End: p.End}) })
	}
	return places
}

// beforeGroup are words behind which a bracket calls nothing.
var beforeGroup = setOf("IN ( , = AND OR WHERE NOT SELECT ON EXISTS FROM AS WITH UNION ALL HAVING WHEN THEN ELSE")

// literals are those of one SELECT; ok is false where it is something else.
func literals(text string, tokens []sql.Token) (spans []scan.Span, ok bool) {
	word := func(i int) string { return strings.ToUpper(text[tokens[i].Start():tokens[i].End()]) }
	if len(tokens) == 0 || word(0) != "SELECT" {
		return nil, false
	}
	var calls []bool // of the brackets that are open
	for i, t := range tokens {
		switch w := word(i); {
		case w == ";" && i < len(tokens)-1, t.Open:
			return nil, false
		case w == "(":
			calls = append(calls, !beforeGroup[word(i-1)])
		case w == ")" && len(calls) > 0:
			calls = calls[:len(calls)-1]
		case t.Word() == "'" && w[0] == '\'' && !slices.Contains(calls, true) && !strings.Contains(w, `\`):
			spans = append(spans, scan.Span{Start: t.Start(), End: t.End()})
		}
	}
	return spans, true
}

// inProgram are the literals that a program prints: print("x"), where print is Python's.
func inProgram(s coded) (places []scan.Place) {
	text := s.text.String()
	tokens, broken := code.Tokens(s.text, code.Way{})
	if broken != "" {
		return nil
	}
	at := func(i int) code.Token {
		if i < 0 || i >= len(tokens) {
			return code.Token{}
		}
		return tokens[i]
	}
	for i, t := range tokens {
		if !t.Named("print") {
			continue
		}
		if before := at(i - 1); !at(i+1).Is("(") || i > 0 && before.Kind != code.Line && !before.Is(";") && !before.Is(":") {
			return nil // it may be another one
		}
		if said := at(i + 2); said.Kind == code.Text && at(i+3).Is(")") && !said.Dynamic && said.Inner >= 0 && !strings.Contains(text[said.From:said.To], `\`) {
			places = append(places, scan.Place{Pointer: s.at, Start: said.From, End: said.To})
		}
	}
	return places
}
