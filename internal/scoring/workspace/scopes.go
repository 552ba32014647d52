package workspace

import (
	"path"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What a session grant for a command would cover. Where a word of it leads elsewhere, to
// another host, index, remote or set of services, there is nothing that it could cover.

// sshScope is one host, with the user where one is named, by options that take nobody
// elsewhere and run nothing here.
func sshScope(shown string, args []shell.Word) *Scope {
	if name, _, _ := strings.Cut(shown, " "); name != "ssh" {
		return nil // scp, rsync and the like also move files
	}
	user := ""
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case !args[i].Literal:
			return nil
		case text == "-l" && i+1 < len(args) && args[i+1].Literal:
			i++
			user = args[i].Text + "@"
		case text == "-p":
			i++
		case slices.Contains(wordlist.List("workspace.sshOptions"), text):
		case text == "" || text[0] == '-' || strings.ContainsAny(user+text, "/*?$ "):
			return nil
		default:
			if strings.Contains(text, "@") {
				user = ""
			}
			return &Scope{Of: "ssh", To: user + strings.ToLower(text)}
		}
	}
	return nil
}

// installScope is installing by name from the index that is set: an option or a word that
// names another place leaves nothing to cover.
func (w *walk) installScope() *Scope {
	words := w.c.Words
	if len(words) == 0 {
		return nil
	}
	pip := strings.Contains(words[0].Text, "pip") || words[0].Text == "uv"
	for _, a := range words[1:] {
		text := a.Text
		name, _, _ := strings.Cut(text, "=")
		elsewhere := slices.Contains(wordlist.List("workspace.indexOptions"), name) || pip && (text == "-i" || text == "-f")
		module := slices.Contains([]string{"go", "cargo", "composer", "dart", "flutter"}, words[0].Text)
		switch {
		case !a.Literal, elsewhere, strings.Contains(text, "://"), strings.HasPrefix(text, "git+"), strings.HasPrefix(text, "/"), strings.HasPrefix(text, "."), strings.HasPrefix(text, "~"):
			return nil
		case strings.Contains(text, "/") && text[0] != '@' && text[0] != '-' && !module:
			return nil // a folder, or a repository
		case strings.ContainsAny(text, ":") && text[0] != '-':
			return nil // github:user/name
		}
	}
	if !w.dir.known {
		return nil
	}
	s := &Scope{Of: "install"}
	for _, n := range installFiles[words[0].Text] {
		s.Files = append(s.Files, path.Join(w.dir.path, n))
	}
	return s
}

// installFiles say what is installed beside what is named, and from where.
var installFiles = func() map[string][]string {
	all := map[string][]string{}
	for programs, files := range map[string]string{
		"npm pnpm yarn bun npx bunx pnpx":           "package.json .npmrc",
		wordlist.Text("workspace.pythonInstallers"): "pyproject.toml requirements.txt setup.py uv.toml",
		"go": "go.mod", "cargo": "Cargo.toml", "composer": "composer.json", "gem bundle bundler": "Gemfile", "dart flutter": "pubspec.yaml",
	} {
		for _, p := range strings.Fields(programs) {
			all[p] = strings.Fields(files)
		}
	}
	return all
}()

// pushScope is pushing to a branch of the remote that a clone begins with, from the
// workspace.
func (w *walk) pushScope(c cut, named []shell.Word, branch string) *Scope {
	switch {
	case branch == "" || releaseBranch(branch):
		return nil
	case c.Any(false, wordlist.List("workspace.pushesMore")...):
		return nil
	case len(named) > 1 && (!named[1].Literal || named[1].Text != "origin"):
		return nil
	case !w.dir.known || !within(w.b.Folder, w.dir.path):
		return nil
	}
	return &Scope{Of: "push", To: branch}
}

// composeScope is compose up and down of services whose files are known, and nothing else
// that compose does.
func (w *walk) composeScope(shown string, args []shell.Word) *Scope {
	words := strings.Fields(shown)
	if len(words) == 0 {
		return nil
	}
	if words[0] == "docker" || words[0] == "podman" || words[0] == "nerdctl" {
		if len(args) == 0 || args[0].Text != "compose" {
			return nil // an option before it names another machine
		}
		args = args[1:]
	}
	verb := ""
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case !args[i].Literal || text == "":
			return nil
		case verb == "" && (text == "-f" || text == "--file") && i+1 < len(args) && args[i+1].Literal:
			i++
		case verb == "" && (text == "up" || text == "down" || text == "start" || text == "stop" || text == "restart"):
			verb = text
		case verb != "" && text[0] != '-':
		case verb != "" && slices.Contains(wordlist.List("workspace.composeOptions"), text):
		default:
			return nil
		}
	}
	files := w.composeFiles(args)
	if verb == "" || len(files) == 0 || slices.ContainsFunc(files, func(p string) bool { return !within(w.b.Folder, p) }) {
		return nil
	}
	return &Scope{Of: "compose", Files: files}
}

// composeFiles are those whose change ends a grant for compose.
func (w *walk) composeFiles(args []shell.Word) []string {
	var all []string
	for i, a := range args {
		if (a.Text == "-f" || a.Text == "--file") && i+1 < len(args) {
			file := w.word(args[i+1]).path
			all = append(all, file, path.Join(path.Dir(file), "Dockerfile"))
		}
	}
	if len(all) == 0 && w.dir.known {
		for _, n := range []string{"compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml", "compose.override.yaml", "docker-compose.override.yml", "Dockerfile"} {
			all = append(all, w.dir.path+"/"+n)
		}
	}
	return all
}
