package sql

import (
	"slices"
	"strings"
)

// verbs are what a statement begins with, by how much it can destroy.
var verbs = map[string]int{
	"DROP": 6, "SHUTDOWN": 6, "TRUNCATE": 5, "DELETE": 5, "ALTER": 4, "PURGE": 4, "KILL": 4, "RESTORE": 4, "DO": 4, "EXEC": 4, "EXECUTE": 4, "PREPARE": 4, "CALL": 4,
	"UPDATE": 3, "MERGE": 3, "REPLACE": 3, "REVOKE": 3, "GRANT": 3, "RENAME": 3, "DETACH": 3, "UPSERT": 3,
	"INSERT": 2, "CREATE": 2, "COPY": 2, "LOAD": 2, "REFRESH": 2, "REINDEX": 2, "VACUUM": 2, "CLUSTER": 2, "LOCK": 2, "COMMENT": 2, "SET": 2, "ATTACH": 2,
	"BACKUP": 2, "OPTIMIZE": 2, "ANALYZE": 2, "SELECT": 1, "WITH": 1, "EXPLAIN": 1, "SHOW": 1, "USE": 1, "BEGIN": 1, "DECLARE": 1, "VALUES": 1, "START": 1,
	"COMMIT": 1, "ROLLBACK": 1, "FETCH": 1, "END": 1,
}

var verbRisks = func() (risks [wordIDs]int8) {
	for verb, risk := range verbs {
		if id := keyword(verb); id != 0 {
			risks[id] = int8(risk)
		}
	}
	return risks
}()

// Objects are what DROP, ALTER and CREATE are about.
const Objects = "TABLE DATABASE SCHEMA VIEW INDEX ROLE USER LOGIN FUNCTION PROCEDURE TRIGGER SEQUENCE TYPE EXTENSION TABLESPACE PUBLICATION SUBSCRIPTION EVENT " +
	"POLICY SERVER"

var (
	objectWords = Words(Objects)
	anyObject   = Words(Objects + " MATERIALIZED") // which stands before one
)

// Statement is one statement of a text.
type Statement struct {
	Text   string // the whole one
	Tokens []Token
	At     int // where its worst verb stands among its tokens: a WITH can carry a DELETE
	Risk   int // of that
}

// Statements lists those of a text in every dialect in which it may be read. Where
// nobody said that the text is SQL, they must have more of its form.
func (t *Text) Statements(said bool) (all []Statement) {
	for _, d := range t.Dialects() {
		if !d.startsLikeSQL(t.text) {
			continue
		}
		tokens := t.Tokens(d)
		cut(tokens, func(first, last int) {
			if one := tokens[first:last:last]; isStatement(t.text, one, said) {
				all = append(all, newStatement(t.text, one))
			}
		})
	}
	return all
}

func newStatement(text string, tokens []Token) Statement {
	s := Statement{Text: text, Tokens: tokens, Risk: tokens[0].Risk()}
	if tokens[0].In(carriers) {
		for i, t := range tokens[1:] {
			if t.In(carried) && tokens[i].Word() != "FOR" && t.Risk() > s.Risk {
				s.Risk, s.At = t.Risk(), i+1
			}
		}
	}
	return s
}

var (
	carriers = Words("WITH EXPLAIN")
	carried  = Words("SELECT INSERT UPDATE DELETE MERGE")
)

// Written is what a token stands for in the text.
func (s Statement) Written(t Token) string { return s.Text[t.From:t.To] }

// setOf is the set of the words of tokens.
func setOf(tokens []Token) *WordSet {
	var set WordSet
	for _, t := range tokens {
		set[t.ID/64] |= 1 << (t.ID % 64)
	}
	return &set
}

// startsLikeSQL is the cheap look at the first word, past comments.
func (d Dialect) startsLikeSQL(text string) bool {
	for t, ok := d.next(text, 0); ok; t, ok = d.next(text, t.End()) {
		if t.ID == '(' || t.ID == ';' {
			continue
		}
		return t.Risk() > 0
	}
	return false
}

// What the forms below ask for.
var (
	narrowWords  = Words("WHERE USING RETURNING LIMIT .")
	whereWord    = Words("WHERE")
	equalsMark   = Words("=")
	intoWord     = Words("INTO")
	rowWords     = Words("VALUES SELECT")
	insertWords  = Words("( VALUES SELECT SET USING")
	setWord      = Words("SET")
	asWord       = Words("AS")
	openMark     = Words("(")
	withVerbs    = Words("SELECT INSERT UPDATE DELETE VALUES")
	selectMarks  = Words("* = ( ,")
	fromWord     = Words("FROM")
	explainVerbs = Words("SELECT UPDATE DELETE INSERT")
	grantWords   = Words("ALL SELECT INSERT UPDATE DELETE USAGE")
	toFromWords  = Words("TO FROM")
	copyWords    = Words("STDIN STDOUT CSV (")
	onlyLateral  = Words("ONLY LATERAL")
	blockWords   = Words("( BEGIN THEN ELSE LOOP DECLARE")
	longVerbs    = Words("WITH EXPLAIN ALTER CREATE GRANT REVOKE MERGE PREPARE COPY ( REPLACE")
)

