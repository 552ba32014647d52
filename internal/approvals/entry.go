package approvals

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// From a call to the entry of the function registry that lets calls like it through. It
// only says what the entry would be: it becomes part of the policy as every change of it
// does, and as every weakening with a second person.

// MaxEntryDays is for how long an entry made from a call may last.
const MaxEntryDays = 365

// NewEntry is what is asked for. The zero value, with From, is exactly this call, of
// this agent.
type NewEntry struct {
	From         string      // approval id
	Terms        []TermInput // one for each value of the call, in canonical order; none: all equal
	EveryAgent   bool
	AnyArguments bool
	Days         int // 1–MaxEntryDays
	Reason       string
}

// EntryDraft is a call with the entry that would let its like through.
type EntryDraft struct {
	StandingDraft
	Policy  scoring.Policy // in force
	Version int64
	LowerTo level.Level
	Entry   scoring.Function
}

// unlowerable says why no entry of the registry lets calls like a through, or lowers them;
// "" where one may.
func (a Approval) unlowerable() fault.Text {
	as := a.Assessment
	held := func(e effects.Effect) bool { return effects.Least(e) > level.Medium }
	switch {
	case !a.isCall():
		return fault.Textf("it isn't a call")
	case as.Level == level.Critical:
		return fault.Textf("it's CRITICAL, which is never approved automatically")
	case slices.ContainsFunc(as.Effects, held):
		return fault.Textf("calls that run code, reach outside people or affect everything are never approved automatically")
	case len(a.Carried) > 0 || a.Digest != a.ShownDigest:
		return fault.Textf("parts of this call are masked, and you can't approve what you can't see")
	case a.outOfPolicy():
		return fault.Textf("a number in it is beyond ±9007199254740991, which an entry can't name")
	case strings.ContainsAny(a.Function, "*?"):
		return fault.Textf("its name has a * or a ?, which would match other names in an entry")
	case as.Floor.Level <= a.lowerTo():
		return fault.Textf("it's held for another reason, or its effect can't be lowered further")
	}
	return fault.Text{}
}

// outOfPolicy reports whether an argument is an integer that a policy, whose numbers are
// doubles, would change.
func (a Approval) outOfPolicy() bool {
	action, err := a.Parsed()
	all, _, _ := scoring.ArgumentsOf(action.Arguments())
	return err == nil && slices.ContainsFunc(all, func(one scoring.Argument) bool {
		_, err := canon.Float(one.Value.Float())
		return err != nil
	})
}

// lowerTo is the level to which the registry may lower all that a does.
func (a Approval) lowerTo() level.Level {
	to := level.Low
	for _, e := range a.Assessment.Effects {
		to = max(to, effects.Least(e))
	}
	return to
}

// DraftEntry is the entry for exactly this call.
func (s *Service) DraftEntry(ctx context.Context, m auth.Member, from string) (EntryDraft, error) {
	return s.Entry(ctx, m, NewEntry{From: from, Days: 90, Reason: "-"})
}

// Entry is the entry that was asked for. It writes nothing.
func (s *Service) Entry(ctx context.Context, m auth.Member, in NewEntry) (d EntryDraft, err error) {
	if err := may(m, auth.ProposePolicy); err != nil {
		return d, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		d = EntryDraft{}
		if d.Call, err = r.Approval(in.From); err != nil {
			return err
		}
		if d.Policy, d.Version, err = r.Policy(); err != nil {
			return err
		}
		return d.from(r, in)
	})
	return d, err
}

// from completes d with the entry, or says what is wrong with what was asked for.
func (d *EntryDraft) from(r Reader, in NewEntry) error {
	action, err := d.Call.Parsed()
	if err != nil {
		return err
	}
	plain := false
	d.Now, d.Agent, d.Function, d.Standing.From = r.Now(), d.Call.Agent, d.Call.Function, d.Call.ID
	if d.Pattern, plain = scoring.PatternOf(action); !plain {
		d.Refused = fault.Textf("only calls by name and arguments can be approved automatically: no code, and at most 64 short values")
		return nil
	}
	for _, t := range d.Pattern.Terms {
		d.Values = append(d.Values, t.Values[0])
	}
	if d.Refused = d.Call.unlowerable(); !d.Refused.Empty() {
		return nil
	}
	d.LowerTo = d.Call.lowerTo()
	if err := d.choose(in); err != nil {
		return err
	}
	return d.loosens(r, action)
}

// choose makes the entry of what was chosen.
func (d *EntryDraft) choose(in NewEntry) error {
	if len(in.Terms) != 0 && len(in.Terms) != len(d.Pattern.Terms) {
		return fault.New(fault.InvalidForm, "the form doesn't belong to this call; open it again from the request")
	}
	for i, t := range in.Terms {
		term, err := t.term(d.Pattern.Terms[i], i)
		if err != nil {
			return err
		}
		d.Pattern.Terms[i] = term
	}
	reason := strings.TrimSpace(in.Reason)
	switch {
	case in.Days < 1 || in.Days > MaxEntryDays:
		return fault.Member(fault.InvalidForm, "life", "it may last at most %d days", MaxEntryDays)
	case !saysSomething(reason) || utf8.RuneCountInString(reason) > 500:
		return fault.Member(fault.InvalidForm, "reason", "give a reason of 1 to %d characters; it's kept in the policy", 500)
	}
	d.Entry = scoring.Function{
		Glob: d.Function, LowerTo: d.LowerTo, Agent: d.Agent.Name, Pattern: d.Pattern.Shape(),
		Until: d.Now.AddDate(0, 0, in.Days).UTC().Truncate(time.Second).Format(time.RFC3339), Reason: reasonOf(reason),
	}
	if in.EveryAgent {
		d.Entry.Agent = ""
	}
	if in.AnyArguments {
		d.Entry.Pattern = nil
	}
	return nil
}

// With is the policy with the entry, in place of one that is for the same calls.
func (d EntryDraft) With() scoring.Policy {
	p := d.Policy.Tidy()
	same := func(f scoring.Function) bool { return f.Name() == d.Entry.Name() }
	p.Functions = append(slices.DeleteFunc(slices.Clone(p.Functions), same), d.Entry)
	return p
}

// loosens refuses an entry under which this call would be treated as it is: something else
// holds it. What is remembered of its like is no part of that, since it ends.
func (d *EntryDraft) loosens(r Reader, action scoring.Action) error {
	in, err := d.Call.inputs(r)
	if err != nil {
		return err
	}
	in.Remembered = nil
	levels := [2]scoring.Assessment{}
	for i, p := range []scoring.Policy{d.Policy, d.With()} {
		c, err := scoring.Compile(p)
		if err != nil {
			return err
		}
		levels[i] = c.Examine(action, d.Call.Carried).Given(in).Assess(d.Call.CallNumber)
	}
	if levels[1].Level >= levels[0].Level {
		d.Refused = fault.Textf("an entry wouldn't change anything: it's %s because of something else: %s", levels[1].Level, strings.TrimSuffix(levels[1].Explanation, "."))
	}
	return nil
}
