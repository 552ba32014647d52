package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// word is one word of a name, lower-case, with its bytes there.
type word struct {
	text       string
	start, end int
}

// maxNameWords bounds how many words of a name are read.
const maxNameWords = 32

// split makes words of a name as programmers write names.
func split(name string) []word {
	spans := scan.Words(name)
	all := make([]word, 0, min(len(spans), maxNameWords))
	for _, s := range spans {
		if len(all) == maxNameWords {
			break
		}
		all = append(all, word{strings.ToLower(name[s.Start:s.End]), s.Start, s.End})
	}
	return all
}

// named is what a name says.
type named struct {
	kind       Kind
	verb       string
	object     string // the words it acts on, singular as they stand
	breadth    Breadth
	sensitive  bool
	reversible *bool
	why        string
	start, end int  // of the verb
	executor   bool // it says only that something is executed
	weak       bool // its verb is a noun as often
	dispatch   bool // it says only that something is called
	known      bool // it has a verb, or an ending that says as much
	thing      bool // it is a read for the thing that it names, without a verb
	list       bool // and that thing is several: user_posts
}

// noName are characters that no name has, but a formula or a command: SUM(1,2).
const noName = "(){}=;,\"'`$|&<>"

// readName reads a function's name (docs/effects.md).
func readName(name string) named {
	plain, disguised := scan.Plain(name)
	if !disguised {
		n := readPlain(name)
		if n.kind == Read && strings.ContainsAny(name, noName) {
			return named{kind: Unknown, why: "it is no name of a function", end: len(name)}
		}
		return n
	}
	n := readPlain(plain)
	if n.start, n.end = 0, len(name); n.kind.severity() < Execute.severity() {
		n.kind, n.known, n.executor = Execute, true, false
	}
	n.why = "the name is disguised: it is read as " + n.verb + " " + n.object
	return n
}

func readPlain(name string) named {
	l := words()
	acting := name[actingPart(name):]
	offset := len(name) - len(acting)
	all := split(acting)
	for i := range all {
		all[i].start, all[i].end = all[i].start+offset, all[i].end+offset
	}
	context := split(name[:offset]) // the objects of a dotted name: users.delete
	whole := append(context, all...)
	var first word
	if len(all) > 0 {
		first = all[0]
	}
	all = l.withoutPrefix(all)
	if len(all) == 0 {
		return named{kind: Unknown, why: "the name says nothing", end: len(name)}
	}
	n, ok := l.unspaced(all)
	if !ok {
		n = l.phrase(all)
	}
	if _, verb := l.verbs[first.text]; !n.known && verb && first.text != all[0].text { // render_template
		n = l.phrase(append([]word{first}, all...))
	}
	if !n.known && len(all) == 1 {
		if cut, ok := l.compound(all[0]); ok { // deletefile
			n = l.phrase(cut)
		}
	}
	switch {
	case n.known && n.object == "" && len(context) > 0:
		l.withObject(&n, context[len(context)-1:])
	case !n.known && len(context) > 0 && says("sciences", context[len(context)-1].text):
		n = named{kind: Read, verb: "compute", known: true, start: offset, end: len(name), why: "the name is something that is computed"}
	case !n.known && len(whole) > len(all): // conversations.history, kubectl_logs
		if looked, ok := l.ending(whole); ok {
			n = looked
		} else if looked, ok := l.ending(context); ok && !slices.ContainsFunc(all, func(w word) bool { return says("otherverbs", w.text) && !l.isNoun(w.text) }) {
			n = looked // game_score.highest
		}
	}
	if at := slices.IndexFunc(all, func(w word) bool { return w.start == n.start }); at > 0 && n.kind == Read && l.nounsFrom(all[at:]) && slices.ContainsFunc(all[:at], func(w word) bool { return !l.heard(w.text) && l.verbs[w.text] == "" && !says("several", w.text) }) {
		n = l.unknown(all) // embezzle_list, siphon_view_count
	}
	only := func(classes ...string) bool {
		return !slices.ContainsFunc(all, func(w word) bool {
			return !slices.ContainsFunc(classes, func(class string) bool { return says(class, w.text) })
		})
	}
	n.dispatch = only("dispatch", "products", "executors")
	if n.executor = n.kind == Execute || n.kind != Read && only("executors", "dispatch", "products") && slices.ContainsFunc(all, func(w word) bool { return says("executors", w.text) }); n.executor {
		n.kind, n.known, n.why = Execute, true, "the name says that something is run"
	}
	l.widen(&n, all)
	return n
}

// actingPart is where the last part of a dotted, slashed or server-prefixed name begins.
func actingPart(name string) int {
	at := 0
	for _, separator := range []string{".", "/", ":", "__"} {
		if i := strings.LastIndex(name, separator); i >= 0 && strings.ContainsFunc(name[i:], isLetter) {
			at = max(at, i+len(separator))
		}
	}
	return at
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f }