// isStatement asks for the form that the verb has in SQL. Prose begins with
// the same words, so a text that nobody calls SQL must have more of it.
func isStatement(text string, statement []Token, said bool) bool {
	if len(statement) < 2 {
		return said && statement[0].Word() == "SHUTDOWN"
	}
	var there *WordSet
	has := func(words *WordSet) bool {
		if there == nil {
			there = setOf(statement[1:])
		}
		return there.hasOneOf(words)
	}
	second := statement[1].Word()
	switch verb := statement[0].Word(); verb {
	case "DROP", "ALTER":
		return statement[1].In(anyObject) || said && has(anyObject)
	case "CREATE":
		return has(anyObject)
	case "TRUNCATE":
		return second == "TABLE" || len(statement) == 2 && statement[1].Name || said
	case "DELETE":
		if second == "FROM" && !isDelete(text, statement[2:], said) {
			return false
		}
		return said || second == "FROM" && (len(statement) == 3 || has(narrowWords)) || has(whereWord) && has(equalsMark)
	case "INSERT", "MERGE", "REPLACE", "UPSERT":
		return second == "INTO" && (said || has(insertWords)) || has(intoWord) && (said || has(rowWords))
	case "UPDATE":
		return has(setWord) && (said || has(equalsMark))
	case "WITH":
		return said || has(asWord) && has(openMark) && has(withVerbs)
	case "SELECT":
		return said || !articleAfterFrom(text, statement) && (has(selectMarks) && has(fromWord) || len(statement) == 4 && statement[2].Word() == "FROM")
	case "EXPLAIN":
		return has(explainVerbs)
	case "GRANT", "REVOKE":
		return said || has(grantWords) && has(toFromWords)
	case "COPY":
		return said || has(copyWords)
	case "RENAME", "LOCK", "OPTIMIZE", "ANALYZE":
		return said || second == "TABLE" && len(statement) > 2
	case "DO":
		return second == "'" || said
	case "COMMENT", "REFRESH", "LOAD", "PREPARE", "EXEC", "EXECUTE", "CALL", "SHOW", "USE", "SET", "KILL", "SHUTDOWN", "PURGE", "RESTORE", "DETACH", "REINDEX", "VACUUM",
		"CLUSTER", "ATTACH", "BACKUP", "VALUES":
		return said
	}
	return false
}

// isDelete reports whether what stands behind DELETE FROM is a table with what
// may follow one, and no prose.
func isDelete(text string, rest []Token, said bool) bool {
	for len(rest) > 0 && rest[0].In(onlyLateral) {
		rest = rest[1:]
	}
	bare := 0 // names behind the table: there can be one, an alias
	for _, t := range rest {
		switch {
		case t.Word() == "." || t.Word() == "AS":
			bare--
		case t.Name && t.ID == 0:
			bare++
		default:
			return true
		}
		if bare > 2 || !said && isArticle(text[t.From:t.To]) {
			return false
		}
	}
	return true
}

// articleAfterFrom reports whether an article follows FROM, as in prose.
func articleAfterFrom(text string, statement []Token) bool {
	for i, t := range statement[:len(statement)-1] {
		if next := statement[i+1]; t.In(fromWord) && isArticle(text[next.From:next.To]) {
			return true
		}
	}
	return false
}

var articles = strings.Fields("the a an my your our this that these those all each every")

func isArticle(word string) bool {
	return len(word) < 6 && slices.Contains(articles, strings.ToLower(word))
}

// cut makes statements: at semicolons, at GO, and before a verb that T-SQL lets
// stand behind a statement without one. Empty statements are left out, and so are
// the words that only begin a block.
func cut(all []Token, statement func(first, last int)) {
	start, depth := 0, 0
	add := func(end int) {
		for start < end && all[start].In(blockWords) && (all[start].ID == '(' || start+1 < end && all[start+1].Risk() > 0) {
			start++
		}
		if start < end {
			statement(start, end)
		}
	}
	for i, t := range all {
		switch {
		case t.ID == 0:
		case t.ID == '(':
			depth++
		case t.ID == ')':
			depth = max(0, depth-1)
		case t.In(cuts):
			add(i)
			start, depth = i+1, 0
		case t.In(cutVerbs):
			if i > start && depth == 0 && i+1 < len(all) && begins(all[start:i], t.Word(), all[i+1]) {
				add(i)
				start = i
			}
		}
	}
	add(len(all))
}

var (
	cuts     = Words("; GO")
	cutVerbs = Words("DROP TRUNCATE DELETE ALTER INSERT")
)

// begins reports whether a verb and the word behind it begin a statement of their
// own behind these tokens.
func begins(before []Token, verb string, next Token) bool {
	if next.ID == 0 || before[0].In(longVerbs) || before[len(before)-1].Word() == "AS" {
		return false
	}
	switch verb {
	case "DROP", "ALTER":
		return next.IsObject()
	case "TRUNCATE":
		return next.Word() == "TABLE"
	case "INSERT":
		return next.Word() == "INTO"
	}
	return next.Word() == "FROM"
}
