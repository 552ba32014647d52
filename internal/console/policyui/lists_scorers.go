package policyui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The scorers of an organisation's own, on the page of its rules: they are tried there on
// the same call.

const whatScorer = "scorer"

func ownScorer(all []scoring.OwnScorer, name string) int {
	return slices.IndexFunc(all, func(s scoring.OwnScorer) bool { return s.Name == name })
}

// actOnScorers does what a button of a scorer says, and reports whether it was one.
func actOnScorers(d *listDraft, verb, name string) bool {
	switch verb {
	case "add-scorer":
		d.edit(whatScorer, "", map[string]string{"weight": "1"})
	case "edit-scorer":
		if i := ownScorer(d.lists.Scorers, name); i >= 0 {
			s := d.lists.Scorers[i]
			d.edit(whatScorer, name, map[string]string{"name": s.Name, "text": s.Expression, "weight": strconv.FormatFloat(s.Weight, 'g', -1, 64), "reason": s.Reason})
		}
	case "drop-scorer":
		d.lists.Scorers = slices.DeleteFunc(slices.Clone(d.lists.Scorers), func(s scoring.OwnScorer) bool { return s.Name == name })
		d.lists = ListsOf(d.policy())
	default:
		return false
	}
	return true
}

// putScorer takes the editor of a scorer.
func putScorer(d *listDraft) {
	s := scoring.OwnScorer{Name: strings.TrimSpace(d.typed[edge.EditPrefix+"name"]), Expression: strings.Trim(d.typed[edge.EditPrefix+"text"], "\n"), Reason: strings.TrimSpace(d.typed[edge.EditPrefix+"reason"])}
	weight, ok := readFloat(d.typed[edge.EditPrefix+"weight"])
	if !ok {
		d.refuse(edge.EditPrefix+"weight", d.Say.Say("expected a number above 0, like 1"))
		return
	}
	s.Weight = weight
	next, at := d.lists, 0
	next.Scorers, at = placed(next.Scorers, ownScorer(next.Scorers, d.typed[fieldEdited]), s)
	d.take(next, fmt.Sprintf("/scorers/own/%d", at), map[string]string{"/name": "name", "/expression": "text", "/weight": "weight", "/reason": "reason", "": "name"})
	d.open = s.Name
}

func (d listDraft) scorerEditor(of string) *policy.ListEditor {
	name := d.line("name", d.Say.Say("Name"), d.Say.Say("Start with a lowercase letter, then use lowercase letters, numbers and _."))
	name.Mono, name.Max = true, strconv.Itoa(rules.MaxNameBytes)
	e := &policy.ListEditor{
		Title:  d.Say.Say("Change %s", of),
		Note:   d.Say.Say("Errors and values outside 0 to 1 count as 1. Includes the function registry's hints."),
		Hidden: []views.Hidden{{Name: fieldWhat, Value: whatScorer}, {Name: fieldEdited, Value: of}},
		Parts: []policy.EditorPart{
			{Line: name},
			{Area: d.area("text", d.Say.Say("Expression (CEL)"), d.Say.Say(`Such as action.environment == "production" ? 0.8 : 0.1`), "4")},
			{Line: d.line("weight", d.Say.Say("Weight"), d.Say.Say("Relative to the other scorers and models. Above 0, up to 1000."))},
			{Line: d.line("reason", d.Say.Say("Reason"), d.Say.Say("A short note for the operator (optional)"))},
		},
		Put: policy.ListButton{Do: "put", Label: d.Say.Say("Add to draft"), Kind: "primary"}, Cancel: policy.ListButton{Do: "cancel", Label: d.Say.Say("Cancel"), Kind: "quiet"},
	}
	if of == "" {
		e.Title = d.Say.Say("Add a scorer")
	}
	return e
}

func (d listDraft) scorerSwitch() policy.ListSwitch {
	n := len(d.lists.Scorers)
	s := policy.ListSwitch{
		Label: d.Say.Say("Custom scorers"), Tone: views.TonePlain, State: strconv.Itoa(n), Note: d.Say.Say("An expression that returns a score, alongside or instead of the models."),
		Buttons: []policy.ListButton{{Do: "add-scorer", Label: d.Say.Say("Add a scorer"), At: "edit"}},
	}
	if n > 0 {
		s.Tone = views.ToneOK
		s.State = d.Say.Say("%d, %s", n, scorerModeWord(d.Say, d.Base.Policy.Scorers.Mode))
	}
	return s
}

func scorerModeWord(say texts.Printer, m scoring.ScorerMode) string {
	switch m {
	case scoring.ScorersMax:
		return say.Say("the highest counts")
	case scoring.ScorersReplace:
		return say.Say("in place of the models")
	default:
		return say.Say("blended")
	}
}

func (d listDraft) scorerRows() (rows []policy.ListRow) {
	for _, s := range d.lists.Scorers {
		if !d.shows(policy.ListRow{State: policy.StateOwn}, s.Name, s.Reason, s.Expression, d.Say.Say("own scorer")) {
			continue
		}
		rows = append(rows, policy.ListRow{
			ID: present.EntryID("scorer", s.Name), State: policy.StateOwn, Name: untrusted.Runs(s.Name), About: untrusted.Runs(s.Reason), Open: d.open == s.Name,
			Chips:  []policy.ListChip{{Word: untrusted.Runs(d.Say.Say("own")), Icon: views.IconUser, Tone: views.ToneAccent}},
			Texts:  []policy.ListText{definition(d.Say, "", s.Expression)},
			Fields: []views.Pair{{Label: d.Say.Say("Weight"), Value: untrusted.Runs(strconv.FormatFloat(s.Weight, 'g', -1, 64))}},
			Buttons: []policy.ListButton{
				{Do: "edit-scorer:" + s.Name, Label: d.Say.Say("Change"), Of: d.Say.Say("the scorer %s", s.Name), At: "edit"},
				{Do: "drop-scorer:" + s.Name, Label: d.Say.Say("Remove"), Of: d.Say.Say("the scorer %s", s.Name)},
			},
		})
	}
	return rows
}

// triedScorers is what the scorers of a draft say of the call that is tried.
func triedScorers(say texts.Printer, s *scoring.Scorers) (found []policy.TriedFinding) {
	if s == nil {
		return nil
	}
	for _, one := range s.Own {
		found = append(found, policy.TriedFinding{
			Icon: views.IconRule, Kind: say.Say("scorer"), Name: untrusted.Runs(one.Name), About: untrusted.Runs(request.ScorerAbout(say, one)), URL: "#" + present.EntryID("scorer", one.Name),
		})
	}
	return found
}
