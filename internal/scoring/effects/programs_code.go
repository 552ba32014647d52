package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// What commands run that is no shell: programs and statements.

// of places effects of a text that stands in a word at that word.
func (x *commands) of(all []Effect) {
	for _, e := range all {
		for i := range e.Evidence {
			e.Evidence[i].Pointer, e.Evidence[i].Start, e.Evidence[i].End = x.pointer, x.current.Start, x.current.End
		}
		x.all = append(x.all, e)
	}
}

// runsScript is a shell that runs a file.
func (x *commands) runsScript(c shell.Command, args []shell.Word) {
	if slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "-n" }) && strings.HasSuffix(c.Program(), "sh") && len(args) == 2 && c.Program() != "pwsh" {
		x.found("read", "check", "script", c.Program()+" -n only checks a script")
		return
	}
	x.found("execute", "run", "script", c.Program()+" runs a script")
}

// texts are the options by which interpreters are given a program.
var texts = map[string][]string{
	"python": {"-c"}, "python2": {"-c"}, "python3": {"-c"}, "pypy": {"-c"}, "pypy3": {"-c"}, "node": {"-e", "--eval", "-p", "--print", "-pe"}, "nodejs": {"-e", "--eval", "-p", "--print", "-pe"},
	"ruby": {"-e"}, "perl": {"-e", "-E"}, "php": {"-r"}, "lua": {"-e"}, "osascript": {"-e"}, "rscript": {"-e"}, "deno": {"eval"},
}

// modules are modules of Python that are run as programs and only read or compute, and
// those that are programs of their own.
var modules = map[string]string{
	"pytest": "pytest", "unittest": "pytest", "mypy": "mypy", "ruff": "ruff", "black": "black", "isort": "isort", "flake8": "flake8", "pylint": "pylint", "json.tool": "cat", "pip": "pip",
	"compileall": "cat", "py_compile": "cat", "doctest": "pytest", "venv": "virtualenv", "virtualenv": "virtualenv", "build": "tsc", "coverage": "coverage", "tox": "tox", "nox": "nox",
	"twine": "pip", "poetry": "poetry", "uv": "uv", "pipx": "pipx", "calendar": "cat", "this": "cat", "site": "cat", "sysconfig": "cat", "platform": "cat", "tokenize": "cat", "ast": "cat", "dis": "cat",
	"alembic": "alembic", "django": "django-admin", "flask": "flask", "ansible": "ansible", "celery": "celery", "zipfile": "zip", "tarfile": "zip", "bandit": "bandit", "pip_audit": "bandit", "sphinx": "sphinx-build",
	"mkdocs": "mkdocs", "trace": "pytest", "pyflakes": "pyflakes", "pycodestyle": "pycodestyle", "pyright": "pyright",
}

// interprets is python, node and the like.
func (x *commands) interprets(c shell.Command, args []shell.Word) {
	name := strings.ToLower(c.Program())
	if name == "deno" && len(args) > 0 {
		switch args[0].Text {
		case "test", "lint", "check", "info", "doc", "types", "bench":
			x.found("read", "check", "program", "deno "+args[0].Text+" checks a program")
			return
		case "fmt", "cache", "install", "add", "remove", "compile", "bundle", "init", "upgrade", "clean", "outdated":
			x.found("write", "change", "program", "deno "+args[0].Text+" changes files")
			return
		}
	}
	for i, w := range args {
		text := w.Text
		switch {
		case slices.Contains(texts[name], text) || len(text) > 2 && name == "perl" && text[0] == '-' && text[1] != '-' && strings.HasSuffix(text, "e") && strings.Trim(text, "-nlpaie0wsE") == "" || name == "ruby" && len(text) > 2 && text[0] == '-' && strings.HasSuffix(text, "e") && strings.Trim(text, "-nlpaie") == "":
			if i+1 < len(args) {
				files := args[i+2:]
				if name == "perl" || name == "ruby" {
					letters, _ := perlInPlace(args)
					text += letters
					files = slices.DeleteFunc(slices.Clone(files), func(w shell.Word) bool { return strings.HasPrefix(w.Text, "-") })
				}
				x.runsText(name, text, args[i+1], files)
				return
			}
		case strings.HasPrefix(name, "py") && len(text) > 2 && strings.HasPrefix(text, "-c"):
			w.Text = text[2:]
			x.runsText(name, "-c", w, args[i+1:])
			return
		case strings.HasPrefix(name, "py") && text == "-m" && i+1 < len(args):
			x.module(c, args[i+1].Text, args[i+2:])
			return
		case name == "php" && text == "-l" || name == "ruby" && text == "-c" || name == "perl" && text == "-c" || strings.HasPrefix(name, "node") && (text == "--check" || text == "-c" || text == "--test"):
			x.found("read", "check", "program", name+" "+text+" checks a program")
			return
		case text == "--version" || text == "-v" && len(args) == 1 || text == "-V" && len(args) == 1 || text == "-i" && name == "php" && len(args) == 1 || text == "-m" && name == "php" && len(args) == 1:
			x.found("read", "read", "", name+" is only asked about itself")
			return
		case strings.HasPrefix(text, "-") && text != "-":
			continue
		case name == "php" && (text == "artisan" || strings.HasSuffix(text, "bin/console") || text == "vendor/bin/phpunit"), strings.HasPrefix(name, "py") && text == "manage.py", name == "ruby" && strings.HasSuffix(text, "bin/rails"):
			base := text[strings.LastIndexByte(text, '/')+1:]
			if base == "console" {
				base = "symfony"
			}
			if x.tools.harmless[base] {
				x.found("read", "test", "program", name+" "+text+" runs tests")
				return
			}
			x.byRules(x.tools.programs[base], base, args[i+1:])
			return
		}
		break
	}
	if c.Input != nil && c.Input.Literal {
		x.runsText(name, "", *c.Input, nil)
		return
	}
	x.found("execute", "run", "program", name+" runs a program that is not in the text")
}

