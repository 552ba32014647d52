package workspace

import (
	"path"
	"strings"

	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// zone says where a path is.
type zone int

const (
	inside    zone = iota // in the workspace
	temporary             // in a shared scratch folder
	outside               // anywhere else
	sink                  // /dev/null and the like
	nowhere               // known only when it runs
)

// spot is a path as a command means it.
type spot struct {
	path string // absolute and clean; what is known of it where the rest is not
	zone zone
	// glob says that it is a pattern, or that a part of it is known only when it runs,
	// which cannot lead out of the folder before it.
	glob bool
}

// folder is where relative paths start.
type folder struct {
	path  string
	known bool
}

// in resolves a path that is known.
func (b Binding) in(dir folder, text string) spot {
	switch {
	case text == "":
		return spot{path: dir.path, zone: nowhere}
	case text == "~" || strings.HasPrefix(text, "~/"):
		text = b.home() + text[1:]
	case strings.HasPrefix(text, "~") && !strings.Contains(text[:min(len(text), 3)], "."):
		return spot{path: text, zone: outside} // of somebody else
	case !strings.HasPrefix(text, "/"):
		if !dir.known {
			return spot{path: text, zone: nowhere}
		}
		text = dir.path + "/" + text
	}
	clean := text
	if strings.HasPrefix(text, "/") {
		clean = path.Clean(text)
	}
	return spot{path: clean, zone: b.zoneOf(clean)}
}

// zoneOf says where a clean path is.
func (b Binding) zoneOf(clean string) zone {
	switch {
	case within(b.Folder, clean):
		return inside
	case paths.Of().IsSink(clean):
		return sink
	}
	for t := range paths.Of().Temporary {
		if within(t, clean) {
			return temporary
		}
	}
	return outside
}

// home is the home of whose workspace it is, as far as its path says so.
func (b Binding) home() string {
	parts := strings.SplitN(b.Folder, "/", 4)
	if len(parts) > 2 && (parts[1] == "home" || parts[1] == "Users") {
		return "/" + parts[1] + "/" + parts[2]
	}
	if len(parts) > 1 && parts[1] == "root" {
		return "/root"
	}
	return "~"
}

// start is the folder in which a call starts.
func (b Binding) start(cwd string) folder {
	root := folder{b.Folder, true}
	if cwd == "" {
		return root
	}
	s := b.in(root, cwd)
	return folder{s.path, s.zone != nowhere}
}

// below is the folder that a command runs in, whose text started in dir.
func (b Binding) below(dir folder, c shell.Command) folder {
	if !c.DirKnown {
		return folder{}
	}
	if c.Dir == "" {
		return dir
	}
	s := b.in(dir, c.Dir)
	return folder{s.path, s.zone != nowhere}
}

// word resolves a word that is a path.
func (w *walk) word(word shell.Word) spot {
	text, glob := word.Text, word.Glob
	if !word.Literal {
		var ok bool
		if text, ok = w.expand(word); !ok {
			return spot{path: word.Text, zone: nowhere}
		}
		glob = true
	}
	s := w.b.in(w.dir, text)
	s.glob = glob
	if to, ok := w.follow(s.path); ok {
		s.path, s.zone = to, w.b.zoneOf(to)
	}
	return s
}

// follow is a path behind the symbolic links that the text itself made.
func (w *walk) follow(p string) (string, bool) {
	found := false
	for range 4 {
		hit := false
		for from, to := range w.links {
			if p != from && within(from, p) || p == from {
				p, hit = path.Clean(to+p[len(from):]), true
				break
			}
		}
		if !hit {
			break
		}
		found = true
	}
	return p, found
}

// expand puts in place of what is known only when it runs what it certainly begins with,
// or stands for: $PWD, $TMPDIR, $(mktemp), $(git rev-parse --show-toplevel). A number or a
// date in a name leads nowhere else.
func (w *walk) expand(word shell.Word) (string, bool) {
	text := tidy(word.Text)
	for _, e := range []struct{ from, to string }{
		{"${PWD}", w.dir.path},
		{"$PWD", w.dir.path},
		{"$(pwd)", w.dir.path},
		{"`pwd`", w.dir.path},
		{"$(git rev-parse --show-toplevel)", w.b.Folder},
		{"$(git rev-parse --show-toplevel 2>/dev/null)", w.b.Folder},
		{"${TMPDIR:-/tmp}", "/tmp"},
		{"${TMPDIR}", "/tmp"},
		{"$TMPDIR", "/tmp"},
		{"$TEMP", "/tmp"},
		{"$TMP", "/tmp"},
		{"$HOME", "~"},
		{"${HOME}", "~"},
		{"$CLAUDE_PROJECT_DIR", w.b.Folder},
		{"${CLAUDE_PROJECT_DIR}", w.b.Folder},
	} {
		rest, ok := strings.CutPrefix(text, e.from)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		if e.to == "" {
			return "", false
		}
		text = e.to + rest
		break
	}
	if strings.HasPrefix(text, "<(") || strings.HasPrefix(text, ">(") {
		return "", false
	}
	text = ofFile(word, text)
	if strings.HasPrefix(text, "$(mktemp") {
		if end := strings.IndexByte(text, ')'); end > 0 && !strings.ContainsAny(text[2:end], "$`;|&") && !strings.Contains(text[:end], " -p") && !strings.Contains(text[:end], "--tmpdir") {
			text = "/tmp/made-by-mktemp" + text[end+1:]
		}
	}
	var b strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "$`")
		if at < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:at])
		text = text[at:]
		n := harmlessPart(text)
		if n == 0 {
			return "", false
		}
		b.WriteByte('*')
		text = text[n:]
	}
	return b.String(), true
}

// ofFile puts in the folder of a file whose name is known, and what a variable of a loop
// over names of files begins with: $(dirname src/a), ${f%.txt}.md.
func ofFile(word shell.Word, text string) string {
	if rest, ok := strings.CutPrefix(text, "$(dirname "); ok {
		if end := strings.IndexByte(rest, ')'); end > 0 {
			if file := strings.Trim(rest[:end], `"' `); !strings.ContainsAny(file, "$` ") {
				return path.Dir(file) + rest[end+1:]
			}
		}
	}
	rest, ok := strings.CutPrefix(text, "${")
	end := strings.IndexByte(rest, '}')
	at := strings.IndexAny(rest, "%#")
	if !ok || end < 0 || at <= 0 || at > end || strings.ContainsAny(rest[at:end], "$`") || word.Of == nil || !word.Of.Literal {
		return text
	}
	name := word.Of.Text
	if strings.Contains(name, "..") || strings.HasPrefix(name, "~") || strings.HasPrefix(name, "-") {
		return text
	}
	if stop := strings.IndexAny(name, "*?["); stop >= 0 {
		name = name[:stop] + "*"
	}
	if rest[at] == '#' {
		name = path.Base(name)
	}
	return name + rest[end+1:]
}

// tidy is a substitution with one space between its words, none at its ends, and no quotes.
func tidy(text string) string {
	if !strings.Contains(text, "$(") {
		return text
	}
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("$( ", "$(", " )", ")", `"`, "", "'", "").Replace(text)
}

// harmlessPart is how long the expansion is that a text begins with, where it can only be
// a number, a date, or a name without a slash.
func harmlessPart(text string) int {
	for _, p := range wordlist.List("workspace.plainVariables") {
		if strings.HasPrefix(text, p) {
			return len(p)
		}
	}
	for _, p := range wordlist.List("workspace.plainSubstitutions") {
		if !strings.HasPrefix(text, p) {
			continue
		}
		depth := 0
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	return 0
}
