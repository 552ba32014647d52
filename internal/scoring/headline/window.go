package headline

import (
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
func (w *written) first(a *act, telling [][2]int) []Part {
	parts := []Part{{Role: Label, Text: "…", By: Ours, Weight: OfTarget}}
	if w.role == Command {
		if all := a.in.Text(w.text).Script().Commands; len(all) > 1 && len(all[0].Words) == 2 && all[0].Words[0].Text == "cd" && all[0].End <= w.within && boundary(w.text, all[0].End) {
			if cd := w.text[all[0].Start:all[0].End]; len(cd) < longest {
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
		parts = append(parts, Part{Role: w.role, Text: legible(begin(text, MaxRow-10)), By: Theirs, Weight: Decisive + 5})
	}
	return append(parts, Part{Role: Label, Text: "in", By: Ours, Weight: OfTarget, again: true})
}

// telling are the stretches of what made the level that a row has room for: its beginning, and the
// words that say who gets what; without the words between them.
func (w *written) telling(a *act) [][2]int {
	const room = MaxRow - 10
	size := func(from, to int) int {
		return utf8.RuneCountInString(strings.Join(strings.Fields(w.text[from:to]), " "))
	}
	if w.role != Command {
		if all := w.several(a, room); all != nil {
			return all
		}
		from := w.within
		if size(from, w.until) > room {
			from = w.chain()
		}
		return [][2]int{{from, w.until}}
	}
	if all := w.densest(a, room); all != nil {
		return all
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
			told, left, more := w.wordsThatTell(a, words, before, left, form.named, size)
			if worth += more; len(told) > 0 && worth > most {
				if all, end, most = told, before, worth; !form.led {
					end = lead(words, all[0][0], left, false)
				}
			}
		}
		if most == 0 {
			all, end = nil, 0
		}
		if len(all) == 0 && w.within == 0 {
			return nil
		} else if len(all) == 0 {
			return [][2]int{{w.start, w.until}}
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

// densest is the stretch, from where a command begins, in which a row has room for most of the commands from
// which the effects were read; nil where that is one command, or all of them are in one pipe.
func (w *written) densest(a *act, room int) [][2]int {
	if len(w.pieces) > 1 {
		return nil
	}
	var starts []int // of such commands
	until := 0
	for _, c := range a.in.Text(w.text).Script().Commands {
		if c.Start < until || c.From >= 0 || c.End > len(w.text) || !boundary(w.text, c.Start) {
			continue // in another one, or behind a pipe
		}
		until = c.End
		if slices.ContainsFunc(a.Effects, func(e effects.Effect) bool {
			return e.Kind != effects.Read && e.Kind != effects.Write && slices.ContainsFunc(e.Evidence, func(at effects.Evidence) bool {
				from, to, ok := w.place(at.Pointer, at.Start, at.End)
				return ok && c.Start <= from && to <= c.End
			})
		}) {
			starts = append(starts, c.Start)
		}
	}
	best, most := [2]int{}, 1
	for i, start := range starts {
		end, n := start+len(begin(w.text[start:], room)), 0
		for n < len(starts)-i && starts[i+n]+shortest <= end {
			n++
		}
		if n > most {
			best, most = [2]int{start, end}, n
		}
	}
	if most == 1 {
		return nil
	}
	return [][2]int{best}
}

// wordsThatTell are the weightiest behind a place, named by the options that they belong to or not, as many as there
// is room for; the room that is left, and what those that are dangerous weigh.
func (w *written) wordsThatTell(a *act, words []shell.Word, behind, left int, named bool, size func(from, to int) int) (all [][2]int, _, worth int) {
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
		need := size(words[i].Start, words[i].End) + 3
		if option(i) && !chosen[i-1] {
			need += size(words[i-1].Start, words[i-1].End) + 1
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

// several are the beginnings of those texts of a list that made the level; none where one did.
func (w *written) several(a *act, room int) (all [][2]int) {
	for _, p := range w.pieces {
		if decides(a.Effects, []*call.Node{{Pointer: p.pointer}}) {
			all = append(all, [2]int{p.from, p.to})
		}
	}
	if len(all) < 2 {
		return nil
	}
	all = all[:min(len(all), 3)]
	for i := range all {
		all[i][1] = all[i][0] + len(begin(w.text[all[i][0]:all[i][1]], room/len(all)-2))
	}
	return all
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
