package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source 2: SQL statements, outside comments and literals. Read are the verb, the
// tables after FROM, INTO, UPDATE, JOIN, TABLE, DATABASE and SCHEMA, a LIMIT and
// a CASCADE. Where the text is not said to be SQL, a statement must also have
// SQL's form, so that "Update me on the move" is none.

// sqlVerbs are what a statement begins with, by how much it can destroy.
var sqlVerbs = map[string]int{
	"DROP": 6, "TRUNCATE": 5, "DELETE": 5, "ALTER": 4, "UPDATE": 3, "MERGE": 3, "REPLACE": 3, "REVOKE": 3, "GRANT": 3,
	"INSERT": 2, "CREATE": 2, "COPY": 2, "SELECT": 1, "WITH": 1, "EXPLAIN": 1,
}

// afterTable are words that may stand between TABLE and the name, or FROM and it.
var afterTable = []string{"IF", "NOT", "EXISTS", "ONLY", "CONCURRENTLY", "TABLE", "LATERAL"}

// clauses are words that a table cannot have for its bare name.
var clauses = strings.Fields("FROM INTO JOIN WHERE SET ON USING VALUES GROUP ORDER HAVING LIMIT UNION AND OR AS SELECT INSERT UPDATE DELETE DROP TABLE WITH BY")

// maxDots bounds the dots in a name: server.database.schema.table has three.
const maxDots = 4

// token is a word, a quoted name, a number or one mark of a statement.
type token struct {
	upper      string // of a bare word, upper case; of a mark, the mark
	start, end int    // in the text, quotes included
	name       bool   // a bare word or a quoted name
	quoted     bool
}

// statement is one statement with what its verb says.
type statement struct {
	tokens []token
	risk   int    // of the worst verb in it: a WITH can carry a DELETE
	verb   string // that verb, with the object of a DROP: "DROP TABLE"
	object string // "table"
	from   int    // the byte at which a verb inside a WITH or EXPLAIN begins; 0 for other statements
}

// statements adds what the SQL in a text says.
func (c *collector) statements(text, pointer string) {
	if !startsLikeSQL(text) {
		return
	}
	var all []statement
	for _, tokens := range split(tokenize(text)) {
		if c.isStatementTokens(tokens) {
			all = append(all, newStatement(tokens))
		}
	}
	slices.SortStableFunc(all, func(a, b statement) int { return b.risk - a.risk })
	for _, s := range all {
		n := len(c.found)
		c.statement(s.tokens, text, pointer)
		if s.from > 0 { // what it acts on stands behind its verb, not in the WITH before it
			slices.SortStableFunc(c.found[n:], func(a, b Fact) int { return isBefore(a, s.from) - isBefore(b, s.from) })
		}
		o := operation{verb: "Run " + s.verb, object: s.object, risk: s.risk, text: true}
		c.operate(o.about(c.found[n:]))
	}
}

func newStatement(tokens []token) statement {
	s := statement{tokens: tokens, verb: tokens[0].upper, risk: sqlVerbs[tokens[0].upper]}
	switch s.verb {
	case "WITH", "EXPLAIN":
		for _, t := range tokens[1:] {
			if risk := sqlVerbs[t.upper]; risk > s.risk && risk < sqlVerbs["ALTER"] || t.upper == "DELETE" && risk > s.risk {
				s.verb, s.risk, s.from = t.upper, risk, t.start
			}
		}
	case "DROP", "ALTER", "CREATE", "TRUNCATE":
		for _, t := range tokens[1:] {
			if slices.Contains(sqlObjects, t.upper) && t.upper != "MATERIALIZED" {
				s.object = strings.ToLower(t.upper)
				s.verb += " " + t.upper
				break
			}
		}
	}
	return s
}

func isBefore(f Fact, at int) int {
	if f.Start < at {
		return 1
	}
	return 0
}

// runsStatements reports whether a function's name says that it runs SQL.
func runsStatements(function string) bool {
	return slices.ContainsFunc(lowerWords(function, 8), func(w string) bool { return w == "sql" || w == "query" })
}

// isStatement reports whether a text is SQL.
func (c *collector) isStatement(text string) bool {
	if !startsLikeSQL(text) {
		return false
	}
	return slices.ContainsFunc(split(tokenize(text)), c.isStatementTokens)
}

// startsLikeSQL is the cheap look at the first word, past comments.
func startsLikeSQL(text string) bool {
	for t := range tokens(text) {
		if t.upper == "(" || t.upper == ";" {
			continue
		}
		_, ok := sqlVerbs[t.upper]
		return ok || t.upper == "BEGIN" || t.upper == "SET" || t.upper == "USE"
	}
	return false
}

