package workspace

import (
	"path"
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that change texts by a small program of their own.

// sed judges its scripts, and with -i its files.
func sed(w *walk, name string, args []shell.Word) {
	var scripts, files []shell.Word
	inPlace := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		text := a.Text
		switch {
		case text == "-e" || text == "--expression" || text == "-ne" || text == "-Ee" || text == "-re" || text == "-ie":
			inPlace = inPlace || strings.Contains(text[1:], "i")
			if i+1 < len(args) {
				i++
				scripts = append(scripts, args[i])
			}
		case text == "-f" || text == "--file":
			if i+1 < len(args) {
				i++
				if !w.runsFile(args[i], "sed") {
					w.own("it runs a script of sed")
				}
				return
			}
		case strings.HasPrefix(text, "--expression="):
			a.Text = strings.TrimPrefix(text, "--expression=")
			scripts = append(scripts, a)
		case strings.HasPrefix(text, "--in-place"):
			inPlace = true
		case strings.HasPrefix(text, "--"):
		case len(text) > 1 && text[0] == '-':
			if at := strings.IndexByte(text, 'i'); at > 0 && strings.Trim(text[1:at], "nErsuz") == "" {
				inPlace = true
				if at == len(text)-1 && i+1 < len(args) && args[i+1].Text == "" { // as BSD has it
					i++
				}
			}
			if text[len(text)-1] == 'e' && strings.Trim(text[1:], "nErsuze") == "" && i+1 < len(args) {
				i++
				scripts = append(scripts, args[i])
			}
		default:
			files = append(files, a)
		}
	}
	if len(scripts) == 0 && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	texts := ""
	for _, s := range scripts {
		if sedRuns(s.Text) {
			w.held(level.Medium, effects.Execute, "option", "sed runs or writes what its script says")
			return
		}
		texts += s.Text + "\n"
	}
	if !inPlace {
		w.only(name, files)
		return
	}
	w.edits(files, texts)
}

// edits judges files that a program changes in place, by a script that stands in the call.
func (w *walk) edits(files []shell.Word, text string) {
	if len(files) == 0 {
		w.harmless(effects.Read, "read", "it is given no file")
		return
	}
	for _, f := range files {
		if f.Text == "{}" || !f.Literal && strings.Contains(f.Text, "{}") {
			w.changesFound()
			continue
		}
		if w.listedFiles(f) || w.readFiles(f) {
			w.harmless(effects.Write, "edit", "it changes files of the workspace that another command names")
			continue
		}
		s := w.writes(f, "it changes")
		w.keeps(s, replaced(text), true, false)
		if path.Base(s.path) == "package.json" && (s.zone == inside || s.zone == temporary) {
			w.k.putsScripts(s.path, strings.Split(replaced(text), "\n"), true)
		}
	}
}

// listedFiles reports whether a word is what a command names that only names files of the
// workspace: $(git ls-files), or $f of a loop over it.
func (w *walk) listedFiles(f shell.Word) bool {
	if _, variable := plainVariable(f); variable && f.Of != nil {
		f = *f.Of
	}
	if f.Literal || !strings.HasPrefix(f.Text, "$(") || !strings.HasSuffix(f.Text, ")") {
		return false
	}
	listed := false
	for _, c := range w.script.Commands {
		if c.Start < f.Start || c.End > f.End {
			continue
		}
		if c.From >= 0 { // it narrows what another one names
			continue
		}
		n, ok := w.names(c)
		if !ok || n.zone != inside || n.hidden {
			return false
		}
		listed = true
	}
	return listed
}

// readFiles reports whether a word is a variable that a loop reads from what names only
// files of the workspace: git ls-files | while read f.
func (w *walk) readFiles(f shell.Word) bool {
	name, ok := plainVariable(f)
	if !ok || w.c.From < 0 {
		return false
	}
	for i := w.at - 1; i >= 0; i-- {
		c := w.script.Commands[i]
		if c.Program() != "read" || c.From != w.c.From {
			continue
		}
		n, ok := w.finder()
		return ok && n.zone == inside && !n.hidden && c.Words[len(c.Words)-1].Text == name
	}
	return false
}

// plainVariable is the variable whose value a word is.
func plainVariable(f shell.Word) (string, bool) {
	name := strings.Trim(f.Text, "${}")
	return name, !f.Literal && name != "" && ("$"+name == f.Text || "${"+name+"}" == f.Text)
}

// sedRuns reports whether a script of sed runs a command, or reads or writes a file.
func sedRuns(script string) bool {
	for _, line := range strings.Split(script, "\n") {
		line = strings.TrimSpace(line)
		for line != "" {
			rest, runs := sedCommand(line)
			if runs {
				return true
			}
			line = strings.TrimLeft(rest, "; \t}")
		}
	}
	return false
}

