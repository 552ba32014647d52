package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/sql"
)

// sqlClause is a verb with the tokens that belong to it.
type sqlClause struct {
	*sqlStatement
	tokens []sql.Token
	at     int // of the verb in the statement
}

func (c *sqlClause) word(i int) string {
	if i < 0 || i >= len(c.tokens) {
		return ""
	}
	return c.sqlText.word(c.tokens[i])
}

// find is where one of the words stands first, from i on; the end where none does.
func (c *sqlClause) find(i int, list string) int {
	for ; i < len(c.tokens); i++ {
		if oneOf(c.word(i), list) {
			return i
		}
	}
	return len(c.tokens)
}

func (c *sqlClause) has(list string) bool { return c.find(1, list) < len(c.tokens) }

// skip is the first token from i on that is none of the words.
func (c *sqlClause) skip(i int, list string) int {
	for i < len(c.tokens) && oneOf(c.word(i), list) {
		i++
	}
	return i
}

// names is the dotted name at i, without quotes and in lower case, and what follows it.
func (c *sqlClause) nameAt(i int) (name string, next int) {
	if i >= len(c.tokens) || !c.tokens[i].Name {
		return "", i
	}
	var b strings.Builder
	b.WriteString(c.name(c.tokens[i]))
	for i++; i < len(c.tokens) && c.word(i) == "."; {
		i++
		if c.word(i) == "." { // server..table
			i++
		}
		if i < len(c.tokens) && c.tokens[i].Name && b.Len() < 256 {
			b.WriteString("." + c.name(c.tokens[i]))
			i++
		}
	}
	return b.String(), i
}

// say adds an effect whose evidence is the verb.
func (c *sqlClause) say(e Effect, why string) { c.found(e, c.tokens[0], why) }

func (c *sqlClause) is(class, table string) bool { return sqlWords().Tables[class].hasLast(table) }

// isAccess reports whether the rows of a table give access, beside those of people.
func (c *sqlClause) isAccess(table string) bool {
	return c.is("access", table) && !c.is("people", table)
}

// everyRow reports whether nothing narrows it down.
func (c *sqlClause) everyRow() bool {
	return sql.Statement{Text: c.text, Tokens: c.tokens}.EveryRow()
}

// breadth is how many rows a condition lets through, as far as it says.
func (c *sqlClause) breadth() Breadth {
	where := c.find(1, "WHERE")
	switch {
	case where == len(c.tokens) || c.has("JOIN USING LIMIT"):
		return Several
	case c.find(where, "OR IN LIKE < > BETWEEN IS NOT ILIKE ANY ( ~") < len(c.tokens):
		return Several
	}
	return One
}

func (c *sqlClause) deletes() {
	i := c.skip(1, "FROM ONLY IGNORE QUICK LOW_PRIORITY LATERAL")
	table, _ := c.nameAt(i)
	e := Effect{Kind: Delete, Verb: "delete", Object: "rows", Breadth: c.breadth()}
	why := c.verbOn("DELETE", table)
	if c.everyRow() {
		e.Breadth = All
		why += c.everyRowBecause()
	}
	c.say(e, why)
	if c.isAccess(table) {
		c.say(Effect{Kind: Permission, Verb: "revoke", Object: "access", Breadth: e.Breadth}, why)
	}
}

func (c *sqlClause) everyRowBecause() string {
	if c.has("WHERE") {
		return " with a WHERE that is always true"
	}
	return " without a WHERE"
}

func (c *sqlClause) updates() {
	table, _ := c.nameAt(c.skip(1, "ONLY IGNORE LOW_PRIORITY OR REPLACE ROLLBACK ABORT FAIL"))
	why := c.verbOn("UPDATE", table)
	breadth := c.breadth()
	if c.everyRow() && !oneOf(c.sqlStatement.wordAt(0), "MERGE") {
		breadth = All
		c.say(Effect{Kind: Delete, Verb: "overwrite", Object: "rows", Breadth: All}, why+c.everyRowBecause())
	}
	words := sqlWords()
	end := c.find(1, "WHERE FROM RETURNING")
	wrote, named := false, false
	for i := c.find(1, "SET"); i+1 < end; i++ {
		if c.word(i+1) != "=" || !c.tokens[i].Name || !oneOf(c.word(i-1), "SET , . (") {
			continue
		}
		column := c.name(c.tokens[i])
		switch {
		case words.Columns["access"].hasEnd(column), c.isAccess(table), (c.is("people", table) || c.is("access", table)) && words.Columns["account"].hasEnd(column):
			named = true
			c.say(Effect{Kind: Permission, Verb: "change", Object: "access", Breadth: breadth}, why+", "+c.plain(column))
		case words.Columns["money"].hasEnd(column):
			named = true
			c.say(Effect{Kind: Money, Verb: "change", Object: "amount", Breadth: breadth}, why+", "+c.plain(column))
		case !wrote && breadth != All:
			wrote = true
			c.say(Effect{Kind: Write, Verb: "update", Object: "rows", Breadth: breadth}, why)
		}
	}
	if !wrote && !named && breadth != All {
		c.say(Effect{Kind: Write, Verb: "update", Object: "rows", Breadth: breadth}, why)
	}
}

