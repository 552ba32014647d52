package headline

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// What a row shows first of what is executed, where not all of it fits.

// opening are words of options that say what is let in.
var opening = words("opening")

// hide writes asterisks for what may be a secret in a command: the value of an option or a variable whose
// name says so.
func (w *written) hide(a *act) {
	if w.role != Command {
		return
	}
	text := []byte(w.text)
	for _, p := range w.pieces {
		for _, c := range a.in.Text(w.text[p.from:p.to]).Script().Commands {
			for i, word := range c.Words {
				from, to := p.from+word.Start, p.from+word.End
				if from < p.from || to > p.to || from >= to {
					continue
				}
				name, value, sets := strings.Cut(w.text[from:to], "=")
				if sets {
					from += len(name) + 1
				} else if i > 0 {
					name, value = c.Words[i-1].Text, word.Text
				}
				plain := value != "" && strings.IndexByte("-$@", value[0]) < 0 && !strings.Contains(value, "[REDACTED:")
				if plain && (sets || strings.HasPrefix(name, "-")) && isSecret(call.Words(name)) {
					copy(text[from:to], strings.Repeat("*", to-from))
				}
			}
		}
	}
	w.text = string(text)
}

// first is what made the level, with the cd before it.
func (w *written) first(a *act, telling [][2]int, left int) []Part {
	for _, s := range telling {
		left -= w.size(s[0], s[1]) + 3
	}
	parts := []Part{{Role: Label, Text: "…", By: Ours, Weight: OfTarget}}
	if w.role == Command {
		if all := a.in.Text(w.text).Script().Commands; len(all) > 1 && len(all[0].Words) == 2 && all[0].Words[0].Text == "cd" && all[0].End <= w.within && boundary(w.text, all[0].End) {
			if cd := w.text[all[0].Start:all[0].End]; len(cd) < max(left, shortest) {
				parts = []Part{{Role: w.role, Text: legible(cd), By: Theirs, Weight: OfTarget}, parts[0]}
			}
		}
	}
	for i, s := range telling {
		if i > 0 {
			parts = append(parts, Part{Role: Label, Text: "…", By: Ours, Weight: OfTarget})
		} else if s[0] == 0 && len(parts) == 1 {
			parts = nil
		}
		text := strings.Join(strings.Fields(w.text[s[0]:s[1]]), " ")
		parts = append(parts, Part{Role: w.role, Text: legible(begin(text, MaxRow-6)), By: Theirs, Weight: Decisive + 5})
	}
	return append(parts, Part{Role: Label, Text: "in", By: Ours, Weight: OfTarget, again: true})
}

// telling are the stretches of what is done that a row has room for, in their order: the commands, statements or lines from
// which the effects were read, those that say who gets access and what goes outside before those that lose something.
func (w *written) telling(a *act, places [][4]int, left int) (all [][2]int) {
	for n := len(places); n > 1 && w.sizes(places) > left && left/n < longest; n-- {
		if places = places[:n-1]; !slices.ContainsFunc(places, func(p [4]int) bool { return p[0] == w.within }) {
			places[n-2] = [4]int{w.within, w.until, w.start, w.end}
		}
	}
	slices.SortFunc(places, func(x, y [4]int) int { return x[0] - y[0] })
	if from, to := places[0][0], places[len(places)-1][1]; w.size(from, to) <= left && len(places) > 1 {
		return [][2]int{{from, to}}
	}
	whole := w.sizes(places) <= left
	// What decides comes first, then the short ones, which leave their room to the others.
	rank := func(p [4]int) int {
		if p[0] == w.within {
			return 0
		}
		return w.size(p[0], p[1])
	}
	for i, p := range slices.SortedStableFunc(slices.Values(places), func(x, y [4]int) int { return rank(x) - rank(y) }) {
		one, room := *w, left
		if one.within, one.until, one.start, one.end = p[0], p[1], p[2], p[3]; !whole && (i > 0 || w.size(p[0], p[1]) > left) {
			room = left/(len(places)-i) - 2
		}
		if i == 0 && len(places) > 1 && !whole && reach(w.text[w.start:w.end]) < 2 {
			room = min(room, left-longest*2/3-3)
		}
		if i > 0 && room < 2*shortest {
			break
		}
		told := one.tells(a, room)
		for _, s := range told {
			left -= min(w.size(s[0], s[1]), left) + 3
		}
		all = append(all, told...)
	}
	slices.SortFunc(all, func(x, y [2]int) int { return x[0] - y[0] })
	if w.role == Command && left > longest/2 && len(all) == 1 && w.size(all[0][0], all[0][1]) < longest*2 && !strings.HasPrefix(w.text, "cd ") { // what stands before a short one
		from := max(0, all[0][0]-left)
		if at := strings.IndexAny(w.text[from:all[0][0]], " ;|&"); from > 0 && at >= 0 {
			from += at + 1
		}
		from += len(w.text[from:all[0][0]]) - len(strings.TrimLeft(w.text[from:all[0][0]], " ;|&"))
		if from < all[0][0] && boundary(w.text, from) {
			all[0][0] = from
		}
	}
	return all
}