// sedCommand reads one command of sed, and returns what stands behind it.
func sedCommand(line string) (rest string, runs bool) {
	i := sedAddress(line)
	for i < len(line) && strings.IndexByte(" \t!{", line[i]) >= 0 {
		i++
	}
	if i == len(line) {
		return "", false
	}
	switch line[i] {
	case 'e':
		return "", true
	case 'w', 'W':
		return "", strings.TrimSpace(line[i+1:]) != "/dev/stdout" && strings.TrimSpace(line[i+1:]) != "/dev/stderr"
	case 'r', 'R', 'a', 'i', 'c', '#', ':', 'b', 't', 'T':
		if strings.IndexByte("btT:", line[i]) >= 0 {
			if at := strings.IndexAny(line[i:], ";}"); at >= 0 {
				return line[i+at:], false
			}
		}
		return "", false
	case 's', 'y':
		if i+1 >= len(line) {
			return "", false
		}
		end := i + 1
		for n := 0; n < 2; n++ {
			next := sedPart(line, end, line[i+1])
			if next < 0 {
				return "", false
			}
			end = next
		}
		end++
		for end < len(line) && strings.IndexByte("gpiImM0123456789e", line[end]) >= 0 {
			if line[end] == 'e' {
				return "", true
			}
			end++
		}
		if end < len(line) && line[end] == 'w' {
			file := strings.TrimSpace(line[end+1:])
			return "", file != "/dev/stdout" && file != "/dev/stderr"
		}
		return line[min(end, len(line)):], false
	}
	return line[i+1:], false
}

// sedPart is the index of the separator that ends the part which begins behind at.
func sedPart(line string, at int, separator byte) int {
	class := false
	for i := at + 1; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '[':
			class = true
		case line[i] == ']':
			class = false
		case line[i] == separator:
			_ = class
			return i
		}
	}
	return -1
}

