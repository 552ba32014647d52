package effects

import (
	"slices"
	"strings"
)

// What a name acts on, and what its verb means with it.

// withObject says what is acted on, and what the verb means with it.
func (l *lexicon) withObject(n *named, objects []word) {
	head, rest := objects, []word(nil)
	if at := slices.IndexFunc(objects, func(w word) bool { return says("prepositions", w.text) }); at >= 0 {
		head, rest = objects[:at], objects[at+1:]
	}
	head = slices.DeleteFunc(slices.Clone(head), func(w word) bool {
		return says("several", w.text) || says("all", w.text) || w.text == "a" || w.text == "an" || w.text == "the"
	})
	if len(head) == 0 {
		head, rest = rest, nil
	}
	texts := make([]string, 0, len(head))
	for _, w := range head {
		texts = append(texts, w.text)
	}
	n.object = strings.Join(texts, " ")
	if n.verb == "remove" && len(head) > 0 && len(rest) > 0 && says("holders", rest[len(rest)-1].text) && !l.isOf("access", texts[len(texts)-1]) && !l.isOf("identity", texts[len(texts)-1]) && !says("things", texts[len(texts)-1]) {
		n.kind, n.why = Write, "the name says from what it is taken" // remove_song_from_playlist
	}
	if n.verb == "convert" && len(rest) > 0 && l.isOf("audience", rest[0].text) {
		n.kind, n.why = Permission, "the name says whom it is opened to or closed for" // convert_channel_to_private
	}
	for _, p := range l.pairs {
		if !p.Verbs[n.verb] || !l.pairHolds(p, head, rest) {
			continue
		}
		if p.Objects == "identity" && len(rest) > 0 && saysSingular("assigned", rest[len(rest)-1].text) {
			n.kind, n.why = Write, "the name says "+n.verb+" "+n.object // assign_user_to_card
			break
		}
		if n.kind == Delete && p.Effect != Delete && p.Objects != "light" {
			continue
		}
		n.kind, n.sensitive, n.why = p.Effect, p.Sensitive, "the name says "+n.verb+" "+n.object
		break
	}
}

// pairHolds reports whether the things of a pair are what is acted on: its head, which
// stands last, or what stands before a head that is not plain of itself.
func (l *lexicon) pairHolds(p pair, head, rest []word) bool {
	if len(head) == 0 {
		return false
	}
	last := head[len(head)-1].text
	if len(head) > 1 && l.objects[p.Objects][head[len(head)-2].text+"_"+last] {
		return true // debit_card, though a card is a plain thing
	}
	switch plain := l.isOf("plain", last); {
	case p.Effect == Read && !p.Sensitive:
		return l.isOf(p.Objects, last)
	case plain && p.Objects != "message" && p.Objects != "light" && !(p.Effect != Read && l.isOf("owned", last)):
		return false
	case l.isOf(p.Objects, last):
		return true
	}
	in := func(all []word) bool {
		for i, w := range all {
			if l.isOf(p.Objects, w.text) || i > 0 && l.objects[p.Objects][all[i-1].text+"_"+w.text] {
				return true
			}
		}
		return false
	}
	if p.Objects == "private" {
		return in(head[max(len(head)-2, 0):]) && (l.isOf(p.Objects, last) || len(head) > 1)
	}
	switch p.Objects {
	case "identity":
		return slices.ContainsFunc(rest, func(w word) bool {
			return says("memberships", w.text)
		})
	case "light", "guarded", "message", "callable", "leased", "disk":
		return false
	}
	return in(head)
}

// widen says how much is acted on, as the name has it: bulk_delete, delete_all_users,
// delete_users.
func (l *lexicon) widen(n *named, all []word) {
	n.breadth = One
	for _, w := range all {
		switch {
		case says("all", w.text) && n.kind != Read && n.kind != Unknown:
			n.breadth = n.breadth.wider(All)
		case says("several", w.text):
			n.breadth = n.breadth.wider(Several)
		}
	}
	if n.kind == Delete && (says("emptying", n.verb) && says("emptied", n.object) || says("dropping", n.verb) && says("dropped", n.object)) {
		n.breadth = All // drop_database, truncate_table: as SQL would
	}
	if n.kind == Write && n.breadth != One && says("ended", n.verb) { // batch_archive
		n.kind = Delete
	}
}

// compound splits a word that is written without a gap: deletefile, sendmail.
func (l *lexicon) compound(w word) ([]word, bool) {
	const longest = 32 // of a verb
	for at := min(len(w.text)-2, longest); at >= 3; at-- {
		base, rest := w.text[:at], w.text[at:]
		if _, ok := l.verbs[base]; ok && (l.isNoun(rest) || l.isOf("access", rest) || l.isOf("money", rest) || l.isOf("message", rest) || l.isOf("secret", rest)) {
			return []word{{base, w.start, w.start + at}, {rest, w.start + at, w.end}}, true
		}
	}
	return nil, false
}
