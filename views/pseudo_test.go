package views_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/countersign/countersign/views/texts"
)

// TestEveryTextIsSaid draws every sample in a language that puts each of its texts
// between ⟦ and ⟧. What stands outside of them must have come in with the sample.
func TestEveryTextIsSaid(t *testing.T) {
	t.Parallel()
	given := sampleTexts(t)
	said := 0
	for name, c := range every() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range visible(t, drawn(t, c, texts.Accented())) {
				if given.holds(plainText(text)) {
					continue
				}
				for _, raw := range accented.Split(text, -1) {
					if raw = plainText(raw); strings.IndexFunc(raw, unicode.IsLetter) >= 0 && !given.holds(raw) {
						t.Errorf("%q in %q is no text of the catalogue and of no sample", raw, text)
					}
				}
			}
			for _, text := range visible(t, pseudo(t, c)) {
				for _, raw := range outside(text) {
					if !given.holds(raw) {
						t.Errorf("%q in %q does not go through the catalogue", raw, text)
					}
				}
			}
		})
		said += strings.Count(pseudo(t, c), "⟦")
	}
	if said < 1000 {
		t.Errorf("the samples say %d texts: the test no longer sees them", said)
	}
}

// accented is a word of the second language that the samples are drawn in: its texts
// have an accent on each letter, so that an argument which stands in one is seen.
var accented = regexp.MustCompile(`(?i)\pL*[áḃćḋéḟǵḣíĵḱĺḿńóṕɋŕśṫúṽẃẍýź][\pL\pN'’-]*`)

// pseudo is a sample in that language.
func pseudo(t *testing.T, c templ.Component) string { return drawn(t, c, texts.Pseudo()) }

func drawn(t *testing.T, c templ.Component, say texts.Printer) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Render(texts.With(templ.WithNonce(context.Background(), nonce), say), &page); err != nil {
		t.Fatal(err)
	}

	return page.String()
}

// visible are the texts of a page that people read or hear.
func visible(t *testing.T, page string) []string {
	t.Helper()
	var all []string
	for _, node := range elements(t, page) {
		for _, key := range []string{"title", "aria-label", "aria-valuetext", "placeholder", "alt", "data-label", "data-was"} {
			if value, ok := attr(node, key); ok {
				all = append(all, value)
			}
		}
		// Keys, commands and the brand are the same in every language.
		if slices.Contains([]string{"kbd", "code", "script", "style"}, node.Data) {
			continue
		}
		if node.Data == "noscript" { // whose content is text to the parser
			all = append(all, visible(t, text(node))...)

			continue
		}
		for child := node.FirstChild; child != nil; child = child.NextSibling {
			if child.Type == html.TextNode && strings.TrimSpace(child.Data) != "Countersign" {
				all = append(all, child.Data)
			}
		}
	}

	return all
}

// outside are the stretches of a text outside of ⟦ and ⟧ that hold letters, without
// the marks around them.
func outside(text string) []string {
	var all []string
	deep, from := 0, 0
	cut := func(to int) {
		if part := plainText(text[from:to]); deep == 0 && strings.IndexFunc(part, unicode.IsLetter) >= 0 {
			all = append(all, part)
		}
	}
	for i, r := range text {
		switch r {
		case '⟦':
			cut(i)
			deep++
			from = i + len("⟦")
		case '⟧':
			deep--
			from = i + len("⟧")
		}
	}
	cut(len(text))

	return all
}

func plainText(s string) string {
	return strings.Join(strings.Fields(strings.Trim(s, " \n\t.,:;()·+")), " ")
}

// samples are the texts of the tests of this package, in small letters: what the
// samples are made of.
type samples map[string]bool

// holds says that a text is of the samples: each of its parts is, or is made of two.
func (s samples) holds(text string) bool {
	text = strings.ToLower(text)
	if s[text] {
		return true
	}
	for part := range strings.SplitSeq(strings.ReplaceAll(text, ": ", ", "), ", ") {
		words := strings.Fields(part)
		known := s[part] || len(words) == 1 && strings.IndexFunc(part, unicode.IsDigit) >= 0
		for i := range words {
			known = known || s[strings.Join(words[:i], " ")] && s[strings.Join(words[i:], " ")]
		}
		if !known {
			return false
		}
	}

	return true
}

func sampleTexts(t *testing.T) samples {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	given := samples{}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err == nil {
					given[strings.ToLower(plainText(s))] = true
				}
			}

			return true
		})
	}

	return given
}
