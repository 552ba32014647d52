package facts

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/internal/scoring/sql"
)

// Source 2: SQL statements, outside comments and literals (tokens.go). Read are
// the verb, the names after FROM, INTO, UPDATE, JOIN, TABLE, DATABASE, SCHEMA and
// their like, whether a WHERE stands there, a LIMIT and a CASCADE. Where the text
// is not said to be SQL, a statement must also have SQL's form, so that "Update me
// on the move" is none.

// everyRow is the label of the flag that says that nothing narrows a DELETE or
// UPDATE down.
const everyRow = "every row"

// EveryRow reports whether the facts say that a DELETE or UPDATE touches every row.
func EveryRow(facts []Fact) bool {
	return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == Flag && f.Label == everyRow && f.Value == "true" })
}

// maxDots bounds the dots in a name: server.database.schema.table has three.
const maxDots = 4

// clauses are words that a table cannot have for its bare name.
var clauses = sql.Words("FROM INTO JOIN WHERE SET ON USING VALUES GROUP ORDER HAVING LIMIT UNION AND OR AS SELECT INSERT UPDATE DELETE DROP TABLE WITH BY OUTFILE DUMPFILE STDIN STDOUT " +
	"IN TO FOR NOT NULL LEFT RIGHT INNER CROSS NATURAL FULL OUTER EXCEPT INTERSECT MINUS RETURNING FETCH OFFSET CASCADE PROGRAM")

// objectKind is what a name behind the word of an object is of.
func objectKind(t sql.Token) Kind {
	switch t.Word() {
	case "TABLE", "DATABASE", "SCHEMA", "VIEW", "INDEX":
		return Table
	}
	if t.IsObject() {
		return Target
	}
	return ""
}

// statement is one statement with what its verb says.
type statement struct {
	reading
	sql.Statement
	verb   string // the worst verb in it
	object string // what a DROP and its like is about: "table"
}

// runsStatements reports whether the words of a function's name say that it runs SQL.
func runsStatements(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return w == "sql" || w == "query" })
}

// statements adds what the SQL in a text says; known is false where there is none.
func (c *collector) statements(r reading) (known bool) {
	all := c.call.Text(r.text).SQL().Statements(c.as.sql)
	slices.SortStableFunc(all, func(a, b sql.Statement) int { return cmp.Compare(b.Risk, a.Risk) })
	for _, one := range all[:min(len(all), maxCommands)] {
		s := statement{reading: r, Statement: one}
		s.name()
		n := len(c.found)
		c.factsOf(&s)
		if s.At > 0 { // what it acts on stands behind its verb, not in the WITH before it
			verb := s.Tokens[s.At].Start()
			slices.SortStableFunc(c.found[n:], func(a, b Fact) int { return cmp.Compare(s.isBefore(a, verb), s.isBefore(b, verb)) })
		}
		if s.EveryRow() {
			at := s.Tokens[s.At]
			c.flag(everyRow, FromSQL, s.reading, at.Start(), at.End())
		}
		c.literals(&s)
	}
	return len(all) > 0
}

// name fills what the statement is called.
func (s *statement) name() {
	s.verb = s.Tokens[s.At].Word()
	switch s.verb {
	case "DROP", "ALTER", "CREATE", "TRUNCATE", "RENAME", "COMMENT", "REFRESH":
		for _, t := range s.Tokens[1:min(len(s.Tokens), 8)] {
			if t.IsObject() {
				s.object = t.ID.Lower()
				break
			}
		}
	}
}

func (s *statement) isBefore(f Fact, at int) int {
	if from, _ := s.place(at, at+1); f.Start < from {
		return 1
	}
	return 0
}

// literals reads the statements that are handed over in literals: DO $$ … $$,
// EXEC('…'), and the command of COPY … PROGRAM '…'.
func (c *collector) literals(s *statement) {
	first := s.Tokens[0].Word()
	isSQL := hasWord("DO EXEC EXECUTE PREPARE SET", first) || first == "CREATE" && hasWord("function procedure", s.object)
	for i, t := range s.Tokens {
		if t.ID != '\'' {
			continue
		}
		open := 1
		if s.text[t.From] == '$' {
			open = len(sql.DollarTag(s.text[t.From:]))
		}
		if t.Start()+open >= t.End()-open {
			continue
		}
		inner := s.part(t.Start()+open, t.End()-open)
		switch {
		case i > 0 && s.Tokens[i-1].Word() == "PROGRAM":
			c.nested(inner, context{shell: true}, asCommands)
		case isSQL:
			c.nested(inner, context{sql: true}, asStatements)
		}
	}
}