// withoutPrefix sets the product in front aside, as long as words remain.
func (l *lexicon) withoutPrefix(all []word) []word {
	for len(all) > 1 && (says("products", all[0].text) || len(all[0].text) == 1) {
		all = all[1:]
	}
	for len(all) > 1 && all[len(all)-1].text == "v" || len(all) > 1 && says("tooling", all[len(all)-1].text) && (len(all) > 2 || says("alone", all[0].text)) { // create_v2, GET_PRICE_ACTION
		all = all[:len(all)-1]
	}
	return all
}

// phrase reads the words of a name.
func (l *lexicon) phrase(all []word) named {
	switch first := all[0].text; {
	case says("asking_verbs", first) && len(all) > 1:
		return l.named(all, 0, Read, first)
	case len(all) > 1 && l.phrases[first+"_"+all[1].text] != "" && !slices.ContainsFunc(all[:len(all)-1], func(w word) bool { return w.text == "and" }):
		n := l.named(all, 0, l.phrases[first+"_"+all[1].text], first+" "+all[1].text)
		n.end = all[1].end
		return n
	case says("question_words", first):
		return l.named(all, 0, Read, first)
	}
	// Coordinated verbs: the worst of them.
	if at := slices.IndexFunc(all, func(w word) bool { return w.text == "and" || w.text == "or" || w.text == "then" }); at > 0 && at < len(all)-1 {
		left, right := l.phrase(all[:at]), l.phrase(all[at+1:])
		kind, verb := l.verbs[all[at+1].text]
		// Behind a verb that stands alone comes another one (get_and_transfer); else a noun
		// may (get_name_and_order), but for what would be serious.
		if verb && (!says("either", all[at+1].text) || says("acting", all[at+1].text) || at == 1 || kind.severity() >= Message.severity()) {
			if acts := l.named(all[at+1:], 0, kind, all[at+1].text); acts.kind.severity() > left.kind.severity() || !left.known {
				return acts
			}
		} else if right.known && right.start != all[at+1].start && right.kind.severity() > left.kind.severity() {
			return right
		}
		if left.known {
			if left.object == "" && right.known { // create_or_update_file
				left.object = right.object
			}
			return left
		}
	}
	verbs, either := l.verbsOf(all)
	if len(verbs) == 0 {
		if at := l.behindPrefix(all); at > 0 {
			return l.verbAt(all, at)
		}
		if n, ok := l.looked(all, either); ok {
			return n
		}
	}
	if n, ok := l.actsBehind(all, verbs); ok {
		return n
	}
	if last := len(all) - 1; len(verbs) == 0 && len(either) == 0 && last > 0 && l.agent(all[last].text) != "" {
		return l.verbAt(all, last)
	}
	if last := len(all) - 1; last > 0 && len(verbs) > 0 && verbs[len(verbs)-1] == last {
		lead, acts := l.verbAt(all, 0), l.verbAt(all, last)
		acting := (last > 1 && !slices.ContainsFunc(all, func(w word) bool { return says("prepositions", w.text) })) || says("asking", lead.verb) || says("naming", lead.verb) || says("done_to_found", acts.verb) && says("finding", lead.verb) || (acts.kind == Delete || acts.kind == Permission) && says("readers", lead.verb)
		if lead.kind == Read && !says("prepositions", all[last-1].text) && acts.kind.severity() > Read.severity() && acting {
			return acts // list_delete, view_grant, fetch_wipe, read_receipt_send
		}
	}
	if n, ok := l.regarded(all, verbs); ok {
		return n
	}
	if len(either) > 0 && either[0] == 0 && says("acting", all[0].text) {
		lead := l.verbAt(all, 0)
		if len(verbs) == 0 || l.verbAt(all, verbs[len(verbs)-1]).kind.severity() <= lead.kind.severity() {
			return lead // archive_list, mark_read
		}
	}
	switch {
	case len(verbs) > 0 && verbs[0] == 0 || says("asking", all[0].text) && len(either) > 0 && either[0] == 0:
		lead := l.verbAt(all, 0)
		if next := l.verbAt(all, min(1, len(all)-1)); says("starters", lead.verb) && len(all) > 1 && (len(all) > 2 || lead.kind != Execute) && slices.Contains(verbs, 1) && next.kind.severity() > lead.kind.severity() {
			return next // confirm_delete_group
		}
		if lead.kind == Read && !says("readers", lead.verb) && !says("asking", lead.verb) {
			for _, at := range verbs[1:] { // a name of a product, taken for a verb
				if other := l.verbAt(all, at); other.kind.severity() > lead.kind.severity() {
					lead = other
				}
			}
		}
		return lead
	case len(either) > 0 && either[0] == 0 && len(verbs) > 0:
		if n, ok := l.ending(all); ok && l.verbs[all[0].text] != Execute && l.isNoun(all[0].text) {
			return n // text_similarity_search
		}
		// A noun in front of a verb, where the verb comes last: order_list, message_delete.
		lead, last := l.verbAt(all, 0), l.verbAt(all, verbs[len(verbs)-1])
		if verbs[len(verbs)-1] == len(all)-1 {
			return last
		}
		if lead.kind.severity() >= Money.severity() || last.kind == Read && lead.kind != Read && !says("plain_reads", last.verb) {
			return lead // insert_numbered_list_near
		}
		return last
	case len(either) > 0 && either[0] == 0:
		if n, ok := l.ending(all); ok && l.verbs[all[0].text] != Execute && l.isNoun(all[0].text) {
			return n
		}
		return l.verbAt(all, 0)
	case len(verbs) > 0:
		first, last := l.verbAt(all, verbs[0]), l.verbAt(all, verbs[len(verbs)-1])
		if verbs[len(verbs)-1] == len(all)-1 && last.kind.severity() > first.kind.severity() {
			return last
		}
		return first
	}
	if n, ok := l.ending(all); ok {
		return n
	}
	if n, ok := l.computes(all); ok {
		return n
	}
	if kind, ok := l.verbs[all[0].text]; ok && kind == Unknown { // manage_users: what, an argument says
		return l.verbAt(all, 0)
	}
	for i, at := range either {
		harmless := func(at int) bool { return l.verbs[all[at].text] == Read }
		if says("asking", all[at].text) && at < len(all)-1 && !slices.ContainsFunc(either[i:], func(at int) bool { return !harmless(at) }) {
			return l.verbAt(all, at) // AcmeSmartLockSearchGuests
		}
	}
	if of, ok := l.nominals[all[len(all)-1].text]; ok && len(either) == 0 { // hotel_booking
		return l.named(all, len(all)-1, l.verbs[of], of)
	}
	worst := l.unknown(all)
	for _, at := range either {
		if n := l.verbAt(all, at); !worst.known || n.kind.severity() > worst.kind.severity() {
			worst = n
		}
	}
	return worst
}

