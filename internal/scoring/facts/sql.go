package facts

import (
	"cmp"
	"slices"
	"strings"
)

// Source 2: SQL statements, outside comments and literals (tokens.go). Read are
// the verb, the names after FROM, INTO, UPDATE, JOIN, TABLE, DATABASE, SCHEMA and
// their like, whether a WHERE stands there, a LIMIT and a CASCADE. Where the text
// is not said to be SQL, a statement must also have SQL's form, so that "Update me
// on the move" is none.

// sqlVerbs are what a statement begins with, by how much it can destroy.
var sqlVerbs = map[string]int{
	"DROP": 6, "SHUTDOWN": 6, "TRUNCATE": 5, "DELETE": 5, "ALTER": 4, "PURGE": 4, "KILL": 4, "RESTORE": 4, "DO": 4, "EXEC": 4, "EXECUTE": 4, "PREPARE": 4, "CALL": 4,
	"UPDATE": 3, "MERGE": 3, "REPLACE": 3, "REVOKE": 3, "GRANT": 3, "RENAME": 3, "DETACH": 3, "UPSERT": 3,
	"INSERT": 2, "CREATE": 2, "COPY": 2, "LOAD": 2, "REFRESH": 2, "REINDEX": 2, "VACUUM": 2, "CLUSTER": 2, "LOCK": 2, "COMMENT": 2, "SET": 2, "ATTACH": 2,
	"BACKUP": 2, "OPTIMIZE": 2, "ANALYZE": 2, "SELECT": 1, "WITH": 1, "EXPLAIN": 1, "SHOW": 1, "USE": 1, "BEGIN": 1, "DECLARE": 1, "VALUES": 1, "START": 1,
	"COMMIT": 1, "ROLLBACK": 1, "FETCH": 1, "END": 1,
}

// everyRow is the label of the flag that says that nothing narrows a DELETE or
// UPDATE down.
const everyRow = "every row"

// maxDots bounds the dots in a name: server.database.schema.table has three.
const maxDots = 4

// clauses are words that a table cannot have for its bare name.
var clauses = words("FROM INTO JOIN WHERE SET ON USING VALUES GROUP ORDER HAVING LIMIT UNION AND OR AS SELECT INSERT UPDATE DELETE DROP TABLE WITH BY OUTFILE DUMPFILE STDIN STDOUT " +
	"IN TO FOR NOT NULL LEFT RIGHT INNER CROSS NATURAL FULL OUTER EXCEPT INTERSECT MINUS RETURNING FETCH OFFSET CASCADE PROGRAM")

// objects are what DROP, ALTER and CREATE are about, and what a name of it is.
var objects = map[string]Kind{
	"TABLE": Table, "DATABASE": Table, "SCHEMA": Table, "VIEW": Table, "INDEX": Table,
	"ROLE": Target, "USER": Target, "LOGIN": Target, "FUNCTION": Target, "PROCEDURE": Target, "TRIGGER": Target, "SEQUENCE": Target, "TYPE": Target,
	"EXTENSION": Target, "TABLESPACE": Target, "PUBLICATION": Target, "SUBSCRIPTION": Target, "EVENT": Target, "POLICY": Target, "SERVER": Target,
}

// verbRisks is sqlVerbs, and objectKinds is objects, by the ids of the words.
var verbRisks, objectKinds = func() (risks [wordIDs]int32, kinds [wordIDs]Kind) {
	for verb, risk := range sqlVerbs {
		if id := keyword(verb); id != 0 {
			risks[id] = int32(risk)
		}
	}
	for object, kind := range objects {
		if id := keyword(object); id != 0 {
			kinds[id] = kind
		}
	}
	return risks, kinds
}()

// statement is one statement with what its verb says.
type statement struct {
	reading
	tokens []token
	stretch
	verb   string // the worst verb in it
	object string // what a DROP and its like is about: "table"
}

// stretch is where a statement stands among the tokens of the room.
type stretch struct {
	first, last int32
	at          int32 // where its worst verb stands among its tokens: a WITH can carry a DELETE
	risk        int32 // of that
}

