package code

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs in languages of which only words are known: less is seen of them, and less is
// taken for what it is not.

// otherWords are the words of a language; code.yaml says what each is.
type otherWords struct {
	Network, Environment, Run, Made expression
	Comment, Puts                   string
	Argv                            bool
}

// expression is one of several, of which each is a text with its boundaries.
type expression struct {
	all   []*regexp.Regexp
	plain []string // what stands in each, which is looked for first
}

var boundaries = strings.NewReplacer(`(?:^|[^.\w$])`, "", `\b`, "", `\`, "")

func (e *expression) UnmarshalYAML(node *yaml.Node) error {
	var all []string
	err := node.Decode(&all)
	for _, text := range all {
		r, bad := regexp.Compile(text)
		e.all, e.plain, err = append(e.all, r), append(e.plain, boundaries.Replace(text)), errors.Join(err, bad)
	}
	return err
}

// find are the places of a text that it finds, up to one more than are looked at.
func (e expression) find(text string) (found []scan.Span) {
	for n, plain := range e.plain {
		for at := 0; len(found) <= maxWords; {
			i := strings.Index(text[at:], plain)
			if i < 0 {
				break
			}
			start, end := at+i, at+i+len(plain)
			if at = end; e.all[n].MatchString(text[max(0, start-1):min(len(text), end+1)]) {
				found = append(found, scan.Span{Start: start, End: end})
			}
		}
	}
	slices.SortFunc(found, func(a, b scan.Span) int { return a.Start - b.Start })
	return found
}

// maxWords is how many words of a list are looked at: of more nobody knows what they do.
const maxWords = 64

// maxCall is how much of a call is read that starts a program: what is longer cannot be read.
const maxCall = 512

// readOther reads a program in a language of which only words are known: by those that
// stand in it outside of comments, and it is never read to its end.
func readOther(language, code string) *Program {
	deeds := tables().Other
	p := &Program{code: code, Acts: []act.Act{{Verb: act.Hidden, Reason: act.Because("a language that isn't read to its end"), End: len(code)}}}
	isWord := func(b byte) bool { return IsNameByte(b) || b == '-' || b == '.' }
	for i := 0; i < len(code); {
		switch {
		case code[i] == '#':
			i += lineLength(code[i:])
		case IsNameByte(code[i]):
			end := i
			for end < len(code) && isWord(code[end]) {
				end++
			}
			word := strings.TrimRight(code[i:end], ".-")
			for _, name := range []string{word, word[strings.LastIndexByte(word, '.')+1:]} {
				if d, ok := deeds[name]; ok {
					p.Acts = append(p.Acts, act.Act{Verb: act.Do, Deed: d, Reason: act.Because("uses " + name), Start: i, End: end})
					break
				}
			}
			i = end
		default:
			i++
		}
	}
	w := tables().Languages[language]
	if w == nil {
		return p
	}
	p.words(w.Network, w, func(a *act.Act, line string) bool {
		a.Verb, a.Reason = act.Connect, act.Because("client")
		return !isOwnServer(line, code)
	})
	p.words(w.Environment, w, func(a *act.Act, line string) bool {
		a.Verb = act.Show
		return !strings.Contains(line, ".Env ") && !strings.Contains(line, "append(os.Environ()")
	})
	closed := 0
	p.words(w.Run, w, func(a *act.Act, _ string) bool {
		a.Verb = act.Run
		if a.Start < closed {
			return false
		}
		if code[a.Start] == '`' { // up to the one that closes it
			closed = a.End + strings.IndexByte(code[a.End:]+"`", '`') + 1
		}
		a.Target, a.From = w.command(code, a.End)
		return true
	})
	p.words(w.Made, w, func(a *act.Act, _ string) bool {
		a.Verb, a.Reason = act.Make, act.Because("it runs code that can't be read: "+a.Text)
		return true
	})
	p.otherLiterals(w.Comment)
	return p
}

