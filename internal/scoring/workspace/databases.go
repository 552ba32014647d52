package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// databases judges clients of databases: what is asked of one on this machine is a read.
func databases(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	host, remote := "", false
	var statements []shell.Word
	for _, o := range c.Options {
		switch o.Name {
		case "-h", "--host":
			if name == "sqlite3" || name == "duckdb" {
				continue
			}
			host = o.Value.Text
			remote = remote || !o.Value.Literal || !isThisMachine(host) && !(strings.HasPrefix(host, "/") && name != "mysql" && name != "mariadb")
		case "-c", "--command", "-e", "--execute", "--eval", "-cmd", "--cmd", "-s", "--init-command":
			if (name == "redis-cli" || name == "psql") && o.Name == "-s" || name == "redis-cli" && o.Name == "-c" {
				continue
			}
			statements = append(statements, o.Value)
		case "-f", "--file", "-init", "--init":
			w.held(level.Medium, effects.Write, "database", name+" runs the statements of a file")
			return
		case "-o", "--output", "-L", "--log-file", "--tee":
			w.writes(o.Value, name+" writes")
		case "-u":
			if name == "redis-cli" {
				remote = remote || !localURL(o.Value)
			}
		case "-d", "--dbname":
			remote = remote || strings.Contains(o.Value.Text, "://") && !localURL(o.Value) || strings.Contains(o.Value.Text, "host=") && !strings.Contains(o.Value.Text, "host=localhost")
		}
		if strings.HasPrefix(o.Name, "-h") && len(o.Name) > 2 && o.Name[1] != '-' && name != "sqlite3" && name != "duckdb" {
			remote = remote || !isThisMachine(o.Name[2:])
		}
		if strings.HasPrefix(o.Name, "-e") && len(o.Name) > 2 && (name == "mysql" || name == "mariadb") {
			statements = append(statements, shell.Word{Text: o.Name[2:], Literal: true})
		}
	}
	for _, o := range all {
		if strings.Contains(o.Text, "://") || strings.Contains(o.Text, "host=") {
			remote = remote || !localURL(o)
		} else if !o.Literal && (name == "psql" || name == "mongosh" || name == "usql") {
			remote = true // a connection in a variable
		}
	}
	switch name {
	case "sqlite3", "duckdb":
		if len(all) > 0 {
			s := w.word(all[0])
			if s.zone == outside {
				w.found(verdict{level: level.Medium, cause: "outside", because: name + " opens " + brief(all[0].Text) + ", which is outside of the workspace", kind: effects.Write, finding: Outside})
				return
			}
			w.b.guard(s)
			statements = append(statements, all[1:]...)
		}
	case "redis-cli":
		if len(all) > 0 {
			var text []string
			for _, o := range all {
				text = append(text, o.Text)
			}
			statements = append(statements, shell.Word{Text: strings.Join(text, " "), Literal: true})
		}
	}
	for _, r := range w.c.Redirects {
		if r.Op == "<" {
			w.held(level.Medium, effects.Write, "database", name+" runs the statements of a file")
			return
		}
	}
	if w.c.Input != nil {
		statements = append(statements, *w.c.Input)
	} else if w.c.From >= 0 && len(statements) == 0 {
		w.held(level.Medium, effects.Write, "database", name+" runs what another command prints")
		return
	}
	reads := true
	for _, s := range statements {
		reads = reads && readsOnly(name, s)
	}
	switch {
	case remote:
		w.found(verdict{level: level.Medium, cause: "database", because: name + " works on a database that isn't on this machine", kind: effects.Write, finding: Network, covers: nil})
		if !reads {
			w.all[len(w.all)-1].level = level.High
		}
	case !reads:
		w.found(verdict{level: level.Medium, cause: "database", because: name + " changes a database, or does what couldn't be read", kind: effects.Write, verb: "change", object: "database", finding: Network, covers: &Scope{Of: "program", To: name}})
	case len(statements) == 0 && !c.Any(false, "-l", "--list", "--version"):
		w.held(level.Medium, effects.Execute, "interactive", name+" waits for what is typed")
	default:
		w.harmless(effects.Read, "read", name+" only reads a database of this machine")
	}
}

