package shell

import (
	"slices"
	"strings"
)

// wrapper is a program that runs the command among its arguments.
type wrapper struct {
	values  string // options whose value is the next word
	skip    int    // operands before the command
	outer   bool   // it does something of its own, or takes the command elsewhere
	remote  bool   // the command does not run where the text does
	dashes  bool   // the command stands behind --, or the option
	text    bool   // the command is a shell text: its words joined
	option  string // the command stands behind this option, as one text
	assigns bool   // NAME=value may stand before the command
	dir     string // the option that names its folder
	help    string // with this option it runs nothing
}

// wrappers are those that are looked through, with their subcommand where they have one.
var wrappers = func() map[string]wrapper {
	all := map[string]wrapper{}
	for names, w := range map[string]wrapper{
		"sudo": {
			values:  "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T --command-timeout -U --other-user -R --chroot -D --chdir",
			assigns: true, dir: "-D --chdir", help: "-l --list -v --validate -k -K",
		},
		"doas":             {values: "-u -C -a"},
		"pkexec":           {values: "--user"},
		"env":              {values: "-u --unset -C --chdir -P -S --split-string", assigns: true, dir: "-C --chdir"},
		"nice":             {values: "-n --adjustment"},
		"ionice":           {values: "-c --class -n --classdata -p --pid -P --pgid -u --uid"},
		"chrt":             {values: "-T -P -D -p --pid", skip: 1},
		"taskset":          {skip: 1},
		"faketime":         {values: "-f -p", skip: 1},
		"timeout gtimeout": {values: "-s --signal -k --kill-after", skip: 1},
		"time":             {values: "-f --format -o --output"},
		"command builtin":  {help: "-v -V"},
		"exec":             {values: "-a"},
		"nohup setsid fakeroot chronic unbuffer dbus-run-session setarch linux32 linux64 noglob nocorrect rlwrap torsocks torify": {},
		"stdbuf":                   {values: "-i --input -o --output -e --error"},
		"proxychains proxychains4": {values: "-f"},
		"caffeinate":               {values: "-t -w"},
		"xvfb-run":                 {values: "-n -s -e -f -p -w"},
		"catchsegv ltrace strace":  {values: "-e -o -s -p -u -E -a -I -b -n -x -A -F -l -S"},
		"firejail bwrap":           {},
		"systemd-run":              {values: "-p --property -u --unit --slice -E --setenv --uid --gid --working-directory --on-calendar --on-active -H -M --description", outer: true},
		"unshare":                  {values: "-S -G -R -w --setuid --setgid --root --wd --propagation"},
		"nsenter":                  {values: "-t --target -S -G --setuid --setgid", outer: true, remote: true},
		"chroot":                   {values: "--userspec --groups", skip: 1, remote: true},
		"flock":                    {values: "-E -w --timeout --wait --conflict-exit-code", skip: 1},
		"busybox toybox":           {help: "--list --install"},
		"xargs gxargs":             {values: "-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars -R -S -J"},
		"watch":                    {values: "-n --interval -q --equexit", text: true},
		"entr":                     {},
		"dotenv":                   {values: "-e -f --file -c -v", help: "list get set unset"},
		"ssh autossh mosh": {
			values: "-b -B -c -D -E -e -F -I -i -J -L -l -m -M -O -o -P -p -Q -R -S -W -w", skip: 1, outer: true, remote: true, text: true,
		},
		"sshpass":                                                     {values: "-f -d -p -P"},
		"docker exec|podman exec|nerdctl exec":                        {values: "-e --env --env-file -u --user -w --workdir --detach-keys", skip: 1, outer: true, remote: true},
		"docker container exec|podman container exec":                 {values: "-e --env --env-file -u --user -w --workdir --detach-keys", skip: 1, outer: true, remote: true},
		"docker compose exec|docker-compose exec|podman-compose exec": {values: "-e --env -u --user -w --workdir --index", skip: 1, outer: true, remote: true},
		"docker compose run|docker-compose run":                       {values: "-e --env -u --user -w --workdir -v --volume -p --publish --name --entrypoint -l --label", skip: 1, outer: true, remote: true},
		"docker run|podman run|nerdctl run|docker container run": {
			values: "-e --env --env-file -u --user -w --workdir -v --volume --mount -p --publish --name --network --net --entrypoint --platform -m --memory --cpus " +
				"-h --hostname -l --label --add-host --cap-add --cap-drop --device --dns --expose --gpus --health-cmd --ip --log-driver --log-opt --pid --pull --restart " +
				"--runtime --security-opt --shm-size --stop-signal --sysctl --tmpfs --ulimit --userns --volumes-from -a --attach --cidfile --group-add --ipc --link --isolation",
			skip: 1, outer: true, remote: true,
		},
		"kubectl exec|oc exec|k exec|oc rsh":                  {values: "-c --container -n --namespace -f --filename --pod-running-timeout", skip: 1, outer: true, remote: true},
		"lxc exec|incus exec|multipass exec|machinectl shell": {values: "--cwd --env --user --group --mode -d --working-directory", skip: 1, outer: true, remote: true},
		"heroku run":                         {values: "-a --app -r --remote -s --size -e --env", outer: true, remote: true, text: true},
		"fly ssh console|flyctl ssh console": {option: "-C --command", outer: true, remote: true},
		"gcloud compute ssh":                 {option: "--command", dashes: true, outer: true, remote: true},
		"vagrant ssh":                        {option: "-c --command", outer: true, remote: true},
		"npx bunx":                           {values: "-p --package -w --workspace --cache --registry -c --call", outer: true},
		"npm exec|npm x|pnpm exec|yarn exec|bun x|pnpm dlx|yarn dlx|npm dlx": {values: "-p --package -w --workspace --prefix -C --dir -F --filter", outer: true},
		"uvx pipx-run":         {values: "--from --with --python -p --index-url --with-requirements", outer: true},
		"pipx run|uv tool run": {values: "--from --with --spec --python -p --index-url", outer: true},
		"uv run":               {values: "--with --with-editable --with-requirements --python -p --extra --group --package --project --directory --env-file --index-url --index --no-group --only-group -m --module", outer: true, dir: "--directory"},
		"poetry run|pipenv run|pdm run|hatch run|rye run|bundle exec|rbenv exec|pyenv exec|nodenv exec|pixi run": {values: "-C --directory -P --project -p -e"},
		"conda run|mamba run|micromamba run": {values: "-n --name -p --prefix --cwd"},
		"asdf exec|mise exec|mise x":         {skip: 0},
		"direnv exec":                        {skip: 1, outer: true},
		"cross-env cross-env-shell":          {assigns: true},
		"nix-shell":                          {option: "--run --command"},
		"nix develop|nix shell":              {option: "-c --command --run"},
		"doppler run|op run|infisical run|teller run|dotenvx run|chamber exec|envchain|aws-vault exec|saml2aws exec|with-contenv|sops exec-env": {
			values: "-p --project -c --config -f --env-file --env --path --account -d --duration", dashes: true, outer: true,
		},
	} {
		for _, n := range strings.Split(names, "|") {
			if strings.Contains(names, "|") || wrapsBySubcommand(n) {
				all[n] = w
				continue
			}
			for _, one := range strings.Fields(n) {
				all[one] = w
			}
		}
	}
	return all
}()

