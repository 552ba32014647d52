package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/sql"
)

// sqlStatement is one statement of a text.
type sqlStatement struct {
	*sqlText
	tokens  []sql.Token
	closing []int32 // of the bracket that opens at a token
	started []bool  // whether a verb begins there
}

// isSQLVerb are verbs that begin something wherever they stand: in a WITH, behind THEN
// or BEGIN, or behind another statement, which T-SQL lets stand without a semicolon.
var isSQLVerb = sql.Words("SELECT INSERT UPDATE DELETE MERGE DROP TRUNCATE ALTER CREATE GRANT REVOKE EXEC EXECUTE CALL REPLACE KILL SHUTDOWN BACKUP RESTORE PREPARE DO COPY RENAME")

func (s *sqlStatement) wordAt(i int) string {
	if i < 0 || i >= len(s.tokens) {
		return ""
	}
	return s.word(s.tokens[i])
}

func oneOf(word, list string) bool { return sql.OneOf(word, list) }

// begins reports whether the verb at i begins something there.
func (s *sqlStatement) begins(i int) bool {
	if i == 0 {
		return true
	}
	before, next := s.wordAt(i-1), s.wordAt(i+1)
	if oneOf(before, ". , @ = SHOW") || i+1 == len(s.tokens) && s.wordAt(i) != "SHUTDOWN" {
		return false
	}
	isName := i+1 < len(s.tokens) && (s.tokens[i+1].Name || next == "[")
	switch s.wordAt(i) {
	case "SELECT":
		return !oneOf(before, "GRANT REVOKE DENY BEFORE AFTER ON")
	case "INSERT", "DELETE", "UPDATE":
		if oneOf(before, "ON OR AFTER BEFORE OF KEY GRANT REVOKE DENY") || before == "FOR" && !oneOf(s.wordAt(0), "PREPARE DECLARE") {
			return false
		}
		if before == "THEN" && (next == "SET" || next == "WHEN") { // of a MERGE
			return false
		}
		if before == "DO" && s.wordAt(i-2) != "" && s.wordAt(0) == "INSERT" { // ON CONFLICT DO UPDATE
			return false
		}
		return isName || next == "INTO" || next == "FROM" || next == "TOP"
	case "DROP", "CREATE":
		return s.tokens[i+1].IsObject() || oneOf(next, "OR TEMP TEMPORARY UNIQUE GLOBAL EXTERNAL MATERIALIZED UNLOGGED OWNED CLUSTERED NONCLUSTERED FOREIGN DEFINER PROC LANGUAGE RULE")
	case "ALTER":
		return s.tokens[i+1].IsObject() || oneOf(next, "SYSTEM DEFAULT SESSION MATERIALIZED AUTHORIZATION")
	case "TRUNCATE":
		return next == "TABLE" || isName && !oneOf(next, "PARTITION") && oneOf(before, "THEN ELSE BEGIN LOOP DO AS ) (")
	case "GRANT", "REVOKE":
		return before != "WITH" && next != "OPTION"
	case "MERGE":
		return next == "INTO" || isName && oneOf(before, "THEN ELSE BEGIN LOOP DO AS ) (")
	case "REPLACE", "COPY":
		return next == "INTO" || isName && oneOf(before, "THEN ELSE BEGIN LOOP")
	case "EXEC", "EXECUTE":
		return !oneOf(before, "GRANT REVOKE DENY WITH") && !oneOf(next, "FUNCTION PROCEDURE ON")
	case "CALL":
		return isName
	case "BACKUP", "RESTORE":
		return oneOf(next, "DATABASE LOG TABLE")
	case "SHUTDOWN":
		return oneOf(next, "WITH") || oneOf(before, "THEN ELSE BEGIN")
	case "KILL":
		return oneOf(before, "THEN ELSE BEGIN LOOP DO")
	case "DO":
		return next == "'"
	case "PREPARE":
		return oneOf(before, "THEN ELSE BEGIN LOOP DO )")
	}
	return false
}

// read reads the statement.
func (s *sqlStatement) read() {
	words := sqlWords()
	if s.plan() {
		return
	}
	s.started = make([]bool, len(s.tokens))
	verb := 0
	for verb < len(s.tokens)-1 && (s.wordAt(verb) == "(" || s.procedural && s.label(verb)) {
		verb++
	}
	first := s.tokens[verb]
	known := first.In(isSQLVerb)
	if e, ok := words.Statements[s.word(first)]; ok && !known {
		known = true
		if e.Kind != Read || e.Sensitive {
			s.found(e, first, s.word(first))
		}
	}
	switch s.word(first) {
	case "SET":
		known = true
		s.set(verb)
	case "PRAGMA":
		known = true
		s.pragma(verb)
	}
	if !known && !s.assigns(verb) {
		s.cannotBeRead(first, "it is no statement that is known")
	}
	if s.word(first) == "DECLARE" && s.wordAt(verb+1) != "@" {
		s.procedural = true
	}
	for i, t := range s.tokens {
		s.started[i] = (t.In(isSQLVerb) || s.word(t) == "DENY") && !t.Quoted && (i == verb || s.begins(i))
	}
	for i := range s.tokens {
		if s.started[i] {
			s.verb(i)
		}
	}
	if s.word(first) != "PRAGMA" {
		s.calls()
	}
}