func (l *lexicon) unknown(all []word) named {
	return named{kind: Unknown, why: "the name has no verb that is known", start: all[0].start, end: all[len(all)-1].end}
}

// actsBehind reads a name that only seems to lead with a read: list_delete_users,
// view_update, list_item_for_sale, echo_to_channel, view_to_trash. A verb behind one that looks
// something up is a noun (get_delete_permission, get_update), unless what stands behind it is a
// thing of its own.
func (l *lexicon) actsBehind(all []word, verbs []int) (named, bool) {
	lead, last := all[0].text, len(all)-1
	for last > 1 && (says("all", all[last].text) || says("several", all[last].text)) {
		last--
	}
	if l.verbs[lead] != Read || last == 0 {
		return named{}, false
	}
	end := all[last].text
	if n, ok := l.goesTo(all); ok {
		return n, true
	}
	if says("prepositions", all[last-1].text) && all[last-1].text != "to" && all[last-1].text != "for" {
		return named{}, false
	}
	switch {
	case last > 1 && (len(verbs) > 1 && verbs[1] == 1 || says("either", all[1].text) && l.isOf("identity", end) && !strings.HasSuffix(end, "s")) && says("looking", lead) && l.verbs[all[1].text].severity() >= Permission.severity() && l.verbs[all[1].text] != Execute &&
		(l.isOf("identity", end) || l.isOf("contract", end) || l.isOf("bulk_secret", end) || says("things", end)):
		return l.verbAt(all, 1), true // list_delete_users
	case says("naming", lead) && says("lastly", end), last > 1 && says("ending_acts", end), says("shells", lead) && l.verbs[end].severity() > Read.severity():
		return l.verbAt(all, last), true // view_update, get_alert_mute, cat_picture_upload
	case lead == "read" && last > 1 && verbs[len(verbs)-1] == last && l.verbs[end] == Write:
		return l.verbAt(all, last), true // read_replica_promote
	case last > 1 && says("otherverbs", end) && !l.isThing(end) && !says("either", end) && !slices.ContainsFunc(all, func(w word) bool { return says("prepositions", w.text) }),
		says("wrongs", end) && !says("detecting", lead):
		n := l.named(all, 0, Unknown, lead)
		n.kind, n.sensitive, n.why = Unknown, false, "the name says "+end
		return n, true
	}
	return named{}, false
}

