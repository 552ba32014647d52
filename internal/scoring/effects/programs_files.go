package effects

import (
	"path"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// What commands do to files.

// at is a path as the command means it: in its own folder, normalised, lower-case.
func (x *commands) at(text string) string {
	text = strings.TrimPrefix(text, "file://")
	if x.current.Dir != "" && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") && !strings.HasPrefix(text, "$") {
		text = x.current.Dir + "/" + text
	}
	return cleanPath(text)
}

// readsFiles adds a sensitive read where an operand is a file of secrets.
func (x *commands) readsFiles(args []shell.Word) {
	for _, w := range args {
		text := w.Text
		if strings.HasPrefix(text, "-") {
			_, value, ok := strings.Cut(text, "=")
			if !ok {
				continue
			}
			text = value
		}
		text = strings.TrimPrefix(text, "@")
		if len(text) > 4096 || strings.ContainsAny(text, " \n") && !strings.HasSuffix(text, "/Login Data") {
			continue
		}
		if _, inside, ok := strings.Cut(text, ":"); ok && !strings.Contains(text, "://") && inside != "" && x.isSecret(inside) || x.isSecret(text) { // HEAD:.env
			x.found(sensitiveRead, "read", "secret file", x.name()+" reads "+short(text))
		}
	}
}

func (x *commands) name() string {
	if p := x.current.Program(); p != "" {
		return p
	}
	return "the command"
}

// redirected reads the files that a command is given or writes.
func (x *commands) redirected(c shell.Command) {
	for _, d := range c.Redirects {
		file := d.File
		switch {
		case strings.HasPrefix(file.Text, "/dev/tcp/") || strings.HasPrefix(file.Text, "/dev/udp/"):
			x.found("execute", "open", "connection", "a connection to "+short(file.Text)+" is opened")
		case d.Op == "<":
			x.readsFiles([]shell.Word{file})
		case d.Op == ">>" || d.Op == "&>>":
			x.writes(file, "appends to")
		case d.Op == ">|" && !isSink(file.Text) && !isScratch(cleanPath(file.Text)): // even a file that must not be
			x.overwrites(file, "overwrites")
		default:
			if len(c.Words) == 0 || empties(c) {
				x.overwrites(file, "empties")
			} else if isOld(file) {
				x.overwrites(file, "overwrites")
			} else {
				x.writes(file, "writes")
			}
		}
	}
}

// empties reports whether a command prints nothing into the file that it opens.
func empties(c shell.Command) bool {
	switch c.Program() {
	case ":", "true":
		return true
	case "cat":
		return len(c.Words) > 1 && c.Words[1].Text == "/dev/null"
	case "echo":
		return len(c.Words) == 1 || len(c.Words) == 2 && (c.Words[1].Text == "-n" || c.Words[1].Text == "")
	}
	return false
}

// isOld reports whether a file looks like one that was there before: it stands anywhere
// but in the folder at hand or a temporary one.
func isOld(w shell.Word) bool {
	clean := cleanPath(w.Text)
	return !isScratch(clean) && (strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "~") || strings.HasPrefix(clean, "..") || len(clean) > 1 && clean[1] == ':')
}

func isScratch(clean string) bool {
	return strings.HasPrefix(clean, "/tmp/") || strings.HasPrefix(clean, "/var/tmp/") || strings.HasPrefix(clean, "/private/tmp/") || strings.HasPrefix(clean, "$tmpdir") || strings.HasPrefix(clean, "/dev/shm/")
}

// isSink reports whether what is written there goes nowhere but to who asked.
func isSink(text string) bool {
	return slices.Contains([]string{"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2", "-", "NUL", "nul", "$null"}, text)
}

// isDisk reports whether a path is a disk as a whole.
func isDisk(clean string) bool {
	rest, ok := strings.CutPrefix(clean, "/dev/")
	if !ok {
		return false
	}
	for _, p := range []string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "md", "dm-", "loop", "mem", "kmem", "port", "ram", "zvol/", "nbd"} {
		if strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}

// guards adds what writing to a path does to access or to a disk; ok is false where it is
// a file like any.
func (x *commands) guards(w shell.Word, how string) bool {
	clean := x.at(w.Text)
	switch {
	case isSink(w.Text):
	case isDisk(clean):
		e := x.found("delete", "overwrite", "disk", x.name()+" "+how+" the disk "+short(w.Text))
		e.Breadth = All
	case isGuardingPath(clean), isBootFile(clean):
		x.found("permission", "change", "protected file", x.name()+" "+how+" "+short(w.Text)+", which decides who may do what, or what runs")
	default:
		return false
	}
	return true
}