// sqlObjects are what DROP, ALTER and CREATE are about.
var sqlObjects = strings.Fields("TABLE DATABASE SCHEMA VIEW INDEX ROLE USER FUNCTION TRIGGER SEQUENCE TYPE MATERIALIZED")

// isStatementTokens asks for the form that the verb has in SQL. Prose begins with
// the same words, so a text that nobody calls SQL must have more of it.
func (c *collector) isStatementTokens(statement []token) bool {
	if len(statement) < 2 {
		return false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(statement[1:], func(t token) bool { return slices.Contains(words, t.upper) })
	}
	second := statement[1].upper
	switch statement[0].upper {
	case "DROP", "ALTER":
		return slices.Contains(sqlObjects, second) || c.sql && has(sqlObjects...)
	case "CREATE":
		return has(sqlObjects...)
	case "TRUNCATE":
		return second == "TABLE" || len(statement) == 2 || c.sql
	case "DELETE":
		return second == "FROM" && (c.sql || len(statement) == 3 || has("WHERE", "USING", "RETURNING", "LIMIT", "."))
	case "INSERT", "MERGE", "REPLACE":
		return second == "INTO" || has("INTO") && (c.sql || has("VALUES", "SELECT"))
	case "UPDATE":
		return has("SET") && (c.sql || has("="))
	case "SELECT", "WITH":
		return c.sql || has("*", "=", "(", ",") && has("FROM") || len(statement) == 4 && statement[2].upper == "FROM"
	case "EXPLAIN":
		return has("SELECT", "UPDATE", "DELETE", "INSERT")
	case "GRANT", "REVOKE":
		return c.sql || has("ALL", "SELECT", "INSERT", "UPDATE", "DELETE", "USAGE")
	case "COPY":
		return c.sql || has("STDIN", "STDOUT", "CSV", "(")
	}
	return false
}

// statement adds the facts of one statement.
func (c *collector) statement(statement []token, text, pointer string) {
	var (
		defined = commonTables(statement, text)
		selects = []bool{false} // whether a query was begun at each depth of brackets
		word    = func(i int) string {
			if i < 0 || i >= len(statement) {
				return ""
			}
			return statement[i].upper
		}
	)
	for i, t := range statement {
		switch t.upper {
		case "(":
			selects = append(selects, false)
		case ")":
			selects = selects[:max(len(selects)-1, 1)]
		case "SELECT", "DELETE", "UPDATE", "INSERT":
			selects[len(selects)-1] = true
		}
		label := ""
		switch t.upper {
		case "FROM":
			// EXTRACT(year FROM day) and IS DISTINCT FROM name no table.
			if (len(selects) == 1 || selects[len(selects)-1]) && word(i-1) != "DISTINCT" && word(0) != "REVOKE" {
				label = "table"
			}
		case "INTO", "JOIN":
			label = "table"
		case "UPDATE":
			if i == 0 || !slices.Contains([]string{"FOR", "ON", "DO", "KEY", "NO"}, word(i-1)) {
				label = "table"
			}
		case "TABLE", "DATABASE", "SCHEMA":
			label = strings.ToLower(t.upper)
		case "TRUNCATE":
			if i == 0 && word(1) != "TABLE" {
				label = "table"
			}
		case "CASCADE":
			if i > 0 && sqlVerbs[word(0)] >= 4 {
				c.keep(Fact{Kind: Flag, Value: "true", Label: "cascade", Pointer: pointer, Start: t.start, End: t.end, Source: FromSQL})
			}
		case "LIMIT":
			if i+1 < len(statement) && isNumber(text[statement[i+1].start:statement[i+1].end]) {
				c.add(Count, "limit", FromSQL, pointer, text, statement[i+1].start, statement[i+1].end)
			}
		}
		if label != "" {
			c.names(statement[i+1:], label, defined, text, pointer)
		}
	}
}

// names adds the names at the start of rest: one, or several between commas.
func (c *collector) names(rest []token, label string, defined map[string]bool, text, pointer string) {
	for len(rest) > 0 && !rest[0].quoted && slices.Contains(afterTable, rest[0].upper) {
		rest = rest[1:]
	}
	for range maxPerKind {
		if len(rest) == 0 || !rest[0].name || !rest[0].quoted && slices.Contains(clauses, rest[0].upper) {
			return
		}
		last := 0
		for last < 2*maxDots && last+2 < len(rest) && rest[last+1].upper == "." && rest[last+2].name {
			last += 2
		}
		if last+1 < len(rest) && rest[last+1].upper == "(" && label != "table" {
			return
		}
		name, start, end := qualified(rest[:last+1], text)
		isCall := last+1 < len(rest) && rest[last+1].upper == "(" && rest[last+1].start == rest[last].end
		if !isCall && !defined[strings.ToUpper(name)] {
			c.keep(Fact{Kind: Table, Value: name, Label: label, Pointer: pointer, Start: start, End: end, Source: FromSQL})
		}
		// An alias, then a comma and the next name.
		next := last + 1
		if next < len(rest) && rest[next].upper == "AS" {
			next++
		}
		if next < len(rest) && rest[next].name && next+1 < len(rest) && rest[next+1].upper == "," {
			next++
		}
		if next >= len(rest) || rest[next].upper != "," {
			return
		}
		rest = rest[next+1:]
	}
}

