package request

import (
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// An approval that several people must give.

// given is for example "1 of 2"; empty where one is enough.
func given(say texts.Printer, a approvals.Approval) string {
	return givenOf(say, a.Given(), a.Treatment.ApprovalsRequired)
}

func givenOf(say texts.Printer, signed, required int) string {
	if required <= 1 {
		return ""
	}
	return say.Say("%d of %d", signed, required)
}

// missingOf is for example "1 of security (Ana, Ben), 1 of finance (no one can)"; empty where
// nothing is missing.
func missingOf(say texts.Printer, all []deciders.Needed, names bool) string {
	var parts []string
	for _, n := range all {
		if n.Missing() < 1 {
			continue
		}
		part := say.Say("%d of %s", n.Missing(), say.Phrase(n.Who()))
		switch {
		case len(n.Able) == 0:
			part = say.Say("%s (no one can)", part)
		case names && len(n.People) == 0:
			able := make([]string, len(n.Able))
			for i, p := range n.Able {
				able[i] = p.Name
			}
			part += " (" + strings.Join(able, ", ") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// hasOf is for example "finance ✓ Carla".
func hasOf(say texts.Printer, all []deciders.Needed) string {
	var parts []string
	for _, n := range all {
		if len(n.Signed) > 0 {
			parts = append(parts, say.Say("%s ✓ %s", say.Phrase(n.Who()), strings.Join(n.Signed, ", ")))
		}
	}
	return strings.Join(parts, ", ")
}

// rowNeeds is what a row of the queue says of who is missing.
func rowNeeds(say texts.Printer, l approvals.Line) (string, views.Tone) {
	needs := missingOf(say, l.Needed, false)
	switch {
	case needs == "":
		return "", views.TonePlain
	case !l.NoOne.Empty():
		return say.Say("Needs %s", needs), views.ToneWarn
	}
	return say.Say("Needs %s", needs), views.TonePlain
}

// noOneNotice says that nobody can decide, before it is too late.
func noOneNotice(say texts.Printer, a approvals.Approval) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconAlert, Title: say.Say("No one can approve this"),
		Text: untrusted.Runs(say.Say("%s. Unless an admin changes that, it will expire, which denies it.", present.Sentence(say.Phrase(a.NoOne)))),
	}
}

// people is how many must approve, where it is more than one.
func people(say texts.Printer, n int) string { return say.Say("%d different people", n) }

// PartlyNotice says that some of the approvals are given.
func PartlyNotice(say texts.Printer, a approvals.Approval) views.Notice {
	text := append(signedBy(say, a), untrusted.Runs(say.Say(". It takes effect once %s have approved. Any of them can still deny it.", people(say, a.Treatment.ApprovalsRequired)))...)
	if needs := missingOf(say, a.Needed, true); needs != "" {
		text = append(text, untrusted.Runs(" "+say.Say("Needs: %s.", needs))...)
	}
	return views.Notice{Tone: views.ToneAccent, Icon: views.IconCheck, Title: say.Say("Approved by %s", given(say, a)), Text: text, Stays: true}
}

// signedBy is for example "Ada Lovelace at 09:38:06 UTC, Ben Bitdiddle at 09:39:10 UTC".
func signedBy(say texts.Printer, a approvals.Approval) (all []views.Run) {
	for _, s := range a.Signatures {
		if !s.Void.Empty() {
			continue
		}
		if len(all) > 0 {
			all = append(all, views.Run{Text: ", "})
		}
		all = append(all, present.SayAt(say, present.ClockUTC, texts.Key("%s at %s"), present.InPlaceOf(say, s.Name, s.Evidence.For), s.SignedAt)...)
	}
	return all
}

// SignaturePairs are the lines of the rail.
func SignaturePairs(say texts.Printer, a approvals.Approval) []views.Pair {
	var pairs []views.Pair
	if needs := missingOf(say, a.Needed, true); needs != "" {
		pairs = append(pairs, views.Pair{Label: say.Say("Needs"), Value: untrusted.Runs(needs)})
	}
	if has := hasOf(say, a.Needed); has != "" {
		pairs = append(pairs, views.Pair{Label: say.Say("Has"), Value: untrusted.Runs(has)})
	}
	n := a.Treatment.ApprovalsRequired
	if n <= 1 {
		return pairs
	}
	pairs = append(pairs, views.Pair{Label: say.Say("Needed"), Value: untrusted.Runs(people(say, n))})
	if a.Status.Final() {
		return pairs
	}
	pairs = append(pairs, views.Pair{Label: say.Say("Given"), Value: untrusted.Runs(given(say, a))})
	for _, s := range a.Signatures {
		p := views.Pair{Label: say.Say("Approved"), Value: present.SayAt(say, present.ClockUTC, texts.Key("%s at %s"), present.InPlaceOf(say, s.Name, s.Evidence.For), s.SignedAt)}
		if !s.Void.Empty() {
			p.Void = say.Phrase(s.Void)
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// signatures are the places to sign of an explicit confirmation: those that are
// taken, and the reader's own.
func signatures(say texts.Printer, v approvals.Review) []review.Signature {
	if v.Treatment.ApprovalsRequired <= 1 {
		return nil
	}
	var all []review.Signature
	for _, s := range v.Signatures {
		if !s.Void.Empty() { // the rail says why it doesn't count
			continue
		}
		all = append(all, review.Signature{Name: s.Name, Initials: present.Initials(s.Name), Note: present.SayAt(say, present.ClockForm, texts.Key("approved %s"), s.SignedAt), Given: true})
	}
	return append(all, review.Signature{Name: say.Say("You"), Initials: "?", Note: untrusted.Runs(say.Say("when you approve"))})
}

// singlePersonNotice says why somebody may decide who otherwise could not.
func singlePersonNotice(say texts.Printer, v approvals.Review) views.Notice {
	why := say.Say("You own this agent and no one else is eligible")
	if len(v.Signatures) > 0 {
		why = say.Say("It needs %s and no one else is eligible", people(say, v.Treatment.ApprovalsRequired))
	}
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconUser, Title: say.Say("You're the only one who can decide"),
		Text: untrusted.Runs(say.Say("%s, so you can decide. The audit trail marks it as single-person.", why)),
	}
}

// signInAgain says that the sign-in is too old for this confirmation.
func signInAgain(say texts.Printer, v approvals.Review) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: say.Say("Sign in again to approve this"),
		Text:   untrusted.Runs(say.Say("The policy requires a recent sign-in to approve this. You can deny without one.")),
		Action: &views.Link{Label: say.Say("Sign in again"), URL: urls.SignIn + "?next=" + urls.Request(v.Tenant, v.ID)},
	}
}

// asksForSignIn reports whether approving waits for a newer sign-in.
func asksForSignIn(v approvals.Review) bool {
	return v.SignInAgain && v.Kind == scoring.ChallengeExplicit && v.Stage == approvals.StageReading
}
