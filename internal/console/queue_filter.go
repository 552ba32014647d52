package console

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What the queue is narrowed by. All of it stands in the address.

// queuePerPage is how many rows a page of the queue has.
const queuePerPage = 50

// queueOrder is the canonical order of the queue's parameters.
var queueOrder = []string{"q", "level", "effect", "agent", "environment", "claim", "sort", "after", "select", "pick", "open", "has", "as"}

var (
	sortForm  = regexp.MustCompile(`^time$`)
	claimForm = regexp.MustCompile(`^(mine|anybody|nobody)$`)
	placeForm = regexp.MustCompile(`^[1-4]\.[0-9]{1,17}\.[0-9a-f]{32}$`)
	yesForm   = regexp.MustCompile(`^1$`)
	ticksForm = regexp.MustCompile(`^apr_[0-9a-f]{32}$`)
	hasForm   = regexp.MustCompile(`^[0-9a-f]{32}(\.[0-9a-f]{32})*$`)
)

// queueFilter is what a list of the queue is narrowed by, and where its page begins.
type queueFilter struct {
	text        string
	words       []string // of the text, in lower case
	levels      []level.Level
	effects     []string
	agent       string // id
	environment string
	claim       string
	after       *approvals.Place
	soonest     bool // what expires first stands first, across sessions
}

// queueFilterOf reads an address.
func queueFilterOf(a *listAddress) queueFilter {
	f := queueFilter{text: a.one("q")}
	f.words = strings.Fields(strings.ToLower(f.text))
	for _, name := range a.levels() {
		for l := level.Low; l <= level.Critical; l++ {
			if l.String() == name {
				f.levels = append(f.levels, l)
			}
		}
	}
	f.effects = a.effects()
	f.agent = a.form("agent", agentIDForm, fault.Textf("choose an agent from the list"))
	f.environment = a.one("environment")
	f.claim = a.form("claim", claimForm, fault.Textf("this isn't one of the filter's options; choose one from the filter"))
	f.soonest = a.form("sort", sortForm, fault.Textf("the value of “sort” is “time”, or it's left out")) != ""
	f.after = placeOf(a.form("after", placeForm, fault.Textf("use the page's own links to go to other pages")))
	a.form("open", ticksForm, fault.Textf("expected the ID of a request"))
	a.form("pick", ticksForm, fault.Textf("expected the ID of a request"))
	a.form("select", yesForm, fault.Textf("expected 1, or nothing"))
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

// narrows reports whether anything is left out.
func (f queueFilter) narrows() bool { return len(f.levels) > 0 || f.reads() }

// reads reports whether lines must be read to be chosen.
func (f queueFilter) reads() bool {
	return len(f.words) > 0 || len(f.effects) > 0 || f.agent != "" || f.environment != "" || f.claim != ""
}

// keeps reports whether a line belongs to the list as this reader sees it: of what is
// covered nothing is found, since finding it would tell what it says.
func (f queueFilter) keeps(say texts.Printer, l approvals.Line, at approvals.Attention, me string) bool {
	if len(f.levels) > 0 && !slices.Contains(f.levels, l.Level) {
		return false
	}
	holder := at.Claims[l.ID].Person
	switch f.claim {
	case "mine":
		if holder != me {
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
		sentence, agent, environment, function, session, effect = untrusted.Plain(rowOf(say, l, at.Now).Sentence), "", "", "", "", ""
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

// tools are the form over the list.
func (q queueOf) tools() *review.QueueTools {
	if q.address == nil {
		return nil
	}
	a := q.address
	levels := boxField(a, "level", q.say.Say("Level"), q.say.Say("All levels"), texts.Key("%d levels"), []views.ChoiceGroup{{Choices: levelOptions(a.say, a.given["level"])}})
	effect := effectField(a)
	agent := agentField(a, q.names)
	agent.Label = q.say.Say("Agent")
	claim := selectField(a, "claim", q.say.Say("Claimed"), q.say.Say("Anyone or no one"), []views.ChoiceGroup{{Choices: []views.Choice{
		{Value: "mine", Label: q.say.Say("Me, or assigned to me")}, {Value: "anybody", Label: q.say.Say("Someone")}, {Value: "nobody", Label: q.say.Say("No one")},
	}}})
	t := &review.QueueTools{
		Fields:   []views.FilterField{levels, effect, agent, textField(a, "environment", q.say.Say("Environment"), "production", views.FieldText), claim},
		Problems: problemsOf(a), Chips: q.chips(),
	}
	for _, f := range t.Fields { // what is set stands below, so that the list stays in view
		t.Open = t.Open || f.Error != ""
	}
	return t
}

// chips are what the list is narrowed by, beside the text, which stands in its field.
func (q queueOf) chips() []views.FilterChip {
	a := q.address
	if !a.ok() {
		return nil
	}
	var all []views.FilterChip
	for _, name := range []string{"level", "effect", "agent", "environment", "claim"} {
		for _, value := range a.clean[name] {
			label := value
			switch {
			case name == "effect":
				label = effectWord(q.say, value)
			case name == "agent":
				label = q.names.Of("agent", value)
			case name == "claim":
				label = map[string]string{"mine": q.say.Say("mine"), "anybody": q.say.Say("claimed"), "nobody": q.say.Say("unclaimed")}[value]
			}
			all = append(all, views.FilterChip{Name: q.say.Phrase(filterLabels[name]), Value: headline(q.say, label), Without: a.without(q.here(), name, value)})
		}
	}
	return all
}
