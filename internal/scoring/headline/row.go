package headline

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Row is the headline in MaxRow characters as a page draws them: what has no name, then of the others, the
// weightiest first, those for which there is room in their shortest form, each in the longest for which there
// is; and how many values follow.
func (h Headline) Row() []Part {
	if length(h.Parts, false) <= MaxRow {
		return h.Parts
	}
	groups := grouped(h.Parts)
	row, all := filled(groups, brief(groups[0], false))
	if !all {
		row, _ = filled(groups, ended(brief(groups[0], false)))
	}
	if named, all := filled(groups, brief(groups[0], true)); all && leavesOf(named) >= leavesOf(row) {
		row = named
	}
	return withMore(row, leavesOf(h.Parts)-leavesOf(row))
}

// filled is what a row shows of each group behind a head, and whether all that is dangerous is there.
func filled(groups [][]Part, head []Part) (row []Part, all bool) {
	shown := make([][]Part, len(groups))
	if shown[0] = head; length(head, false) > MaxRow {
		shown[0] = slices.DeleteFunc(fit(head, MaxRow, false), func(p Part) bool { return p.Role == More })
	}
	fits := func(i int, form []Part) bool {
		before := shown[i]
		shown[i] = form
		if length(slices.Concat(shown...), false) <= MaxRow {
			return true
		}
		shown[i] = before
		return false
	}
	forms := make([][][]Part, len(groups))
	for i, g := range groups[1:] {
		forms[i+1] = formsOf(g)
	}
	all = true
	for _, least := range []int{Danger, 0} { // what is dangerous has its name before another value is there
		for i, of := range forms {
			if i > 0 && shown[i] == nil && groups[i][0].Weight >= least && !fits(i, of[len(of)-1]) {
				all = all && groups[i][0].Weight < Danger
			}
		}
		for i, of := range forms {
			for k := 0; k < len(of) && shown[i] != nil && !fits(i, of[k]); k++ {
			}
		}
	}
	return slices.Concat(shown...), all
}

// ended has of an identifier that a machine made only the ends.
func ended(head []Part) []Part {
	for i, p := range head {
		if p.Role == Target && opaque(p.Text) {
			head[i].Text = p.Text[:6] + "…" + p.Text[len(p.Text)-4:]
		}
	}
	return head
}

func leavesOf(parts []Part) (n int) {
	for _, p := range parts {
		n += p.leaves
	}
	return n
}

// grouped parts what has no name, and each name with its values; without the count of what nothing says.
func grouped(parts []Part) (all [][]Part) {
	at := 0
	for i, p := range parts {
		switch {
		case p.Role == More:
			return append(all, parts[at:i])
		case i == 0 || strings.HasSuffix(parts[i-1].Text, "people:") || parts[i-1].Role == Function && i+1 < len(parts) && parts[i+1].Role == Target:
		case p.Role == Label && strings.HasSuffix(p.Text, "people:"),
			p.Role == Name && p.By == Theirs && !strings.HasPrefix(p.Text, "."): // what is of one element stays together
			all, at = append(all, parts[at:i]), i
		}
	}
	return append(all, parts[at:])
}

// brief is what has no name, without the server's and what is only said once more; perhaps with the name of a target
// of which the value says nothing.
func brief(head []Part, named bool) (all []Part) {
	for i, p := range head {
		switch {
		case p.again:
			if len(all) > 0 && all[len(all)-1].Text != "…" {
				all = append(all, Part{Role: Label, Text: "…", By: Ours})
			}
		case p.Role == Tool && i+1 < len(head): // run of pipelines: of one word, what it is of is said
			if p.Text = p.Text[strings.LastIndexAny(p.Text, "./_:")+1:]; !strings.Contains(head[i+1].Text, " ") {
				all = append(all, p)
			}
		case p.Role == Name && i+1 < len(head) && head[i+1].Role == Target && p.By == Theirs && !(named && opaque(head[i+1].Text)):
		case p.Role == Target || p.Role == Request:
			all = append(all, shortened(p, 2*longest))
		default:
			all = append(all, p)
		}
	}
	return all
}

// formsOf are a name and its values in the forms in which a row may have them, the longest first.
func formsOf(group []Part) (all [][]Part) {
	named := slices.Clone(group)
	for i, p := range named {
		if p.Role == Name && p.last != "" {
			named[i].Text = p.last
		}
	}
	all = append(all, named)
	for _, most := range []int{longest, longest - 10, longest - 20} {
		short := slices.Clone(all[len(all)-1])
		for i, p := range short {
			if p.By == Theirs && p.Role != Name && (most == longest || p.Role == Text || most == longest-10 && strings.Contains(p.Text, " ")) {
				short[i] = shortened(p, most)
			}
		}
		all = append(all, short)
	}
	values := all[len(all)-1]
	least := 1
	if names := slices.IndexFunc(values, func(p Part) bool { return strings.HasPrefix(p.Text, ".") && p.Role == Name }); names > 0 {
		least = names + 1 // of an element of a list what it is and what is done to it
	}
	for n := len(values) - 1; n > least; n-- { // of several values the first
		if values[n-1].Role != Name {
			all = append(all, values[:n])
		}
	}
	if last := all[len(all)-1]; len(last) == 2 && last[0].Role == Name {
		p := last[1]
		evident := p.Role == Given || p.Role == Recipient || p.Role == Where || p.Role == Manner || p.Weight >= Danger
		switch {
		case p.Role == Flag && p.Text == "true":
			p.Text = last[0].Text
			p.Role = Name
			all = append(all, []Part{p})
		case evident && p.By == Theirs && p.Role != Flag && len(p.Text) > 3 && !isNumber(p.Text):
			all = append(all, []Part{{Role: Label, Text: "·", By: Ours}, p})
		}
	}
	return all
}

// shortened is a value in at most so many characters: an address without its scheme and query, of an identifier
// that a machine made the ends, of other identifiers and paths the end, of a text the first words.
func shortened(p Part, most int) Part {
	if p.Role == Request {
		p.Text, _, _ = strings.Cut(p.Text, "?")
		return p
	}
	if isDate(strings.ToLower(p.Text)) && len(p.Text) > 10 && most < longest {
		p.Text = p.Text[:10] + "…"
	}
	if strings.Contains(p.Text, "://") && !strings.ContainsAny(p.Text, " \n") {
		p.Text, _, _ = strings.Cut(withoutScheme(p.Text), "?")
		if host, path, _ := strings.Cut(p.Text, "/"); utf8.RuneCountInString(p.Text) > most && path != "" {
			p.Text = host + "/…"
		}
	}
	switch n := utf8.RuneCountInString(p.Text); {
	case opaque(p.Text) && p.Role != Target && p.Role != Recipient:
		p.Text = p.Text[:6] + "…" + p.Text[len(p.Text)-4:]
	case n <= most:
	case strings.ContainsAny(p.Text, " \n"):
		p.Text = begin(strings.TrimSuffix(p.Text, "…"), most) + "…"
	default:
		p.Text = "…" + string([]rune(p.Text)[n-most:])
	}
	return p
}