// qualified is a name with its dots, without quotes; a single quoted name stands
// where its quotes do not.
func qualified(parts []token, text string) (name string, start, end int) {
	start, end = parts[0].start, parts[len(parts)-1].end
	if len(parts) == 1 && parts[0].quoted {
		start, end = start+1, end-1
		return text[start:end], start, end
	}
	var b strings.Builder
	for _, p := range parts {
		if p.quoted {
			b.WriteString(text[p.start+1 : p.end-1])
		} else {
			b.WriteString(text[p.start:p.end])
		}
	}
	return b.String(), start, end
}

// commonTables are the names that a WITH defines: they are no tables.
func commonTables(statement []token, text string) map[string]bool {
	if statement[0].upper != "WITH" {
		return nil
	}
	defined := map[string]bool{}
	for i := 1; i+2 < len(statement); i++ {
		if statement[i].name && statement[i+1].upper == "AS" && statement[i+2].upper == "(" {
			name, _, _ := qualified(statement[i:i+1], text)
			defined[strings.ToUpper(name)] = true
		}
	}
	return defined
}

// split cuts at semicolons; empty statements are left out.
func split(all []token) [][]token {
	var statements [][]token
	for start := 0; start < len(all); {
		end := start
		for end < len(all) && all[end].upper != ";" {
			end++
		}
		for start < end && all[start].upper == "(" {
			start++
		}
		if end > start {
			statements = append(statements, all[start:end])
		}
		start = end + 1
	}
	return statements
}

func tokenize(text string) []token { return slices.Collect(tokens(text)) }

// tokens gives the tokens of a text and leaves out spaces, comments and literals.
// What is never closed lasts to the end.
func tokens(text string) func(yield func(token) bool) {
	return func(yield func(token) bool) {
		for i := 0; i < len(text); {
			t := token{start: i}
			switch rest := text[i:]; {
			case strings.HasPrefix(rest, "--"):
				i = after(text, i, "\n")
				continue
			case strings.HasPrefix(rest, "/*"):
				i = after(text, i+2, "*/")
				continue
			case rest[0] == '\'':
				i = closing(text, i, '\'')
				t.upper = "'"
			case rest[0] == '"' || rest[0] == '`':
				i = closing(text, i, rest[0])
				t.name, t.quoted = i-t.start > 2 && text[i-1] == rest[0], true
			case rest[0] == '$' && dollarTag(rest) != "":
				tag := dollarTag(rest)
				i = after(text, i+len(tag), tag)
				t.upper = "'"
			case spaceAt(text, i) > 0:
				i += spaceAt(text, i)
				continue
			case isWordByte(rest[0]):
				for i < len(text) && (isWordByte(text[i]) || text[i] == '$') && spaceAt(text, i) == 0 {
					i++
				}
				t.name = rest[0] > '9' || rest[0] < '0'
				t.upper = strings.ToUpper(text[t.start:i])
			default:
				i++
				t.upper = rest[:1]
			}
			t.end = i
			if !yield(t) {
				return
			}
		}
	}
}

// after is the byte behind the next occurrence of mark, or the end.
func after(text string, from int, mark string) int {
	if at := strings.Index(text[min(from, len(text)):], mark); at >= 0 {
		return from + at + len(mark)
	}
	return len(text)
}

// closing is the byte behind the quote that ends the one at start; doubled quotes
// stand for themselves.
func closing(text string, start int, quote byte) int {
	for i := start + 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

// dollarTag is the opening of a dollar-quoted literal: "$$" or "$name$".
func dollarTag(text string) string {
	for i := 1; i < len(text) && i < 64; i++ {
		if text[i] == '$' {
			return text[:i+1]
		}
		if !isWordByte(text[i]) {
			break
		}
	}
	return ""
}

// isWordByte takes every byte of a character beyond ASCII for a letter.
func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

// spaceAt is the width of the space at byte i, of which Unicode has many; 0 for
// anything else.
func spaceAt(text string, i int) int {
	switch b := text[i]; {
	case b == ' ' || b >= '\t' && b <= '\r':
		return 1
	case b < utf8.RuneSelf:
		return 0
	}
	if r, width := utf8.DecodeRuneInString(text[i:]); unicode.IsSpace(r) {
		return width
	}
	return 0
}
