package effects

import (
	"strings"
)

// selects reads a SELECT: what it writes, and whether what it returns is sensitive.
func (c *sqlClause) selects() {
	from := c.find(1, "FROM")
	if into := c.find(1, "INTO"); into+1 < len(c.tokens) && !c.procedural {
		switch next := c.word(into + 1); {
		case oneOf(next, "OUTFILE DUMPFILE"):
			c.say(Effect{Kind: Write, Verb: "write", Object: "server file"}, "SELECT INTO "+next)
			c.say(Effect{Kind: Read, Verb: "export", Object: "data", Breadth: All, Sensitive: true}, "SELECT INTO "+next)
		case next != "@" && next != ":":
			c.say(Effect{Kind: Write, Verb: "create", Object: "table"}, "SELECT INTO")
		}
	}
	tables := c.tablesFrom(from)
	star, secret, personal := c.columns(min(from, c.find(1, "INTO")), tables)
	breadth := One
	switch bounded := c.has("LIMIT TOP FETCH SAMPLE"); {
	case !c.has("WHERE") && !bounded:
		breadth = All
	case !c.has("WHERE") || c.breadth() != One:
		breadth = Several
	}
	for _, table := range tables {
		if star && c.is("secrets", table) {
			secret = table
		}
		if star && breadth == All && c.is("people", table) && !c.has("GROUP HAVING") {
			personal = table
		}
	}
	e := Effect{Kind: Read, Verb: "read", Object: "rows", Breadth: breadth, Sensitive: true}
	switch {
	case secret != "":
		e.Object = "secrets"
		c.say(e, "SELECT of "+c.plain(secret))
	case personal != "" && breadth == All:
		e.Object = "personal data"
		c.say(e, "SELECT of "+c.plain(personal)+" without a WHERE or LIMIT")
	default:
		e.Sensitive, e.Breadth = false, One
		c.say(e, "SELECT")
	}
}

// tablesFrom are the tables that stand behind FROM and JOIN.
func (c *sqlClause) tablesFrom(from int) (tables []string) {
	for i := from; i < len(c.tokens) && len(tables) < 64; i++ {
		switch w := c.word(i); {
		case oneOf(w, "WHERE GROUP ORDER LIMIT"):
			return tables
		case oneOf(w, "FROM JOIN ,"):
			if name, next := c.nameAt(c.skip(i+1, "ONLY LATERAL")); name != "" {
				tables = append(tables, name)
				i = max(i, next-1)
			}
		}
	}
	return tables
}

// columns looks at what is selected, up to the token end: whether everything, and the
// names of columns that hold secrets or personal data.
func (c *sqlClause) columns(end int, tables []string) (star bool, secret, personal string) {
	words := sqlWords()
	counted := 0 // up to there stands what is only counted
	for i := 1; i < end && i < len(c.tokens); i++ {
		t := c.tokens[i]
		if c.word(i) == "*" && oneOf(c.word(i-1), "SELECT , . DISTINCT ALL ) TOP") {
			star = true
		}
		if !t.Name || c.word(i-1) == "AS" {
			continue
		}
		if c.word(i+1) == "(" && oneOf(c.word(i), "COUNT LENGTH MD5 SHA256 CHAR_LENGTH LEN ISNULL SUM AVG APPROX_COUNT_DISTINCT COUNTIF COUNT_IF") {
			counted = c.find(i, ")")
		}
		name := c.name(t)
		if i < counted || c.word(i+1) == "." {
			continue
		}
		if words.Columns["secrets"].hasEnd(name) || oneOf(name, "value key hash data secret_value") && len(tables) > 0 && c.is("secrets", tables[0]) {
			secret = name
		}
		if words.Columns["people"][name] {
			personal = name
		}
	}
	return star, secret, personal
}

// executes reads EXEC and EXECUTE: a text, a prepared statement or a procedure.
func (c *sqlClause) executes() {
	i := c.skip(1, "IMMEDIATE ( N E")
	switch {
	case c.word(i) == "AS":
		c.say(Effect{Kind: Permission, Verb: "become", Object: "another user"}, "EXECUTE AS")
	case c.isText(i):
		c.executed(i)
	case i < len(c.tokens) && c.tokens[i].Name && c.prepared[c.name(c.tokens[i])]:
		// What it runs was read where it was prepared.
	case c.word(i) == "@" && c.word(i+2) == "=": // EXEC @result = procedure
		c.procedure(i + 3)
	default:
		c.procedure(i)
	}
}

// isText reports whether a literal stands at i, or what T-SQL takes for one.
func (c *sqlClause) isText(i int) bool {
	return c.word(i) == "'" || i < len(c.tokens) && c.tokens[i].Quoted && c.text[c.tokens[i].From] == '"'
}

// executed reads the literal at i as SQL that is run, if it is all that is run.
func (c *sqlClause) executed(i int) {
	switch next := c.word(i + 1); {
	case next == "" || oneOf(next, ") , USING INTO AT FOR ;"):
		c.inLiteral(c.tokens[i])
	default:
		c.assembled(i)
	}
}

