package views

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"github.com/countersign/countersign/views/texts"
)

// Sentence is a text of the catalogue with values in its places {1}, {2} and so on,
// as runs: for words of ours around words of an agent or a person. A place that has
// no part is empty.
func Sentence(say texts.Printer, key texts.Key, parts ...[]Run) []Run {
	return SentenceOf(say.Pieces(key), parts...)
}

// SentenceOf is [Sentence] for a text that has arguments as well.
func SentenceOf(pieces []texts.Piece, parts ...[]Run) []Run {
	all := make([]Run, 0, len(pieces))
	for _, p := range pieces {
		switch {
		case p.Place == 0:
			all = append(all, Run{Text: p.Text})
		case p.Place <= len(parts):
			all = append(all, parts[p.Place-1]...)
		}
	}

	return all
}

// SentenceWith draws a text of the catalogue with parts of the page in its places, so
// that a language may put them elsewhere.
func SentenceWith(key texts.Key, parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return Places(texts.From(ctx).Pieces(key), parts...).Render(ctx, w)
	})
}

// Places is [sentence] for a text that has arguments as well.
func Places(pieces []texts.Piece, parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		for _, p := range pieces {
			if p.Place == 0 {
				if _, err := io.WriteString(w, templ.EscapeString(p.Text)); err != nil {
					return err
				}
			} else if p.Place <= len(parts) {
				if err := parts[p.Place-1].Render(ctx, w); err != nil {
					return err
				}
			}
		}

		return nil
	})
}