// size is how many characters a stretch has on one line.
func (w *written) size(from, to int) int {
	return utf8.RuneCountInString(strings.Join(strings.Fields(w.text[from:to]), " "))
}

// sizes is how much room places take, with what parts them.
func (w *written) sizes(places [][4]int) (n int) {
	for _, p := range places {
		n += w.size(p[0], p[1]) + 3
	}
	return n
}

// places are the commands, statements or lines from which the effects were read, each once, and what in them it was.
func (w *written) places(a *act) (all [][4]int) {
	order := slices.Clone(a.Effects)
	slices.SortStableFunc(order, func(x, y effects.Effect) int {
		return slices.Index(gravest, x.Kind) - slices.Index(gravest, y.Kind)
	})
	for _, e := range order {
		for _, at := range e.Evidence {
			from, to, ok := w.place(at.Pointer, at.Start, at.End)
			if !ok || e.Kind == effects.Read || e.Kind == effects.Execute && a.kind() != e.Kind || e.Kind == effects.Write && len(all) > 0 && a.kind() != effects.Write || w.role == Code && imports(w.text[strings.LastIndexByte(w.text[:from], '\n')+1:to]) {
				continue
			}
			one := *w
			one.start, one.end = from, to
			one.around(a)
			if !slices.ContainsFunc(all, func(o [4]int) bool { return one.within < o[1] && o[0] < one.until }) {
				all = append(all, [4]int{one.within, one.until, one.start, one.end})
			}
		}
	}
	if len(all) == 0 {
		all = [][4]int{{w.within, w.until, w.start, w.end}}
	}
	var beside [][4]int
	note := func(from, to int) {
		one := *w
		one.start, one.end = from, to
		if one.around(a); !slices.ContainsFunc(all, func(o [4]int) bool { return one.within < o[1] && o[0] < one.until }) && !imports(w.text[one.within:one.until]) {
			beside = append(beside, [4]int{one.within, one.until, one.start, one.end})
		}
	}
	if w.role == Command && a.kind() == effects.Permission && len(w.pieces) == 1 {
		for _, c := range a.in.Text(w.text).Script().Commands { // what its name says
			if len(c.Words) > 0 && c.Start < c.End && c.End <= len(w.text) && effects.Does(c.Words[0].Text) == effects.Permission && !strings.HasPrefix(c.Words[0].Text, "$") {
				note(c.Start, c.End)
			}
		}
	}
	if w.role != Code {
		return append(all, beside...)
	}
	for _, at := range quoted.FindAllStringIndex(w.text, 20) { // to where it goes, and on what it acts
		note(at[0], at[1])
	}
	at := 0
	for line := range strings.SplitAfterSeq(w.text[:min(len(w.text), maxWritten*8)], "\n") { // what it sets
		if text := strings.TrimSpace(line); len(beside) < 3 && a.weightOfLine(text) > weightNew {
			note(at+strings.Index(line, text), at+strings.Index(line, text)+len(text))
		}
		at += len(line)
	}
	if a.kind() == effects.Execute {
		return append(beside, all...)
	}
	return append(all, beside...)
}

// quoted matches an address, a path or a person in quotes.
var quoted = regexp.MustCompile(`["'](?:\w{2,10}://[^"'\s]+|[\w.+-]+@[\w-]+\.[\w.]+|/[\w.-]+/[^"'\s]*)["']|["'](?i:update|delete|insert|drop|alter|grant|truncate)\b[^"'\n]*`)

// gravest are the kinds of effects by what a row says first of a program that has several.
var gravest = []effects.Kind{effects.Permission, effects.Message, effects.Money, effects.Delete, effects.Execute, effects.Write, effects.Unknown, effects.Read}