// wrapsBySubcommand tells `heroku run` from a list of programs.
func wrapsBySubcommand(names string) bool {
	switch names {
	case "heroku run", "gcloud compute ssh", "vagrant ssh", "uv run", "direnv exec":
		return true
	}
	return false
}

// ahead are the options of a program that stand before its subcommand and take a value.
var ahead = map[string]string{
	"docker":  "-H --host -c --context --config -l --log-level -f --file -p --project-name --project-directory --profile --env-file",
	"podman":  "--connection --url -c --log-level",
	"kubectl": "-n --namespace --context --cluster --kubeconfig --user -s --server --token --as",
	"oc":      "-n --namespace --context --cluster --kubeconfig --user -s --server --token --as",
	"uv":      "--directory --project --config-file --cache-dir",
	"npm":     "--prefix -w --workspace --registry -C",
	"pnpm":    "-C --dir -F --filter --prefix",
	"yarn":    "--cwd",
	"gcloud":  "--project --zone --account --configuration --region",
	"fly":     "-a --app -t --access-token",
	"nix":     "--option --extra-experimental-features",
	"git":     "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source",
}

// folders are the options by which programs go to another folder first.
var folders = map[string]string{
	"git": "-C", "make": "-C --directory", "gmake": "-C --directory", "npm": "--prefix -C", "pnpm": "-C --dir", "yarn": "--cwd", "cargo": "-C", "go": "-C",
	"uv": "--directory", "poetry": "-C --directory", "just": "-d --working-directory", "task": "-d --dir", "bun": "--cwd", "ninja": "-C", "meson": "-C", "mix": "",
}

