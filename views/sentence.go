package views

import "github.com/countersign/countersign/views/texts"

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
