package shell

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"
)

// windows reads what cmd and PowerShell are given.
func (r *reader) windows(sc *scope, c *Command, args []Word) {
	in := c.within()
	in.Words = nil
	for i, a := range args {
		option := strings.ToLower(strings.TrimLeft(a.Text, "-/"))
		isOption := a.Text != option && len(a.Text) > 1 && !strings.Contains(option, "/")
		if !isOption && c.Program() == "cmd" {
			continue
		}
		rest := args[i+1:]
		switch {
		case c.Program() == "cmd" && (option == "c" || option == "k" || option == "r"):
			if len(rest) > 0 {
				r.foreign(in, join(rest))
				return
			}
		case c.Program() == "cmd":
		case isOption && option != "" && strings.HasPrefix("encodedcommand", option) && option != "e" || option == "e" || option == "ec":
			r.unreadable(Encoded, c.Start, c.End)
			if len(rest) > 0 {
				if text, ok := decoded(rest[0].Text); ok {
					w := rest[0]
					w.Text, w.at = text, 0
					r.foreign(in, w)
					return
				}
			}
			r.emit(*c)
			return
		case isOption && strings.HasPrefix("command", option):
			if len(rest) > 0 {
				r.foreign(in, join(rest))
				return
			}
		case isOption && strings.HasPrefix("file", option):
			r.emit(*c)
			return
		case isOption && has("executionpolicy ep ex exec inputformat outputformat windowstyle w configurationname version", option):
			// the value behind it is no command
		case !isOption && i > 0 && has("executionpolicy ep ex exec inputformat outputformat windowstyle w configurationname version", strings.ToLower(strings.TrimLeft(args[i-1].Text, "-/"))):
		case !isOption && strings.HasSuffix(strings.ToLower(a.Text), ".ps1"):
			r.emit(*c)
			return
		case !isOption:
			r.foreign(in, join(args[i:]))
			return
		}
	}
	if c.From >= 0 || c.Input != nil {
		r.unreadable(ReadsCode, c.Start, c.End)
	}
	r.emit(*c)
}

