package sql

import "strings"

// IsStatement reports whether a text is a statement: it begins with a verb of SQL and
// has the form that the verb has there. Prose, and what people search for, begins with
// the same words: "delete the old rows", "drop table error in production".
func (t *Text) IsStatement() bool {
	for _, d := range t.Dialects() {
		f := form{t.text, t.Tokens(d)}
		if f.isStatement(f.first()) {
			return true
		}
	}
	return false
}

// form is a text of which the form is looked at.
type form struct {
	text   string
	tokens []Token
}

func (f *form) word(i int) string {
	if i < 0 || i >= len(f.tokens) {
		return ""
	}
	return f.tokens[i].Upper(f.text)
}

// ends reports whether a statement ends before token i.
func (f *form) ends(i int) bool {
	return i >= len(f.tokens) || f.word(i) == ";" || f.word(i) == ")" || f.word(i) == "GO"
}

// first is where the first statement that says something begins.
func (f *form) first() int {
	i := 0
	for i < len(f.tokens) {
		switch {
		case OneOf(f.word(i), "( ;"):
			i++
		case OneOf(f.word(i), "BEGIN COMMIT ROLLBACK") && f.ends(i+1), f.word(i) == "USE" && f.ends(i+2):
			i++
			for !f.ends(i) {
				i++
			}
		case OneOf(f.word(i), "BEGIN START") && f.word(i+1) == "TRANSACTION":
			i += 2
		default:
			return i
		}
	}
	return i
}

func (f *form) skip(i int, list string) int {
	for OneOf(f.word(i), list) {
		i++
	}
	return i
}

// table is what follows the name at i, with its alias; ok is false where none stands
// there, or where more names follow, as in prose.
func (f *form) table(i int) (next int, ok bool) {
	if i >= len(f.tokens) || !f.tokens[i].Name || OneOf(f.word(i), "THE MY YOUR OUR THIS THAT THESE THOSE ALL EACH EVERY") {
		return i, false
	}
	if OneOf(f.word(i), "A AN") && i+1 < len(f.tokens) && f.tokens[i+1].Name && f.tokens[i+1].Word() == "" {
		return i, false
	}
	for i++; f.word(i) == "." && i+1 < len(f.tokens); {
		i += 2
	}
	if f.word(i) == "AS" {
		i++
	}
	if i < len(f.tokens) && f.tokens[i].Name && f.tokens[i].Word() == "" {
		i++
	}
	return i, true
}