// isBootFile reports whether a file is run when somebody logs in, a shell starts or code
// is checked in.
func isBootFile(clean string) bool {
	base := clean[strings.LastIndexByte(clean, '/')+1:]
	switch base {
	case ".bash_aliases", ".bash_logout", ".zlogin", ".inputrc", ".xinitrc", ".xprofile", "config.fish", ".vimrc", ".tmux.conf", ".pythonrc", "sitecustomize.py", "usercustomize.py", ".rvmrc", ".gemrc", ".condarc", "pip.conf", "known_hosts", ".curlrc", ".wgetrc", ".dockerignore_":
		return true
	}
	slashed := "/" + clean
	return strings.Contains(slashed, "/.config/fish/") || strings.Contains(slashed, "/.git/hooks/") || strings.Contains(slashed, "/.local/bin/") || strings.Contains(slashed, "/.config/pip/")
}

// writes adds a write of a file.
func (x *commands) writes(w shell.Word, how string) {
	if !x.guards(w, how) {
		x.found("write", "write", "file", x.name()+" "+how+" "+short(w.Text))
	}
}

// overwrites adds that what a file held is gone.
func (x *commands) overwrites(w shell.Word, how string) {
	if !x.guards(w, how) {
		x.found("delete", "overwrite", "file", x.name()+" "+how+" "+short(w.Text)).Breadth = x.wide(w, false)
	}
}

// deletes adds that files are deleted.
func (x *commands) deletes(targets []shell.Word, recursive bool) {
	if len(targets) == 0 {
		x.found("delete", "delete", "file", x.name()+" deletes files")
		return
	}
	for i, w := range targets {
		how, object := "deletes "+short(w.Text), "file"
		if recursive {
			how, object = how+" recursively", "folder"
		}
		e := x.found("delete", "delete", object, x.name()+" "+how)
		e.Breadth = e.Breadth.wider(x.wide(w, recursive))
		if i == 0 && len(targets) > 1 {
			e.Breadth = e.Breadth.wider(Several)
		}
		if i == maxEvidence {
			break
		}
	}
	for _, w := range targets[min(len(targets), maxEvidence+1):] {
		if x.wide(w, recursive) == All {
			x.found("delete", "delete", "folder", x.name()+" deletes "+short(w.Text)).Breadth = All
		}
	}
}