// find is the wrapper that words call, and how many of them name it.
func findWrapper(words []Word) (w wrapper, n int, called string, ok bool) {
	program := baseName(words[0].Text)
	if w, ok = wrappers[program]; ok {
		return w, 1, program, true
	}
	name, at := program, 1
	for range 3 {
		at = operand(words, at, ahead[program])
		if at >= len(words) || !words[at].Literal {
			break
		}
		name += " " + words[at].Text
		at++
		if w, ok = wrappers[name]; ok {
			return w, at, name, true
		}
	}
	return wrapper{}, 0, "", false
}

// operand is the index of the first word from at that is no option, nor the value of one.
func operand(words []Word, at int, values string) int {
	for at < len(words) {
		w := words[at].Text
		if w == "--" {
			return at + 1
		}
		if len(w) < 2 || w[0] != '-' && !(w[0] == '+' && strings.Contains(values, "+")) {
			return at
		}
		at++
		if takesValue(w, values) {
			at++
		}
	}
	return at
}

// takesValue reports whether the value of an option is the next word: -u of "-u", and
// of "-nu", but not of "-uroot" or "--user=root".
func takesValue(option, values string) bool {
	if has(values, option) {
		return true
	}
	if strings.HasPrefix(option, "--") {
		return false
	}
	for i := 1; i < len(option); i++ {
		if has(values, "-"+option[i:i+1]) {
			return i == len(option)-1
		}
	}
	return false
}

// has reports whether a word stands in a list with spaces between.
func has(list, word string) bool {
	for i := 0; word != ""; {
		j := strings.Index(list[i:], word)
		if j < 0 {
			return false
		}
		i += j
		if (i == 0 || list[i-1] == ' ') && (i+len(word) == len(list) || list[i+len(word)] == ' ') {
			return true
		}
		i++
	}
	return false
}

// optionValue is the value of an option among words.
func optionValue(words []Word, names string) (Word, bool) {
	for i, w := range words {
		if w.Text == "--" {
			break
		}
		if has(names, w.Text) && i+1 < len(words) {
			return words[i+1], true
		}
		if n, value, ok := strings.Cut(w.Text, "="); ok && strings.HasPrefix(n, "--") && has(names, n) {
			w.Text, w.at = value, 0
			return w, true
		}
		if len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && has(names, w.Text[:2]) {
			w.Text, w.at = w.Text[2:], 0
			return w, true
		}
	}
	return Word{}, false
}

