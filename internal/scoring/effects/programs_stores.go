package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// sqlClient is psql and the like: its statements, or what it reads them from.
func (x *commands) sqlClient(c shell.Command, args []shell.Word) {
	name := strings.ToLower(c.Program())
	var statements []shell.Word
	operands := 0
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		option, value, inline := strings.Cut(text, "=")
		switch {
		case slices.Contains([]string{"-c", "--command", "-e", "--execute", "-Q", "-q", "--query", "--sql"}, option) && !(option == "-q" && name != "sqlcmd" && name != "clickhouse-client" && name != "snowsql") && !(option == "-e" && name == "psql"):
			if inline {
				w := args[i]
				w.Text = value
				statements = append(statements, w)
			} else if i+1 < len(args) {
				i++
				statements = append(statements, args[i])
			}
		case name == "mysql" && strings.HasPrefix(text, "-e") && len(text) > 2, name == "psql" && strings.HasPrefix(text, "-c") && len(text) > 2:
			w := args[i]
			w.Text = text[2:]
			statements = append(statements, w)
		case option == "-f" || option == "--file" || option == "-i" && name == "sqlcmd" || option == "--queries-file" || option == "-init":
			x.found("execute", "run", "statement", name+" runs statements from a file")
			if !inline {
				i++
			}
		case option == "-l" || option == "--list":
			x.found("read", "list", "database", name+" lists databases")
			return
		case strings.HasPrefix(text, "-"):
			if !inline && slices.Contains([]string{"-h", "-p", "-U", "-d", "-u", "-P", "-D", "-S", "--host", "--port", "--username", "--user", "--dbname", "--database", "-o", "-v", "-s", "-t", "-w"}, text) && i+1 < len(args) && !(name == "mysql" && text == "-p") && !(name == "psql" && (text == "-t" || text == "-w" || text == "-s")) && !(name == "sqlite3") {
				i++
			}
		default:
			operands++
			if (name == "sqlite3" || name == "duckdb") && operands > 1 {
				statements = append(statements, args[i])
			}
		}
	}
	if c.Input != nil {
		statements = append(statements, *c.Input)
	}
	for _, w := range statements {
		x.statement(name, w)
	}
	switch {
	case len(statements) > 0:
	case c.From >= 0 || slices.ContainsFunc(c.Redirects, func(d shell.Redirect) bool { return d.Op == "<" }):
		x.found("execute", "run", "statement", name+" runs statements that aren't in the text")
	default:
		x.found("execute", "open", "database", name+" opens a database")
	}
}