// wide is how much a path names: everything, where it is a root, a home, or all that
// stands in one of these or at hand.
func (x *commands) wide(w shell.Word, recursive bool) Breadth {
	text := strings.ToLower(strings.ReplaceAll(w.Text, `\`, "/"))
	if !w.Literal && strings.Contains(text, "{}") {
		return Several
	}
	clean := path.Clean(text)
	if x.current.Dir != "" && !path.IsAbs(clean) && !strings.HasPrefix(clean, "~") {
		clean = path.Join(x.current.Dir, clean)
	}
	glob := strings.ContainsAny(clean, "*?")
	parent, last := path.Split(clean)
	parent = strings.TrimSuffix(parent, "/")
	isAll := strings.Trim(last, "*.?") == "" && strings.Contains(last, "*")
	switch {
	case clean == "/" || clean == "~" || clean == "." && recursive || clean == ".." || strings.HasSuffix(clean, "/..") || clean == "*" || clean == "/*":
		return All
	case strings.HasPrefix(clean, "~") && !strings.Contains(clean, "/"):
		return All // ~bob
	case isAll && parent == "" || isAll && (parent == "~" || parent == "." || parent == ".."):
		return All
	case isAll && strings.Count(parent, "/") <= 1 && (path.IsAbs(parent) || len(parent) > 1 && parent[1] == ':') && !isScratch(clean):
		return All // /srv/*, c:/users/*
	case recursive && path.IsAbs(clean) && strings.Count(clean, "/") == 1 && clean != "/tmp":
		return All // /etc
	case recursive && len(clean) >= 2 && clean[1] == ':' && len(clean) <= 3:
		return All // c:/
	case recursive && slices.Contains([]string{"/home/*", "/var/lib", "/usr/lib", "/usr/bin", "/var/log", "c:/windows", "c:/users"}, clean):
		return All
	case recursive && strings.HasPrefix(clean, "/home/") && strings.Count(clean, "/") == 2 || recursive && strings.HasPrefix(clean, "/users/") && strings.Count(clean, "/") == 2:
		return All
	case glob || w.Glob || !w.Literal:
		return Several
	}
	return One
}

// plain are the operands among words, and the options, where no option takes a value but
// those named.
func plain(args []shell.Word, values string) cut {
	p := knownProgram{values: setOf(values)}
	c := p.take(args)
	return c
}

func recursive(c cut) bool {
	return c.has("-r", true) || c.has("-R", true) || c.has("--recursive", false)
}

// special are the programs whose operands decide.
var special map[string]func(x *commands, c shell.Command, args []shell.Word)

func init() { // its functions read it themselves
	special = map[string]func(x *commands, c shell.Command, args []shell.Word){}
	for names, read := range map[string]func(x *commands, c shell.Command, args []shell.Word){
		"rm rmdir unlink srm trash trash-put rimraf del-cli grm gio": (*commands).remove,
		"shred":                                 (*commands).remove,
		"del erase rd":                          (*commands).removeWindows,
		"mv gmv move ren":                       (*commands).move,
		"cp gcp copy xcopy robocopy install ln": (*commands).copies,
		"rsync":                                 (*commands).syncs,
		"scp":                                   (*commands).sends,
		"dd":                                    (*commands).dd,
		"truncate":                              (*commands).truncates,
		"tee":                                   (*commands).tee,
		"tar bsdtar gtar":                       (*commands).tar,
		"find gfind fd fdfind":                  (*commands).find,
		"sed gsed":                              (*commands).sed,
		"awk gawk mawk nawk":                    (*commands).awk,
		"sort":                                  (*commands).sort,
		"uniq":                                  (*commands).unique,
		"kill":                                  (*commands).kill,
		"echo printf":                           (*commands).echo,
		"env printenv":                          (*commands).environment,
		"export declare set typeset readonly unset": (*commands).exported,
		"curl":                               (*commands).curl,
		"wget":                               (*commands).wget,
		"http https xh httpie curlie":        (*commands).httpie,
		"ssh su sudo doas pkexec runuser":    (*commands).opensShell,
		"sh bash zsh dash ksh ash fish mksh": (*commands).runsScript,
		"powershell pwsh cmd":                (*commands).runsScript,
		"python python2 python3 pypy pypy3 node nodejs deno ruby perl php lua osascript rscript":                                                    (*commands).interprets,
		"psql mysql mariadb sqlite3 sqlcmd clickhouse-client clickhouse duckdb cqlsh snowsql snow trino presto cockroach bq-query mycli pgcli usql": (*commands).sqlClient,
		"redis-cli valkey-cli mongosh mongo cypher-shell":                                                                                           (*commands).storeClient,
		"rg ripgrep": (*commands).ripgrep,
		"ansible":    (*commands).ansible,
		"xargs":      (*commands).environment,
	} {
		for _, n := range strings.Fields(names) {
			special[n] = read
		}
	}
}

func (x *commands) remove(c shell.Command, args []shell.Word) {
	if c.Program() == "gio" && (len(args) == 0 || args[0].Text != "trash" && args[0].Text != "remove") {
		x.found("write", "change", "file", "gio changes files")
		return
	}
	cut := plain(args, "-n --iterations -s --size")
	x.deletes(cut.operands, recursive(cut))
}

func (x *commands) removeWindows(_ shell.Command, args []shell.Word) {
	recursive := false
	var targets []shell.Word
	for _, w := range args {
		if len(w.Text) == 2 && w.Text[0] == '/' {
			recursive = recursive || strings.EqualFold(w.Text, "/s")
			continue
		}
		targets = append(targets, w)
	}
	x.deletes(targets, recursive)
}

// move is mv: the last operand is where to, and what stands there is gone.
func (x *commands) move(c shell.Command, args []shell.Word) {
	cut := plain(args, "-t --target-directory -S --suffix")
	to, from, ok := destination(cut, "-t", "--target-directory")
	if !ok {
		x.found("write", "move", "file", x.name()+" moves files")
		return
	}
	if to.Text == "/dev/null" {
		x.found("delete", "discard", "file", x.name()+" throws "+named1(from, "files")+" away")
		return
	}
	for _, w := range from {
		clean := x.at(w.Text)
		switch {
		case isGuardingPath(clean) || isBootFile(clean):
			x.found("permission", "move", "protected file", x.name()+" moves "+short(w.Text)+" away, which decides who may do what, or what runs")
		case x.wide(w, true) == All:
			x.found("delete", "move", "folder", x.name()+" moves all of "+short(w.Text)+" away").Breadth = All
		}
	}
	x.places(from, to, cut, "moves")
}

// destination is where files are put.
func destination(c cut, options ...string) (to shell.Word, from []shell.Word, ok bool) {
	for _, o := range c.options {
		for _, name := range options {
			if value, found := strings.CutPrefix(o.Text, name+"="); found {
				o.Text = value
				return o, c.operands, true
			}
		}
	}
	if len(c.operands) < 2 {
		return shell.Word{}, c.operands, false
	}
	return c.operands[len(c.operands)-1], c.operands[:len(c.operands)-1], true
}

// places adds that files are put somewhere.
func (x *commands) places(from []shell.Word, to shell.Word, cut cut, how string) {
	if x.guards(to, how+" files to") {
		return
	}
	toFolder := strings.HasSuffix(to.Text, "/") || len(from) > 1 || slices.Contains([]string{".", "..", "~"}, to.Text) || path.Ext(to.Text) == ""
	d := deed("write")
	if isOld(to) && !toFolder && !cut.has("-n", true) && !cut.has("--no-clobber", false) {
		d = "delete" // what stands there is overwritten
	}
	why := x.name() + " " + how + " " + named1(from, "files") + " to " + short(to.Text)
	if how == "moves" && d == "write" && len(from) > 0 && isOld(from[0]) && path.Dir(cleanPath(from[0].Text)) != path.Dir(cleanPath(to.Text)) {
		d = "delete" // it is gone from where it was
	}
	x.found(d, map[string]string{"copies": "copy", "moves": "move"}[how], "file", why)
}

func (x *commands) copies(c shell.Command, args []shell.Word) {
	name := strings.ToLower(c.Program())
	if name == "install" && slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "-d" }) {
		x.found("write", "create", "folder", "install creates folders")
		return
	}
	cut := plain(args, "-t --target-directory -S --suffix -m --mode -o --owner -g --group --backup")
	if name == "robocopy" && slices.ContainsFunc(cut.operands, func(w shell.Word) bool {
		return strings.EqualFold(w.Text, "/mir") || strings.EqualFold(w.Text, "/purge")
	}) {
		x.found("delete", "mirror", "folder", "robocopy deletes what is not in the source")
	}
	to, from, ok := destination(cut, "-t", "--target-directory")
	if name == "ln" && !ok && len(cut.operands) == 1 {
		x.found("write", "link", "file", "ln links "+short(cut.operands[0].Text))
		return
	}
	x.readsFiles(from)
	if !ok {
		x.found("write", "copy", "file", x.name()+" copies files")
		return
	}
	if len(from) > 0 && (from[0].Text == "/dev/null" || strings.HasPrefix(from[0].Text, "/dev/zero") || strings.HasPrefix(from[0].Text, "/dev/urandom")) {
		x.overwrites(to, "empties")
		return
	}
	if name == "ln" {
		x.writes(to, "links")
		return
	}
	x.places(from, to, cut, "copies")
}

func isRemote(text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return strings.Contains(text, "://") || ok && len(host) > 1 && !strings.ContainsAny(host, "/.\\ ") || ok && strings.Contains(host, "@") || ok && strings.Count(host, ".") > 0 && !strings.Contains(host, "/")
}

func (x *commands) syncs(_ shell.Command, args []shell.Word) {
	cut := plain(args, "-e --rsh --exclude --include --exclude-from --include-from --files-from --bwlimit --rsync-path --password-file --log-file --filter -f --port --timeout --chmod --backup-dir --suffix --max-size --min-size -B -T --partial-dir --compare-dest --link-dest --copy-dest")
	dry := cut.has("-n", true) || cut.has("--dry-run", false)
	x.readsFiles(cut.operands)
	for _, o := range cut.options {
		if strings.HasPrefix(o.Text, "-e=") || strings.HasPrefix(o.Text, "--rsh=") {
			if _, value, _ := strings.Cut(o.Text, "="); !strings.HasPrefix(value, "ssh") {
				x.found("execute", "run", "command", "rsync -e runs a command")
			}
		}
	}
	to, from, ok := destination(cut)
	switch {
	case dry || !ok:
		x.found("read", "compare", "file", "rsync lists files")
	case slices.ContainsFunc(cut.options, func(w shell.Word) bool {
		return strings.HasPrefix(w.Text, "--del") || w.Text == "--remove-source-files"
	}):
		x.found("delete", "mirror", "folder", "rsync deletes what is not in "+named1(from, "the source")+" from "+short(to.Text)).Breadth = x.wide(to, true)
	case isRemote(to.Text):
		x.leavesSecrets(from)
		x.found("message", "send", "file", "rsync sends "+named1(from, "files")+" to another machine").Audience = Outside
	default:
		x.writes(to, "copies files to")
	}
}

// leavesSecrets adds that files of secrets go to another machine.
func (x *commands) leavesSecrets(from []shell.Word) {
	for _, w := range from {
		if x.isSecret(w.Text) {
			e := x.found("permission", "send", "secret file", x.name()+" sends "+short(w.Text)+" away")
			e.Evidence[0].Start, e.Evidence[0].End = w.Start, w.End // this file, not where it goes
		}
	}
}

func (x *commands) sends(_ shell.Command, args []shell.Word) {
	cut := plain(args, "-c -D -F -i -J -l -o -P -S -X")
	x.readsFiles(cut.operands)
	to, from, ok := destination(cut)
	switch {
	case ok && isRemote(to.Text):
		x.leavesSecrets(from)
		x.found("message", "send", "file", "scp sends "+named1(from, "files")+" to another machine").Audience = Outside
	case ok:
		x.writes(to, "fetches files to")
	default:
		x.found("write", "copy", "file", "scp copies files")
	}
}

func (x *commands) dd(_ shell.Command, args []shell.Word) {
	for _, w := range args {
		name, value, _ := strings.Cut(w.Text, "=")
		file := w
		file.Text = value
		switch name {
		case "of":
			if !isSink(value) {
				if isOld(file) {
					x.overwrites(file, "overwrites")
				} else {
					x.writes(file, "writes")
				}
			}
		case "if":
			x.readsFiles([]shell.Word{file})
			if isDisk(x.at(value)) {
				x.found(sensitiveRead, "read", "disk", "dd reads the disk "+short(value))
			}
		}
	}
	x.found("read", "read", "", "dd reads")
}

func (x *commands) truncates(_ shell.Command, args []shell.Word) {
	for _, w := range plain(args, "-s --size -r --reference -o").operands {
		x.overwrites(w, "cuts")
	}
}

func (x *commands) tee(_ shell.Command, args []shell.Word) {
	cut := plain(args, "")
	for _, w := range cut.operands {
		switch {
		case cut.has("-a", true) || cut.has("--append", false):
			x.writes(w, "appends to")
		case isOld(w):
			x.overwrites(w, "overwrites")
		default:
			x.writes(w, "writes")
		}
	}
	if len(cut.operands) == 0 {
		x.found("read", "print", "", "tee prints")
	}
}

func (x *commands) tar(_ shell.Command, args []shell.Word) {
	mode, to := "", ""
	for i, w := range args {
		text := w.Text
		if i == 0 && !strings.HasPrefix(text, "-") {
			text = "-" + text
		}
		switch {
		case strings.HasPrefix(text, "--to-command"), strings.HasPrefix(text, "--use-compress-program"), strings.HasPrefix(text, "--checkpoint-action"), strings.HasPrefix(text, "--rsh-command"), strings.HasPrefix(text, "--info-script"), strings.HasPrefix(text, "--new-volume-script"), text == "-I" || text == "-F":
			x.found("execute", "run", "command", "tar runs a command for what it packs or unpacks")
		case strings.HasPrefix(text, "--remove-files"), text == "--delete", text == "--overwrite":
			x.found("delete", "delete", "file", "tar deletes files")
		case text == "--list":
			mode = "t"
		case text == "--extract" || text == "--get":
			mode = "x"
		case text == "--create":
			mode = "c"
		case text == "-C" || text == "--directory":
			if i+1 < len(args) {
				to = args[i+1].Text
			}
		case strings.HasPrefix(text, "--directory="):
			to = strings.TrimPrefix(text, "--directory=")
		case len(text) > 1 && text[0] == '-' && text[1] != '-' && mode == "":
			for _, m := range "txcru" {
				if strings.ContainsRune(text[1:], m) {
					mode = string(m)
					break
				}
			}
		}
	}
	switch mode {
	case "t":
		x.found("read", "list", "archive", "tar lists an archive")
	case "x":
		w := shell.Word{Text: to, Literal: true}
		switch clean := x.at(to); {
		case to != "" && (clean == "/" || path.Clean(to) == "/" || isGuardingPath(clean)):
			x.found("permission", "unpack", "archive", "tar unpacks to "+short(to)+", over what the system runs")
		case to != "" && isOld(w):
			x.found("delete", "unpack", "archive", "tar unpacks to "+short(to)+", over what stands there")
		default:
			x.found("write", "unpack", "archive", "tar unpacks an archive")
		}
	default:
		x.found("write", "pack", "archive", "tar packs files")
		x.readsFiles(args)
	}
}

func (x *commands) find(_ shell.Command, args []shell.Word) {
	why := "find lists files"
	for i, w := range args[:max(len(args)-1, 0)] {
		if strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok") {
			why = "find runs " + short(args[i+1].Text) + " on the files that it finds"
			break
		}
	}
	x.found("read", "find", "file", why)
	x.findsSecrets(args)
	for i, w := range args {
		switch w.Text {
		case "-delete":
			start := shell.Word{Text: ".", Literal: true}
			if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") {
				start = args[0]
			}
			e := x.found("delete", "delete", "file", "find deletes what it finds in "+short(start.Text))
			e.Breadth = Several
			if x.wide(start, true) == All && i <= 2 {
				e.Breadth = All
			}
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(args) {
				x.overwrites(args[i+1], "writes")
			}
		}
	}
}

func (x *commands) sed(_ shell.Command, args []shell.Word) {
	inPlace := false
	var operands []shell.Word
	scripts := []string{}
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "-e" || text == "--expression":
			if i+1 < len(args) {
				scripts = append(scripts, args[i+1].Text)
				i++
			}
		case text == "-f" || text == "--file":
			x.found("execute", "run", "script", "sed runs a script from a file")
			scripts = append(scripts, "")
			i++
		case strings.HasPrefix(text, "--expression="):
			scripts = append(scripts, strings.TrimPrefix(text, "--expression="))
		case strings.HasPrefix(text, "--in-place"), strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--") && strings.Contains(text, "i") && len(text) < 8:
			inPlace = true
		case strings.HasPrefix(text, "-") && len(text) > 1:
		default:
			operands = append(operands, args[i])
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts, operands = append(scripts, operands[0].Text), operands[1:]
	}
	for _, s := range scripts {
		if sedRuns(s) {
			x.found("execute", "run", "command", "the script of sed runs commands or writes files")
		}
	}
	if !inPlace {
		x.found("read", "print", "", "sed prints")
		x.readsFiles(operands)
		return
	}
	if len(operands) == 0 {
		x.found("write", "change", "file", "sed changes files")
	}
	for i, w := range operands {
		x.writes(w, "changes")
		if i == maxEvidence {
			break
		}
	}
}

// sedRuns reports whether a script of sed has a command e or w, or such a flag of s.
func sedRuns(script string) bool {
	if sedFlagsRun(strings.TrimLeft(script, " \t0123456789,$!+~")) { // what it replaces may hold a separator of commands
		return true
	}
	for _, line := range strings.FieldsFunc(script, func(r rune) bool { return r == '\n' || r == ';' || r == '}' || r == '{' }) {
		line = strings.TrimLeft(line, " \t0123456789,$!+~")
		if line == "" {
			continue
		}
		if line[0] == '/' { // an address
			if i := strings.LastIndexByte(line[1:], '/'); i >= 0 {
				line = strings.TrimLeft(line[i+2:], " \t,!I")
			}
		}
		if line == "e" || strings.HasPrefix(line, "e ") || strings.HasPrefix(line, "w ") || strings.HasPrefix(line, "W ") || strings.HasPrefix(line, "w/") {
			return true
		}
		if sedFlagsRun(line) {
			return true
		}
	}
	return false
}

func (x *commands) awk(_ shell.Command, args []shell.Word) {
	x.found("read", "print", "", "awk prints")
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "-f" || text == "--file" || strings.HasPrefix(text, "--file="):
			x.found("execute", "run", "script", "awk runs a script from a file")
		case text == "-F" || text == "-v":
			i++
		case text == "-i" && i+1 < len(args) && args[i+1].Text == "inplace":
			x.found("write", "change", "file", "awk changes files")
			i++
		case strings.HasPrefix(text, "-i") || text == "-l" || text == "-E" || strings.HasPrefix(text, "--include") || strings.HasPrefix(text, "--load") || strings.HasPrefix(text, "--exec"):
			x.found("execute", "load", "module", "awk loads a module")
			if len(text) == 2 {
				i++
			}
		case (text == "-e" || text == "--source") && i+1 < len(args):
			i++
			x.program(args[i].Text)
		case strings.HasPrefix(text, "-"):
		default:
			x.program(text)
			x.readsFiles(args[i+1:])
			return
		}
	}
}

// program reads a program of awk: what it runs, and the files that it writes.
func (x *commands) program(text string) {
	if strings.Contains(text, "system") && strings.Contains(text, "(") {
		_, rest, _ := strings.Cut(text, "system")
		rest = strings.TrimLeft(rest, " \t(")
		if quoted, tail, ok := strings.Cut(strings.TrimPrefix(rest, `"`), `"`); ok && strings.HasPrefix(rest, `"`) && strings.HasPrefix(strings.TrimLeft(tail, " "), ")") {
			x.inner(quoted)
		}
		x.found("execute", "run", "command", "the program of awk runs commands")
		return
	}
	if strings.Contains(text, "|&") || strings.Contains(text, `| "`) || strings.Contains(text, `|"`) || strings.Contains(text, `" |`) || strings.Contains(text, `"|`) && strings.Contains(text, "getline") {
		x.found("execute", "run", "command", "the program of awk runs commands")
	}
	if i := strings.Index(text, `> "`); i >= 0 || strings.Contains(text, `>"`) {
		x.found("write", "write", "file", "the program of awk writes files")
	}
}