// sedAddress is how long the addresses in front of a command are.
func sedAddress(line string) int {
	i := 0
	for i < len(line) {
		switch c := line[i]; {
		case c >= '0' && c <= '9' || strings.IndexByte("$,+~ \t", c) >= 0:
			i++
		case c == '/' || c == '\\' && i+1 < len(line):
			if c == '\\' {
				i++
			}
			end := sedPart(line, i, line[i])
			if end < 0 {
				return i
			}
			i = end + 1
			for i < len(line) && (line[i] == 'I' || line[i] == 'M') {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// awk judges its program: one that runs commands or writes files is held.
// awkReads is a file that a program of awk reads by its name.
var awkReads = regexp.MustCompile(`getline[^|;}"]*<\s*"([^"]+)"`)

func awk(w *walk, name string, args []shell.Word) {
	var program shell.Word
	var files []shell.Word
	found := false
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case text == "-F" || text == "-v" || text == "--field-separator" || text == "--assign":
			i++
		case text == "-f" || text == "--file" || text == "-E" || text == "-i" || text == "--include" || text == "-l" || text == "--load":
			if text == "-i" && i+1 < len(args) && args[i+1].Text == "inplace" {
				w.held(level.Medium, effects.Write, "option", "awk changes its files in place")
				return
			}
			if i+1 < len(args) && w.runsFile(args[i+1], "awk") {
				return
			}
			w.own("it runs a script of awk")
			found = true
			i++
		case len(text) > 1 && text[0] == '-':
		case !found:
			program, found = args[i], true
		default:
			files = append(files, args[i])
		}
	}
	code := withoutStrings(program.Text)
	for _, m := range awkReads.FindAllStringSubmatch(program.Text, -1) {
		files = append(files, shell.Word{Text: m[1], Literal: true})
	}
	if hasWord(code, "ENVIRON") && strings.Contains(code, "in ENVIRON") {
		w.found(verdict{level: level.Medium, cause: "secret", because: "awk prints the environment, with the secrets in it", kind: effects.Read, sensitive: true, verb: "print", object: "environment", finding: Outside})
		return
	}
	switch {
	case strings.Contains(code, "system") || strings.Contains(code, "@load") || strings.Contains(code, "@include") || strings.Contains(code, "/inet/") || strings.Contains(program.Text, "/inet/"):
		w.held(level.High, effects.Execute, "option", "awk runs commands")
		return
	case strings.Contains(strings.ReplaceAll(code, "||", ""), "|"):
		if awkPipesPlainly(program.Text) {
			break
		}
		w.held(level.High, effects.Execute, "option", "awk runs commands through a pipe")
		return
	case awkWrites(code):
		if !awkWritesPlainly(program.Text) {
			w.held(level.Medium, effects.Write, "option", "awk writes files")
			return
		}
	}
	w.only(name, files)
}

// awkPipesPlainly reports whether all that a program of awk pipes into are programs that
// only sort or print.
func awkPipesPlainly(program string) bool {
	rest := strings.ReplaceAll(program, "||", "  ")
	for {
		_, after, ok := strings.Cut(rest, "|")
		if !ok {
			return true
		}
		after = strings.TrimSpace(after)
		plain := false
		for _, p := range []string{`"sort"`, `"sort -n"`, `"sort -rn"`, `"sort -nr"`, `"sort -u"`, `"cat"`, `"cat 1>&2"`, `"cat >&2"`, `"wc -l"`} {
			plain = plain || strings.HasPrefix(after, p)
		}
		if !plain {
			return false
		}
		rest = after
	}
}

// awkWrites reports whether print or printf is sent to a file.
func awkWrites(code string) bool {
	for rest := code; ; {
		at := strings.Index(rest, "print")
		if at < 0 {
			return false
		}
		rest = rest[at+5:]
		depth := 0
		for i := 0; i < len(rest) && rest[i] != ';' && rest[i] != '\n' && rest[i] != '}'; i++ {
			switch rest[i] {
			case '(':
				depth++
			case ')':
				depth--
			case '>':
				if depth <= 0 {
					return true
				}
			}
		}
	}
}

func awkWritesPlainly(program string) bool {
	for _, part := range strings.Split(program, ">")[1:] {
		part = strings.TrimLeft(part, "> =")
		if !strings.HasPrefix(part, `"/dev/std`) && !strings.HasPrefix(part, `"/dev/null"`) {
			return false
		}
	}
	return true
}

// withoutStrings is a program of awk without what stands in quotes, regular expressions
// and comments, so that only its code is left.
func withoutStrings(code string) string {
	var b strings.Builder
	last := byte('(') // before which a slash begins a regular expression
	for i := 0; i < len(code); i++ {
		c := code[i]
		switch {
		case c == '"' || c == '/' && strings.IndexByte("(,~!{};&|\n", last) >= 0:
			for i++; i < len(code) && code[i] != c; i++ {
				if code[i] == '\\' {
					i++
				}
			}
			last = 'x'
		case c == '#':
			for i < len(code) && code[i] != '\n' {
				i++
			}
		default:
			b.WriteByte(c)
			if c != ' ' && c != '\t' {
				last = c
			}
		}
	}
	return b.String()
}

// query is jq and yq: what they print, and what they change in place.
func query(w *walk, name string, args []shell.Word) {
	all, c := operands("jq", args)
	for _, o := range all[:min(1, len(all))] {
		code := withoutStrings(o.Text)
		if strings.Contains(code, "$ENV") || hasWord(code, "env") || hasWord(code, "strenv") || strings.Contains(code, "envsubst") {
			w.found(verdict{level: level.Medium, cause: "secret", because: name + " prints the environment", kind: effects.Read, sensitive: true, finding: Outside})
			return
		}
		if strings.Contains(code, "load(") || strings.Contains(code, "system(") {
			w.held(level.Medium, effects.Execute, "option", name+" loads other files, or runs something")
			return
		}
	}
	if c.Has("-i", name != "jq") && name != "jq" || c.Has("--inplace", false) || c.Has("--in-place", false) || c.Has("-s", false) && name == "yq" || c.Has("--split-exp", false) {
		if name == "yq" && len(all) > 0 && (all[0].Text == "eval" || all[0].Text == "e") {
			all = all[1:]
		}
		if len(all) > 0 {
			w.edits(all[1:], all[0].Text)
		}
		return
	}
	w.only(name, all[min(1, len(all)):])
}

func hasWord(code, word string) bool {
	for rest := code; ; {
		at := strings.Index(rest, word)
		if at < 0 {
			return false
		}
		before, after := byte(' '), byte(' ')
		if at > 0 {
			before = rest[at-1]
		}
		if at+len(word) < len(rest) {
			after = rest[at+len(word)]
		}
		letter := func(c byte) bool {
			return c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
		}
		if !letter(before) && (!letter(after) || after == '.') {
			return true
		}
		rest = rest[at+len(word):]
	}
}

// sorts is sort, uniq and split, which write a file where they are told.
func sorts(w *walk, name string, args []shell.Word) {
	all, c := operands(name, args)
	for _, o := range c.Options {
		if o.Name == "--compress-program" || o.Name == "--filter" {
			w.held(level.Medium, effects.Execute, "option", name+" "+o.Name+" runs a program")
			return
		}
	}
	if out, ok := c.Value("-o", "--output"); ok {
		s := w.writes(out, "it writes")
		if s.zone == inside || s.zone == temporary {
			w.k.changedByUnknown(s.path)
		}
	}
	switch {
	case name == "uniq" && len(all) > 1:
		w.writes(all[1], "it writes")
	case name == "split" || name == "csplit":
		to := shell.Word{Text: "x", Literal: true}
		if len(all) > 1 {
			to = all[1]
		}
		if prefix, ok := c.Value("--prefix"); ok && name == "csplit" {
			to = prefix
		}
		w.writes(to, "it writes")
	}
	w.only(name, all[:min(len(all), 8)])
}
