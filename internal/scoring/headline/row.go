package headline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/call"
)

// Row is the headline in MaxRow characters as a page draws them: what has no name, then the others in their order, the
// weightiest first, each in the longest form for which there is room; and how many values follow.
func (h Headline) Row() []Part {
	if length(h.Parts, false) <= MaxRow {
		return h.Parts
	}
	groups := grouped(h.Parts)
	row, _ := filled(groups, brief(groups[0], false))
	if ended, _ := filled(groups, ended(brief(groups[0], false))); dangers(ended) > dangers(row) {
		row = ended
	}
	if named, all := filled(groups, brief(groups[0], true)); all && leavesOf(named) >= leavesOf(row) && dangers(named) >= dangers(row) {
		row = named
	}
	return withMore(row, leavesOf(h.Parts)-leavesOf(row))
}

// dangers is what the parts of a row weigh that are dangerous, or stand with one that is.
func dangers(row []Part) (n int) {
	for _, p := range row {
		if p.leaves > 0 && (p.Weight >= Danger || p.list != "") {
			n += p.Weight
		}
	}
	return n
}

// filled is what a row shows of each group behind a head, and whether all that is dangerous is there. Of a list that
// isn't there whole it says how much is.
func filled(groups [][]Part, head []Part) (row []Part, all bool) {
	forms := make([][][]Part, len(groups))
	for i, g := range groups[1:] {
		forms[i+1] = formsOf(g)
	}
	row, all = fill(groups, forms, head)
	counted := false
	for i, g := range groups[1:] {
		if n := elements(row, g[0].list); n > 0 && n < g[0].of && g[0].list != groups[i][0].list {
			counted = true
			for k, form := range slices.Backward(forms[i+1]) { // each with the count, or else without
				if form[0].Text == "·" {
					form = form[1:]
				}
				forms[i+1] = slices.Insert(forms[i+1], k, slices.Concat([]Part{{Role: Label, Text: "· 1 of " + strconv.Itoa(g[0].of) + ":", By: Ours, list: g[0].list}}, form))
			}
		}
	}
	if !counted {
		return row, all
	}
	row, all = fill(groups, forms, head)
	for i, p := range row {
		if p.Role == Label && p.list != "" && p.of == 0 {
			row[i].Text = strings.Replace(p.Text, "1", strconv.Itoa(elements(row, p.list)), 1)
		}
	}
	return slices.DeleteFunc(row, func(p Part) bool { // that of a list of which all is there
		return p.Role == Label && p.list != "" && p.of == 0 && strings.HasSuffix(p.Text, " "+strconv.Itoa(elements(row, p.list))+":")
	}), all
}

// elements is how many elements of a list a row has.
func elements(row []Part, list string) int {
	seen := map[int]bool{}
	for _, p := range row {
		if list != "" && p.list == list && p.of > 0 {
			seen[p.item] = true
		}
	}
	return len(seen)
}

// fill puts the forms of the groups behind a head, as many as there is room for.
func fill(groups [][]Part, forms [][][]Part, head []Part) (row []Part, all bool) {
	shown := make([][]Part, len(groups))
	for i, p := range head { // of an identifier that is too long its end
		if over := length(head, false) - MaxRow; over > 0 && p.Role == Target && !strings.Contains(p.Text, " ") {
			head[i] = shortened(p, max(2*shortest, utf8.RuneCountInString(p.Text)-over-1))
		}
	}
	if shown[0] = head; length(head, false) > MaxRow {
		shown[0] = slices.DeleteFunc(fit(head, MaxRow, false), func(p Part) bool { return p.Role == More })
	}
	fits := func(i int, form []Part) bool {
		before := shown[i]
		if shown[i] = form; length(slices.Concat(shown...), false) > MaxRow {
			shown[i] = before
			return false
		}
		return true
	}
	all = true
	for _, least := range []int{Danger, 0} { // what is dangerous has its name before another value is there
		left, heavy := "", 0 // an element of this list is left out: no lighter one is there in its place
		for i, of := range forms {
			if i == 0 || shown[i] != nil || heaviest(groups[i]) < least {
				continue
			}
			list, weight, from := groups[i][0].list, heaviest(groups[i]), pair(of)
			if list != "" && list == groups[i-1][0].list && slices.ContainsFunc(groups[i], func(p Part) bool { return strings.HasPrefix(p.Text, ".") }) {
				of = of[:from+1] // a value alone reads as if it belonged to the element before it
			}
			if weight <= Cheap && heavy > Cheap || list != "" && list == left && weight < heavy || !slices.ContainsFunc(of[from:], func(form []Part) bool { return fits(i, form) }) {
				left, heavy, all = cmp.Or(list, left), max(heavy, weight), all && weight < Danger
			}
		}
		for i, of := range forms {
			for k := 0; k < len(of) && shown[i] != nil && !fits(i, of[k]); k++ {
			}
		}
	}
	return slices.Concat(shown...), all
}

// heaviest is what the weightiest part of a group weighs.
func heaviest(group []Part) (weight int) {
	for _, p := range group {
		weight = max(weight, p.Weight)
	}
	return weight
}