// inner adds what a text does that stands in an argument and is run.
func (x *commands) inner(text string) {
	c := x.current
	for _, e := range shellEffects(shell.Read(text), x.pointer) {
		for i := range e.Evidence {
			e.Evidence[i].Start, e.Evidence[i].End = c.Start, c.End
		}
		x.all = append(x.all, e)
	}
}

func (x *commands) ripgrep(_ shell.Command, args []shell.Word) {
	x.found("read", "search", "", "rg searches")
	x.searchesAll("rg", args)
	for _, w := range args {
		if strings.HasPrefix(w.Text, "--pre") && !strings.HasPrefix(w.Text, "--pretty") || strings.HasPrefix(w.Text, "--hostname-bin") {
			x.found("execute", "run", "command", "rg runs a program for each file")
		}
	}
	x.readsFiles(args)
}

func (x *commands) kill(_ shell.Command, args []shell.Word) {
	if len(args) > 0 && (args[0].Text == "-l" || args[0].Text == "-L" || args[0].Text == "-0") {
		x.found("read", "list", "process", "kill asks")
		return
	}
	e := x.found("delete", "end", "process", "kill ends "+named1(args, "processes"))
	for i, w := range args {
		if w.Text == "-1" && (i > 0 || len(args) == 1) {
			e.Breadth = All
		}
	}
}

