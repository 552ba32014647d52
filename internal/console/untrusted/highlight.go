package untrusted

import (
	"embed"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/countersign/countersign/views"
)

// Colours for what is SQL, a command, JSON, Python or a diff. They are made from the
// very text that is shown, they only say what class a stretch is of, and they decide
// nothing: where the highlighter fails, takes too long or does not give the text back
// byte for byte, the text stands there without them.

// tokenSpan is a stretch of one class, in bytes.
type tokenSpan struct {
	start, end int
	token      views.Token
}

func (t tokenSpan) bounds() (start, end int) { return t.start, t.end }

const (
	// maxColoured is the largest text that is coloured, in bytes: a whole section.
	maxColoured = 8 << 10
	// pageTokens bounds the work for one page. A step of the highlighter is linear in
	// the text, some 10 µs, so that a page of nothing but steps takes some 50 ms.
	pageTokens = 4 << 10
	// pageTime is the backstop, looked at between two steps.
	pageTime = 500 * time.Millisecond
)

// highlighter colours the texts of one page.
type highlighter struct {
	left  int // steps
	now   func() time.Time
	until time.Time // zero before the first text
}

func newHighlighter() *highlighter { return &highlighter{left: pageTokens, now: time.Now} }

// tokens are the classes of a text, sorted and apart from each other; nil where it is
// not coloured.
func (h *highlighter) tokens(l language, text string) (spans []tokenSpan) {
	return h.by(lexerOf()[l], text)
}

// by is tokens with a lexer; nil colours nothing.
func (h *highlighter) by(lexer chroma.Lexer, text string) (spans []tokenSpan) {
	if lexer == nil || text == "" || len(text) > maxColoured || h.left <= 0 {
		return nil
	}
	defer func() { // other people's code on hostile text: a colour is not worth a page
		if recover() != nil {
			spans = nil
		}
	}()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text+"\n")
	if err != nil {
		return nil
	}
	if h.until.IsZero() { // the first text of a language is kept waiting for its expressions
		h.until = h.now().Add(pageTime)
	}
	at := 0
	for t := next(); t != chroma.EOF; t = next() {
		if h.left--; h.left < 0 || h.now().After(h.until) {
			return nil
		}
		end := at + len(t.Value)
		if end > len(text) && t.Value == text[min(at, len(text)):]+"\n" { // the line break that is ours
			end = len(text)
		} else if end > len(text) || text[at:end] != t.Value {
			return nil
		}
		if class := classOf(t.Type); class != views.TokenNone && at < end {
			if last := len(spans) - 1; last >= 0 && spans[last].end == at && spans[last].token == class {
				spans[last].end = end
			} else {
				spans = append(spans, tokenSpan{at, end, class})
			}
		}
		at = end
	}
	if at != len(text) {
		return nil
	}
	return spans
}

// classOf puts the many types of the highlighter into the few classes that we draw.
func classOf(t chroma.TokenType) views.Token {
	switch {
	case t == chroma.GenericInserted:
		return views.TokenInserted
	case t == chroma.GenericDeleted:
		return views.TokenDeleted
	case t == chroma.GenericHeading || t == chroma.GenericSubheading || t == chroma.GenericStrong:
		return views.TokenHeading
	case t.InCategory(chroma.Comment):
		return views.TokenComment
	case t.InCategory(chroma.Keyword) || t == chroma.OperatorWord:
		return views.TokenKeyword
	case t.InSubCategory(chroma.LiteralNumber):
		return views.TokenNumber
	case t.InSubCategory(chroma.LiteralString):
		return views.TokenString
	case t.InCategory(chroma.Name) && t != chroma.Name:
		return views.TokenName
	}
	return views.TokenNone
}

// linear are the expressions of the lexers that go back over what they read, each
// with one that takes the same texts and does not: an agent must not choose how long
// a page takes.
var linear = map[language]map[string]string{
	languageShell: {
		`(?s)\$?"(\\\\|\\[0-7]+|\\.|[^"\\$])*"`: `(?s)\$?"(?>(?:\\.|[^"\\$])*)"`,
		`(?s)\$'(\\\\|\\[0-7]+|\\.|[^'\\])*'`:   `(?s)\$'(?>(?:\\.|[^'\\])*)'`,
		`(?s)(\\\\|\\[0-7]+|\\.|[^"\\$])+`:      `(?s)(?>(?:\\.|[^"\\$])+)`,
		`<<-?\s*(\'?)\\?(\w+)[\w\W]+?\2`:        `<<-?\s*(\'?)\\?((?>\w+))[\w\W]+?\2`,
	},
	languageJSON: {
		`"(\\\\|\\"|[^"])*"`: `"(?>(?:\\.|[^"\\])*)"`,
	},
	languagePython: {
		`%(\(\w+\))?[-#0 +]*([0-9]+|[*])?(\.([0-9]+|[*]))?[hlL]?[E-GXc-giorsaux%]`: `%(\(\w+\))?(?>[-#0 +]*)([0-9]+|[*])?(\.([0-9]+|[*]))?[hlL]?[E-GXc-giorsaux%]`,
	},
}

// lexerFiles are the highlighter's lexers of our languages, unchanged (MIT, LICENSE.txt beside
// them). Its package of all languages reads 250 of them whenever a program starts.
//
//go:embed lexers/*.xml
var lexerFiles embed.FS

var lexerNames = map[language]string{
	languageSQL: "sql", languageShell: "bash", languageJSON: "json", languagePython: "python", languageDiff: "diff",
}

// lexerOf are the lexers by language, made when the first text is coloured.
var lexerOf = sync.OnceValue(func() map[language]chroma.Lexer {
	all := map[language]chroma.Lexer{}
	for l, name := range lexerNames {
		base, err := chroma.NewXMLLexer(lexerFiles, "lexers/"+name+".xml")
		if err != nil {
			continue
		}
		rules, err := base.Rules()
		if err != nil {
			continue
		}
		rules = rules.Clone()
		for _, state := range rules {
			for i, rule := range state {
				if better, is := linear[l][rule.Pattern]; is {
					state[i].Pattern = better
				}
			}
		}
		if lexer, err := chroma.NewLexer(base.Config(), func() chroma.Rules { return rules }); err == nil {
			all[l] = lexer
		}
	}
	return all
})