// pair is the shortest form that says of an element what it is and what is done to it, and of people three; the shortest
// of others.
func pair(forms [][]Part) int {
	for i, form := range slices.Backward(forms) {
		names, values := 0, 0
		for _, p := range form {
			if p.Role == Name && p.list != "" {
				names++
			} else if p.Role == Recipient && strings.HasSuffix(form[0].Text, "people:") {
				values++
			}
		}
		if names > 1 || values > 2 {
			return i
		}
	}
	return len(forms) - 1
}

// ended has of an identifier that a machine made only the ends.
func ended(head []Part) []Part {
	for i, p := range head {
		switch method, address, _ := strings.Cut(p.Text, " "); {
		case p.Role == Target && opaque(p.Text):
			head[i].Text = p.Text[:6] + "…" + p.Text[len(p.Text)-4:]
		case p.Role == Target && p.Weight < Danger && utf8.RuneCountInString(p.Text) > longest-10:
			head[i] = shortened(p, longest-10)
		case p.Role == Request && utf8.RuneCountInString(p.Text) > longest:
			path := strings.Split(address, "/")
			if n := len(path); n > 4 {
				head[i].Text = method + " " + path[0] + "/…/" + strings.Join(path[n-2:], "/")
			}
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
		case p.Role == Name && i+1 < len(head) && head[i+1].Role == Target && p.By == Theirs && !(named && opaque(head[i+1].Text)) && (len(all) == 0 || all[len(all)-1].Role == Function || all[len(all)-1].Role == Tool):
		case p.Role == Target || p.Role == Request:
			all = append(all, shortened(p, 2*longest))
		default:
			if p.Role == Name && p.last != "" {
				p.Text = p.last
			}
			all = append(all, p)
		}
	}
	return all
}

// formsOf are a name and its values in the forms in which a row may have them, the longest first.
func formsOf(of []Part) (all [][]Part) {
	named := slices.Clone(of)
	for i, p := range named {
		if p.Role == Name && p.last != "" {
			named[i].Text = p.last
		}
	}
	all = append(all, named)
	for _, most := range []int{longest, longest - 10, longest - 20} {
		short := slices.Clone(all[len(all)-1])
		for i, p := range short {
			if p.By == Theirs && p.Role != Name && (most == longest || p.Role == Text || p.Role == Amount || most == longest-10 && strings.Contains(p.Text, " ") || most < longest-10 && p.Weight >= Danger && (p.Role != Recipient || strings.HasPrefix(p.Text, "arn:") || strings.HasPrefix(p.Text, "…")) && p.Role != Amount && !isHost(p.Text)) {
				if sum, minor, ok := strings.Cut(p.Text, " ("); ok && p.Role == Amount && strings.HasSuffix(minor, ")") {
					if short[i].Text = strings.Replace(p.Text, " minor units", "", 1); most < longest {
						short[i].Text, short[i].leaves = sum, p.leaves-1
					}
					continue
				}
				short[i] = shortened(p, most)
			}
		}
		all = append(all, short)
	}
	values := all[len(all)-1]
	for n := len(values) - 1; n > 1; n-- { // of several values the first
		if values[n-1].Role == Name || n == 2 && values[0].list != "" {
			continue
		}
		short := slices.Clone(values[:n])
		if names := slices.IndexFunc(values[1:], func(p Part) bool { return p.Role == Name || p.By == Ours }); names < 0 && values[0].Role == Name {
			short = slices.Insert(short, 1, Part{Role: Label, Text: group(strconv.Itoa(n-1)) + " of " + group(strconv.Itoa(len(values)-1)) + ":", By: Ours})
		}
		all = append(all, short)
	}
	if n := len(values); n > 3 && values[0].list != "" && evident(values[1]) && values[2].Role == Name && evident(values[3]) {
		all = append(all, []Part{{Role: Label, Text: "·", By: Ours}, values[1], values[3]}, values[:2])
	} else if n > 2 && values[0].Role == Name && values[1].Role != Name {
		all = append(all, values[:2])
	} else if n > 2 && strings.HasSuffix(values[0].Text, "people:") && values[1].Role == Name {
		all = append(all, []Part{values[0], values[2]})
	}
	if last := all[len(all)-1]; len(last) == 2 && last[0].Role == Name {
		p := last[1]
		switch {
		case p.Role == Flag && p.Text == "true":
			p.Text = last[0].Text
			p.Role = Name
			all = append(all, []Part{p})
		case evident(p) && p.list == "" && !anyOf(call.Words(last[0].Text), ownWords) && (p.Role != Manner || len(call.Words(last[0].Text)) == 1):
			all = append(all, []Part{{Role: Label, Text: "·", By: Ours}, p})
		}
	}
	return all
}

// evident reports whether a value says what it is without its name.
func evident(p Part) bool {
	return (p.Role == Given || p.Role == Recipient || p.Role == Where || p.Role == Manner || p.Weight >= Danger) && p.By == Theirs && p.Role != Flag &&
		len(p.Text) > 3 && !isNumber(p.Text) && !no[strings.ToLower(p.Text)]
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