// secretNames are parts of names of variables that hold secrets.
var secretNames = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL", "_KEY", "DATABASE_URL", "DSN", "PASSPHRASE", "AUTH"}

// isSecretName reports whether a variable is named like a secret.
func isSecretName(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(secretNames, func(s string) bool { return strings.Contains(name, s) })
}

// echo prints: the value of a secret variable is a secret.
func (x *commands) echo(_ shell.Command, args []shell.Word) {
	x.found("read", "print", "", x.name()+" prints")
	for _, w := range args {
		if w.Literal {
			continue
		}
		for _, part := range strings.Split(w.Text, "$")[1:] {
			part = strings.TrimLeft(part, "{!")
			if end := strings.IndexFunc(part, func(r rune) bool { return r != '_' && !isLetter(r) && (r < '0' || r > '9') }); end >= 0 {
				part = part[:end]
			}
			if isSecretName(part) {
				x.found(sensitiveRead, "print", "secret", x.name()+" prints the variable "+short(part))
			}
		}
	}
}

func (x *commands) environment(c shell.Command, args []shell.Word) {
	if c.Program() == "xargs" {
		x.found("read", "print", "", "xargs prints")
		return
	}
	if c.Program() == "printenv" && len(args) > 0 && !slices.ContainsFunc(args, func(w shell.Word) bool { return isSecretName(w.Text) }) {
		x.found("read", "print", "variable", "printenv prints a variable")
		return
	}
	x.found(sensitiveRead, "print", "environment", c.Program()+" prints the environment")
}

