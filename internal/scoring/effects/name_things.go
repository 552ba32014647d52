package effects

import (
	"slices"
	"strings"
	"unicode"
)

// Names without a verb, which are read for the thing that they name.

// ending is a read without a verb: user_info, deployment_status. It holds only behind
// nouns that are known as such.
func (l *lexicon) ending(all []word) (named, bool) {
	last := len(all) - 1
	if last < 0 {
		return named{}, false
	}
	if last == 0 && says("alone", all[0].text) {
		return named{kind: Read, verb: "get", object: all[0].text, known: true, start: all[0].start, end: all[0].end, why: "the name is a thing that is looked at"}, true
	}
	if l.listing(all) {
		return named{kind: Read, verb: "list", object: joined(all), known: true, thing: true, list: true, start: all[0].start, end: all[last].end, why: "the name is things that are listed"}, true
	}
	at := last
	for at > 0 && !says("endings", all[at].text) && (says("prepositions", all[at].text) || l.isNoun(all[at].text)) {
		at--
	}
	if at == 0 || !says("endings", all[at].text) || at < last && says("running", all[last].text) ||
		says("prepositions", all[at-1].text) && (!says("behind", all[at-1].text) && all[at-1].text != "for" || all[at-1].text == "by") { // press_at_coordinates
		return named{}, false
	}
	for i, w := range all {
		kind, verb := l.verbs[w.text]
		if !l.heard(w.text) {
			return named{}, false
		}
		if verb && kind != Read && !says("endings", w.text) && !(l.isNoun(w.text) && (i > 0 || says("either", w.text))) && !(i > 0 && says("either", w.text)) {
			return named{}, false
		}
	}
	return named{
		kind: Read, verb: "get", object: joined(all), known: true, thing: true, start: all[at].start, end: all[last].end,
		why: "the name is a thing that is looked at (" + all[at].text + ")",
	}, true
}

// listing reports whether a name is nouns, of which the last one is several things:
// user_posts, issue_comments. What would be serious as a verb is none.
func (l *lexicon) listing(all []word) bool {
	last := len(all) - 1
	if last < 1 || says("endings", all[last].text) {
		return false
	}
	for i, w := range all {
		kind, verb := l.verbs[w.text]
		switch {
		case says("several", w.text) || says("all", w.text) || says("executors", w.text) || says("dispatch", w.text) && i == last:
			return false
		case i < last && (verb && (i == 0 || kind != Read) || i == 0 && says("otherverbs", w.text) || !l.isNoun(w.text) && !l.plainWord(w.text)):
			return false
		}
	}
	one := singulars(all[last].text)
	if len(one) < 2 || l.isOf("access", all[last].text) || l.isOf("secret", all[last].text) || l.isOf("money", all[last].text) {
		return false
	}
	return slices.ContainsFunc(one[1:], func(w string) bool {
		kind, verb := l.verbs[w]
		return (says("nouns", w) && (!verb || kind == Read) || says("heads", w)) && l.nominals[w] == ""
	})
}

// regarded reads a noun of what is done with what is looked at of it, and things by the state
// in which they are: refund_status, deploy_status, all_open_orders.
func (l *lexicon) regarded(all []word, verbs []int) (named, bool) {
	first, last := all[0].text, len(all)-1
	leads := len(verbs) == 0 || len(verbs) == 1 && verbs[0] == 0
	switch {
	case last == 0 || !leads:
	case says("sums", first) && says("regarded", all[last].text), last == 1 && says("progress", first) && says("progressed", all[last].text):
		return l.named(all, 0, Read, "get"), true
	case says("stated", all[last].text):
		for _, w := range all[:last] {
			if !says("states", w.text) && !says("all", w.text) {
				return named{}, false
			}
		}
		return named{kind: Read, verb: "list", object: joined(all), known: true, thing: true, list: true, start: all[0].start, end: all[last].end, why: "the name is things that are listed"}, true
	}
	return named{}, false
}

// unspaced reads words of writings without gaps, by the verbs that stand in them: 用户查询. A
// read is one only where it begins or ends a word, and the word holds no other verb.
func (l *lexicon) unspaced(all []word) (named, bool) {
	var worst named
	for at, w := range all {
		if !strings.ContainsFunc(w.text, func(r rune) bool {
			return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
		}) {
			continue
		}
		for verb := range l.english {
			in := strings.Index(w.text, verb)
			if in < 0 || l.verbs[verb] == Read && (in > 0 && !strings.HasSuffix(w.text, verb) || strings.ContainsAny(w.text, "并和及与再")) {
				continue
			}
			n := l.named(all, at, l.verbs[verb], verb)
			n.start, n.end = w.start+in, w.start+in+len(verb)
			if more := n.kind.severity() - worst.kind.severity(); !worst.known || more > 0 || more == 0 && (n.start < worst.start || n.start == worst.start && n.end > worst.end) {
				worst = n
			}
		}
	}
	return worst, worst.known
}

