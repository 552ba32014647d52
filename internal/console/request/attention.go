package request

import (
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// CriticalNotice tells somebody who answers questions of a CRITICAL request that came.
func CriticalNotice(say texts.Printer, l approvals.Line, row review.QueueRow) views.Notice {
	return views.Notice{
		Tone: views.ToneBad, Icon: views.IconAlert, Title: say.Say("A CRITICAL request is waiting"), Text: row.Sentence, Stays: true,
		Leave: &views.Link{Label: say.Say("Leave and open"), URL: urls.Request(l.Tenant, l.ID)},
	}
}

const rowAvatars = 3 // as many people are drawn in a row, the others counted

// Attending is who looks at one request, the reader left out, and who is on it.
type Attending struct {
	Looks []approvals.Look
	Claim approvals.Claim
	me    string
	left  time.Duration
	// unreached: nobody was called to it, although somebody should have been.
	unreached bool
	// gone is since when the agent waits no more; nil while it does, or where it never did.
	gone *time.Time
	// waits: the agent waits for the answer.
	waits bool
	// snoozes are until when people put it aside, by person: each is told of their own.
	snoozes map[string]time.Time
	now     time.Time
	// away are the operators who are away.
	away []tenants.Absence
}

func AttentionTo(at approvals.Attention, id, me string) Attending {
	w := Attending{Claim: at.Claims[id], me: me, now: at.Now, unreached: at.Unreached[id], snoozes: at.Snoozes[id], away: at.Away}
	for _, l := range at.Looks[id] {
		if l.Person != me {
			w.Looks = append(w.Looks, l)
		}
	}
	if w.Claim.Person != "" {
		w.left = w.Claim.Until.Sub(at.Now)
	}
	if until, ever := at.Waits[id]; ever {
		if w.waits = until.After(at.Now); !w.waits {
			w.gone = &until
		}
	}
	return w
}

// Print is equal for two that are drawn as the same.
func (w Attending) Print() string {
	var b strings.Builder
	for _, l := range w.Looks {
		fmt.Fprintf(&b, "%q %q ", l.Person, l.Name)
	}
	if w.Claim.Person != "" {
		fmt.Fprintf(&b, "on it: %q %q %q %s %s", w.Claim.Person, w.Claim.Name, w.Claim.By, w.Claim.Until.Format(time.RFC3339Nano), w.minutes(texts.Printer{}))
	}
	if a, is := tenants.AbsenceOf(w.away, w.Claim.Person); is {
		b.WriteString(present.AwayLabel(texts.Printer{}, a))
	}
	if w.unreached {
		b.WriteString("unreached")
	}
	b.WriteString(w.agent(texts.Printer{}))
	if len(w.snoozes) > 0 {
		fmt.Fprint(&b, w.snoozes)
	}
	return b.String()
}

// Snoozed is until when the reader put it aside; zero where they did not.
func (w Attending) Snoozed() time.Time { return w.snoozes[w.me] }

// SnoozedRows are those that the reader put aside.
func SnoozedRows(say texts.Printer, lines []approvals.Line, at approvals.Attention, me string) []review.SnoozedRow {
	rows := make([]review.SnoozedRow, len(lines))
	for i, l := range lines {
		w := AttentionTo(at, l.ID, me)
		rows[i] = review.SnoozedRow{
			QueueRow: w.In(say, RowOf(say, l, at.Now)), Until: present.SayAt(say, present.DateForm, texts.Key("until %s"), w.Snoozed()),
			Wake: urls.Request(l.Tenant, l.ID) + "/wake", Back: urls.Queue(l.Tenant),
		}
	}
	return rows
}

// Tomorrow is tomorrow morning where the reader is.
func Tomorrow(now time.Time, zone *time.Location) time.Time {
	year, month, day := now.In(zone).Date()
	return time.Date(year, month, day+1, 9, 0, 0, 0, zone).UTC()
}

// SnoozeOf offers to put a request aside, or to bring it back; nil for neither.
func SnoozeOf(say texts.Printer, v approvals.Review, until time.Time, zone *time.Location) *review.SnoozeBox {
	b := &review.SnoozeBox{URL: urls.Request(v.Tenant, v.ID), Page: urls.Request(v.Tenant, v.ID)}
	if !until.IsZero() {
		b.Until = present.SayAt(say, present.DateForm, texts.Key("Snoozed until %s, or until something changes. Only in your queue."), until)
		return b
	}
	if v.LastSnooze.IsZero() {
		return nil
	}
	tomorrow := Tomorrow(v.Now, zone)
	for _, c := range []struct {
		at    time.Time
		value string
		label []views.Run
	}{
		{v.Now.Add(15 * time.Minute), "900", untrusted.Runs(say.Say("%d minutes", 15))},
		{v.Now.Add(time.Hour), "3600", untrusted.Runs(say.Say("%d hours", 1))},
		{tomorrow, "tomorrow", present.SayAt(say, present.DateForm, texts.Key("Until tomorrow: %s"), tomorrow)},
		{v.LastSnooze, "change", present.SayAt(say, present.DateForm, texts.Key("Until something changes, at the latest %s"), v.LastSnooze)},
	} {
		if !c.at.After(v.LastSnooze) {
			b.Choices = append(b.Choices, review.SnoozeChoice{Value: c.value, Label: c.label})
		}
	}
	return b
}

// agent says whether the agent waits; empty where it never did.
func (w Attending) agent(say texts.Printer) string {
	if w.waits {
		return say.Say("waiting")
	}
	if ago, _ := present.LastUse(say, w.gone, w.now); ago != "" {
		return say.Say("left %s", ago)
	}
	return ""
}

// minutes is what is left of the claim, as a row says it.
func (w Attending) minutes(say texts.Printer) string {
	if w.left < time.Minute {
		return say.Say("less than 1 min left")
	}
	return say.Say("%d min left", int(w.left/time.Minute))
}

// In tells a row.
func (w Attending) In(say texts.Printer, row review.QueueRow) review.QueueRow {
	if row.Done != nil {
		return row
	}
	if w.unreached {
		row.Unreached = say.Say("No one was reached")
	}
	if w.gone != nil {
		row.Gone = w.agent(say)
	}
	for i, l := range w.Looks {
		if i == rowAvatars {
			row.LookingMore = len(w.Looks) - rowAvatars
			break
		}
		row.Looking = append(row.Looking, onlooker(l))
	}
	if w.Claim.Person != "" {
		row.Claimed = &views.Person{Name: w.Claim.Name, Initials: present.Initials(w.Claim.Name)}
	}
	switch w.Claim.Person {
	case "":
	case w.me:
		row.Assigned = w.Claim.By != ""
		row.Claim = w.state(say)
	default:
		row.Assigned = w.Claim.By != "" && w.standsIn()
		row.Claim = w.state(say)
	}
	if row.Claim != "" && w.Claim.By == "" {
		row.Claim += ", " + w.minutes(say)
	}
	return row
}

// Mine reports whether it is the reader's, or that of somebody for whom they stand in.
func (w Attending) Mine() bool {
	return w.Claim.Person != "" && (w.Claim.Person == w.me || w.standsIn())
}

// standsIn reports whether the reader decides in the place of whose it is.
func (w Attending) standsIn() bool {
	a, is := tenants.AbsenceOf(w.away, w.Claim.Person)
	return is && a.Gone.Empty() && a.Deputy.ID == w.me
}

// state says whose it is, and who decides where that one is away.
func (w Attending) state(say texts.Printer) string {
	if a, is := tenants.AbsenceOf(w.away, w.Claim.Person); is {
		return say.Say("%s (%s)", w.whose(say), present.AwayLabel(say, a))
	}
	return w.whose(say)
}

func (w Attending) whose(say texts.Printer) string {
	by, you := w.Claim.ByName, w.Claim.Person == w.me
	switch {
	case w.Claim.By == "" && you:
		return say.Say("Claimed by you")
	case w.Claim.By == "":
		return say.Say("Claimed by %s", w.Claim.Name)
	case you:
		return say.Say("Assigned to you by %s", by)
	case w.Claim.By == w.me:
		return say.Say("Assigned to %s by you", w.Claim.Name)
	}
	return say.Say("Assigned to %s by %s", w.Claim.Name, by)
}

func onlooker(l approvals.Look) views.Person {
	return views.Person{Name: l.Name, Initials: present.Initials(l.Name)}
}

// OnlookerMe is the reader.
func OnlookerMe(say texts.Printer, p auth.Person, asking bool) views.Onlooker {
	me := views.Onlooker{Person: *present.PersonOf(p)}
	if me.Person.You = true; asking {
		me.Doing = untrusted.Runs(say.Say("answering"))
	}
	return me
}

// People is the list beside the request: the reader, the others, and the agent where it waits
// or waited.
func (w Attending) People(say texts.Printer, me views.Onlooker, agent string) []views.Onlooker {
	all := []views.Onlooker{me}
	for _, l := range w.Looks {
		all = append(all, views.Onlooker{Person: onlooker(l), Doing: present.SayAt(say, present.ClockForm, texts.Key("since %s"), l.Since)})
	}
	for _, a := range w.away {
		if a.Decides {
			all = append(all, views.Onlooker{Person: views.Person{Name: a.Person.Name, Initials: present.Initials(a.Person.Name)}, Doing: present.Away(say, a)})
		}
	}
	if state := w.agent(say); state != "" {
		all = append(all, views.Onlooker{Person: views.Person{Name: agent, Initials: present.Initials(agent)}, Doing: untrusted.Runs(state)})
	}
	return all
}

// Box is what a request page says about the claim. may: the reader may claim it.
func (w Attending) Box(say texts.Printer, tenant, id string, may bool) *review.ClaimBox {
	b := &review.ClaimBox{ID: id}
	if may {
		b.Claim = urls.Request(tenant, id) + "/claim"
	}
	if w.Claim.Person == "" {
		return b
	}
	b.Holder, b.You = w.Claim.Person, w.Claim.Person == w.me
	b.Name, b.Initials = w.Claim.Name, present.Initials(w.Claim.Name)
	b.State, b.Assigned = w.state(say), w.Claim.By != ""
	if b.You {
		b.Release = urls.Request(tenant, id) + "/release"
	}
	if b.Assigned {
		return b
	}
	b.Left = views.TimeLeft{
		Expires: w.Claim.Until.Format(present.IsoForm), Start: w.Claim.At.Format(present.IsoForm), Text: present.Duration(say, w.left),
		Percent: int(min(max(w.left, 0)*100/approvals.ClaimFor, 100)),
	}
	return b
}

// AssignOf offers it; nil where there is nobody to ask.
func AssignOf(say texts.Printer, v approvals.Review, holder string, away []tenants.Absence) *review.AssignBox {
	a := &review.AssignBox{URL: urls.Request(v.Tenant, v.ID) + "/assign", From: holder}
	for _, p := range v.Assignees {
		if p.Person != holder {
			choice := views.Choice{Value: p.Person, Label: p.Name}
			if is, ok := tenants.AbsenceOf(away, p.Person); ok {
				choice.Label = say.Say("%s (%s)", p.Name, present.AwayLabel(say, is))
			}
			a.People = append(a.People, choice)
		}
	}
	if len(a.People) == 0 {
		return nil
	}
	return a
}