// isStatement reports whether a statement begins at i.
func (f *form) isStatement(i int) bool {
	if i >= len(f.tokens) {
		return false
	}
	next := f.word(i + 1)
	name := i+1 < len(f.tokens) && f.tokens[i+1].Name
	switch f.word(i) {
	case "SELECT":
		return f.isQuery(i + 1)
	case "WITH":
		at := f.skip(i+1, "RECURSIVE") + 1
		if f.word(at) == "(" {
			for !f.ends(at) {
				at++
			}
			at++
		}
		return f.word(at) == "AS" && f.word(f.skip(at+1, "NOT MATERIALIZED")) == "("
	case "INSERT", "REPLACE", "UPSERT":
		at := f.skip(i+1, "OR IGNORE REPLACE LOW_PRIORITY ABORT")
		if at = f.skip(at, "INTO OVERWRITE TABLE"); f.word(at-1) == f.word(i) {
			return false
		}
		end, ok := f.table(at)
		return ok && OneOf(f.word(end), "( VALUES SELECT SET DEFAULT WITH TABLE PARTITION")
	case "UPDATE":
		end, ok := f.table(f.skip(i+1, "ONLY IGNORE LOW_PRIORITY OR ABORT"))
		if f.word(end) == "TOP" || f.word(end) == "JOIN" || f.word(end) == "," {
			return true
		}
		if !ok || f.word(end) != "SET" {
			return false
		}
		column, _ := f.table(end + 1)
		return OneOf(f.word(column), "= + - | :") || f.word(end+1) == "("
	case "DELETE":
		if next != "FROM" {
			return false
		}
		end, ok := f.table(f.skip(i+2, "ONLY"))
		return ok && (f.ends(end) || OneOf(f.word(end), "WHERE USING RETURNING LIMIT ORDER OUTPUT INNER JOIN"))
	case "TRUNCATE":
		end, ok := f.table(f.skip(i+1, "TABLE ONLY"))
		if next != "TABLE" { // "truncate long text" has no alias
			for end = i + 2; f.word(end) == "."; end += 2 {
			}
		}
		return ok && (f.ends(end) || OneOf(f.word(end), "CASCADE RESTART CONTINUE RESTRICT") || f.word(end) == "," && next == "TABLE")
	case "MERGE":
		end, ok := f.table(f.skip(i+1, "INTO"))
		return ok && f.word(end) == "USING"
	case "DROP", "ALTER", "CREATE":
		return f.isDefinition(i)
	case "GRANT", "REVOKE", "DENY":
		return f.grants(i)
	case "EXPLAIN":
		at := f.skip(i+1, "ANALYZE VERBOSE QUERY PLAN")
		if f.word(at) == "(" {
			for !f.ends(at) {
				at++
			}
			at++
		}
		return at > i && f.isStatement(at)
	case "CALL":
		end, ok := f.table(i + 1)
		return ok && f.word(end) == "(" && f.tokens[end].From == f.tokens[end-1].To
	case "EXEC", "EXECUTE":
		return next == "(" || next == "IMMEDIATE" || name && (f.ends(i+2) || OneOf(f.word(i+2), "@ ' . N ( USING")) && next != "THE"
	case "DO":
		return next == "'"
	case "COPY":
		if next == "INTO" { // of Snowflake: to where, from what
			end, ok := f.table(i + 2)
			return OneOf(f.word(i+2), "@ '") || ok && f.word(end) == "FROM" && OneOf(f.word(end+1), "@ ' (")
		}
		end, ok := f.table(i + 1)
		if f.word(end) == "(" || f.word(i+1) == "(" {
			return true
		}
		return ok && OneOf(f.word(end), "FROM TO") && OneOf(f.word(end+1), "' STDIN STDOUT PROGRAM @")
	case "PREPARE":
		return name && OneOf(f.word(i+2), "FROM AS (")
	case "LOAD":
		return next == "DATA" || next == "XML"
	case "PRAGMA":
		return name && (f.ends(i+2) || OneOf(f.word(i+2), "= ( ."))
	case "SHOW":
		return OneOf(next, "TABLES DATABASES SCHEMAS COLUMNS INDEX INDEXES GRANTS VARIABLES PROCESSLIST") && (f.ends(i+2) || OneOf(f.word(i+2), "FROM IN LIKE FOR")) || next == "CREATE"
	case "SET":
		value := f.skip(i+2, "TO =")
		isSetting := strings.Contains(f.text[f.tokens[i].From:], "_") || f.word(value) == "'"
		return name && (f.word(i+2) == "=" || OneOf(next, "GLOBAL SESSION LOCAL") && f.word(i+3) == "=" || f.word(i+2) == "TO" && isSetting && f.ends(value+1)) || next == "@"
	case "REFRESH", "VACUUM", "REINDEX", "LOCK", "RENAME", "OPTIMIZE", "ANALYZE":
		return OneOf(next, "TABLE MATERIALIZED DATABASE FULL") && i+2 < len(f.tokens) && (f.ends(i+3) || OneOf(f.word(i+3), "TO IN , . VIEW") || f.ends(i+4))
	case "EXPORT":
		return next == "DATA" && OneOf(f.word(i+2), "OPTIONS WITH") || next == "TABLE" && OneOf(f.word(i+3), "TO PARTITION")
	case "UNLOAD":
		return next == "("
	case "KILL":
		at := f.skip(i+1, "QUERY CONNECTION MUTATION")
		return at > i+1 && (f.word(at) == "WHERE" || at < len(f.tokens) && !f.tokens[at].Name && f.ends(at+1)) // "kill 42" is a shell's, too
	case "PURGE":
		return OneOf(next, "BINARY MASTER") && f.word(i+2) == "LOGS"
	case "BACKUP", "RESTORE":
		return next == "DATABASE" && OneOf(f.word(i+3), "TO FROM")
	case "DECLARE":
		return next == "@"
	}
	return false
}

// isQuery reports whether what stands from i on is what a SELECT has.
func (f *form) isQuery(i int) bool {
	i = f.skip(i, "DISTINCT ALL TOP")
	bare, depth := 0, 0 // names in a row, and brackets around them
	for at := i; ; at++ {
		switch {
		case f.word(at) == "(":
			depth, bare = depth+1, 0
		case f.word(at) == ")" && depth > 0:
			depth, bare = depth-1, 0
		case depth > 0 && at < len(f.tokens) && f.word(at) != ";":
		case f.ends(at):
			// Without a FROM: a number, a literal, a call.
			return at > i && (f.ends(i+1) && !f.tokens[i].Name || f.word(i+1) == "(" || f.word(i) == "@" || f.word(i) == "(" || OneOf(f.word(i+1), "+ - / | AS") && !f.tokens[i].Name)
		case f.word(at) == "FROM" && at == i, depth == 0 && OneOf(f.word(at), "FOR TO WITH OF ON BEFORE AFTER DO"):
			return false
		case f.word(at) == "FROM":
			if OneOf(f.word(at+1), "( ' @") {
				return true
			}
			end, ok := f.table(at + 1)
			return ok && (end >= len(f.tokens) || !f.tokens[end].Name || f.tokens[end].Word() != "" || OneOf(f.word(end), "TABLESAMPLE PREWHERE QUALIFY ASOF WINDOW"))
		case f.tokens[at].Name && f.tokens[at].Word() == "":
			if bare++; bare > 2 {
				return false
			}
		default:
			bare = 0
		}
	}
}