// runsText is a program that stands in the command itself.
func (x *commands) runsText(name, option string, text shell.Word, files []shell.Word) {
	if !text.Literal {
		x.found("execute", "run", "program", name+" runs a program that is known only when it runs")
	}
	switch {
	case strings.HasPrefix(name, "py"), strings.HasPrefix(name, "node"), name == "deno":
		x.of(codeEffects(text.Text, x.pointer))
	case name == "perl" || name == "ruby":
		if strings.Contains(option, "i") {
			for _, w := range files {
				x.writes(w, "changes")
			}
			if len(files) == 0 {
				x.found("write", "change", "file", name+" changes files")
			}
			if isSubstitution(text.Text) {
				return
			}
		}
		if strings.ContainsAny(option, "np") && (isSubstitution(text.Text) || isSelection(text.Text)) {
			x.found("read", "print", "", name+" prints")
			x.readsFiles(files)
			return
		}
		fallthrough
	default:
		x.found("execute", "run", "program", name+" runs a program")
		for _, verb := range []string{"unlink", "rmtree", "rmdir", "delete", "File.rm", "FileUtils.rm", "rm_rf", "truncate"} {
			if strings.Contains(text.Text, verb) {
				x.found("delete", "delete", "file", name+" runs a program that deletes files")
				break
			}
		}
	}
}

// isSubstitution reports whether a program of Perl is one s/…/…/ and cannot run anything.
func isSubstitution(text string) bool {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	if len(text) < 4 || text[0] != 's' && !strings.HasPrefix(text, "tr") && text[0] != 'y' {
		return false
	}
	i := strings.IndexAny(text, "/|#{!,")
	if i < 0 || i > 2 {
		return false
	}
	flags := text[strings.LastIndexByte(text, text[i])+1:]
	return strings.Trim(flags, "gimsx") == "" && !strings.Contains(text, "(?{") && !strings.Contains(text, "(??{") && !strings.Contains(text, "@{") && strings.Count(text, text[i:i+1]) <= 3 && !strings.Contains(text, ";")
}

// isSelection reports whether a program of Perl only prints the lines that match: print if /x/.
func isSelection(text string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "print ")
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimSuffix(strings.TrimSpace(rest), ";"), "if /")
	return ok && strings.HasSuffix(rest, "/") && strings.Count(rest, "/") == 1 && !strings.ContainsAny(rest, "{;@$`")
}

// module is python -m.
func (x *commands) module(c shell.Command, module string, args []shell.Word) {
	if module == "http.server" {
		x.found("permission", "open", "server", "python -m http.server serves the folder on the network")
		return
	}
	name := modules[module]
	if first, _, dotted := strings.Cut(module, "."); name == "" && dotted {
		name = modules[first]
	}
	switch p := x.tools.programs[name]; {
	case p != nil:
		x.byRules(p, name, args)
	case x.tools.testers[name]:
		x.found("write", "run", "tests", "python -m "+module+" runs the project's own code")
	case x.tools.harmless[name]:
		x.found("read", "check", "", "python -m "+short(module)+" only reads")
		x.readsFiles(args)
	default:
		x.found("execute", "run", "program", "python -m "+short(module)+" runs a program")
	}
}

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
		x.found("execute", "run", "statement", name+" runs statements that are not in the text")
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
		all := statementEffects(w.Text, x.pointer, 0)
		x.of(all)
	}
}