// assembled says that what is run is put together when it runs.
func (c *sqlClause) assembled(i int) {
	t := c.tokens[min(i, len(c.tokens)-1)]
	c.found(Effect{Kind: Execute, Verb: "run", Object: "query"}, t, "can't be read: the statement is assembled")
	for ; i < len(c.tokens); i++ {
		if c.word(i) == "'" && c.source.Inner(c.text[c.tokens[i].From+1:max(c.tokens[i].To-1, c.tokens[i].From+1)]).SQL().IsStatement() {
			c.inLiteral(c.tokens[i])
		}
	}
}

// procedure reads the call of the procedure whose name stands at i.
func (c *sqlClause) procedure(i int) {
	name, next := c.nameAt(i)
	words := sqlWords()
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch e, known := words.Procedures[last]; {
	case name == "":
		c.assembled(i)
	case words.Literals.Shell[last] && c.word(next) != "" || words.Literals.SQL[last]:
		if words.Literals.Shell[last] {
			c.say(Effect{Kind: Execute, Verb: "run", Object: "program"}, "runs "+last)
		}
		at := c.skip(next, "N ( @ STMT =")
		switch {
		case c.word(at) == "'" && words.Literals.Shell[last]:
			c.inShell(c.tokens[at])
		case c.word(at) == "'":
			c.executed(at)
		default:
			c.assembled(at)
		}
	case known:
		c.found(e, c.tokens[i], "runs "+last)
	case words.Harmless[last] && c.word(next) == "(":
	default:
		if e, known := words.Functions[last]; known {
			c.found(e, c.tokens[i], "calls "+last)
			return
		}
		c.found(Effect{Kind: Execute, Verb: "call", Object: "procedure"}, c.tokens[i], "calls "+c.plain(name)+", which isn't known to be harmless")
	}
}

// prepares reads PREPARE: a statement behind AS is found by itself, a literal is read.
func (c *sqlClause) prepares() {
	name, next := c.nameAt(1)
	from := c.find(next, "FROM AS")
	if from < len(c.tokens) && c.word(from) == "FROM" {
		if c.isText(from + 1) {
			c.executed(from + 1)
		} else {
			c.assembled(from + 1)
		}
	}
	c.prepared[name] = true
}

// does reads DO with the block in its literal.
func (c *sqlClause) does() {
	i := c.find(1, "'")
	if i == len(c.tokens) {
		c.cannotBeRead(c.tokens[0], "a block without its text")
		return
	}
	if c.has("LANGUAGE") && !oneOf(c.word(c.find(1, "LANGUAGE")+1), "PLPGSQL SQL") {
		c.say(Effect{Kind: Execute, Verb: "run", Object: "code"}, "can't be read: a block in another language")
		return
	}
	was := c.inProcedure
	c.inProcedure = true
	c.inLiteral(c.tokens[i])
	c.inProcedure = was
}

// set reads SET: most change the session only.
func (s *sqlStatement) set(i int) {
	words := sqlWords()
	t := s.tokens[i]
	for _, t := range s.tokens[i+1 : min(len(s.tokens), i+6)] {
		if w := s.word(t); w == "=" || w == "TO" || w == "'" {
			break
		}
		if words.Controls[s.name(t)] {
			s.found(Effect{Kind: Permission, Verb: "set", Object: "server setting"}, t, "SET "+s.plain(s.name(t)))
			return
		}
	}
	s.found(Effect{Kind: Read, Verb: "set", Object: "session setting"}, t, "SET")
}

// pragma reads SQLite's PRAGMA: with a value it sets something.
func (s *sqlStatement) pragma(i int) {
	if i+1 >= len(s.tokens) {
		s.cannotBeRead(s.tokens[i], "it is no statement")
		return
	}
	name := s.name(s.tokens[len(s.tokens)-1])
	for j := i + 1; j < len(s.tokens); j++ {
		if w := s.wordAt(j); w == "=" || w == "(" {
			name = s.name(s.tokens[j-1])
			break
		}
	}
	const reads = "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list database_list function_list collation_list module_list pragma_list " +
		"compile_options integrity_check quick_check foreign_key_check stats"
	isSet := false
	for j := i; j < len(s.tokens); j++ {
		isSet = isSet || s.wordAt(j) == "=" || s.wordAt(j) == "("
	}
	switch {
	case oneOf(name, reads), !isSet && !oneOf(name, "optimize incremental_vacuum wal_checkpoint shrink_memory"):
		s.found(Effect{Kind: Read, Verb: "read", Object: "schema"}, s.tokens[i], "PRAGMA "+s.plain(name))
	case sqlWords().Controls[name]:
		s.found(Effect{Kind: Permission, Verb: "set", Object: "server setting"}, s.tokens[i], "PRAGMA "+s.plain(name))
	default:
		s.found(Effect{Kind: Write, Verb: "set", Object: "database setting"}, s.tokens[i], "PRAGMA "+s.plain(name))
	}
}
