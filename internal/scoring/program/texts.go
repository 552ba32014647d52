package program

import (
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Programs that print and change texts, some by a small program of their own.

// does is an act on one thing.
func does(v act.Verb, target shell.Word, code string) act.Act {
	return act.Act{Verb: v, Target: target, Reason: act.Because(code)}
}

// prints are acts of a program that only prints what stands in files.
func prints(files ...shell.Word) []act.Act {
	all := []act.Act{{Verb: act.Print}}
	for _, f := range files {
		all = append(all, does(act.Read, f, ""))
	}
	return all
}

// valueOf is the value of an option that is read, or may be: it may be a file.
func valueOf(o Option) []act.Act {
	if o.Value.Text == "" || !o.Joined {
		return nil
	}
	return []act.Act{does(act.Read, o.Value, "")}
}

// sed reads the scripts of sed, and with -i its files.
func sed(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	inPlace := c.Has("--in-place", true)
	var all []act.Act
	var scripts []shell.Word
	files := make([]shell.Word, 0, len(c.Operands))
	for _, w := range c.Operands {
		if w.Text != "" || !inPlace { // -i '' as BSD has it
			files = append(files, w)
		}
	}
	for _, o := range c.Options {
		switch o.Name {
		case "--expression":
			scripts = append(scripts, o.Value)
		case "--file":
			all = append(all, does(act.Load, o.Value, "script"))
		case "--in-place":
		default:
			all = append(all, valueOf(o)...)
		}
	}
	if len(scripts) == 0 && !c.Has("--file", true) && len(files) > 0 {
		scripts, files = files[:1], files[1:]
	}
	text := ""
	for _, s := range scripts {
		if sedRuns(s.Text) {
			all = append(all, does(act.Run, s, "script"))
		}
		text += s.Text + "\n"
	}
	if !inPlace {
		return append(all, prints(files...)...)
	}
	for _, f := range files {
		all = append(all, act.Act{Verb: act.Edit, Target: f, Text: text})
	}
	if len(files) == 0 {
		all = append(all, act.Act{Verb: act.Edit})
	}
	return all
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

// awkReads is a file that a program of awk reads by its name, awkSystem a command that it runs.
var (
	awkReads  = regexp.MustCompile(`getline[^|;}"]*<\s*"([^"]+)"`)
	awkSystem = regexp.MustCompile(`system\s*\(\s*"([^"]*)"\s*\)`)
)

// awk reads the program of awk: what it runs, and the files that it writes.
func awk(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	var all []act.Act
	var programs []shell.Word
	files, loads := c.Operands, false
	for _, o := range c.Options {
		switch o.Name {
		case "--source":
			programs = append(programs, o.Value)
			all = append(all, valueOf(o)...)
		case "--file", "--exec", "--load":
			loads = loads || o.Name != "--load"
			all = append(all, does(act.Load, o.Value, "script"))
		case "--include":
			if o.Value.Text == "inplace" {
				all = append(all, act.Act{Verb: act.Edit, Reason: act.Because("inplace")})
				continue
			}
			all = append(all, does(act.Load, o.Value, "script"))
		case "--dump-variables", "--profile", "--pretty-print":
			if o.Value.Text != "" {
				all = append(all, does(act.Write, o.Value, ""))
			}
		default:
			all = append(all, valueOf(o)...)
		}
	}
	if !loads && len(files) > 0 { // also beside --source, which not all know
		programs, files = append(programs, files[0]), files[1:]
	}
	for _, p := range programs {
		all = append(all, awkProgram(p)...)
		for _, m := range awkReads.FindAllStringSubmatch(p.Text, -1) {
			files = append(files[:len(files):len(files)], shell.Word{Text: m[1], Literal: true})
		}
	}
	return append(all, prints(files...)...)
}

// awkProgram is what a program of awk does beside printing.
func awkProgram(p shell.Word) (all []act.Act) {
	code := withoutStrings(p.Text)
	if strings.Contains(code, "in ENVIRON") {
		all = append(all, does(act.Show, p, "environment"))
	}
	switch {
	case strings.Contains(code, "system"):
		for _, m := range awkSystem.FindAllStringSubmatch(p.Text, -1) {
			all = append(all, does(act.Run, shell.Word{Text: m[1], Literal: true}, "system"))
		}
		all = append(all, does(act.Run, p, "program"))
	case strings.Contains(code, "@load"), strings.Contains(code, "@include"), strings.Contains(p.Text, "/inet/"):
		all = append(all, does(act.Run, p, "program"))
	case strings.Contains(strings.ReplaceAll(code, "||", ""), "|"):
		v := act.Run
		if awkPipesPlainly(p.Text) {
			v = act.Feed
		}
		all = append(all, does(v, p, "pipe"))
	}
	if awkWrites(code) && !awkWritesPlainly(p.Text) {
		all = append(all, does(act.Write, shell.Word{}, "program"))
	}
	return all
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
		for _, p := range wordlist.List("program.plainPipes") {
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

// jq reads jq and yq: what they print, and what they change in place.
func jq(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	files := c.Operands
	if name == "yq" && len(files) > 0 && (files[0].Text == "eval" || files[0].Text == "e") {
		files = files[1:]
	}
	var all []act.Act
	if from, ok := c.Value("-f", "--from-file"); ok {
		all = append(all, does(act.Read, from, ""))
	} else if len(files) > 0 {
		p := files[0]
		files = files[1:]
		code := withoutStrings(p.Text)
		if strings.Contains(code, "$ENV") || hasWord(code, "env") || hasWord(code, "strenv") || strings.Contains(code, "envsubst") {
			all = append(all, does(act.Show, p, "environment"))
		}
		if strings.Contains(code, "load(") || strings.Contains(code, "system(") {
			all = append(all, does(act.Run, p, "loads"))
		}
		if c.Any(true, "-i", "--inplace", "--in-place", "--split-exp") || name == "yq" && c.Has("-s", false) {
			for _, f := range files {
				all = append(all, act.Act{Verb: act.Edit, Target: f, Text: p.Text})
			}
			if len(files) == 0 {
				all = append(all, act.Act{Verb: act.Edit})
			}
			return all
		}
	}
	for _, v := range c.Values() {
		all = append(all, does(act.Read, v, ""))
	}
	for _, f := range files {
		if strings.Contains(f.Text, "$ENV") {
			all = append(all, does(act.Show, f, "environment"))
		}
	}
	return append(all, prints(files...)...)
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

// outputs are programs that print, and write a file where an option says so.
func outputs(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	var all []act.Act
	files := c.Operands
	for _, o := range c.Options {
		switch o.Name {
		case "--compress-program", "--filter":
			all = append(all, act.Act{Verb: act.Run, Target: o.Value, Reason: act.Because("option", name, o.Name)})
		case "--output", "-o":
			all = append(all, does(act.Write, o.Value, ""))
		default:
			all = append(all, valueOf(o)...)
		}
	}
	switch name {
	case "uniq", "xxd":
		for _, f := range files[min(1, len(files)):] {
			all = append(all, does(act.Overwrite, f, ""))
		}
		files = files[:min(1, len(files))]
	case "split", "csplit":
		to := shell.Word{Text: "x", Literal: true}
		if len(files) > 1 && name == "split" {
			to, files = files[1], files[:1]
		}
		if prefix, ok := c.Value("--prefix"); ok {
			to = prefix
		}
		all = append(all, does(act.Write, to, ""))
	}
	return append(all, prints(files...)...)
}

// search reads grep and rg: their first operand is what they look for.
func search(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	var all []act.Act
	given := c.Has("--files", false) || c.Has("--type-list", false)
	for _, o := range c.Options {
		switch o.Name {
		case "--regexp", "-e":
			given = true
			all = append(all, does(act.Look, o.Value, ""))
		case "--file", "-f":
			given = true
			all = append(all, valueOf(o)...)
		case "--pre", "--hostname-bin":
			all = append(all, act.Act{Verb: act.Run, Target: o.Value, Reason: act.Because("option", name, o.Name)})
		default:
			all = append(all, valueOf(o)...)
		}
	}
	places := c.Operands
	if !given && len(places) > 0 {
		all = append(all, does(act.Look, places[0], ""))
		places = places[1:]
	}
	below := !strings.HasSuffix(name, "grep") || c.Any(true, "--recursive", "--dereference-recursive")
	all = append(all, act.Act{Verb: act.Print})
	for _, p := range places {
		v := act.Read
		if below {
			v = act.Search
		}
		all = append(all, does(v, p, ""))
	}
	return all
}