// written is what a token stands for in the text.
func (s *statement) written(t token) string { return s.text[t.from:t.to] }

// runsStatements reports whether the words of a function's name say that it runs SQL.
func runsStatements(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return w == "sql" || w == "query" })
}

// statements adds what the SQL in a text says; known is false where there is none.
func (c *collector) statements(r reading) (known bool) {
	tokens, mark := len(c.room.tokens), len(c.room.statements)
	c.readStatements(r)
	all := c.room.statements[mark:]
	worstFirst(all)
	for _, which := range all[:min(len(all), maxCommands)] {
		s := statement{reading: r, tokens: c.room.tokens[which.first:which.last:which.last], stretch: which}
		s.name()
		n := len(c.found)
		c.factsOf(&s)
		if s.at > 0 { // what it acts on stands behind its verb, not in the WITH before it
			verb := s.tokens[s.at].start()
			slices.SortStableFunc(c.found[n:], func(a, b Fact) int { return cmp.Compare(s.isBefore(a, verb), s.isBefore(b, verb)) })
		}
		every := c.every(&s)
		if !c.factsOnly {
			o := operation{verb: "Run " + s.called(), object: s.object, risk: int(s.risk), text: true, joint: " on ", every: every}
			c.operate(o.about(c.found[n:]))
		}
		c.literals(&s)
	}
	c.room.tokens, c.room.statements = c.room.tokens[:tokens], c.room.statements[:mark]
	return len(all) > 0
}

// isStatement reports whether a text is SQL.
func (c *collector) isStatement(text string) bool {
	tokens, mark := len(c.room.tokens), len(c.room.statements)
	c.readStatements(c.room.whole(text, ""))
	known := len(c.room.statements) > mark
	c.room.tokens, c.room.statements = c.room.tokens[:tokens], c.room.statements[:mark]
	return known
}

// worstFirst puts the most dangerous statements first, equals in the order of the text.
func worstFirst(all []stretch) {
	riskiestFirst(all, func(s stretch) int { return int(s.risk) })
}

// readStatements lists the statements of a text in the room, with their tokens, in every
// dialect in which it may be read: where there are very many, the most dangerous ones.
func (c *collector) readStatements(r reading) {
	mark := len(c.room.statements)
	for _, d := range dialects(r.text) {
		if !d.startsLikeSQL(r.text) {
			continue
		}
		from := len(c.room.tokens)
		tokens := d.appendTokens(c.room.tokens, r.text)
		c.room.tokens = tokens
		cut(tokens[from:], func(first, last int) {
			if !c.isStatementTokens(r.text, tokens[from+first:from+last]) {
				return
			}
			c.room.statements = append(c.room.statements, newStretch(tokens, from+first, from+last))
			if all := c.room.statements[mark:]; len(all) == 2*maxCommands {
				worstFirst(all)
				c.room.statements = c.room.statements[:mark+maxCommands]
			}
		})
	}
}

func newStretch(all []token, first, last int) stretch {
	tokens := all[first:last]
	s := stretch{first: int32(first), last: int32(last), risk: tokens[0].risk()}
	if tokens[0].in(carriers) {
		for i, t := range tokens[1:] {
			if t.in(carried) && tokens[i].word() != "FOR" && t.risk() > s.risk {
				s.risk, s.at = t.risk(), int32(i+1)
			}
		}
	}
	return s
}

var (
	carriers = words("WITH EXPLAIN")
	carried  = words("SELECT INSERT UPDATE DELETE MERGE")
)

// name fills what the statement is called.
func (s *statement) name() {
	s.verb = s.tokens[s.at].word()
	switch s.verb {
	case "DROP", "ALTER", "CREATE", "TRUNCATE", "RENAME", "COMMENT", "REFRESH":
		for _, t := range s.tokens[1:min(len(s.tokens), 8)] {
			if t.object() != "" {
				s.object = t.id.lower()
				break
			}
		}
	}
}

// called is the verb, with the object of a DROP: "DROP TABLE".
func (s *statement) called() string {
	if s.object == "" {
		return s.verb
	}
	return s.verb + " " + strings.ToUpper(s.object)
}