// decoded is the text of an -EncodedCommand.
func decoded(text string) (string, bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%2 != 0 || len(raw) == 0 {
		return "", false
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	return string(utf16.Decode(units)), true
}

// foreign reads a text of cmd or PowerShell word by word.
func (r *reader) foreign(c Command, text Word) {
	if !text.Literal && text.assembled {
		r.unreadable(Assembled, text.Start, text.End)
	}
	src := source{text: text.Text, start: text.Start, end: text.End}
	if text.at > 0 {
		src.exact, src.base = true, text.at-1
	}
	if !r.split(c, src, 0) {
		r.emit(c)
	}
}

// tolerant reads the rest of a text that bash would refuse, so that what is plain in it is
// seen. PowerShell, whose commands are told by their names, is no mistake.
func (r *reader) tolerant(sc *scope, src source, from int) {
	start, end := src.places(from, len(src.text))
	if n := len(r.script.Commands); n > 0 && IsCmdlet(r.script.Commands[n-1].Program()) && strings.Trim(src.text[from:], "}) \t\r\n") == "" {
		return // the end of a block that was read
	}
	c := Command{Dir: sc.dir.path, DirKnown: sc.dir.known, From: -1, Start: start, End: end}
	before := len(r.script.Commands)
	r.split(c, src, from)
	for _, c := range r.script.Commands[before:] {
		if !IsCmdlet(c.Program()) {
			r.unreadable(NoParse, start, end)
			return
		}
	}
	rest := strings.TrimLeft(src.text[from:], " \t")
	member := before > 0 && IsCmdlet(r.script.Commands[before-1].Program()) && strings.HasPrefix(rest, ".") // (Get-Date).AddDays(-7)
	if len(r.script.Commands) == before && !member {
		r.unreadable(NoParse, start, end)
	}
}

// IsCmdlet reports whether a program's name is one of PowerShell's: Remove-Item.
func IsCmdlet(program string) bool {
	verb, noun, ok := strings.Cut(program, "-")
	return ok && len(verb) > 1 && len(noun) > 1 && verb[0] >= 'A' && verb[0] <= 'Z' && noun[0] >= 'A' && noun[0] <= 'Z' && !strings.ContainsAny(noun, "-./")
}

// pipeline puts the name of a cmdlet in the place of % and ?, which stand behind a pipe.
func pipeline(words []Word, piped bool) []Word {
	if !piped || len(words) == 0 {
		return words
	}
	cmdlet := map[string]string{"%": "ForEach-Object", "?": "Where-Object"}[words[0].Text]
	if cmdlet == "" {
		return words
	}
	words = append([]Word(nil), words...)
	words[0].Text, words[0].Literal, words[0].Glob, words[0].at = cmdlet, true, false, 0
	return words
}

// takesBlock reports whether a command is one of PowerShell that may be given a script in
// braces.
func takesBlock(c Command) bool {
	if IsCmdlet(c.Program()) {
		return true
	}
	return c.From >= 0 && len(c.Words) > 1 && has("foreach where sort select group measure", c.Program()) && strings.HasPrefix(c.Words[1].Text, "{")
}

// computing are methods of .NET that only compute.
const computing = "tostring adddays addhours addminutes addmonths addyears addseconds split trim trimstart trimend startswith endswith contains replace substring tolower toupper gettype equals " +
	"indexof lastindexof format join padleft padright insert compareto touniversaltime tolocaltime match matches ismatch isnullorempty isnullorwhitespace round floor ceiling max min abs"

// method is what stands in front of a parenthesis, and whether that calls a method.
func method(before string) (name string, ok bool) {
	if before == "" || strings.IndexByte("$[.", before[0]) < 0 {
		return "", false
	}
	i := strings.LastIndexAny(before, ".:")
	return strings.ToLower(before[i+1:]), i >= 0
}

// isWindows reports whether a program is one whose paths have backslashes.
func isWindows(program string) bool {
	return IsCmdlet(program) || has("del erase rd rmdir copy move ren robocopy xcopy format reg schtasks net sc wmic vssadmin wbadmin icacls takeown bcdedit "+
		"diskpart cipher attrib type dir", strings.ToLower(program))
}

// split splits a text at what separates commands in any shell, and each at its blanks.
// Backslashes stay: they stand in the paths of Windows.
func (r *reader) split(c Command, src source, from int) bool {
	before := len(r.script.Commands)
	var words []Word
	invoked := false // by the operator &, which runs what a variable names
	flush := func() {
		words = pipeline(words, true)
		if len(words) == 1 && strings.Trim(words[0].Text, "-0123456789.,") == "" && strings.ContainsAny(words[0].Text, "0123456789") {
			words = nil // a number
		}
		if len(words) > 0 && invoked && !words[0].Literal {
			r.unreadable(NameUnknown, words[0].Start, words[0].End)
		}
		for len(words) > 0 && has("if then elif else do while until ! time", words[0].Text) {
			words = words[1:]
		}
		if len(words) > 0 {
			one := c
			one.Words, one.Start, one.End = words, words[0].Start, words[len(words)-1].End
			r.emit(one)
		}
		words = nil
	}
	text := src.text
	for i := from; i < len(text); {
		switch text[i] {
		case ' ', '\t', '\r', '^':
			i++
			continue
		case '\n', ';', '|', '&', '{', '}', '(', ')':
			if text[i] == '(' && i > from && len(words) > 0 && strings.IndexByte(" \t\r", text[i-1]) < 0 {
				last := words[len(words)-1]
				if called, ok := method(last.Text); ok && has(computing, called) {
					words = words[:len(words)-1]
				} else if ok {
					r.unreadable(MethodUnknown, last.Start, last.End)
				}
			}
			flush()
			invoked = text[i] == '&'
			i++
			continue
		}
		w := Word{Literal: true}
		var b strings.Builder
		j := i
		for quote := byte(0); j < len(text); j++ {
			ch := text[j]
			switch {
			case quote != 0 && ch == quote:
				quote = 0
				continue
			case quote == 0 && (ch == '"' || ch == '\''):
				quote = ch
				continue
			case quote == 0 && strings.IndexByte(" \t\r\n;|&{}()", ch) >= 0:
				goto done
			case ch == '$' && quote != '\'':
				w.Literal, w.assembled = false, true
			case ch == '*' || ch == '?':
				w.Glob = true
			}
			if ch != '^' && ch != '`' {
				b.WriteByte(ch)
			}
		}
	done:
		w.Text = b.String()
		w.Start, w.End = src.places(i, j)
		words = append(words, w)
		i = j
	}
	flush()
	return len(r.script.Commands) > before
}
