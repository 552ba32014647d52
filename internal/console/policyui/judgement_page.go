package policyui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The table of floors on the policy page.

// judgement draws the draft's: in each cell the level that counts in the end.
func (f formFields) judgement() policy.Judgement {
	say := f.say
	j := policy.Judgement{
		Preset: f.choice("judgement.preset"),
		Money:  f.numbers("judgement.small_amount", "judgement.large_amount"), Currency: f.line("judgement.currency", "3"),
		Domains: f.lines("judgement.own_domains"), Names: f.lines("judgement.nonproduction"), Remember: f.number("judgement.remember_denials_hours"),
	}
	j.Remember.Zero = say.Say("not at all")
	for _, c := range judgementColumns {
		j.Columns = append(j.Columns, say.Key(c.words))
	}
	drafted, cells := f.drafted(), map[string]setting{}
	for _, s := range judgementSettings(say) {
		cells[s.name] = s
	}
	for _, row := range effects.Rows() {
		r := policy.JudgementRow{Label: present.Sentence(say.Key(judgementRows[row]))}
		counts, own, preset := drafted.Cells(row), drafted.Floors[row], effects.Settings{Preset: drafted.Preset}.Cells(row)
		for n, c := range judgementColumns {
			s := cells[cellName(row, c.name)]
			cell := policy.JudgementCell{
				ID: s.name, Label: s.words, Column: j.Columns[n], Level: present.LevelOf(*c.of(&counts)), Own: *c.of(&own) != level.Safe,
				Error: f.wrong[s.name],
			}
			if row == effects.RowMoney && (c.name == "one" || c.name == "several") && !cell.Own && drafted.Floored() {
				cell.Note = say.Say("by amount; without one")
			}
			s.options = cellOptions(say, s.options, *c.of(&preset))
			cell.Was, cell.Now = f.was(s)
			for _, o := range s.options {
				o.Checked = o.Value == f.draft[s.name]
				cell.Options = append(cell.Options, o)
			}
			r.Cells = append(r.Cells, cell)
		}
		j.Rows = append(j.Rows, r)
	}
	return j
}

// cellOptions are the options of a cell; the preset's says which level that is.
func cellOptions(say texts.Printer, all []views.Choice, preset level.Level) []views.Choice {
	all = slices.Clone(all)
	for i := range all {
		switch {
		case all[i].Value != presetsCell:
		case preset == level.Safe:
			all[i].Label = say.Say("Preset: none")
		default:
			all[i].Label = say.Say("Preset: %s", present.LevelWord(say, preset))
		}
	}
	return all
}

// drafted is what the draft says of floors, as far as it can be read.
func (f formFields) drafted() effects.Settings {
	p := scoring.Policy{}
	for _, s := range judgementSettings(f.say) {
		s.set(&p, f.draft[s.name])
	}
	return p.Judgement
}

// line is a text of one line.
func (f formFields) line(name, most string) views.LineField {
	s, _ := settingNamed(f.say, name)
	was, now := f.was(s)
	return views.LineField{ID: name, Name: name, Label: s.label, Value: f.draft[name], Hint: s.hint, Mono: true, Max: most, Error: f.wrong[name], Setting: true, Was: was, Now: now}
}

// lines is a list, one name a line.
func (f formFields) lines(name string) policy.TextField {
	s, _ := settingNamed(f.say, name)
	was, now := f.was(s)
	return policy.TextField{ID: name, Name: name, Label: s.label, Value: f.draft[name], Hint: s.hint, Error: f.wrong[name], Setting: true, Was: strings.ReplaceAll(was, "\n", ", "), Now: now}
}

// tryBalanced is the member of a query that asks what balanced would change.
const tryBalanced = "try"

// balanced is what the preset balanced would change for an organisation that has no
// floors, on its newest actions where somebody asks for it; nil for all others.
func (s *Pages) balanced(ctx context.Context, m auth.Member, now tenants.PolicyVersion, try bool) (*policy.BalancedOffer, error) {
	p := now.Policy
	if p.JudgedBy().Floored() {
		return nil, nil
	}
	say := texts.From(ctx)
	p.Judgement = effects.Default()
	p.Judgement.OwnDomains, p.Judgement.Nonproduction, p.Judgement.Floors = now.Policy.Judgement.OwnDomains, now.Policy.Judgement.Nonproduction, now.Policy.Judgement.Floors
	o := policy.BalancedOffer{URL: urls.Policy(m.Tenant), Try: urls.Policy(m.Tenant) + "?" + tryBalanced + "=balanced#balanced"}
	if try {
		r, err := s.replay(ctx, m, p)
		if err != nil {
			return nil, err
		}
		o.Replay = r
	}
	if !m.May(auth.ProposePolicy) {
		return &o, nil
	}
	d := DraftOn(say, p, now.Policy)
	d[FieldBase], d[FieldReason] = strconv.FormatInt(now.Version, 10), say.Say("Hold anything not known to be safe")
	o.Hidden, o.Button = d.hidden(say), say.Say("Propose balanced")
	return &o, nil
}

// hidden carries a whole draft.
func (d Draft) hidden(say texts.Printer) (all []views.Hidden) {
	for _, s := range policySettings(say) {
		all = append(all, views.Hidden{Name: s.name, Value: d[s.name]})
	}
	for _, name := range []string{FieldBase, FieldReason, edge.FieldLists} {
		all = append(all, views.Hidden{Name: name, Value: d[name]})
	}
	return all
}