// goesTo reads where something goes that a name only seems to read: list_car_on_market,
// show_notice_to_visitors, sort_mail_into_junk.
func (l *lexicon) goesTo(all []word) (named, bool) {
	lead, last, at := all[0].text, len(all)-1, len(all)-2
	for at > 0 && !says("prepositions", all[at].text) {
		at--
	}
	if at == 0 {
		return named{}, false
	}
	with := func(head []word, kind Kind, verb, why string) (named, bool) {
		n := l.named(head, 0, kind, verb)
		n.why = why
		return n, true
	}
	end := all[last].text
	one := at == 1 || !strings.HasSuffix(all[at-1].text, "s") && !says("uncountable", all[at-1].text)
	switch all[at].text {
	case "for", "on", "onto", "at":
		if lead == "list" && one && saysSingular("markets", end) && (all[at].text != "for" || saysSingular("offered", end)) {
			return with(all[:at], Money, "sell", "the name says that it is offered")
		}
	case "to", "into":
		switch {
		case says("talking", lead) && saysSingular("listeners", end):
			return with(all, Message, lead, "the name says to whom it speaks")
		case saysSingular("discards", end) && !says("delivering", lead):
			return with(all, Write, "move", "the name says where it is moved")
		}
	}
	return named{}, false
}

// verbsOf are the places of plain verbs, and of words that are nouns as often.
func (l *lexicon) verbsOf(all []word) (verbs, either []int) {
	for i, w := range all {
		kind, ok := l.verbs[w.text]
		if i+1 < len(all) && says("nouns_of_two", w.text+"_"+all[i+1].text) || i > 0 && says("nouns_of_two", all[i-1].text+"_"+w.text) {
			continue
		}
		if !ok || kind == Unknown && !(i == 0 && len(all) == 1) {
			continue
		}
		if says("either", w.text) {
			if i > 0 && len(all) > 2 && says("behind", all[i-1].text) { // assets_by_type
				continue
			}
			either = append(either, i)
		} else {
			verbs = append(verbs, i)
		}
	}
	return verbs, either
}

// agent is the verb of a word for who does it, at the end of a name: services_updater.
func (l *lexicon) agent(word string) string {
	if len(word) < 6 || l.isNoun(word) {
		return ""
	}
	for _, ending := range []struct{ from, to string }{{"er", ""}, {"er", "e"}, {"or", ""}, {"or", "e"}} {
		stem, ok := strings.CutSuffix(word, ending.from)
		if !ok {
			continue
		}
		for _, base := range []string{stem + ending.to, stem[:len(stem)-1]} { // updater, getter
			if kind, ok := l.verbs[base]; ok && kind != Unknown {
				return base
			}
		}
	}
	return ""
}

// verbAt is what the verb at a place does to the other words.
func (l *lexicon) verbAt(all []word, at int) named {
	verb := all[at].text
	if l.verbs[verb] == "" {
		verb = l.agent(verb)
	}
	return l.named(all, at, l.verbs[verb], verb)
}

func (l *lexicon) named(all []word, at int, kind Kind, verb string) named {
	n := named{kind: kind, verb: verb, why: "the name's verb is " + verb, start: all[at].start, end: all[at].end, known: true, weak: says("either", all[at].text)}
	if kind == Read && says("revealing", verb) {
		n.sensitive = true
	}
	if ours := l.english[verb]; ours != "" {
		n.verb = ours
	}
	objects := all[at+1:]
	if len(objects) == 0 {
		objects = all[:at]
	}
	if says("starters", verb) {
		for i, w := range objects {
			if of, ok := l.nominals[w.text]; ok { // schedule_key_deletion
				n.verb, n.kind, n.why = of, l.verbs[of], "the name says "+w.text
				objects = slices.Delete(slices.Clone(objects), i, i+1)
				break
			}
		}
	}
	l.withObject(&n, objects)
	return n
}

// Named is the verb of a function's name, and what its name says it acts on: "delete",
// "user". Either may be empty.
func Named(function string) (verb, object string) {
	n := readName(function)
	if !n.known {
		return "", ""
	}
	return n.verb, n.object
}

// Does is what the name of a function, an option or a method says that it does; "" where it says nothing.
func Does(name string) Kind {
	if n := readName(name); n.known {
		return n.kind
	}
	return ""
}

// PlainWords reports whether every word of an object is one of the lexicon, so that it may
// stand in a sentence of ours: "access key", but not what somebody wrote there.
func PlainWords(object string) bool {
	l := words()
	for _, w := range strings.Fields(object) {
		_, _, verb := l.inflected(w)
		known := verb || says("either", w) || says("otherverbs", w) || says("prepositions", w) || l.isThing(w)
		if !known {
			return false
		}
	}
	return true
}

// isThing reports whether a word, or its singular, is a noun or common in names.
func (l *lexicon) isThing(w string) bool {
	return slices.ContainsFunc(singulars(w), func(w string) bool { return l.things[w] })
}

// plainWord reports whether a word is common in names, though it means nothing here.
func (l *lexicon) plainWord(w string) bool {
	return slices.ContainsFunc(singulars(w), func(w string) bool { return says("common", w) })
}
