package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/sql"
)

// Which statement decides, and which rows it acts on.

// rows says which rows of a table, and what becomes of them: " where id = 7: role → admin".
func (d deed) rows(in *call.Call) string {
	s, ok := d.statement(in)
	if !ok {
		return ""
	}
	last := s.Tokens[len(s.Tokens)-1]
	// Of the clauses those that stand with the table, and in no bracket behind it.
	where, set, depth, passed := -1, -1, 0, false
	for i, t := range s.Tokens {
		switch {
		case t.ID == '(':
			depth++
			continue
		case t.ID == ')':
			if depth--; !passed || depth >= 0 {
				continue
			}
		case !passed:
			written := strings.Trim(s.Text[t.Start():t.End()], "\"`[]")
			if written == d.target.Value || strings.HasSuffix(d.target.Value, "."+written) {
				depth, passed = 0, true
			}
			continue
		case depth != 0:
			continue
		case t.Word() == "WHERE" && where < 0:
			where = i
			continue
		case t.Word() == "SET" && set < 0:
			set = i
			continue
		case t.Word() != "RETURNING":
			continue
		}
		last = s.Tokens[i-1] // it ends here
		s.Tokens = s.Tokens[:i]
		break
	}
	said := ""
	if where >= 0 && where+1 < len(s.Tokens) {
		said = " where " + clause(s.Text[s.Tokens[where+1].Start():last.End()])
	}
	if set >= 0 && set+1 < len(s.Tokens) {
		end := last.End()
		if where > set {
			end = s.Tokens[where].Start()
		}
		said += ": " + assigned(s.Text[s.Tokens[set+1].Start():end])
	}
	return said
}

// statement is the SQL statement in which the target stands: one of the text, or of what is
// between quotes in a command (psql -c "…").
func (d deed) statement(in *call.Call) (sql.Statement, bool) {
	text, start := in.At(d.target.Place().Pointer), d.target.Start
	if s, ok := statementAt(in, text, start); ok || start > len(text) {
		return s, ok
	}
	for _, quote := range []string{`"`, "'"} {
		from := strings.LastIndex(text[:start], " "+quote) + 2
		to := strings.Index(text[min(start, len(text)):], quote)
		if from < 2 || to < 0 {
			continue
		}
		if s, ok := statementAt(in, text[from:start+to], start-from); ok {
			return s, true
		}
	}
	return sql.Statement{}, false
}

func statementAt(in *call.Call, text string, start int) (sql.Statement, bool) {
	for _, s := range in.Text(text).SQL().Statements(true) {
		if start >= s.Tokens[0].Start() && start <= s.Tokens[len(s.Tokens)-1].End() {
			return s, true
		}
	}
	return sql.Statement{}, false
}

// leading is an effect with the evidence first that decides most: what is executed before what
// only describes it, and of several statements the one that every row is acted on by.
func leading(in *call.Call, e effects.Effect) effects.Effect {
	if len(e.Evidence) == 0 {
		return e
	}
	weight := func(v effects.Evidence) int {
		if v.Pointer != CodePointer && strings.HasPrefix(v.Pointer, "/arguments") && !executedName(lastName(v.Pointer)) {
			return 2
		}
		text := in.At(v.Pointer)
		if e.Breadth != effects.All || v.End > len(text) || v.Start >= v.End {
			return 0
		}
		if s, ok := statementAt(in, text, v.Start); ok && !s.EveryRow() {
			return 1
		}
		return 0
	}
	e.Evidence = slices.Clone(e.Evidence)
	slices.SortStableFunc(e.Evidence, func(a, b effects.Evidence) int { return weight(a) - weight(b) })
	for i := range e.Evidence { // of a statement its verb was read, and all of it counts
		v := &e.Evidence[i]
		text := in.At(v.Pointer)
		if v.Start >= v.End || v.End > len(text) {
			continue
		}
		if s, ok := statementAt(in, text, v.Start); ok && len(in.Text(text).SQL().Statements(true)) > 1 {
			v.Start, v.End = s.Tokens[0].Start(), s.Tokens[len(s.Tokens)-1].End()
		}
	}
	return e
}

// verbOf is the word of a cloud's command that says what is done: compute firewall-rules delete.
func verbOf(argv []string) string {
	for _, w := range argv {
		if strings.HasPrefix(w, "-") {
			break
		}
		if verbs[w] == changes || w == "deallocate" {
			return w
		}
	}
	return ""
}