// tells are the stretches of one command, statement or line for which there is room: its beginning, and the words that
// say who gets what; without the words between them.
func (w *written) tells(a *act, room int) [][2]int {
	size := w.size
	if w.role != Command {
		from, to := w.within, w.until
		if size(from, to) > room {
			from = w.chain()
		}
		if open := strings.IndexByte(w.text[from:to], '('); open > 0 && graphQL(w.text) && size(from, to) > room {
			return append([][2]int{{from, from + open}}, w.literals(a, from+open, room-open-3)...)
		}
		return [][2]int{{from, from + len(begin(w.text[from:to], room+to-from-size(from, to)))}}
	}
	need := size(w.within, w.until)
	words := w.words(a, need <= room)
	all := [][2]int{{w.within, w.until}}
	end := 0
	if need <= room { // ssh machine … the command there
		end = lead(words, w.within, room-need-3, false)
	} else { // the program, what it is told to do, and who gets what
		most := 0
		for _, form := range []struct{ led, named bool }{{true, true}, {true, false}, {false, true}} {
			before, left, worth := 0, room, 0
			if form.led {
				if before = lead(words, w.until, longest+5, true); before == 0 {
					continue
				}
				left, worth = room+3-size(words[0].Start, before), OfTarget
			}
			told, left, more := w.wordsThatTell(a, words, before, left, form.named)
			if worth += more; len(told) > 0 && worth > most {
				if all, end, most = told, before, worth; !form.led {
					end = lead(words, all[0][0], left, false)
				}
			}
		}
		if handed := len(words) > 0 && w.start > words[len(words)-1].End; most == 0 || handed {
			all, end = nil, 0
		}
		if len(all) == 0 { // a statement that is handed over
			from, end := w.chain(), lead(words, w.start, longest, false)
			if end <= w.within || w.within == 0 && from < room {
				return [][2]int{{w.start, w.until}}[:min(1, w.within)]
			}
			to := from + len(begin(w.text[from:w.until], room-w.size(w.within, end)-3))
			return [][2]int{{w.within, end}, {from, to}}
		}
	}
	switch {
	case end > 0 && strings.TrimSpace(w.text[end:max(end, all[0][0])]) == "":
		all[0][0] = words[0].Start
	case end > 0:
		all = append([][2]int{{words[0].Start, end}}, all...)
	}
	return all
}

// literals are the arguments of a field of GraphQL that are no variables, the weightiest for which there is room.
func (w *written) literals(a *act, from, left int) (all [][2]int) {
	found := literal.FindAllStringIndex(w.text[from:w.until], -1)
	weight := func(at []int) int { return a.weightOfLine(w.text[from+at[0] : from+at[1]]) }
	slices.SortStableFunc(found, func(x, y []int) int { return weight(y) - weight(x) })
	for _, at := range found {
		if n := w.size(from+at[0], from+at[1]) + 3; n <= left {
			all, left = append(all, [2]int{from + at[0], from + at[1]}), left-n
		}
	}
	slices.SortFunc(all, func(x, y [2]int) int { return x[0] - y[0] })
	return all
}

var literal = regexp.MustCompile(`\w+: *(?:"[^"]*"|[\w.-]+)`)

// wordsThatTell are the weightiest behind a place, named by the options that they belong to or not, as many as there
// is room for; the room that is left, and what those that are dangerous weigh.
func (w *written) wordsThatTell(a *act, words []shell.Word, behind, left int, named bool) (all [][2]int, _, worth int) {
	weights, chosen, order := make([]int, len(words)), make([]bool, len(words)), []int(nil)
	for i, word := range words {
		if i > 0 && word.Start >= behind {
			flag := i+1 == len(words) || strings.HasPrefix(words[i+1].Text, "-")
			weights[i], order = a.weightOf(words[i-1].Text, word.Text, flag), append(order, i)
		}
	}
	option := func(i int) bool {
		return named && i > 1 && strings.HasPrefix(words[i-1].Text, "-") && !strings.HasPrefix(words[i].Text, "-") && !strings.ContainsAny(words[i].Text, " \n")
	}
	some := false
	slices.SortStableFunc(order, func(x, y int) int { return weights[y] - weights[x] })
	for _, i := range order {
		need := w.size(words[i].Start, words[i].End) + 3
		if option(i) && !chosen[i-1] {
			need += w.size(words[i-1].Start, words[i-1].End) + 1
		}
		if weights[i] < Place || need > left && some {
			continue
		}
		if weights[i] >= Danger {
			worth += weights[i]
		}
		chosen[i], left = true, left-need
		some = true
	}
	for i, word := range words {
		if !chosen[i] {
			continue
		}
		from, to, n := word.Start, word.End, len(all)
		if quote := w.text[from]; strings.ContainsAny(word.Text, " \n") && (quote == '"' || quote == '\'') && w.text[to-1] == quote && to-from > 2 {
			from, to = from+1, to-1 // a statement, handed over
		} else if option(i) && !chosen[i-1] {
			from = words[i-1].Start
		}
		if n > 0 && strings.TrimSpace(w.text[all[n-1][1]:from]) == "" {
			from, all = all[n-1][0], all[:n-1]
		}
		all = append(all, [2]int{from, to})
	}
	return all, left, worth
}