// label reports whether what stands at i only leads a statement of a procedure.
func (s *sqlStatement) label(i int) bool {
	return oneOf(s.wordAt(i), "BEGIN THEN ELSE LOOP <")
}

// assigns reports whether the statement sets a variable: x := 1.
func (s *sqlStatement) assigns(i int) bool {
	for range 4 {
		if s.wordAt(i) == ":" && s.wordAt(i+1) == "=" || s.procedural && s.wordAt(i) == "=" {
			return true
		}
		i++
	}
	// The rest of a DECLARE: a name and its type.
	return s.procedural && s.tokens[0].Name && len(s.tokens) > 1 && s.tokens[1].Name
}

// plan reads EXPLAIN and DESCRIBE, which run nothing, but for EXPLAIN ANALYZE.
func (s *sqlStatement) plan() bool {
	if !oneOf(s.wordAt(0), "EXPLAIN DESCRIBE DESC") {
		return false
	}
	i := 1
	for ; i < len(s.tokens); i++ {
		switch w := s.wordAt(i); {
		case w == "ANALYZE" || w == "ANALYSE":
			if s.wordAt(0) == "EXPLAIN" {
				for i++; i < len(s.tokens) && !s.tokens[i].In(isSQLVerb) && s.wordAt(i) != "WITH"; i++ {
				}
				if i < len(s.tokens) {
					p := sqlStatement{sqlText: s.sqlText, tokens: s.tokens[i:]}
					p.closing, _ = closings(p.tokens)
					p.read()
					return true
				}
			}
		case s.tokens[i].In(isSQLVerb) && w != "EXECUTE":
			s.found(Effect{Kind: Read, Verb: "explain", Object: "query"}, s.tokens[0], "EXPLAIN")
			return true
		case w == "EXECUTE":
			return false
		}
	}
	s.found(Effect{Kind: Read, Verb: "describe", Object: "table"}, s.tokens[0], s.wordAt(0))
	return true
}

// own are the tokens behind i up to the next verb at its depth, or the end of the
// brackets around it. What stands in brackets is left out, unless it is short: so each
// token is looked at few times, however deep statements stand in one another.
func (s *sqlStatement) own(i int) []sql.Token {
	const short = 24
	all := s.tokens[i : i+1 : i+1]
	for i++; i < len(s.tokens) && !s.started[i] && s.wordAt(i) != ")"; i++ {
		end := int(s.closing[i])
		switch {
		case end == 0:
			all = append(all, s.tokens[i])
		case end-i <= short:
			all = append(all, s.tokens[i:min(end+1, len(s.tokens))]...)
			i = end
		default:
			all = append(all, s.tokens[i])
			if i = end; i < len(s.tokens) {
				all = append(all, s.tokens[i])
			}
		}
	}
	return all
}

// verb reads what the verb at i does.
func (s *sqlStatement) verb(i int) {
	c := sqlClause{sqlStatement: s, tokens: s.own(i), at: i}
	switch c.word(0) {
	case "SELECT":
		c.selects()
	case "INSERT", "REPLACE":
		c.inserts()
	case "UPDATE":
		c.updates()
	case "DELETE":
		c.deletes()
	case "MERGE":
		c.merges()
	case "TRUNCATE":
		c.truncates()
	case "DROP":
		c.drops()
	case "ALTER", "RENAME":
		c.alters()
	case "CREATE":
		c.creates()
	case "GRANT", "REVOKE", "DENY":
		c.grants()
	case "COPY":
		c.copies()
	case "EXEC", "EXECUTE":
		c.executes()
	case "CALL":
		c.procedure(1)
	case "PREPARE":
		c.prepares()
	case "DO":
		c.does()
	default: // KILL, SHUTDOWN, BACKUP, RESTORE
		s.found(sqlWords().Statements[c.word(0)], s.tokens[i], c.word(0))
	}
}