// localURL reports whether a connection leads to this machine.
func localURL(word shell.Word) bool {
	_, rest, ok := strings.Cut(word.Text, "://")
	if !ok {
		return strings.Contains(word.Text, "host=localhost") || strings.Contains(word.Text, "host=127.0.0.1")
	}
	rest, _, _ = strings.Cut(rest, "/")
	rest, _, _ = strings.Cut(rest, "?")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	host, _, _ := strings.Cut(rest, ":")
	return host == "" || isThisMachine(host)
}

// readsOnly reports whether a statement of a client only asks.
func readsOnly(name string, s shell.Word) bool {
	text := strings.TrimSpace(s.Text)
	if !s.Literal && strings.ContainsAny(text, "$`") && name != "redis-cli" {
		return false
	}
	if name == "redis-cli" {
		first, _, _ := strings.Cut(strings.ToUpper(text), " ")
		switch first {
		case "GET", "MGET", "KEYS", "SCAN", "TTL", "PTTL", "TYPE", "EXISTS", "HGET", "HGETALL", "HMGET", "HKEYS", "HVALS", "HLEN", "LRANGE", "LLEN", "LINDEX", "SMEMBERS", "SCARD", "SISMEMBER", "ZRANGE", "ZCARD", "ZSCORE", "STRLEN", "PING", "INFO", "DBSIZE", "XLEN", "XRANGE", "XINFO", "MEMORY", "OBJECT", "TIME", "ECHO", "LASTSAVE", "RANDOMKEY", "SLOWLOG", "CLIENT", "PUBSUB", "COMMAND", "":
			return first != "CLIENT" || strings.Contains(strings.ToUpper(text), "LIST")
		}
		return false
	}
	var rest []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case line[0] == '\\' && name == "psql":
			word, _, _ := strings.Cut(line[1:], " ")
			if !strings.HasPrefix(word, "d") && word != "l" && word != "l+" && word != "x" && word != "timing" && word != "q" && word != "conninfo" && word != "z" && word != "sf" && word != "sv" && word != "pset" && word != "echo" {
				return false
			}
		case line[0] == '.' && (name == "sqlite3" || name == "duckdb"):
			word, _, _ := strings.Cut(line[1:], " ")
			switch word {
			case "schema", "tables", "headers", "header", "mode", "indexes", "indices", "databases", "dbinfo", "width", "timer", "quit", "exit", "separator", "nullvalue", "stats", "explain", "show", "help", "fullschema", "print", "dump", "eqp", "columns", "maxrows":
			default:
				return false
			}
		case name == "mysql" && line[0] == '\\':
			return false
		default:
			rest = append(rest, line)
		}
	}
	if len(rest) == 0 {
		return true
	}
	statement := strings.Join(rest, "\n")
	if strings.Contains(statement, `\!`) || strings.Contains(statement, `\g`) && strings.Contains(statement, "|") {
		return false
	}
	function, key := "execute_sql", "sql"
	if name == "mongosh" {
		function, key = "mongo_query", "query"
	} else {
		first, _, _ := strings.Cut(strings.ToLower(statement), " ")
		switch strings.TrimRight(strings.Fields(first + " x")[0], ";(") {
		case "select", "explain", "show", "with", "describe", "desc", "pragma", "values", "table", "from", "summarize", "use", "set", "begin", "rollback":
			if first == "pragma" && strings.Contains(statement, "=") {
				return false
			}
		default:
			return false
		}
	}
	arguments := canon.Object(canon.Member{Name: key, Value: canon.String(statement)})
	return effects.Harmless(effects.Examine(effects.Input{Function: function, Arguments: arguments}).Effects(effects.Given{}))
}