// storeClient is redis-cli, mongosh and the like.
func (x *commands) storeClient(c shell.Command, args []shell.Word) {
	name := strings.ToLower(c.Program())
	var words []shell.Word
	p := knownProgram{values: set{}}
	for _, v := range []string{"-h", "-p", "-a", "-n", "-u", "-s", "--user", "--pass", "--host", "--port", "--username", "--password", "--authenticationDatabase", "-x_", "-i", "-r"} {
		p.values[v] = true
	}
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case strings.HasPrefix(text, "--eval="):
			w := args[i]
			w.Text = strings.TrimPrefix(text, "--eval=")
			words = append(words, w)
		case text == "--eval" && i+1 < len(args):
			if name == "redis-cli" || name == "valkey-cli" {
				x.found("execute", "run", "script", name+" runs a script")
				return
			}
			i++
			words = append(words, args[i])
		case text == "--scan" || text == "--stat" || text == "--latency" || text == "--bigkeys" || text == "--memkeys" || text == "--hotkeys":
			x.found("read", "scan", "key", name+" scans keys")
			return
		case p.values[text]:
			i++
		case strings.HasPrefix(text, "-"):
		case (name == "mongosh" || name == "mongo") && (strings.Contains(text, "://") || !strings.ContainsAny(text, "( .")):
		case (name == "mongosh" || name == "mongo") && strings.HasSuffix(text, ".js"):
			x.found("execute", "run", "script", name+" runs a script from a file")
		default:
			words = append(words, args[i])
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
	if all, ok := queryEffects(text, x.pointer, 0); ok {
		x.of(all)
		return
	}
	if name == "redis-cli" || name == "valkey-cli" {
		x.redis(strings.ToUpper(texts[0]), texts)
		return
	}
	x.of(codeEffects(text, x.pointer))
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

// ansible runs a module on hosts: -m shell -a 'text'.
func (x *commands) ansible(_ shell.Command, args []shell.Word) {
	p := knownProgram{values: set{"-m": true, "--module-name": true, "-a": true, "--args": true, "-i": true, "--inventory": true, "-u": true, "--user": true, "-l": true, "--limit": true, "-f": true, "-e": true}}
	c := p.take(args)
	module, text := "command", ""
	for _, o := range c.options {
		name, value, _ := strings.Cut(o.Text, "=")
		switch name {
		case "-m", "--module-name":
			module = value
		case "-a", "--args":
			text = value
		case "--list-hosts":
			x.found("read", "list", "host", "ansible lists hosts")
			return
		}
	}
	switch module[strings.LastIndexByte(module, '.')+1:] {
	case "ping", "setup", "debug", "stat", "service_facts", "package_facts", "gather_facts":
		x.found("read", "ask", "host", "ansible "+short(module)+" asks hosts")
	case "shell", "command", "raw":
		before := len(x.all)
		x.inner(text)
		for i := before; i < len(x.all); i++ {
			if x.all[i].Kind != Read && len(c.operands) > 0 && c.operands[0].Text == "all" {
				x.all[i].Breadth = All
			}
		}
	default:
		x.found("execute", "run", "module", "ansible "+short(module)+" changes hosts")
	}
}

// cmdletVerbs are verbs of PowerShell, as its documentation groups them.
var cmdletVerbs = map[string]deed{}

func init() {
	for d, verbs := range map[deed]string{
		"read": `get find search select test measure compare format out show write convertto convertfrom convert where sort group foreach join split resolve read receive wait watch trace import enter
			use step tee`,
		"write":      "set new add copy move rename update edit push pop save backup restore start restart resume sync mount dismount initialize optimize expand compress undo redo merge invokerestmethod",
		"delete":     "remove clear stop suspend uninstall reset disconnect close exit checkpoint unpublish skip limit",
		"permission": "grant revoke enable disable block unblock protect unprotect lock unlock register unregister connect approve deny confirm switch request assert complete",
		"message":    "send",
		"public":     "publish",
		"execute":    "invoke debug ping deploy build install",
	} {
		for _, v := range strings.Fields(verbs) {
			cmdletVerbs[v] = d
		}
	}
}

// cmdlet is a command of PowerShell: its verb says what it does.
func (x *commands) cmdlet(c shell.Command) {
	name := c.Program()
	verb, noun, _ := strings.Cut(strings.ToLower(name), "-")
	d, ok := cmdletVerbs[verb]
	args := c.Words[1:]
	texts := make([]string, len(args))
	for i, w := range args {
		texts[i] = strings.ToLower(w.Text)
	}
	for i, w := range args { // Get-Date > file
		if (w.Text == ">" || w.Text == ">>") && i+1 < len(args) {
			x.writes(args[i+1], "writes")
		}
	}
	switch {
	case verb == "tee":
		x.tees(args)
		return
	case verb == "foreach" && x.callsMember(texts):
		d = "execute"
	case verb == "out" && noun == "printer":
		d = "write"
	case noun == "expression" || verb == "import" && noun != "csv" && noun != "clixml" || noun == "type" && verb == "add":
		d = "execute"
	case noun == "webrequest" || noun == "restmethod":
		x.invokesWeb(args)
		return
	case verb == "out" && noun == "file" || noun == "content" && verb != "get" && verb != "clear":
		d = "write"
		if verb == "out" || verb == "set" {
			for _, w := range args {
				if strings.HasPrefix(w.Text, "-") {
					continue
				}
				if isOld(w) {
					x.overwrites(w, "overwrites")
					return
				}
			}
		}
	case noun == "computer" && (verb == "restart" || verb == "stop"):
		d = "delete"
	case strings.Contains(noun, "acl") || strings.Contains(noun, "user") || strings.Contains(noun, "groupmember") || strings.Contains(noun, "firewall") || strings.Contains(noun, "policy") || strings.Contains(noun, "preference") || strings.Contains(noun, "mailbox") || strings.Contains(noun, "role") || strings.Contains(noun, "scheduledtask") || strings.Contains(noun, "service") && verb != "restart" && verb != "stop":
		if d == "write" {
			d = "permission"
		}
	case verb == "foreach" || verb == "where":
		d = "read"
	case verb == "format" && noun == "volume":
		d = "delete"
	case verb == "get" && (noun == "secret" || noun == "credential" || noun == "azkeyvaultsecret" || noun == "clipboard"):
		d = sensitiveRead
	case verb == "start" && (noun == "process" || noun == "job"):
		d = "execute"
	}
	if !ok && d == "" {
		x.found("execute", "run", "command", short(name)+" is not a known command")
		return
	}
	if slices.Contains(texts, "-whatif") {
		d = "read"
	}
	if d == "delete" && (noun == "item" || noun == "childitem" || noun == "content") {
		recursive := slices.ContainsFunc(texts, func(t string) bool { return strings.HasPrefix("-recurse", t) && len(t) > 1 })
		var targets []shell.Word
		for _, w := range args {
			if !strings.HasPrefix(w.Text, "-") {
				targets = append(targets, w)
			}
		}
		x.deletes(targets, recursive)
		return
	}
	e := x.found(d, verbsOf[d].verb, "", short(name)+" "+verbsOf[d].phrase+" "+named1(args, ""))
	if d != "read" && slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "*" }) {
		e.Breadth = All
	}
	if d == "delete" && (noun == "volume" || noun == "disk" || noun == "partition") {
		e.Breadth = All
	}
	x.readsFiles(args)
}

func (x *commands) invokesWeb(args []shell.Word) {
	t := transfer{}
	for i := 0; i < len(args); i++ {
		option := strings.ToLower(args[i].Text)
		value := shell.Word{Literal: true}
		if i+1 < len(args) {
			value = args[i+1]
		}
		switch {
		case option == "-uri":
			t.urls = append(t.urls, value)
			i++
		case option == "-method":
			t.method = strings.ToUpper(value.Text)
			i++
		case option == "-body" || option == "-form":
			t.sends = true
			i++
		case option == "-infile":
			t.uploads = append(t.uploads, value)
			i++
		case option == "-outfile":
			t.saves = append(t.saves, value)
			i++
		case strings.HasPrefix(option, "-"):
			if option != "-usebasicparsing" && option != "-usedefaultcredentials" {
				i++
			}
		default:
			t.urls = append(t.urls, args[i])
		}
	}
	x.transfers(t, "PowerShell")
}
