package texts

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	templ "github.com/a-h/templ/parser/v2"
)

// spoken are the attributes that people read or hear.
var spoken = []string{"title", "aria-label", "aria-description", "aria-valuetext", "aria-roledescription", "aria-placeholder", "placeholder", "alt", "label", "data-label", "data-was"}

// machine are the elements whose text is the same in every language: keys of the
// keyboard, and what is typed into a shell.
var machine = []string{"kbd", "code", "script", "style"}

// brand is said the same everywhere.
const brand = "Countersign"

// TestNoRawText: every text of a view goes through the catalogue.
func TestNoRawText(t *testing.T) {
	t.Parallel()
	var files []string
	for _, folder := range views(t) {
		some, err := filepath.Glob(filepath.Join(folder, "*.templ"))
		if err != nil || len(some) == 0 {
			t.Fatalf("%s: %d files, %v: the test no longer sees the views", folder, len(some), err)
		}
		files = append(files, some...)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range rawTexts(t, string(source)) {
			t.Errorf("%s: %s does not go through the catalogue: use texts.Say, or @SentenceWith where elements stand in it", name, raw)
		}
	}
}

// TestRawTextIsFound tries the test above on what it must find.
func TestRawTextIsFound(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`<p>Deny</p>`:                  `the text "Deny"`,
		"if x {\n<p>{ y } left</p>\n}": `the text "left"`,
		"for range x {\nswitch y {\ncase 1:\nDeny it\n}\n}": `the text "Deny it"`,
		`<a title="Deny">{ x }</a>`:                         `title="Deny"`,
		"<a\nif x {\naria-label=\"Deny\"\n}\n>{ x }</a>":    `aria-label="Deny"`,
		`<a aria-label={ "Deny " + x }></a>`:                `"Deny "`,
		`<p>{ "Deny " + x }</p>`:                            `"Deny "`,
		"@layout(x) {\n<p>Deny</p>\n}":                      `the text "Deny"`,
		`@field("Deny", x)`:                                 `"Deny"`,
		`@field(Text("deny it"), x)`:                        `"deny it"`,
	} {
		if got := rawTexts(t, "package views\n\ntempl a() {\n"+source+"\n}\n"); !strings.Contains(strings.Join(got, "; "), want) {
			t.Errorf("%s: found %q, want %s", source, got, want)
		}
	}
	for _, source := range []string{
		`<p id="Deny" class={ "btn", x }>{ texts.Say(ctx, "Deny %s", "x y") }</p>`,
		`<p>{ x }, { "–" } · <kbd>Ctrl</kbd> <code>go run</code> Countersign</p>`,
		`@SentenceWith("Deny {1} it", Key("a"))`,
		`@views.SentenceWith("Deny {1} it", views.Key("a"))`,
		`@Places(texts.From(ctx).Pieces("Deny %s {1}", x), Key("a"))`,
		`@ShowIcon("left")`,
		`@field(x, texts.Say(ctx, "Deny it"))`,
	} {
		if got := rawTexts(t, "package views\n\ntempl a() {\n"+source+"\n}\n"); len(got) > 0 {
			t.Errorf("%s: found %q", source, got)
		}
	}
}

// rawTexts are the texts of a .templ file that do not go through the catalogue.
func rawTexts(t *testing.T, source string) []string {
	t.Helper()
	file, err := templ.ParseString(source)
	if err != nil {
		t.Fatalf("%v in %s", err, source)
	}
	s := search{t: t}
	for _, n := range file.Nodes {
		if h, ok := n.(*templ.HTMLTemplate); ok {
			s.nodes(h.Children)
		}
	}

	return s.found
}

type search struct {
	t     *testing.T
	found []string
}

func (s *search) nodes(list []templ.Node) {
	for _, n := range list {
		switch n := n.(type) {
		case *templ.Text:
			if text := strings.TrimSpace(n.Value); speaks(text) && text != brand {
				s.found = append(s.found, fmt.Sprintf("the text %q", text))
			}
		case *templ.StringExpression:
			s.expression(n.Expression.Value, speaks)
		case *templ.TemplElementExpression:
			s.expression(n.Expression.Value, sentenceLike)
			s.nodes(n.Children)
		case *templ.Element:
			s.attributes(n.Attributes)
			if !slices.Contains(machine, n.Name) {
				s.nodes(n.Children)
			}
		case *templ.IfExpression:
			s.nodes(n.Then)
			for _, e := range n.ElseIfs {
				s.nodes(e.Then)
			}
			s.nodes(n.Else)
		case *templ.ForExpression:
			s.nodes(n.Children)
		case *templ.SwitchExpression:
			for _, c := range n.Cases {
				s.nodes(c.Children)
			}
		case *templ.Whitespace, *templ.DocType, *templ.ScriptElement, *templ.RawElement, *templ.ChildrenExpression, *templ.GoComment, *templ.HTMLComment, *templ.GoCode:
		default:
			s.t.Errorf("the test does not know what %T holds", n)
		}
	}
}

func (s *search) attributes(list []templ.Attribute) {
	for _, a := range list {
		switch a := a.(type) {
		case *templ.ConstantAttribute:
			if slices.Contains(spoken, a.Key.String()) && speaks(a.Value) {
				s.found = append(s.found, a.String())
			}
		case *templ.ExpressionAttribute:
			if slices.Contains(spoken, a.Key.String()) {
				s.expression(a.Expression.Value, speaks)
			}
		case *templ.ConditionalAttribute:
			s.attributes(a.Then)
			s.attributes(a.Else)
		}
	}
}

// expression finds the literals of a Go expression that are texts, outside of what
// says them.
func (s *search) expression(source string, text func(string) bool) {
	x, err := parser.ParseExpr(source)
	if err != nil {
		s.t.Errorf("%v in %s", err, source)

		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return !says(n)
		case *ast.BasicLit:
			if value, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && text(value) {
				s.found = append(s.found, n.Value)
			}
		}

		return true
	})
}

// says tells the calls whose literals are keys, or go into the places of one.
func says(c *ast.CallExpr) bool {
	var name bytes.Buffer
	switch f := c.Fun.(type) {
	case *ast.Ident:
		name.WriteString(f.Name)
	case *ast.SelectorExpr:
		name.WriteString(f.Sel.Name)
	}
	_, known := calls[name.String()]

	return known || name.String() == "Places"
}

func speaks(text string) bool { return strings.IndexFunc(text, unicode.IsLetter) >= 0 }

// sentenceLike tells a text from the names that components take: ids, icons, classes.
func sentenceLike(text string) bool {
	return speaks(text) && (strings.ContainsAny(strings.TrimSpace(text), " .…") && !strings.HasPrefix(text, "/") || unicode.IsUpper([]rune(text)[0]))
}
