package facts

import (
	"strings"

	programs "github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// database reads the clients of databases: where they connect, and what they run.
func (c *collector) database(cmd *command) {
	rest := cmd.rest()
	run := func(w word) { c.statement(w.reading) }
	for _, o := range cmd.options {
		for _, w := range o.of {
			switch {
			case o.role == "statement":
				run(w)
			case o.role == "script" || !programs.IsClient(cmd.name) && (o.name == "-f" || o.name == "--file"):
				c.addWord(Path, "path", w)
			}
		}
	}
	for _, r := range cmd.inputs {
		c.statement(r)
	}
	switch cmd.name {
	case "redis-cli":
		if hasWord("DEL UNLINK GET SET EXPIRE HDEL", strings.ToUpper(cmd.verb(0))) {
			c.thingsOf("key", rest[:min(1, len(rest))])
		}
	case "pg_restore":
		c.pathsOf(rest)
	case "sqlite3", "duckdb":
		c.pathsOf(rest[:min(1, len(rest))])
		for _, w := range rest[min(1, len(rest)):] {
			run(w)
		}
	default:
		for i, w := range rest {
			switch {
			case strings.Contains(w.text, "://"):
				c.operandsOf([]word{w})
			case i == 0 && cmd.name != "sqlcmd" && cmd.name != "clickhouse-client" && cmd.name != "cqlsh":
				c.addWord(Table, "database", w)
			case cmd.name == "mysqldump":
				c.addWord(Table, "table", w)
			}
		}
	}
	c.named1(cmd, "-d --dbname -D --database", Table, "database")
	if !hasWord("sqlite3 duckdb", cmd.name) {
		c.named1(cmd, "-h --host -S", Host, "host")
	}
}

// statement reads SQL inside of a command.
func (c *collector) statement(r reading) {
	c.nested(r, context{sql: true}, asStatements)
}

// login reads ssh and its like: a host. What is run there is a command of its own.
func (c *collector) login(cmd *command) {
	for i, w := range cmd.operands {
		if i == 0 {
			c.remote(w)
		}
	}
	for _, o := range cmd.options {
		if cmd.name == "ansible" && o.name == "-a" {
			for _, w := range o.of {
				c.nested(w.reading, context{shell: true}, asCommands)
			}
		}
	}
}

// copying reads scp and rsync: what they write to comes first.
func (c *collector) copying(cmd *command) {
	n := len(cmd.operands)
	for i := range cmd.operands {
		w := cmd.operands[(i+n-1)%n]
		colon, slash := strings.IndexByte(w.text, ':'), strings.IndexByte(w.text, '/')
		switch {
		case strings.Contains(w.text, "://"), colon < 0 || slash >= 0 && slash < colon:
			if cmd.name == "sftp" {
				c.remote(w)
			} else {
				c.pathsOf([]word{w})
			}
		default:
			c.remote(w)
		}
	}
}

// method is the HTTP method that a call of curl or wget names, or implies by
// sending something; "" is a GET.
func (cmd *command) method() string {
	acts, _ := programs.Read(cmd.name, cmd.args, shell.Command{From: -1})
	for _, a := range acts {
		switch r := a.HTTP; {
		case r == nil:
		case r.Method == "" && (r.Body || len(r.Uploads) > 0):
			return "POST"
		default:
			return r.Method
		}
	}
	return ""
}

// web reads curl and wget: where they go, what they send and where they write.
func (c *collector) web(cmd *command) {
	take := func(w word) {
		if strings.Contains(w.text, "://") {
			c.operandsOf([]word{w})
			return
		}
		end := len(w.text)
		if at := strings.IndexAny(w.text, "/?#:"); at >= 0 {
			end = at
		}
		if strings.Contains(w.text[:end], ".") || w.text[:end] == "localhost" {
			c.add(Host, "host", FromShell, w.reading, 0, end)
		}
	}
	for _, w := range cmd.operands {
		take(w)
	}
	for _, o := range cmd.options {
		for _, w := range o.of {
			at := strings.IndexByte(w.text, '@')
			switch {
			case o.name == "--url":
				take(w)
			case hasWord("document upload output", o.role), o.name == "--config" || o.name == "--directory-prefix" || o.name == "--input-file":
				if w.text != "-" {
					c.addWord(Path, "path", w)
				}
			case o.role == "body" && o.name != "--data-raw" && (at == 0 || at > 0 && w.text[at-1] == '='):
				c.add(Path, "path", FromShell, w.reading, at+1, len(w.text))
			case o.role == "body":
				c.nested(w.reading, context{}, asAnything)
			}
		}
	}
}
