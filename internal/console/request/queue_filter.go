package request

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What the queue is narrowed by. All of it stands in the address.

// QueuePerPage is how many rows a page of the queue has.
const QueuePerPage = 50

// QueueOrder is the canonical order of the queue's parameters.
var QueueOrder = []string{"q", "level", "effect", "agent", "environment", "claim", "sort", "after", "select", "pick", "open", "has", "as"}

var (
	sortForm  = regexp.MustCompile(`^time$`)
	claimForm = regexp.MustCompile(`^(mine|anybody|nobody)$`)
	placeForm = regexp.MustCompile(`^[1-4]\.[0-9]{1,17}\.[0-9a-f]{32}$`)
	yesForm   = regexp.MustCompile(`^1$`)
	ticksForm = regexp.MustCompile(`^apr_[0-9a-f]{32}$`)
	HasForm   = regexp.MustCompile(`^[0-9a-f]{32}(\.[0-9a-f]{32})*$`)
)

// Filter is what a list of the queue is narrowed by, and where its page begins.
type Filter struct {
	text        string
	words       []string // of the text, in lower case
	Levels      []level.Level
	effects     []string
	agent       string // id
	environment string
	claim       string
	After       *approvals.Place
	Soonest     bool // what expires first stands first, across sessions
}

// FilterOf reads an address.
func FilterOf(a *filter.Address) Filter {
	f := Filter{text: a.One("q")}
	f.words = strings.Fields(strings.ToLower(f.text))
	for _, name := range a.Levels() {
		for l := level.Low; l <= level.Critical; l++ {
			if l.String() == name {
				f.Levels = append(f.Levels, l)
			}
		}
	}
	f.effects = a.Effects()
	f.agent = a.Form("agent", filter.AgentIDForm, fault.Textf("choose an agent from the list"))
	f.environment = a.One("environment")
	f.claim = a.Form("claim", claimForm, fault.Textf("this isn't one of the filter's options; choose one from the filter"))
	f.Soonest = a.Form("sort", sortForm, fault.Textf("the value of “sort” is “time”, or it's left out")) != ""
	f.After = placeOf(a.Form("after", placeForm, fault.Textf("use the page's own links to go to other pages")))
	a.Form("open", ticksForm, fault.Textf("expected the ID of a request"))
	a.Form("pick", ticksForm, fault.Textf("expected the ID of a request"))
	a.Form("select", yesForm, fault.Textf("expected 1, or nothing"))
	return f
}

// placeText writes a place as an address has it.
func placeText(p approvals.Place) string {
	return strconv.Itoa(int(p.Level)) + "." + strconv.FormatInt(p.ExpiresAt.UnixMicro(), 10) + "." + strings.TrimPrefix(p.ID, "apr_")
}

// placeOf reads it; nil for none.
func placeOf(s string) *approvals.Place {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return nil
	}
	rank, err := strconv.Atoi(parts[0])
	at, err2 := strconv.ParseInt(parts[1], 10, 64)
	if err != nil || err2 != nil {
		return nil
	}
	return &approvals.Place{Level: level.Level(rank), ExpiresAt: time.UnixMicro(at).UTC(), ID: "apr_" + parts[2]}
}

// Narrows reports whether anything is left out.
func (f Filter) Narrows() bool { return len(f.Levels) > 0 || f.Reads() }

// Reads reports whether lines must be read to be chosen.
func (f Filter) Reads() bool {
	return len(f.words) > 0 || len(f.effects) > 0 || f.agent != "" || f.environment != "" || f.claim != ""
}

// Keeps reports whether a line belongs to the list as this reader sees it: of what is
// covered nothing is found, since finding it would tell what it says.
func (f Filter) Keeps(say texts.Printer, l approvals.Line, at approvals.Attention, me string) bool {
	if len(f.Levels) > 0 && !slices.Contains(f.Levels, l.Level) {
		return false
	}
	holder := at.Claims[l.ID].Person
	switch f.claim {
	case "mine":
		if !AttentionTo(at, l.ID, me).Mine() {
			return false
		}
	case "anybody":
		if holder == "" {
			return false
		}
	case "nobody":
		if holder != "" {
			return false
		}
	}
	if len(f.words) == 0 && len(f.effects) == 0 && f.agent == "" && f.environment == "" {
		return true
	}
	sentence, agent, environment, function, session, effect := l.Words.Text(), l.Agent.Name, l.Words.Environment, l.Function, l.Session, string(l.Effect)
	if l.Covered {
		sentence, agent, environment, function, session, effect = untrusted.Plain(RowOf(say, l, at.Now).Sentence), "", "", "", "", ""
	}
	if len(f.effects) > 0 && !slices.Contains(f.effects, effect) {
		return false
	}
	if f.agent != "" && (l.Agent.ID != f.agent || agent == "") || f.environment != "" && !strings.EqualFold(environment, f.environment) {
		return false
	}
	text := strings.ToLower(strings.Join([]string{sentence, agent, environment, function, session}, " "))
	for _, word := range f.words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// Tools are the form over the list.
func (q Queue) Tools() *review.QueueTools {
	if q.Address == nil {
		return nil
	}
	a := q.Address
	levels := filter.BoxField(a, "level", q.Say.Say("Level"), q.Say.Say("All levels"), texts.Key("%d levels"), []views.ChoiceGroup{{Choices: filter.LevelOptions(a.Say, a.Given["level"])}})
	effect := filter.EffectField(a)
	agent := filter.AgentField(a, q.Names)
	agent.Label = q.Say.Say("Agent")
	claim := filter.SelectField(a, "claim", q.Say.Say("Claimed"), q.Say.Say("Anyone or no one"), []views.ChoiceGroup{{Choices: []views.Choice{
		{Value: "mine", Label: q.Say.Say("Me, or assigned to me")}, {Value: "anybody", Label: q.Say.Say("Someone")}, {Value: "nobody", Label: q.Say.Say("No one")},
	}}})
	t := &review.QueueTools{
		Fields:   []views.FilterField{levels, effect, agent, filter.TextField(a, "environment", q.Say.Say("Environment"), "production", views.FieldText), claim},
		Problems: filter.ProblemsOf(a), Chips: q.chips(),
	}
	for _, f := range t.Fields { // what is set stands below, so that the list stays in view
		t.Open = t.Open || f.Error != ""
	}
	return t
}

// chips are what the list is narrowed by, beside the text, which stands in its field.
func (q Queue) chips() []views.FilterChip {
	a := q.Address
	if !a.OK() {
		return nil
	}
	var all []views.FilterChip
	for _, name := range []string{"level", "effect", "agent", "environment", "claim"} {
		for _, value := range a.Clean[name] {
			label := value
			switch {
			case name == "effect":
				label = present.EffectWord(q.Say, value)
			case name == "agent":
				label = q.Names.Of("agent", value)
			case name == "claim":
				label = map[string]string{"mine": q.Say.Say("mine"), "anybody": q.Say.Say("claimed"), "nobody": q.Say.Say("unclaimed")}[value]
			}
			all = append(all, views.FilterChip{Name: q.Say.Phrase(filter.FilterLabels[name]), Value: present.Headline(q.Say, label), Without: a.Without(q.here(), name, value)})
		}
	}
	return all
}
