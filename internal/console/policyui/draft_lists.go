package policyui

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views/texts"
)

// The lists of a policy in a draft: functions, patterns, rules, who decides, and what notices
// say to whom. The form carries them as one JSON text where they differ from the version that the
// draft was made from.

const (
	FieldFrom = "from" // the page of the settings on which the draft is edited
)

// policyLists are the parts of a policy that are lists.
type policyLists struct {
	Functions []scoring.Function     `json:"functions"`
	Patterns  patterns.Overrides     `json:"pattern_overrides"`
	Rules     scoring.RuleSettings   `json:"rules"`
	Scorers   []scoring.OwnScorer    `json:"scorers"`
	Notices   scoring.NoticeSettings `json:"notices"`
	Deciders  deciders.Settings      `json:"deciders"`
}

func ListsOf(p scoring.Policy) policyLists {
	p = p.Tidy()
	return policyLists{p.Functions, p.PatternOverrides, p.Rules, p.Scorers.Own, p.Notices, p.Deciders}
}

// in is the policy with these lists.
func (l policyLists) in(p scoring.Policy) scoring.Policy {
	p.Functions, p.PatternOverrides, p.Rules, p.Scorers.Own, p.Notices, p.Deciders = l.Functions, l.Patterns, l.Rules, l.Scorers, l.Notices, l.Deciders
	return p.Tidy()
}

// Field is what the form carries for them, over a base.
func (l policyLists) Field(base scoring.Policy) string {
	if reflect.DeepEqual(l, ListsOf(base)) {
		return ""
	}
	b, err := json.Marshal(l)
	if err != nil { // a number that JSON does not know, which no form of ours makes
		return ""
	}
	return string(b)
}

var errLists = fault.New(fault.InvalidForm, "the page's rules, patterns and functions couldn't be read; reload it and start over")

// lists reads them back.
func (d Draft) lists(base scoring.Policy) (policyLists, *fault.Error) {
	if d[edge.FieldLists] == "" {
		return ListsOf(base), nil
	}
	var l policyLists
	decoder := json.NewDecoder(bytes.NewReader([]byte(d[edge.FieldLists])))
	decoder.DisallowUnknownFields()
	if decoder.Decode(&l) != nil {
		return ListsOf(base), errLists
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return ListsOf(base), errLists
	}
	return ListsOf(l.in(base)), nil
}

// onto carries lists over to a newer version, entry by entry: what was not touched is
// as the newer one has it. both names the entries that both changed.
func (l policyLists) onto(say texts.Printer, base, newer policyLists) (moved policyLists, both []string) {
	moved = newer
	note := func(what texts.Key) func(string) {
		return func(name string) { both = append(both, say.Key(what, name)) }
	}
	moved.Functions = merged(base.Functions, l.Functions, newer.Functions, scoring.Function.Name, note(texts.Key("function %s")))
	ids := func(id string) string { return id }
	moved.Patterns.Disable = merged(base.Patterns.Disable, l.Patterns.Disable, newer.Patterns.Disable, ids, note(texts.Key("pattern %s")))
	moved.Patterns.Change = merged(base.Patterns.Change, l.Patterns.Change, newer.Patterns.Change, func(c patterns.Change) string { return c.ID }, note(texts.Key("pattern %s")))
	moved.Patterns.Add = merged(base.Patterns.Add, l.Patterns.Add, newer.Patterns.Add, func(p patterns.Pattern) string { return p.ID }, note(texts.Key("pattern %s")))
	name := func(r scoring.OwnRule) string { return r.Name }
	moved.Rules.Removed = merged(base.Rules.Removed, l.Rules.Removed, newer.Rules.Removed, ids, note(texts.Key("rule %s")))
	moved.Rules.Replaced = merged(base.Rules.Replaced, l.Rules.Replaced, newer.Rules.Replaced, name, note(texts.Key("rule %s")))
	moved.Rules.Custom = merged(base.Rules.Custom, l.Rules.Custom, newer.Rules.Custom, name, note(texts.Key("rule %s")))
	moved.Scorers = merged(base.Scorers, l.Scorers, newer.Scorers, func(s scoring.OwnScorer) string { return s.Name }, note(texts.Key("scorer %s")))
	moved.Notices.DetailToChannels = merged(base.Notices.DetailToChannels, l.Notices.DetailToChannels, newer.Notices.DetailToChannels, func(d scoring.DetailedChannel) string { return d.Channel }, note(texts.Key("details to channel %s")))
	moved.Deciders.Teams = merged(base.Deciders.Teams, l.Deciders.Teams, newer.Deciders.Teams, func(t deciders.Team) string { return t.Name }, note(texts.Key("team %s")))
	moved.Deciders.Rules = merged(base.Deciders.Rules, l.Deciders.Rules, newer.Deciders.Rules, func(r deciders.Rule) string { return r.Name }, note(texts.Key("who decides, rule %s")))
	if l.Notices.DetailToPeople != base.Notices.DetailToPeople {
		moved.Notices.DetailToPeople = l.Notices.DetailToPeople
	}
	if l.Rules.Extended != base.Rules.Extended {
		moved.Rules.Extended = l.Rules.Extended
	}
	if l.Rules.Assessor != base.Rules.Assessor {
		if newer.Rules.Assessor != base.Rules.Assessor && newer.Rules.Assessor != l.Rules.Assessor {
			both = append(both, say.Say("the assessor"))
		}
		moved.Rules.Assessor = l.Rules.Assessor
	}
	return moved, both
}

// merged is newer with the changes from base to mine.
func merged[T any](base, mine, newer []T, key func(T) string, clash func(string)) []T {
	find := func(all []T, k string) (T, bool) {
		i := slices.IndexFunc(all, func(one T) bool { return key(one) == k })
		if i < 0 {
			var none T
			return none, false
		}
		return all[i], true
	}
	same := func(a T, there bool, b T, too bool) bool { return there == too && reflect.DeepEqual(a, b) }
	out := slices.Clone(newer)
	put := func(k string) {
		was, had := find(base, k)
		is, has := find(mine, k)
		now, stands := find(newer, k)
		switch {
		case same(was, had, is, has), same(is, has, now, stands):
			return
		case !same(was, had, now, stands):
			clash(k)
		}
		i := slices.IndexFunc(out, func(one T) bool { return key(one) == k })
		switch {
		case has && i >= 0:
			out[i] = is
		case has:
			out = append(out, is)
		case i >= 0:
			out = slices.Delete(out, i, i+1)
		}
	}
	for _, one := range mine {
		put(key(one))
	}
	for _, one := range base {
		if _, there := find(mine, key(one)); !there {
			put(key(one))
		}
	}
	return out
}
