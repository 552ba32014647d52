package settingsui

import (
	"net/http"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
	"github.com/countersign/countersign/views/texts"
)

// "Let calls like this through from now on": a form that begins with a call, and leads
// into the review of the policy page with an entry of the function registry in the draft.
// What happens there is what happens to every other change of the policy.

const entryPath = policyui.FunctionsPath + "/allow"

// The fields of the form beside those of a standing grant.
const (
	fieldAgent     = "agent"     // "every": not this one only
	fieldArguments = "arguments" // "any": not this shape only
)

// entryForm is what was typed.
type entryForm struct {
	standingForm
	agent, arguments string
}

func readEntry(c edge.Call) entryForm {
	return entryForm{standingForm: readStanding(c), agent: c.Field(fieldAgent), arguments: c.Field(fieldArguments)}
}

func (f entryForm) asked() approvals.NewEntry {
	days, _ := strconv.Atoi(f.hours) // what is no number is refused with the rest
	return approvals.NewEntry{
		From: f.in.From, Terms: f.in.Terms, EveryAgent: f.agent == "every", AnyArguments: f.arguments == "any", Days: days, Reason: f.in.Reason,
	}
}

// entryPage is the form: ?from= is the call. Without a call there is nothing to fill in.
func (s *Pages) entryPage(c edge.Call) error {
	from := c.QueryParam("from")
	if from == "" {
		return edge.GoTo(c, urls.Settings(c.Member.Tenant, urls.PlaceFunctions))
	}
	f := entryForm{standingForm: standingForm{hours: "90"}}
	if f.in.From = present.ApprovalID(from); f.in.From == "" {
		return fault.New(fault.Missing, "there is no request with this ID in this organisation")
	}
	return s.showEntry(c, http.StatusOK, f)
}

func (s *Pages) showEntry(c edge.Call, status int, f entryForm) error {
	d, err := s.Approvals.DraftEntry(c.Request().Context(), c.Member, f.in.From)
	if err != nil {
		return err
	}
	return edge.Show(c, status, settings.EntryPage(s.Page(c, c.Say.Say("Approve calls automatically"), views.PlaceSettings), entryOf(c.Say, c, d, f)))
}

// reviewEntry leads to the review of the policy with the entry in it. It stores nothing.
func (s *Pages) reviewEntry(c edge.Call) error {
	ctx, f := c.Request().Context(), readEntry(c)
	if f.in.From == "" {
		return fault.Member(fault.InvalidForm, "from", "this starts with a request; open one and begin there")
	}
	d, err := s.Approvals.Entry(ctx, c.Member, f.asked())
	if refusal := fault.As(err); err != nil {
		if refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
			return err
		}
		edge.NoteRefusal(c, refusal)
		f.fault = refusal
		return s.showEntry(c, httpserver.Status(refusal.Code), f)
	}
	if !d.Refused.Empty() {
		return s.showEntry(c, http.StatusUnprocessableEntity, f)
	}
	now, err := s.Tenants.CurrentPolicy(ctx, c.Member)
	if err != nil {
		return err
	}
	p := d.With()
	draft := policyui.DraftOn(c.Say, p, now.Policy)
	draft[policyui.FieldBase], draft[policyui.FieldReason], draft[policyui.FieldFrom] = policyui.BaseText(now.Version), d.Entry.Reason, urls.PlaceFunctions
	return s.Policy.ShowPreview(c, http.StatusOK, policyui.Drafted{Say: c.Say, Draft: draft, Base: now, Current: now}, p, nil)
}

// entryOf is the page.
func entryOf(say texts.Printer, c edge.Call, d approvals.EntryDraft, f entryForm) settings.StandingDraft {
	s := settings.StandingDraft{
		Items: edge.SettingsItems(say, c.Member, urls.PlaceFunctions), Back: views.Link{Label: say.Say("Functions"), URL: urls.Settings(c.Member.Tenant, urls.PlaceFunctions)},
		Call: fromCall(say, c.Member.Tenant, d.Call), Errors: standingErrors(say, f.standingForm),
	}
	if !d.Refused.Empty() {
		s.Notices = append(s.Notices, views.Notice{Tone: views.ToneWarn, Icon: views.IconBan, Title: say.Say("Calls like this can't be approved automatically"), Text: untrusted.InEnglish(untrusted.Runs(present.Sentence(say.Phrase(d.Refused)) + "."))})
		return s
	}
	form := standingFormOf(say, c.Member.Tenant, d.StandingDraft, f.standingForm)
	form.URL = urls.Settings(c.Member.Tenant, urls.PlaceFunctions) + "/allow"
	form.Fixed = []views.Fact{
		{Label: say.Say("Function"), Value: untrusted.Runs(d.Function)},
		{Label: say.Say("Lowered to"), Value: untrusted.Runs(present.LevelWord(say, d.LowerTo)), Note: untrusted.Runs(say.Say("its effects only; rules, patterns and the score stay as they are"))},
		{Label: say.Say("Environment"), Value: fixedWords(say, d.Pattern.Environment)},
	}
	form.Lines = form.Lines[1:] // no number of uses
	form.Lines[0].Max, form.Lines[0].Hint = "500", say.Say("Kept with the policy and in the audit trail.")
	life := views.SelectField{ID: "life", Name: "life", Label: say.Say("For how long"), Error: f.at(say, "life")}
	for _, days := range []int{7, 30, 90, 180, approvals.MaxEntryDays} {
		life.Options = append(life.Options, views.Choice{Value: strconv.Itoa(days), Label: say.Say("%d days", days), Checked: f.hours == strconv.Itoa(days)})
	}
	form.Lists = []views.SelectField{
		choiceField(fieldAgent, say.Say("Which agents"), f.agent, views.Choice{Label: say.Say("only %s", present.Flat(say, d.Agent.Name))}, views.Choice{Value: "every", Label: say.Say("every agent")}),
		choiceField(fieldArguments, say.Say("Which arguments"), f.arguments, views.Choice{Label: say.Say("as chosen above")}, views.Choice{Value: "any", Label: say.Say("any arguments at all")}),
		life,
	}
	s.Form = form
	return s
}

// choiceField is a list with what was chosen.
func choiceField(name, label, chosen string, all ...views.Choice) views.SelectField {
	f := views.SelectField{ID: name, Name: name, Label: label}
	for _, o := range all {
		o.Checked = o.Value == chosen
		f.Options = append(f.Options, o)
	}
	return f
}