func (s *statement) isBefore(f Fact, at int) int {
	if from, _ := s.place(at, at+1); f.Start < from {
		return 1
	}
	return 0
}

// startsLikeSQL is the cheap look at the first word, past comments.
func (d dialect) startsLikeSQL(text string) bool {
	for t, ok := d.next(text, 0); ok; t, ok = d.next(text, t.end()) {
		if t.id == '(' || t.id == ';' {
			continue
		}
		return t.risk() > 0
	}
	return false
}

// anyObject are the words of objects, and one that stands before them.
var anyObject = words("TABLE DATABASE SCHEMA VIEW INDEX ROLE USER LOGIN FUNCTION PROCEDURE TRIGGER SEQUENCE TYPE EXTENSION TABLESPACE PUBLICATION SUBSCRIPTION EVENT " +
	"POLICY SERVER MATERIALIZED")

// What the forms below ask for.
var (
	narrowWords  = words("WHERE USING RETURNING LIMIT .")
	whereWord    = words("WHERE")
	equalsMark   = words("=")
	intoWord     = words("INTO")
	rowWords     = words("VALUES SELECT")
	insertWords  = words("( VALUES SELECT SET USING")
	setWord      = words("SET")
	asWord       = words("AS")
	openMark     = words("(")
	withVerbs    = words("SELECT INSERT UPDATE DELETE VALUES")
	selectMarks  = words("* = ( ,")
	fromWord     = words("FROM")
	explainVerbs = words("SELECT UPDATE DELETE INSERT")
	grantWords   = words("ALL SELECT INSERT UPDATE DELETE USAGE")
	toFromWords  = words("TO FROM")
	copyWords    = words("STDIN STDOUT CSV (")
	onlyLateral  = words("ONLY LATERAL")
	blockWords   = words("( BEGIN THEN ELSE LOOP DECLARE")
	longVerbs    = words("WITH EXPLAIN ALTER CREATE GRANT REVOKE MERGE PREPARE COPY ( REPLACE")
)

// isStatementTokens asks for the form that the verb has in SQL. Prose begins with
// the same words, so a text that nobody calls SQL must have more of it.
func (c *collector) isStatementTokens(text string, statement []token) bool {
	if len(statement) < 2 {
		return c.as.sql && statement[0].word() == "SHUTDOWN"
	}
	var there *wordSet
	has := func(words *wordSet) bool {
		if there == nil {
			there = setOf(statement[1:])
		}
		return there.hasOneOf(words)
	}
	second := statement[1].word()
	switch verb := statement[0].word(); verb {
	case "DROP", "ALTER":
		return statement[1].in(anyObject) || c.as.sql && has(anyObject)
	case "CREATE":
		return has(anyObject)
	case "TRUNCATE":
		return second == "TABLE" || len(statement) == 2 && statement[1].name || c.as.sql
	case "DELETE":
		if second == "FROM" && !c.isDelete(text, statement[2:]) {
			return false
		}
		return c.as.sql || second == "FROM" && (len(statement) == 3 || has(narrowWords)) || has(whereWord) && has(equalsMark)
	case "INSERT", "MERGE", "REPLACE", "UPSERT":
		return second == "INTO" && (c.as.sql || has(insertWords)) || has(intoWord) && (c.as.sql || has(rowWords))
	case "UPDATE":
		return has(setWord) && (c.as.sql || has(equalsMark))
	case "WITH":
		return c.as.sql || has(asWord) && has(openMark) && has(withVerbs)
	case "SELECT":
		return c.as.sql || !articleAfterFrom(text, statement) && (has(selectMarks) && has(fromWord) || len(statement) == 4 && statement[2].word() == "FROM")
	case "EXPLAIN":
		return has(explainVerbs)
	case "GRANT", "REVOKE":
		return c.as.sql || has(grantWords) && has(toFromWords)
	case "COPY":
		return c.as.sql || has(copyWords)
	case "RENAME", "LOCK", "OPTIMIZE", "ANALYZE":
		return c.as.sql || second == "TABLE" && len(statement) > 2
	case "DO":
		return second == "'" || c.as.sql
	case "COMMENT", "REFRESH", "LOAD", "PREPARE", "EXEC", "EXECUTE", "CALL", "SHOW", "USE", "SET", "KILL", "SHUTDOWN", "PURGE", "RESTORE", "DETACH", "REINDEX", "VACUUM",
		"CLUSTER", "ATTACH", "BACKUP", "VALUES":
		return c.as.sql
	}
	return false
}