func (c *sqlClause) inserts() {
	i := c.find(1, "INTO OVERWRITE")
	overwrites := c.word(i) == "OVERWRITE" || c.word(i+1) == "OVERWRITE"
	if i == len(c.tokens) { // INSERT t, REPLACE t
		i = c.skip(1, "IGNORE LOW_PRIORITY DELAYED HIGH_PRIORITY OR ABORT FAIL ROLLBACK REPLACE") - 1
	}
	table, _ := c.nameAt(c.skip(i+1, "TABLE INTO OVERWRITE DIRECTORY"))
	c.changesRows("INSERT into", table, overwrites)
}

// changesRows adds what new rows of a table mean.
func (c *sqlClause) changesRows(verb, table string, overwrites bool) {
	why := verb + " " + c.plain(table)
	switch {
	case overwrites:
		c.say(Effect{Kind: Delete, Verb: "overwrite", Object: "rows", Breadth: All}, why)
	case c.is("access", table):
		c.say(Effect{Kind: Permission, Verb: "grant", Object: "access"}, why)
	case c.is("money", table):
		c.say(Effect{Kind: Money, Verb: "record", Object: "payment"}, why)
	default:
		c.say(Effect{Kind: Write, Verb: "insert", Object: "rows"}, why)
	}
}

func (c *sqlClause) merges() {
	table, _ := c.nameAt(c.skip(1, "INTO"))
	c.changesRows("MERGE into", table, false)
	for i := 1; i+1 < len(c.tokens); i++ {
		if c.word(i) == "THEN" && c.word(i+1) == "DELETE" {
			c.found(Effect{Kind: Delete, Verb: "delete", Object: "rows", Breadth: Several}, c.tokens[i+1], c.verbOn("MERGE with DELETE", table))
		}
	}
}

func (c *sqlClause) truncates() {
	table, _ := c.nameAt(c.skip(1, "TABLE ONLY IF EXISTS PARTITION"))
	c.say(Effect{Kind: Delete, Verb: "empty", Object: "table", Breadth: All}, c.verbOn("TRUNCATE", table))
}

func (c *sqlClause) drops() {
	i := c.skip(1, "IF EXISTS MATERIALIZED TEMP TEMPORARY FOREIGN EXTERNAL UNIQUE GLOBAL")
	object := strings.ToLower(c.word(i))
	name, next := c.nameAt(c.skip(i+1, "IF EXISTS CONCURRENTLY"))
	why := strings.TrimSpace("DROP "+strings.ToUpper(c.plain(object))+" ") + " " + c.plain(name)
	e := Effect{Kind: Delete, Verb: "drop", Object: c.object(object)}
	switch {
	case oneOf(object, "database schema keyspace catalog owned tablespace"), c.has("CASCADE"):
		e.Breadth = All
	case c.word(next) == ",":
		e.Breadth = Several
	}
	c.say(e, why)
	if oneOf(object, "user role login policy server publication subscription group mask security audit trigger") {
		c.say(Effect{Kind: Permission, Verb: "remove", Object: c.object(object), Breadth: e.Breadth}, why)
	}
}

// object is a word of ours for what a DROP, ALTER or CREATE is about.
func (c *sqlClause) object(word string) string {
	if oneOf(strings.ToUpper(word), sql.Objects) || oneOf(word, otherObjects) {
		return word
	}
	c.cannotBeRead(c.tokens[0], "it isn't known what "+c.word(0)+" is for")
	return "object"
}

// otherObjects are what the definitions of some databases are about, beside sql.Objects.
const otherObjects = "column partition constraint owned keyspace catalog bucket aggregate operator domain collation conversion rule cast transform synonym package assembly certificate " +
	"credential queue contract message stream task stage pipe warehouse share integration tag dictionary quota row profile masking proc procedure group mask security audit " +
	"system default authorization session access mapping language library text statistics unlogged resource graph model dataset reservation macro secret dynamic network " +
	"compute pool application image node label constraint materialized clustered nonclustered columnstore fulltext spatial xml bitmap undo redo file filegroup global any server"