// unwrap returns the command that a command runs; ok is false where it runs none, or
// where all of it is listed already.
func (r *reader) unwrap(sc *scope, c *Command) (inner Command, ok bool) {
	if r.interpreter(sc, c) {
		return Command{}, false
	}
	w, n, called, ok := findWrapper(c.Words)
	if !ok || len(c.Words) > n && has(w.help, c.Words[n].Text) {
		if names := folders[c.Program()]; names != "" {
			if to, ok := optionValue(c.Words[1:], names); ok {
				at := place{c.Dir, c.DirKnown}.enter(to)
				c.Dir, c.DirKnown = at.path, at.known
			}
		}
		r.emit(*c)
		return Command{}, false
	}
	inner = *c
	inner.Role = Program
	inner.Wrappers = append(slices.Clip(c.Wrappers), baseName(c.Words[0].Text))
	if w.dir != "" {
		if to, found := optionValue(c.Words[1:], w.dir); found {
			at := place{c.Dir, c.DirKnown}.enter(to)
			inner.Dir, inner.DirKnown = at.path, at.known
		}
	}
	if w.remote {
		inner.Dir, inner.DirKnown = "", false
	}
	if w.option != "" {
		text, found := optionValue(c.Words[n:], w.option)
		if i := dashes(c.Words); !found && w.dashes && i >= 0 && i+1 < len(c.Words) {
			text, found = join(c.Words[i+1:]), true
		}
		r.emit(outer(*c, found))
		if found {
			r.shell(sc, inner, text)
		}
		return Command{}, false
	}
	at := operand(c.Words, n, w.values)
	if w.dashes {
		at = n
		for at < len(c.Words) && c.Words[at].Text != "--" {
			at++
		}
		at++
	}
	at = r.assigns(&inner, w, at)
	if at += w.skip; w.skip > 0 && at > len(c.Words)-1 {
		at = len(c.Words)
	}
	if w.skip > 0 && at < len(c.Words) && !w.text { // options may stand behind the operand, too
		at = operand(c.Words, at, w.values)
	}
	if called == "flock" {
		if text, found := optionValue(c.Words[1:], "-c --command"); found {
			r.shell(sc, inner, text)
			return Command{}, false
		}
	}
	if text, found := textOption(called, c.Words[n:min(max(at, n), len(c.Words))]); found {
		r.emit(outer(*c, true))
		r.shell(sc, inner, text)
		return Command{}, false
	}
	if called == "env" {
		if text, found := optionValue(c.Words[1:min(at, len(c.Words))], "-S --split-string"); found {
			r.shell(sc, inner, join(append([]Word{text}, c.Words[min(at, len(c.Words)):]...)))
			return Command{}, false
		}
	}
	if at >= len(c.Words) {
		if w.remote && c.Input != nil && w.text { // ssh host <<EOF
			r.emit(outer(*c, true))
			r.shell(sc, inner, *c.Input)
			return Command{}, false
		}
		if called == "xargs" || called == "gxargs" { // it prints what it reads
			c.Words = []Word{{Text: "echo", Literal: true, Start: c.Start, End: c.End}, c.Words[0]}
		}
		r.emit(*c)
		return Command{}, false
	}
	inner.Words = slices.Clone(c.Words[at:])
	if w.outer {
		r.emit(outer(*c, true))
	}
	switch called {
	case "xargs", "gxargs":
		r.fill(c.Words[n:at], &inner)
	}
	if w.text {
		r.shell(sc, inner, join(inner.Words))
		return Command{}, false
	}
	return inner, true
}

// outer is a command whose inner one is listed too.
func outer(c Command, found bool) Command {
	if found {
		c.Role = Outer
	}
	return c
}

// textOption is the shell text that npx -c and the like are given.
func textOption(called string, options []Word) (Word, bool) {
	switch called {
	case "npx", "npm exec", "npm x":
		return optionValue(options, "-c --call")
	}
	return Word{}, false
}

// assigns takes NAME=value from in front of a command.
func (r *reader) assigns(inner *Command, w wrapper, at int) int {
	if !w.assigns {
		return at
	}
	inner.Assigns = slices.Clip(inner.Assigns)
	words := inner.Words
	for at < len(words) {
		n, value, ok := strings.Cut(words[at].Text, "=")
		if !ok || n == "" || strings.ContainsAny(n, "/ ") {
			break
		}
		v := words[at]
		v.Text, v.at = value, 0
		inner.Assigns = append(inner.Assigns, Assign{n, v})
		at++
	}
	return at
}

// fill puts what xargs reads among the words of its command: in the place of what -I
// names, or behind them.
func (r *reader) fill(options []Word, inner *Command) {
	read := Word{Text: "{}", Start: inner.Start, End: inner.End, assembled: true}
	name, found := optionValue(options, "-I -J")
	for _, o := range options {
		if !found && (o.Text == "-i" || strings.HasPrefix(o.Text, "--replace")) {
			name, found = Word{Text: "{}"}, true
		}
	}
	if !found {
		inner.Words = append(inner.Words, read)
		return
	}
	for i, w := range inner.Words {
		if strings.Contains(w.Text, name.Text) && name.Text != "" {
			inner.Words[i].Literal, inner.Words[i].assembled = false, true
		}
	}
}

// join is words as one text, with a space between.
func join(words []Word) Word {
	if len(words) == 1 {
		return words[0]
	}
	all := Word{Literal: true, Start: words[0].Start, End: words[len(words)-1].End, at: words[0].at}
	for i, w := range words {
		if i > 0 {
			all.Text += " "
		}
		if w.at == 0 || w.at != words[0].at+len(all.Text) { // more than one blank stands between, or quotes
			all.at = 0
		}
		all.Text += w.Text
		all.Literal = all.Literal && w.Literal
		all.assembled = all.assembled || w.assembled
	}
	return all
}