// words are those of the command that made the level, or of the one around it; nil for none.
func (w *written) words(a *act, around bool) (best []shell.Word) {
	in := w.pieces[slices.IndexFunc(w.pieces, func(p piece) bool { return w.start < p.to })]
	for _, c := range a.in.Text(w.text[in.from:in.to]).Script().Commands {
		if c.Start+in.from > w.within || c.Start+in.from == w.within && around || c.End+in.from < w.until || len(c.Words) == 0 || best != nil && c.Start+in.from < w.within && best[0].Start >= c.Start+in.from {
			continue
		}
		var all []shell.Word
		for _, word := range c.Words { // those of a loop or an alias stand elsewhere
			word.Start, word.End = word.Start+in.from, word.End+in.from
			after := c.Start + in.from
			if n := len(all); n > 0 {
				after = all[n-1].End
			}
			if word.Start >= after && word.End > word.Start && word.End <= in.to && boundary(w.text, word.Start) && boundary(w.text, word.End) {
				all = append(all, word)
			}
		}
		if len(all) > 0 {
			best = all
		}
	}
	return best
}

// lead is where the words end with which a command begins, as many as there is room for before a place, and
// perhaps before its first option.
func lead(words []shell.Word, before, room int, options bool) (end int) {
	for _, word := range words {
		if options && strings.HasPrefix(word.Text, "-") || word.End >= before || word.End-words[0].Start > room {
			break
		}
		end = word.End
	}
	return end
}

// weightOf is what a word of a command weighs behind another one: as a value of its option or of what it
// sets, as a flag, behind which no value follows, or as it is a statement.
func (a *act) weightOf(before, word string, flag bool) int {
	if strings.ContainsAny(word, " \n") && a.in.Text(word).SQL().IsStatement() {
		return Decisive
	}
	name, value, sets := strings.Cut(word, "=")
	switch dash := strings.HasPrefix(word, "-"); {
	case everyone[strings.ToLower(value)] || everyone[word], isRoot(word), isFar(word):
		return weightEveryone
	case !sets && dash && !flag:
		return 0
	case !sets && dash:
		switch effects.Does(strings.TrimLeft(word, "-")) {
		case effects.Delete, effects.Permission, effects.Money, effects.Execute:
			return weightFar
		case effects.Write:
			return weightNew
		}
		name, value = "", word
	case !sets && strings.HasPrefix(before, "-"):
		name, value = before, word
	case !sets:
		name, value = "", word
	}
	o := a.option(name, value)
	if len(o.Words) == 0 {
		if strings.Contains(word, "://") && !isURL(word) {
			return weightNew
		}
		if isURL(word) || strings.Contains(word, "@") && strings.Contains(word, ":") {
			return weightFar
		}
		if slices.ContainsFunc(call.Words(word), func(w string) bool { return far[w] && len(w) > 3 }) {
			return weightFar
		}
		return 0
	}
	if naming[o.Words[len(o.Words)-1]] { // of a command nothing else is the target
		return max(o.Weight, weightNew)
	}
	return o.Weight
}

// option is an option of a command with its value, as an argument is weighed.
func (a *act) option(name, value string) Argument {
	return weigh("", []*call.Node{{Value: canon.String(value), Words: call.Words(name)}}, a.words, a.Effects)
}

// chain is where the expression begins that made the level: stripe.refunds.create( and not create(.
func (w *written) chain() int {
	at := w.start
	for at > w.within && (strings.IndexByte("_.$", w.text[at-1]) >= 0 || w.text[at-1] >= 0x80 || unicode.IsLetter(rune(w.text[at-1])) || unicode.IsDigit(rune(w.text[at-1]))) {
		at--
	}
	for !boundary(w.text, at) {
		at++
	}
	return at
}