// calls reads every function that is called.
func (s *sqlStatement) calls() {
	words := sqlWords()
	for i := range s.tokens {
		if s.closing[i] == 0 || i == 0 || !s.tokens[i-1].Name || s.isNoCall(i-1) {
			continue
		}
		name, from := s.name(s.tokens[i-1]), i-1
		for from > 1 && s.wordAt(from-1) == "." && s.tokens[from-2].Name {
			from -= 2
			name = s.name(s.tokens[from]) + "." + name
		}
		name = strings.TrimPrefix(strings.TrimPrefix(name, "pg_catalog."), "sys.")
		t := s.tokens[i-1]
		if e, ok := words.Functions[name]; ok {
			s.found(e, t, "calls "+name)
		} else if e, ok := words.Functions[name[strings.LastIndexByte(name, '.')+1:]]; ok {
			s.found(e, t, "calls "+s.plain(name))
		} else if !words.Harmless[name] {
			s.found(Effect{Kind: Execute, Verb: "call", Object: "function"}, t, "calls "+s.plain(name)+", which isn't known to be harmless")
			continue
		}
		s.literalsOf(i, words.Literals.SQL.hasLast(name), words.Literals.Shell.hasLast(name))
	}
}

// isNoCall reports whether the name at i, a bracket behind it, calls nothing: a keyword,
// a type, or a table with its columns.
func (s *sqlStatement) isNoCall(i int) bool {
	t, before := s.tokens[i], s.wordAt(i-1)
	if w := s.word(t); !t.Quoted && (t.In(notCalled) || oneOf(w, notCalledWords)) {
		return true
	}
	for from := i; from > 1 && s.wordAt(from-1) == "."; {
		from -= 2
		before = s.wordAt(from - 1)
	}
	if oneOf(before, "CALL EXEC EXECUTE THEN INTO AS WITH TABLE REFERENCES RECURSIVE CONSTRAINT UPDATE EXISTS OVERWRITE INDEX KEY VIEW FUNCTION PROCEDURE PROC WINDOW") || t.Quoted && s.wordAt(0) == "CREATE" {
		return true
	}
	if before == "ON" && oneOf(s.wordAt(0), "CREATE GRANT REVOKE DROP") {
		return true
	}
	if oneOf(s.wordAt(0), "CREATE ALTER INSERT REPLACE") && i < 8 && !oneOf(before, "( , = VALUES SELECT + - | CHECK DEFAULT") {
		return true // INSERT t (a, b), CREATE INDEX i ON t USING btree (a)
	}
	// WITH a (x, y) AS ( … ), b (z) AS ( … ), and AS t(x, y) without its AS.
	closed := int(s.closing[i+1])
	return closed+2 < len(s.tokens) && s.wordAt(closed+1) == "AS" && (s.wordAt(closed+2) == "(" || oneOf(s.wordAt(closed+2), "NOT MATERIALIZED"))
}

var notCalled = sql.Words("SELECT FROM WHERE IN AND OR NOT AS ON USING VALUES SET BY EXISTS ALL JOIN UNION EXCEPT INTERSECT HAVING LIMIT WHEN THEN ELSE KEY UNIQUE TABLE LIKE " +
	"INTO DISTINCT INDEX TYPE TOP OFFSET FETCH RETURNING ORDER GROUP LATERAL IF END IS MINUS DELETE UPDATE DROP EXEC EXECUTE EXPLAIN WITH GRANT REVOKE CREATE COPY INNER LEFT RIGHT " +
	"CROSS FULL NATURAL OUTER RECURSIVE MATERIALIZED")

const notCalledWords = "OVER FILTER PARTITION ANY SOME BETWEEN CASE INTERVAL PRIMARY FOREIGN CHECK REFERENCES DEFAULT GENERATED ALWAYS WITHIN ROLLUP CUBE SETS PIVOT UNPIVOT SAMPLE " +
	"TABLESAMPLE BERNOULLI ADD COLUMN COLUMNS CONSTRAINT INCLUDE ENGINE PRINT RETURN WHILE ELSIF MODIFY QUALIFY WINDOW GROUPS RANGE ROWS PRECEDING ASOF GLOBAL PREWHERE OPTIONS " +
	"MAXVALUE LESS THAN RAISE CUBE APPLY HINT NOLOCK FORCE USE IGNORE STRAIGHT_JOIN CONFLICT VARYING COLLATE"

// literalsOf reads the literals in the brackets that open at i.
func (s *sqlStatement) literalsOf(i int, statements, commands bool) {
	if !statements && !commands {
		return
	}
	for j := i + 1; j < int(s.closing[i]) && j < len(s.tokens); j++ {
		t := s.tokens[j]
		switch {
		case t.Word() != "'":
		case commands:
			s.inShell(t)
		case s.source.Inner(s.text[t.From+1 : max(t.To-1, t.From+1)]).SQL().IsStatement():
			s.inLiteral(t)
		}
	}
}