// statement reads one statement, or a command of the client itself.
func (x *commands) statement(name string, w shell.Word) {
	text := strings.TrimSpace(w.Text)
	if !w.Literal {
		x.found("execute", "run", "statement", name+" runs a statement that is known only when it runs")
	}
	switch {
	case strings.HasPrefix(text, `\`) && !strings.Contains(text, "\n"):
		switch {
		case strings.HasPrefix(text, `\!`), strings.HasPrefix(text, `\i`), strings.HasPrefix(text, `\copy`) && strings.Contains(text, "program"), strings.Contains(text, "|"), strings.HasPrefix(text, `\g`), strings.HasPrefix(text, `\o`), strings.HasPrefix(text, `\w`):
			x.found("execute", "run", "command", name+" runs a command or a file")
		case strings.HasPrefix(text, `\copy`), strings.HasPrefix(text, `\password`):
			x.found(sensitiveRead, "export", "table", name+" exports a table")
		default:
			x.found("read", "describe", "database", name+" describes the database")
		}
	case strings.HasPrefix(text, "."):
		switch command, _, _ := strings.Cut(text, " "); command {
		case ".tables", ".schema", ".databases", ".indexes", ".indices", ".help", ".show", ".dbinfo", ".mode", ".headers", ".fullschema", ".stats", ".version", ".timer", ".width", ".separator":
			x.found("read", "describe", "database", name+" describes the database")
		case ".dump":
			x.found(sensitiveRead, "export", "database", name+" exports the database").Breadth = All
		default:
			x.found("execute", "run", "command", name+" runs a command of its own")
		}
	default:
		all := statementEffects(x.source.Inner(w.Text), x.pointer, 0)
		x.of(all)
	}
}

// storeClient is redis-cli, mongosh and the like.
func (x *commands) storeClient(c shell.Command, args []shell.Word) {
	name := strings.ToLower(c.Program())
	var words []shell.Word
	cut := taken(name, args)
	for _, o := range cut.Options {
		switch o.Name {
		case "--eval":
			if name == "redis-cli" || name == "valkey-cli" {
				x.found("execute", "run", "script", name+" runs a script")
				return
			}
			words = append(words, o.Value)
		case "--file", "-f":
			if strings.HasPrefix(name, "mongo") {
				x.found("execute", "run", "script", name+" runs a script from a file")
			}
		case "--scan", "--stat", "--latency", "--bigkeys", "--memkeys", "--hotkeys":
			x.found("read", "scan", "key", name+" scans keys")
			return
		}
	}
	for _, w := range cut.Operands {
		switch text := w.Text; {
		case (name == "mongosh" || name == "mongo") && (strings.Contains(text, "://") || !strings.ContainsAny(text, "( .")):
		case (name == "mongosh" || name == "mongo") && strings.HasSuffix(text, ".js"):
			x.found("execute", "run", "script", name+" runs a script from a file")
		default:
			words = append(words, w)
		}
	}
	if c.Input != nil {
		words = append(words, *c.Input)
	}
	if len(words) == 0 {
		if c.From >= 0 || len(c.Redirects) > 0 {
			x.found("execute", "run", "command", name+" runs what it reads")
			return
		}
		x.found("execute", "open", "database", name+" opens a database")
		return
	}
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
		if !w.Literal && (len(texts) == 1 || !strings.HasPrefix(name, "redis")) {
			x.found("execute", "run", "command", name+" runs what is known only when it runs")
		}
	}
	text := strings.Join(texts, " ")
	if all, ok := queryEffects(x.source.Inner(text), x.pointer, 0); ok {
		x.of(all)
		return
	}
	if name == "redis-cli" || name == "valkey-cli" {
		x.redis(strings.ToUpper(texts[0]), texts)
		return
	}
	x.of(codeEffects(x.source.Inner(text), x.pointer))
}

// redisReads are commands of Redis that only read.
var redisReads = setOf(`get mget exists type ttl pttl strlen getrange keys scan hget hgetall hmget hkeys hvals hlen hexists hscan lrange llen lindex smembers sismember scard sscan srandmember zrange
	zrevrange zrangebyscore zscore zcard zrank zcount zscan xrange xlen xinfo xread info dbsize ping echo time lastsave memory object slowlog latency randomkey bitcount getbit pfcount geopos georadius
	geosearch dump command hello role monitor cluster sinter sunion sdiff touch lolwut`)

func (x *commands) redis(command string, words []string) {
	switch {
	case redisReads[strings.ToLower(command)]:
		x.found("read", "read", "key", "redis "+command+" reads")
	case command == "FLUSHALL" || command == "FLUSHDB" || command == "SHUTDOWN" || command == "SWAPDB":
		x.found("delete", "delete", "database", "redis "+command+" deletes everything").Breadth = All
	case strings.Contains(command, "DEL") || command == "UNLINK" || strings.Contains(command, "REM") || strings.HasSuffix(command, "POP") || strings.HasSuffix(command, "TRIM") || strings.HasPrefix(command, "EXPIRE") || command == "RENAME" || command == "GETSET":
		x.found("delete", "delete", "key", "redis "+command+" deletes keys")
	case command == "CONFIG" && len(words) > 1 && strings.EqualFold(words[1], "get"), command == "ACL" && len(words) > 1 && (strings.EqualFold(words[1], "list") || strings.EqualFold(words[1], "whoami")):
		x.found(sensitiveRead, "read", "settings", "redis "+command+" reads settings")
	case command == "CONFIG" || command == "ACL" || command == "REPLICAOF" || command == "SLAVEOF" || command == "AUTH" || command == "FAILOVER" || command == "MODULE" || command == "CLIENT":
		x.found("permission", "change", "settings", "redis "+command+" changes settings")
	case strings.HasPrefix(command, "EVAL") || command == "FCALL" || command == "SCRIPT" || command == "FUNCTION" || command == "DEBUG":
		x.found("execute", "run", "script", "redis "+command+" runs a script")
	default:
		x.found("write", "change", "key", "redis "+command+" changes keys")
	}
}
