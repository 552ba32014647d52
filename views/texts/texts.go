// Package texts holds every text of the console, and says it in the reader's
// language.
//
// A text is named by its English sentence with fmt verbs. One file for each
// language stands beside this one; en.json names them all, and says which of them
// change with a number:
//
//	"Approved by %s": "Approved by %s",
//	"%d members": {"one": "%d member", "other": "%d members"},
//
// What is recorded, signed or part of the HTTP contract reads the same in every
// language; what the console draws of it is here (docs/adr/0026-one-catalogue-of-texts.md).
package texts

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Key names a text where it is not said at once: in tables, and in what a switch
// returns. The test of the catalogue finds the text where it becomes a Key, so the
// conversion stands at the literal: texts.Key("Deny").
type Key string

// Printer says the console's texts in one language. The zero Printer says English.
// A Printer may be copied, compared and used by many at a time.
type Printer struct {
	c *catalogue
}

// Say is the text that key names, with args in the places of its verbs. A whole
// number for %d is grouped in the way of the language, so what is no count (an id, a
// year, a port) is given as a string. A key that the catalogue does not have is said
// as it is. Without args a text is not a format, and holds percent signs as they are.
func (p Printer) Say(key string, args ...any) string {
	if len(args) == 0 && p.c == nil {
		return key
	}
	c := p.catalogue()
	text := c.text(key, args)
	if len(args) == 0 {
		return text
	}

	return c.format(text, args)
}

// Number writes a whole number alone, in the way of the language: 1,234.
func (p Printer) Number(n int) string { return p.catalogue().format("%d", []any{n}) }

// Key says what k names.
func (p Printer) Key(k Key, args ...any) string { return p.Say(string(k), args...) }

// Forms is a text as a script takes it, with its verbs: by plural category, as CLDR
// names them, or alone under "" where no number decides.
func (p Printer) Forms(k Key) map[string]string {
	e, ok := p.catalogue().entries[string(k)]
	switch {
	case !ok:
		return map[string]string{"": string(k)}
	case e.forms == nil:
		return map[string]string{"": e.text}
	}
	all := make(map[string]string, len(e.forms))
	for name, form := range categories {
		if text, ok := e.forms[form]; ok {
			all[name] = text
		}
	}

	return all
}

// Piece is a part of a text that has places for what is no text.
type Piece struct {
	// Text is said as it is; empty at a place.
	Text string
	// Place is the number of the place, from 1; 0 for text.
	Place int
}

// Pieces is [Printer.Say] for a text with places for what is no text, an element of
// the page or the words of a stranger: {1}, {2} and so on. A place that stands in one
// of args is text.
func (p Printer) Pieces(key Key, args ...any) []Piece {
	c := p.catalogue()
	var all []Piece
	rest, used := c.text(string(key), args), 0
	for rest != "" {
		text, place, after := cutPlace(rest)
		if text != "" {
			if len(args) > 0 {
				own := args // a verb with an index counts from the first
				if !strings.Contains(text, "%[") {
					n := len(verbs(text))
					own = args[min(used, len(args)):min(used+n, len(args))]
					used += n
				}
				text = c.format(text, own)
			}
			all = append(all, Piece{Text: text})
		}
		if place > 0 {
			all = append(all, Piece{Place: place})
		}
		rest = after
	}

	return all
}

// cutPlace cuts a text at its first place; place is 0 where there is none.
func cutPlace(s string) (before string, place int, after string) {
	for from := 0; ; {
		open := strings.IndexByte(s[from:], '{')
		if open < 0 {
			return s, 0, ""
		}
		open += from
		if end := open + 2; end < len(s) && s[open+1] >= '1' && s[open+1] <= '9' && s[end] == '}' {
			return s[:open], int(s[open+1] - '0'), s[end+1:]
		}
		from = open + 1
	}
}

// Language is the language of the texts as BCP 47 writes it, for the page's lang.
func (p Printer) Language() string {
	if p.c == nil {
		return "en"
	}

	return p.c.language
}

func (p Printer) catalogue() *catalogue {
	if p.c == nil {
		return all()[0]
	}

	return p.c
}

// place is where a context keeps its Printer.
type place struct{}

// With is ctx with p in it, for the views that are drawn with it.
func With(ctx context.Context, p Printer) context.Context {
	return context.WithValue(ctx, place{}, p)
}

// From is the Printer that [With] put into ctx; English where there is none.
func From(ctx context.Context) Printer {
	p, _ := ctx.Value(place{}).(Printer)

	return p
}

// Say is From(ctx).Say.
func Say(ctx context.Context, key string, args ...any) string {
	return From(ctx).Say(key, args...)
}

// format puts args into text. What is the same in every language, a string or a
// number that needs no grouping in Latin digits, takes the short way.
func (c *catalogue) format(text string, args []any) string {
	for _, a := range args {
		switch a := a.(type) {
		case string:
		case int:
			if !c.latin || a < 0 || a > 999 {
				return c.numbers.Sprintf(text, args...)
			}
		default:
			return c.numbers.Sprintf(text, args...)
		}
	}

	return fmt.Sprintf(text, args...)
}

// verbs are the verbs of a text in their order, as "%d" or "%[2]s"; "%%" is none.
func verbs(text string) []string {
	var all []string
	for {
		at := strings.IndexByte(text, '%')
		if at < 0 || at+1 == len(text) {
			return all
		}
		text = text[at+1:]
		end := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune("0123456789.[]+-# ", r) })
		if end < 0 {
			return all
		}
		if text[end] != '%' {
			all = append(all, "%"+text[:end+1])
		}
		text = text[end+1:]
	}
}

// count is the number that decides, where it is one: the arg-th of args, from 1, or
// for 0 the first whole number.
func count(args []any, arg int) (int, bool) {
	for i, a := range args {
		if arg != 0 && i != arg-1 {
			continue
		}
		switch n := a.(type) {
		case int:
			return n, true
		case int64:
			return int(n), true
		case uint32:
			return int(n), true
		case uint64:
			return int(min(n, 1<<62)), true
		case string:
			if arg != 0 {
				n, err := strconv.Atoi(n)

				return n, err == nil
			}
		}
	}

	return 0, false
}