// isDelete reports whether what stands behind DELETE FROM is a table with what
// may follow one, and no prose.
func (c *collector) isDelete(text string, rest []token) bool {
	for len(rest) > 0 && rest[0].in(onlyLateral) {
		rest = rest[1:]
	}
	bare := 0 // names behind the table: there can be one, an alias
	for _, t := range rest {
		switch {
		case t.word() == "." || t.word() == "AS":
			bare--
		case t.name && t.id == 0:
			bare++
		default:
			return true
		}
		if bare > 2 || !c.as.sql && isArticle(text[t.from:t.to]) {
			return false
		}
	}
	return true
}

// articleAfterFrom reports whether an article follows FROM, as in prose.
func articleAfterFrom(text string, statement []token) bool {
	for i, t := range statement[:len(statement)-1] {
		if next := statement[i+1]; t.in(fromWord) && isArticle(text[next.from:next.to]) {
			return true
		}
	}
	return false
}

func isArticle(word string) bool {
	return len(word) < 6 && hasWord("the a an my your our this that these those all each every", strings.ToLower(word))
}

// cut makes statements: at semicolons, at GO, and before a verb that T-SQL lets
// stand behind a statement without one. Empty statements are left out, and so are
// the words that only begin a block.
func cut(all []token, statement func(first, last int)) {
	start, depth := 0, 0
	add := func(end int) {
		for start < end && all[start].in(blockWords) && (all[start].id == '(' || start+1 < end && all[start+1].risk() > 0) {
			start++
		}
		if start < end {
			statement(start, end)
		}
	}
	for i, t := range all {
		switch {
		case t.id == 0:
		case t.id == '(':
			depth++
		case t.id == ')':
			depth = max(0, depth-1)
		case t.in(cuts):
			add(i)
			start, depth = i+1, 0
		case t.in(cutVerbs):
			if i > start && depth == 0 && i+1 < len(all) && begins(all[start:i], t.word(), all[i+1]) {
				add(i)
				start = i
			}
		}
	}
	add(len(all))
}

var (
	cuts     = words("; GO")
	cutVerbs = words("DROP TRUNCATE DELETE ALTER INSERT")
)

// begins reports whether a verb and the word behind it begin a statement of their
// own behind these tokens.
func begins(before []token, verb string, next token) bool {
	if next.id == 0 || before[0].in(longVerbs) || before[len(before)-1].word() == "AS" {
		return false
	}
	switch verb {
	case "DROP", "ALTER":
		return next.object() != ""
	case "TRUNCATE":
		return next.word() == "TABLE"
	case "INSERT":
		return next.word() == "INTO"
	}
	return next.word() == "FROM"
}

// literals reads the statements that are handed over in literals: DO $$ … $$,
// EXEC('…'), and the command of COPY … PROGRAM '…'.
func (c *collector) literals(s *statement) {
	first := s.tokens[0].word()
	isSQL := hasWord("DO EXEC EXECUTE PREPARE SET", first) || first == "CREATE" && hasWord("function procedure", s.object)
	for i, t := range s.tokens {
		if t.id != '\'' {
			continue
		}
		open := 1
		if s.text[t.from] == '$' {
			open = len(dollarTag(s.text[t.from:]))
		}
		if t.start()+open >= t.end()-open {
			continue
		}
		inner := s.part(t.start()+open, t.end()-open)
		switch {
		case i > 0 && s.tokens[i-1].word() == "PROGRAM":
			c.nested(inner, context{shell: true}, asCommands)
		case isSQL:
			c.nested(inner, context{sql: true}, asStatements)
		}
	}
}