func (x *commands) exported(c shell.Command, args []shell.Word) {
	if c.Program() != "unset" && (len(args) == 0 || c.Program() != "set" && len(args) == 1 && slices.Contains([]string{"-p", "-x", "-px"}, args[0].Text)) {
		x.found(sensitiveRead, "print", "environment", c.Program()+" prints the environment")
		return
	}
	if slices.ContainsFunc(args, func(w shell.Word) bool { return strings.HasPrefix(w.Text, "HIST") || w.Text == "history" }) {
		x.found("permission", "stop", "history", c.Program()+" stops what the shell remembers")
		return
	}
	x.found("read", "set", "variable", c.Program()+" sets a variable")
}

// loading are variables that load code, or choose a program, where it is fetched from, or
// who it speaks for.
var loading = setOf(`PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH NODE_OPTIONS NODE_PATH BASH_ENV ENV PROMPT_COMMAND PYTHONPATH
	PYTHONSTARTUP PYTHONHOME PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_PROXY_COMMAND
	GIT_ASKPASS GIT_EXEC_PATH GIT_TEMPLATE_DIR RUSTC_WRAPPER RUSTC CARGO_BUILD_RUSTC_WRAPPER JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS CLASSPATH PIP_INDEX_URL PIP_EXTRA_INDEX_URL
	UV_INDEX_URL NPM_CONFIG_REGISTRY HTTPS_PROXY HTTP_PROXY ALL_PROXY GOPROXY GOFLAGS GONOSUMDB GOINSECURE SSL_CERT_FILE NODE_TLS_REJECT_UNAUTHORIZED PAGER EDITOR VISUAL BROWSER
	MANPAGER LESSOPEN LESSCLOSE SHELLOPTS HOME MAKEFLAGS CC CXX PS4 SUDO_ASKPASS SSH_ASKPASS RSYNC_RSH PSQL_PAGER`)

