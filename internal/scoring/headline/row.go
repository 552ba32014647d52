package headline

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Row is the headline in MaxRow characters as a page draws them: what has no name, then of the others, the
// weightiest first, those for which there is room, in a short form where they don't fit as they are; and how
// many values follow.
func (h Headline) Row() []Part {
	if length(h.Parts, false) <= MaxRow {
		return h.Parts
	}
	groups := grouped(h.Parts)
	row, left := brief(groups[0]), 0
	if length(row, false) > MaxRow {
		row = fit(row, MaxRow, false)
		if last := len(row) - 1; row[last].Role == More {
			row, left = row[:last], row[last].leaves
		}
	}
	for _, g := range groups[1:] {
		all := len(g)
		for _, g = range [][]Part{lastNames(g), short(lastNames(g))} {
			for all = len(g); all > 0 && (length(slices.Concat(row, g[:all]), false) > MaxRow || g[all-1].Role == Name || strings.HasSuffix(g[all-1].Text, ":")); all-- {
			}
			if all == len(g) {
				break
			}
		}
		if all == 0 && length(slices.Concat(row, g), false) > MaxRow && strings.Contains(g[len(g)-1].Text, " ") {
			g = fit(slices.Concat(row, g), MaxRow, false)[len(row):]
			if all = len(g); all > 0 && g[all-1].Role == More {
				all--
			}
		}
		row = append(slices.Clip(row), g[:all]...)
		for _, p := range g[all:] {
			left += p.leaves
		}
	}
	return withMore(row, left)
}

// grouped parts what has no name, and each name with its values.
func grouped(parts []Part) (all [][]Part) {
	at := 0
	for i, p := range parts {
		before := Part{}
		if i > 0 {
			before = parts[i-1]
		}
		people := p.Role == Label && strings.HasSuffix(p.Text, "people:")
		if i > 0 && (p.Role == More || people || p.Role == Name && p.By == Theirs && !strings.HasSuffix(before.Text, "people:") && !(before.Role == Function && p.Weight >= OfTarget)) {
			all, at = append(all, parts[at:i]), i
		}
	}
	return append(all, parts[at:])
}

// brief is what has no name without the server's, and without what is only said once more.
func brief(head []Part) (all []Part) {
	for i, p := range head {
		switch {
		case p.again:
			if len(all) > 0 && all[len(all)-1].Text != "…" {
				all = append(all, Part{Role: Label, Text: "…", By: Ours})
			}
		case p.Role == Tool && i+1 < len(head), p.Role == Name && p.By == Theirs && i+1 < len(head) && head[i+1].Role == Target:
		case p.Role == Target || p.Role == Request:
			all = append(all, shortened(p, 2*longest))
		default:
			all = append(all, p)
		}
	}
	return all
}

// lastNames has only the last of the names that stand around a value.
func lastNames(group []Part) []Part {
	group = slices.Clone(group)
	for i, p := range group {
		if at := strings.LastIndexByte(p.Text, '.'); p.Role == Name && at >= 0 && at+1 < len(p.Text) && isIdentifier(p.Text) {
			group[i].Text = p.Text[at+1:]
		}
	}
	return group
}

// short has each value in its short form.
func short(group []Part) []Part {
	for i, p := range group {
		if p.By == Theirs && p.Role != Name {
			group[i] = shortened(p, longest-10)
		}
	}
	return group
}

// shortened is a value in at most so many characters: an address without its scheme and query, of an identifier
// that a machine made the ends, of other identifiers and paths the end, of a text the first words.
func shortened(p Part, most int) Part {
	if p.Role == Request {
		p.Text, _, _ = strings.Cut(p.Text, "?")
		return p
	}
	if isURL(p.Text) {
		p.Text, _, _ = strings.Cut(withoutScheme(p.Text), "?")
		if host, path, _ := strings.Cut(p.Text, "/"); utf8.RuneCountInString(p.Text) > most && path != "" {
			p.Text = host + "/…"
		}
	}
	switch n := utf8.RuneCountInString(p.Text); {
	case opaque(p.Text) && p.Role != Target:
		p.Text = p.Text[:6] + "…" + p.Text[len(p.Text)-4:]
	case n <= most:
	case strings.ContainsAny(p.Text, " \n"):
		p.Text = begin(strings.TrimSuffix(p.Text, "…"), most) + "…"
	default:
		p.Text = "…" + string([]rune(p.Text)[n-most:])
	}
	return p
}
