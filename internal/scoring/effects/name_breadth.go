package effects

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