// assigned reads the variables that are set in front of a command, or by export.
func (x *commands) assigned(c shell.Command) {
	for _, a := range c.Assigns {
		alone := len(c.Words) == 0 // it may be exported already
		if !loading[a.Name] || alone && !slices.Contains([]string{"PATH", "LD_PRELOAD", "PROMPT_COMMAND", "BASH_ENV", "ENV", "PS4"}, a.Name) || isOrdinary(a.Name, a.Value) {
			continue
		}
		x.found("execute", "set", "variable", "the variable "+short(a.Name)+" decides what is loaded or run")
	}
}

// isOrdinary reports whether a variable that may load code or choose a program has a value
// that people give it every day, and that does neither.
func isOrdinary(name string, w shell.Word) bool {
	value := w.Text
	in := func(list string) bool { return slices.Contains(strings.Fields(list), value) }
	switch name {
	case "PATH":
		for _, folder := range strings.Split(value, ":") {
			if !isUsualFolder(folder) {
				return false
			}
		}
		return true
	case "PYTHONPATH", "NODE_PATH", "CLASSPATH":
		return w.Literal && !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "~") && !strings.Contains(value, "..")
	case "PAGER", "GIT_PAGER", "MANPAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "BROWSER", "PSQL_PAGER":
		return value == "" || in("cat less more true vi vim nano none :")
	case "CC", "CXX", "RUSTC":
		return in("gcc clang cc g++ clang++ c++ rustc gcc-12 gcc-13 gcc-14")
	case "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_OPTS", "GOFLAGS", "MAKEFLAGS", "RUBYOPT", "PERL5OPT":
		for _, bad := range []string{"require", "import", "loader", "agent", "exec", "-r", "-I", "-M", "eval", "$(", "`", "SHELL"} {
			if strings.Contains(value, bad) {
				return false
			}
		}
		return w.Literal
	case "PS4":
		return !strings.Contains(value, "$(") && !strings.Contains(value, "`")
	case "GOPROXY":
		return in("off direct https://proxy.golang.org https://proxy.golang.org,direct")
	}
	return false
}

// isUsualFolder reports whether programs of the system or of the user stand in a folder
// of PATH.
func isUsualFolder(folder string) bool {
	switch folder {
	case "$PATH", "${PATH}":
		return true
	}
	if strings.Contains(folder, "..") {
		return false
	}
	for _, usual := range []string{"/usr/", "/bin", "/sbin", "/opt/", "/snap/", "~/.", "~/go/bin", "~/bin", "/nix/", "/home/linuxbrew/"} {
		if strings.HasPrefix(folder, usual) {
			return true
		}
	}
	return strings.HasSuffix(folder, "node_modules/.bin") && !strings.HasPrefix(folder, "/")
}