// words adds an act for each word outside of comments of which one is made.
func (p *Program) words(of expression, w *otherWords, makes func(a *act.Act, line string) bool) {
	found := of.find(p.code)
	if len(found) > maxWords {
		p.Acts = append(p.Acts, act.Act{Verb: act.Library, Reason: act.Because("more of its words matter than are read"), End: len(p.code)})
	}
	for _, m := range found {
		line := lineAround(p.code, m.Start)
		a := act.Act{Text: strings.Trim(p.code[m.Start:m.End], "( \"'"), Start: m.Start, End: m.End}
		if !strings.HasPrefix(strings.TrimSpace(line), w.Comment) && makes(&a, line) {
			p.Acts = append(p.Acts, a)
		}
	}
}

// changing finds functions that write, delete or change a file, in front of its path.
var changing = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(tables().Changing) })

// rooted is a path of a machine, which most texts with a slash in front are not: routes.
var rooted = regexp.MustCompile(`^(?:~/[.\w]|/(?:etc|usr|bin|sbin|lib|home|Users|root|var|opt|srv|boot|Library|mnt|media)/)`)

// otherLiterals tells literals: paths on lines that change a file, and others.
func (p *Program) otherLiterals(comment string) {
	offset := 0
	for line := range strings.Lines(p.code) {
		from := offset
		offset += len(line)
		if strings.HasPrefix(strings.TrimSpace(line), comment) {
			continue
		}
		for at := 0; at < len(line); {
			open := strings.IndexAny(line[at:], "\"'`")
			if open < 0 {
				break
			}
			open += at
			text, _, ok := strings.Cut(line[open+1:], line[open:open+1])
			if !ok {
				break
			}
			at = open + len(text) + 2
			p.literals = append(p.literals, Literal{Text: text, Start: from + open, End: from + at})
			if rooted.MatchString(text) && changing().MatchString(line[:open]) {
				p.Acts = append(p.Acts, act.Act{Verb: act.Change, From: []shell.Word{{Text: text}}, Start: from + open, End: from + at})
			}
		}
	}
}

// lineAround is the line in which a byte stands.
func lineAround(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}

// isOwnServer reports whether a line asks this machine, or what a test itself serves.
func isOwnServer(line, text string) bool {
	return tables().Local.in(line) || strings.Contains(line, `, "/`) || strings.Contains(text, "httptest.") && strings.Contains(strings.ToUpper(line), ".URL")
}

// command is what a word starts that ends before end, where all that matters of it is a
// literal: exec.Command("git", "status").
func (w *otherWords) command(code string, end int) (text shell.Word, words []shell.Word) {
	rest, quoted := code[end:], strings.IndexByte("\"'`", code[end-1]) >= 0
	if quoted {
		rest = code[end-1:]
	}
	rest = rest[:min(len(rest), maxCall)]
	if open := strings.TrimLeft(rest, " \t\n"); strings.HasPrefix(open, "(") {
		rest = open
	} else {
		rest = "(" + rest
	}
	p := programOf(tables().Javascript, new(call.Call).Text(rest), Way{true, true})
	if len(p.tokens) < 2 {
		return text, nil
	}
	all := p.elements(0, false)
	if quoted && !p.at(2).Is(",") { // a call without brackets
		t := p.at(1)
		all = []argument{{text: t.Text, literal: t.Kind == Text && !t.Dynamic, source: rest[t.From:t.To]}}
	}
	for at := int(p.closing[0]) + 1; p.at(at).Is(".") && oneOf(p.at(at+1).Text, "arg args") && p.at(at+2).Is("("); at = int(p.closing[at+2]) + 1 { // Command::new("git").arg("status")
		all = append(all, p.elements(at+2, false)...)
	}
	for _, a := range all {
		list := a.list
		if !a.isList {
			list = []argument{a}
		}
		for _, a := range list {
			if len(words) == 0 && (a.source == "ctx" || strings.HasPrefix(a.source, "context.") || strings.HasSuffix(a.source, "Context()")) {
				continue
			}
			if w.Puts != "" && strings.Contains(a.source, w.Puts) && !strings.HasPrefix(a.source, "'") {
				a.literal = false
			}
			words = append(words, wordsOf([]argument{a})...)
		}
	}
	if len(words) == 1 && !w.Argv {
		return words[0], nil
	}
	return text, words
}

// Comment begins a line of a comment in a language of which words are known; "" where none are.
func Comment(language string) string {
	if w := tables().Languages[language]; w != nil {
		return w.Comment
	}
	return ""
}
