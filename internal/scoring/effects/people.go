package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// reached is who gets a message.
type reached struct {
	addresses []string // domains of e-mail addresses
	others    bool     // phones, handles: outside
	rooms     bool     // channels of one's own
	count     int
	breadth   Breadth
}

// maxReached bounds how many domains are kept.
const maxReached = 256

// audience is whom the recipients are, for an organisation with these domains.
func (p reached) audience(own []string) Audience {
	if len(own) == 0 || p.others || len(p.addresses) == 0 && !p.rooms {
		return Outside
	}
	if slices.ContainsFunc(p.addresses, func(domain string) bool {
		return !slices.ContainsFunc(own, func(o string) bool {
			o = strings.ToLower(o)
			return domain == o || strings.HasSuffix(domain, "."+o)
		})
	}) {
		return Outside
	}
	return Inside
}

// recipient reads who gets a message, and who is invited by what is no message itself.
func (r *reader) recipient(s string, key []string) {
	last := key[len(key)-1]
	if !says("recipient_keys", last) {
		return
	}
	p := &r.reached
	invites := says("invited_keys", last)
	for _, one := range strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == ';' }) {
		one = strings.Trim(strings.TrimSpace(one), "<>\"'")
		at := strings.LastIndexByte(one, '@')
		switch {
		case one == "":
			continue
		case at > 0:
			domain := strings.ToLower(strings.TrimRight(one[at+1:], "> "))
			if len(p.addresses) < maxReached {
				p.addresses = append(p.addresses, domain)
			} else {
				p.others = true
			}
			local := strings.ToLower(one[:at])
			if strings.HasPrefix(local, "all") || strings.HasPrefix(domain, "lists.") || says("everybody_local", local) {
				p.breadth = p.breadth.wider(All)
			}
		case last == "channel" || last == "room" || last == "chat":
			p.rooms = true
			continue
		case strings.Trim(one, "+0123456789 ()-") == "":
			p.others = true
		case invites:
		default:
			continue
		}
		if p.count++; p.count > 1 {
			p.breadth = p.breadth.wider(Several)
		}
	}
	if invites && r.named.Kind == Write && p.count > 0 && !slices.ContainsFunc(r.told, func(e Effect) bool { return e.Kind == Message }) {
		r.tell(r.effect(named{kind: Message, verb: "invite", object: "people"}, Evidence{Pointer: "/arguments", Why: "the argument " + last + " names people who are told"}, true))
	}
}

// handsOver reports whether a call hands the conversation over to a person, under any name, and
// only says why: transfer_to_human_agent {summary: …}.
func (r *reader) handsOver() bool {
	l := r.words
	all := l.withoutPrefix(split(r.in.Function[actingPart(r.in.Function):]))
	to := slices.IndexFunc(all, func(w word) bool { return w.text == "to" || w.text == "with" })
	person := false
	for i, w := range all {
		switch {
		case i < max(to, 1) && says("passing", w.text), i == to:
		case i > 0 && says("helpers", w.text):
			person = true
		case i > 0 && says("of_helpers", w.text):
		default:
			return false
		}
	}
	if !person {
		return false
	}
	for name, v := range r.in.Arguments.Members() {
		if v.Kind() != canon.KindString || !says("told_helpers", lowered(name)) || whereTo(v) != noPlace {
			return false
		}
	}
	return true
}

// publishes reports whether a message is for everybody.
func (l *lexicon) publishes(n named) bool {
	return says("publishing", n.verb) || slices.ContainsFunc(strings.Fields(n.object), func(w string) bool {
		return says("published", strings.TrimSuffix(w, "s"))
	})
}