// isDefinition reports whether a DROP, ALTER or CREATE begins at i.
func (f *form) isDefinition(i int) bool {
	at := f.skip(i+1, "OR REPLACE TEMP TEMPORARY UNIQUE GLOBAL EXTERNAL MATERIALIZED UNLOGGED FOREIGN")
	if at >= len(f.tokens) || !f.tokens[at].IsObject() && !OneOf(f.word(at), "SYSTEM DEFAULT OWNED") {
		return false
	}
	object := f.word(at)
	at = f.skip(at+1, "IF NOT EXISTS CONCURRENTLY ONLY")
	if at >= len(f.tokens) || !f.tokens[at].Name && f.word(at) != "'" {
		return false
	}
	for at++; f.word(at) == "." || f.word(at-1) == "." || f.word(at) == "@" || f.word(at-1) == "@"; {
		at++
	}
	next := f.word(at)
	switch f.word(i) {
	case "DROP":
		return f.ends(at) || OneOf(next, ", CASCADE RESTRICT PURGE ( WITH ON FORCE BY")
	case "ALTER":
		return OneOf(next, "ADD DROP ALTER RENAME SET MODIFY OWNER ENABLE DISABLE CHANGE WITH IDENTIFIED PASSWORD PARTITION ATTACH DETACH VALIDATE ENGINE AUTO_INCREMENT REBUILD RESET "+
			"SUPERUSER NOSUPERUSER CREATEDB CREATEROLE LOGIN NOLOGIN INHERIT BYPASSRLS ACCOUNT REFERENCES DELETE UPDATE VALID PRIVILEGES IN NO FORCE CONVERT COMMENT ONLY =") ||
			f.word(i+1) == "SYSTEM" && OneOf(f.word(i+2), "SET RESET")
	default:
		return f.ends(at) && OneOf(object, "DATABASE SCHEMA ROLE USER EXTENSION LOGIN SEQUENCE") ||
			OneOf(next, "( AS ON WITH BEFORE AFTER INSTEAD IDENTIFIED PASSWORD SUPERUSER LOGIN CHARACTER OWNER LIKE ENCRYPTED CREATEDB CREATEROLE IN TYPE START INCREMENT FOREIGN SERVER OPTIONS USING ENGINE AUTHORIZATION CONNECTION RETURNS") ||
			next == "FOR" && OneOf(f.word(at+1), "LOGIN ALL TABLE TABLES VALUES")
	}
}

// grants reports whether the privileges of a GRANT or REVOKE stand behind i.
func (f *form) grants(i int) bool {
	const privileges = "ALL SELECT INSERT UPDATE DELETE USAGE EXECUTE CREATE DROP ALTER CONNECT TRUNCATE REFERENCES TRIGGER SUPER RELOAD FILE PROCESS CONTROL OWNERSHIP GRANT"
	listed := OneOf(f.word(i+1), privileges)
	for at := i + 1; !f.ends(at) && at < i+64; at++ {
		if !OneOf(f.word(at), "TO FROM") || at == i+1 {
			continue
		}
		// GRANT role TO person has nothing else.
		end, ok := f.table(at + 1)
		return f.word(at+1) == "'" || ok && (listed || at == i+2 && f.ends(end) && !OneOf(f.word(i+1), "ACCESS PERMISSION PERMISSIONS"))
	}
	return false
}

// OneOf reports whether a word is one of those between the spaces of a list; "" is in
// none.
func OneOf(word, list string) bool {
	if word == "" {
		return false
	}
	for from := 0; from+len(word) <= len(list); {
		at := strings.Index(list[from:], word)
		if at < 0 {
			return false
		}
		at += from
		if from = at + len(word); (at == 0 || list[at-1] == ' ') && (from == len(list) || list[from] == ' ') {
			return true
		}
	}
	return false
}