func (c *sqlClause) alters() {
	object := strings.ToLower(c.word(c.skip(1, "FOREIGN EXTERNAL MATERIALIZED")))
	name, _ := c.nameAt(c.skip(c.skip(1, "FOREIGN EXTERNAL MATERIALIZED")+1, "IF EXISTS ONLY"))
	why := c.word(0) + " " + strings.ToUpper(c.plain(object)) + " " + c.plain(name)
	if oneOf(object, "user role login group system policy server publication subscription default authorization security profile event") {
		c.say(Effect{Kind: Permission, Verb: "alter", Object: c.object(object)}, why)
		return
	}
	wrote := false
	for i := 2; i < len(c.tokens); i++ {
		next := c.word(i + 1)
		switch c.word(i) {
		case "DROP", "DELETE", "TRUNCATE", "CLEAR":
			if oneOf(c.word(i-1), "COLUMN RENAME TO ADD") || oneOf(next, "NOT DEFAULT CONSTRAINT IDENTITY EXPRESSION INDEX PRIMARY FOREIGN") {
				continue // ALTER COLUMN a DROP NOT NULL
			}
			wrote = true
			c.found(Effect{Kind: Delete, Verb: "drop", Object: "column"}, c.tokens[i], why+" "+c.word(i))
		case "DISABLE", "ENABLE", "OWNER", "NO":
			if oneOf(next, "ROW TRIGGER TO RULE FORCE") {
				wrote = true
				c.found(Effect{Kind: Permission, Verb: "change", Object: "access"}, c.tokens[i], why+" "+c.word(i)+" "+next)
			}
		}
	}
	if !wrote {
		c.say(Effect{Kind: Write, Verb: "alter", Object: c.object(object)}, why)
	}
}

func (c *sqlClause) creates() {
	i := c.skip(1, "OR REPLACE TEMP TEMPORARY UNIQUE GLOBAL LOCAL EXTERNAL MATERIALIZED UNLOGGED CLUSTERED NONCLUSTERED FOREIGN IF NOT EXISTS TRUSTED RECURSIVE ALTER TRANSIENT CONSTRAINT")
	if c.word(i) == "DEFINER" {
		i = c.find(i, "VIEW FUNCTION PROCEDURE TRIGGER EVENT")
	}
	object := strings.ToLower(c.word(i))
	name, next := c.nameAt(c.skip(i+1, "IF NOT EXISTS CONCURRENTLY"))
	why := "CREATE " + strings.ToUpper(c.plain(object)) + " " + c.plain(name)
	switch {
	case oneOf(object, "user role login policy server subscription publication event group extension credential certificate security audit mapping access rule"):
		c.say(Effect{Kind: Permission, Verb: "create", Object: c.object(object)}, why)
	case oneOf(object, "function procedure trigger proc aggregate operator language library"):
		c.say(Effect{Kind: Write, Verb: "create", Object: c.object(object)}, why)
		if at := c.find(i, "LANGUAGE"); oneOf(c.word(at+1), "C PLPYTHONU PLPYTHON3U PLPERLU PLTCLU JAVA JAVASCRIPT PYTHON PLV8 PLSH") || object == "library" || object == "language" {
			c.say(Effect{Kind: Execute, Verb: "create", Object: "function"}, why+" in another language")
			return
		}
		for _, t := range c.tokens[min(next, len(c.tokens)):] {
			if t.Word() == "'" && c.text[t.From] == '$' {
				c.inBody(t)
			}
		}
	default:
		c.say(Effect{Kind: Write, Verb: "create", Object: c.object(object)}, why)
	}
}

// inBody reads a literal as the body of a procedure.
func (c *sqlClause) inBody(t sql.Token) {
	was := c.inProcedure
	c.inProcedure = true
	c.inLiteral(t)
	c.inProcedure = was
}

func (c *sqlClause) grants() {
	e := Effect{Kind: Permission, Verb: strings.ToLower(c.word(0)), Object: "access"}
	if c.word(1) == "ALL" || c.has("* PUBLIC") {
		e.Breadth = All
	}
	if on := c.find(1, "ON"); c.word(on+1) == "ALL" {
		e.Breadth = All
	}
	c.say(e, c.word(0))
}

func (c *sqlClause) copies() {
	table, _ := c.nameAt(c.skip(1, "INTO"))
	for i := 1; i+1 < len(c.tokens); i++ {
		if c.word(i) == "PROGRAM" && c.word(i+1) == "'" {
			c.inShell(c.tokens[i+1])
		}
	}
	to, from := c.find(1, "TO"), c.find(1, "FROM")
	switch target := c.word(to + 1); {
	case to < from && target == "STDOUT":
		c.say(Effect{Kind: Read, Verb: "export", Object: "table", Breadth: All}, c.verbOn("COPY", table))
	case to < from && target == "PROGRAM":
		c.say(Effect{Kind: Execute, Verb: "run", Object: "program"}, "COPY TO PROGRAM")
	case to < from:
		c.say(Effect{Kind: Read, Verb: "export", Object: "table", Breadth: All, Sensitive: true}, c.verbOn("COPY", table)+" to a file")
		c.say(Effect{Kind: Write, Verb: "write", Object: "server file"}, c.verbOn("COPY", table)+" to a file")
	case c.word(1) == "INTO" && c.word(2) == "@":
		c.say(Effect{Kind: Read, Verb: "export", Object: "table", Breadth: All, Sensitive: true}, "COPY INTO a stage")
	default:
		if c.word(from+1) == "PROGRAM" {
			c.say(Effect{Kind: Execute, Verb: "run", Object: "program"}, "COPY FROM PROGRAM")
		}
		c.changesRows("COPY into", table, false)
	}
}
