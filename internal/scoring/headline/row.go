package headline

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Row is the headline in so many characters as a page draws them, MaxRow or MaxLine: what has no name, then the others
// in their order, the weightiest first, each in the longest form for which there is room; and how many values follow.
func (h Headline) Row(most int) []Part {
	if length(h.Parts, false) <= most {
		return h.Parts
	}
	row := counted(fill(grouped(h.Parts), most))
	return withMore(row, leavesOf(h.Parts)-leavesOf(row))
}

// Lines are what a page draws large of a row, in MaxLine characters where what stands together ends within them, and
// what it draws smaller below that.
func Lines(row []Part) (first, rest []Part) {
	at := len(row)
	for i := 1; i <= len(row); i++ {
		if i < len(row) && (Joint(row[i-1], row[i]) != " · " && !strings.HasPrefix(row[i].Text, listed) || strings.HasPrefix(row[i].Text, ".")) {
			continue
		}
		if length(row[:i], false) > MaxLine {
			at = min(at, i) // what comes first is never parted
			break
		}
		at = i
	}
	if rest = slices.Clone(row[at:]); len(rest) > 0 {
		rest[0].Text = strings.TrimPrefix(rest[0].Text, listed)
	}
	return row[:at], rest
}

// listed stands before the elements of a list.
const listed = "· "

// counted are the groups of a row one behind another; before a list of which not all is there stands how much is.
func counted(shown [][]Part) (row []Part) {
	elements, seen := map[string]int{}, map[string]bool{}
	for _, g := range shown {
		if len(g) > 0 && g[0].list != "" {
			elements[g[0].list]++
		}
	}
	for _, g := range shown {
		if len(g) > 0 && elements[g[0].list] > 0 && elements[g[0].list] < g[0].of && !seen[g[0].list] {
			seen[g[0].list] = true
			row = append(row, Part{Role: Label, Text: listed + group(strconv.Itoa(elements[g[0].list])) + " of " + group(strconv.Itoa(g[0].of)) + ":", By: Ours})
		}
		row = append(row, g...)
	}
	return row
}

// fill are the groups, each in the longest form for which there is room. What is dangerous has its place before
// another value has one, and of a list no element stands in place of a heavier one.
func fill(groups [][]Part, room int) [][]Part {
	shown, forms := make([][]Part, len(groups)), make([][][]Part, len(groups))
	for i, g := range groups[1:] {
		if forms[i+1] = formsOf(g); g[0].list != "" && g[0].list != groups[i][0].list {
			room -= len("· 1 of 12:")
		}
	}
	shown[0] = slices.DeleteFunc(fit(brief(groups[0]), room, false), func(p Part) bool { return p.Role == More })
	fits := func(i int, form []Part) bool {
		before := shown[i]
		if shown[i] = form; length(slices.Concat(shown...), false) > room {
			shown[i] = before
			return false
		}
		return true
	}
	for _, least := range []int{Danger, Place, 0} {
		left, heavy := "", 0 // an element of this list is left out
		for i, g := range groups[1:] {
			weight, list := heaviest(g), g[0].list
			if i++; shown[i] == nil && weight >= least && (list != "" && list == left && weight < heavy || !fits(i, forms[i][len(forms[i])-1])) {
				left, heavy = list, weight
			}
		}
		for i, of := range forms {
			for k := 0; k < len(of) && shown[i] != nil && !fits(i, of[k]); k++ {
			}
		}
	}
	return shown
}

// heaviest is what the weightiest part of a group weighs.
func heaviest(group []Part) (weight int) {
	for _, p := range group {
		weight = max(weight, p.Weight)
	}
	return weight
}

func leavesOf(parts []Part) (n int) {
	for _, p := range parts {
		n += p.leaves
	}
	return n
}

// grouped are the parts of each item, without the count of what nothing says.
func grouped(parts []Part) (all [][]Part) {
	for i, p := range parts {
		if p.Role == More {
			break
		}
		if i == 0 || p.item != parts[i-1].item {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], p)
	}
	return all
}

// brief is what has no name, without the server's and what is only said once more.
func brief(head []Part) (all []Part) {
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
		case p.Role == Target || p.Role == Request:
			all = append(all, shortened(p, 2*longest))
		default:
			all = append(all, within(p))
		}
	}
	return all
}

// within is a name without those around it.
func within(p Part) Part {
	if p.Role == Name && p.last != "" {
		p.Text = p.last
	}
	return p
}

// formsOf are a name and its values in the forms in which a row may have them, the longest first.
func formsOf(of []Part) (all [][]Part) {
	for _, most := range []int{longestName, longest, longest - 15} {
		of = slices.Clone(of)
		for i, p := range of {
			if of[i] = within(p); p.By == Theirs && p.Role != Name && p.Role != Amount && (most != longest-15 || strings.Contains(p.Text, " ")) {
				of[i] = shortened(p, most)
			}
		}
		all = append(all, of)
	}
	values := all[len(all)-1]
	if values[0].list != "" { // the first value of each name, or what it is, and what is done to it
		var first []Part
		for i, p := range values {
			if p.Role == Name || i > 0 && values[i-1].Role == Name {
				first = append(first, p)
			}
		}
		return append(all, first, first[:min(len(first), 4)])
	}
	for n := len(values) - 1; n > 1; n-- { // of several values the first
		if values[n-1].Role == Name {
			continue
		}
		short := slices.Clone(values[:n])
		if names := slices.IndexFunc(values[1:], func(p Part) bool { return p.Role == Name || p.By == Ours }); names < 0 && values[0].Role == Name {
			short = slices.Insert(short, 1, Part{Role: Label, Text: group(strconv.Itoa(n-1)) + " of " + group(strconv.Itoa(len(values)-1)) + ":", By: Ours})
		}
		all = append(all, short)
	}
	return all
}

// shortened is a value in at most so many characters: an address without its scheme and query, of an identifier
// that a machine made the ends, of other identifiers and paths the end, of a text the first words.
func shortened(p Part, most int) Part {
	if p.Role == Request { // what is searched for belongs to what is deleted
		if before, _, _ := strings.Cut(p.Text, "?"); !strings.HasPrefix(before, "DELETE") {
			p.Text = before
		}
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
	case most <= longest && opaque(p.Text) && p.Role != Target && p.Role != Recipient:
		p.Text = p.Text[:6] + "…" + p.Text[len(p.Text)-4:]
	case n <= most:
	case strings.ContainsAny(p.Text, " \n"):
		p.Text = begin(strings.TrimSuffix(p.Text, "…"), most) + "…"
	default:
		p.Text = "…" + string([]rune(p.Text)[n-most:])
	}
	return p
}