// behindPrefix is where a verb is that acts on what follows, behind the name of a product or
// server that nobody lists: crm_update_contact_info, admin_set_price. Words of what was done
// make a noun of it (order_update_history), and words of what runs of most (zoho_export_job_status).
func (l *lexicon) behindPrefix(all []word) int {
	last := len(all) - 1
	for at := 1; at < last && !says("prepositions", all[at].text); at++ {
		verb, next := all[at].text, all[at+1].text
		switch {
		case !says("acting", verb):
		case at+1 == last && (says("traces", next) || !says("plainly", verb)), says("running", next), says("asking", next), next == "request":
			return 0
		default:
			return at
		}
	}
	return 0
}

// looked is a read without a verb: assets_by_vendor, nearest_station, text_to_speech,
// post_search.
func (l *lexicon) looked(all []word, either []int) (named, bool) {
	read := named{kind: Read, verb: "get", object: joined(all), known: true, thing: true, start: all[0].start, end: all[len(all)-1].end, why: "the name is a thing that is looked at"}
	last := len(all) - 1
	by := slices.IndexFunc(all, func(w word) bool { return w.text == "by" })
	to := slices.IndexFunc(all, func(w word) bool { return w.text == "to" })
	unheard := func(w word) bool { return l.nominals[w.text] != "" || !l.heard(w.text) }
	switch {
	case by > 0 && by < last && len(either) == 0 && !slices.ContainsFunc(all[:by], unheard):
		return read, true
	case last > 0 && says("lookers", all[last].text) && len(either) > 0 && either[0] == 0 && !says("acting", all[0].text),
		last > 0 && says("counted", all[last].text) && len(either) > 0 && either[0] == 0 && !says("acting", all[0].text) && l.verbs[all[0].text] != Execute && !slices.ContainsFunc(all[1:], unheard):
		return read, true
	case last > 0 && says("selecting", all[0].text) && (len(either) == 0 || either[0] == last && last == 1 && l.isNoun(all[last].text)) && !slices.ContainsFunc(all[1:], unheard):
		return read, true
	case to > 0 && to < last && !slices.ContainsFunc(all, func(w word) bool { return w.text != "to" && !says("formats", w.text) }):
		read.verb, read.why = "convert", "the name says what becomes what"
		return read, true
	}
	return named{}, false
}

// heard reports whether a word is known as one that does nothing to what stands beside it:
// a noun, a plain word, a read, what was done (reserved_ip_list). Of a word that nobody listed (embezzle_history) nothing is
// known.
func (l *lexicon) heard(w string) bool {
	if says("otherverbs", w) && !l.isNoun(w) && !says("endings", w) {
		return false
	}
	participle := len(w) > 5 && strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed")
	return len(w) == 1 || participle || says("several", w) || l.verbs[w] == Read || says("either", w) || says("prepositions", w) || l.isThing(w)
}

// nounsFrom reports whether words that end a name are nouns there, though they are verbs
// as often: list, view_count.
func (l *lexicon) nounsFrom(all []word) bool {
	return !slices.ContainsFunc(all, func(w word) bool { return !says("either", w.text) && !says("endings", w.text) && w.text != "list" })
}

// computes reads a name that is all of quantities: compound_interest, median.
func (l *lexicon) computes(all []word) (named, bool) {
	quantities := !slices.ContainsFunc(all, func(w word) bool {
		return !says("quantities", w.text) && !says("prepositions", w.text) && !l.isNoun(w.text)
	}) && (says("quantities", all[len(all)-1].text) || says("quantities", all[0].text))
	quantities = quantities && (all[0].text != "log" || len(all) > 1 && says("quantities", all[1].text))
	if !quantities {
		return named{}, false
	}
	return named{kind: Read, verb: "compute", object: joined(all), known: true, start: all[0].start, end: all[len(all)-1].end, why: "the name is something that is computed"}, true
}

func joined(all []word) string {
	texts := make([]string, len(all))
	for i, w := range all {
		texts[i] = w.text
	}
	return strings.Join(texts, " ")
}
