package request

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

var ChallengeWords = map[scoring.ChallengeKind]texts.Key{
	scoring.ChallengeNone: texts.Key("none"), scoring.ChallengeConfirm: texts.Key("one click"), scoring.ChallengeQuiz: texts.Key("three questions"),
	scoring.ChallengeExplicit: texts.Key("type the target"), scoring.ChallengeDeny: texts.Key("no one can approve"),
}

// decisionOf is the decision area; nil for whoever has nothing to decide here.
func decisionOf(say texts.Printer, v approvals.Review, own tenants.Reasons, t Typed, locked bool) *review.Decision {
	if !CanDecide(v.Stage) {
		if v.Stage != approvals.StageNotEligible {
			return nil
		}
		return &review.Decision{Ask: review.AskNothing, Object: present.HeadlineOf(say, v.Subject().Head()), Refused: present.Sentence(say.Phrase(v.Why)) + ". " + WhoCan(say, v.Eligible)}
	}
	url := urls.Request(v.Tenant, v.ID)
	d := &review.Decision{
		URL: url + "/decide", Digest: v.ShownDigest, Version: strconv.FormatInt(v.Version, 10), Challenge: v.Challenge.ID,
		Object:  present.HeadlineOf(say, v.Subject().Head()),
		Deny:    reasonForm(say, t, approvals.VerdictDeny, own),
		Changes: reasonForm(say, t, approvals.VerdictRequestChanges, own),
	}
	if v.EarliestApproval.After(v.Now) {
		d.NotBefore = v.EarliestApproval.Format(present.IsoForm)
		d.NotBeforeText = say.Say("%d s", int(math.Ceil(v.EarliestApproval.Sub(v.Now).Seconds())))
	}
	if v.Stage == approvals.StageAsking {
		d.Object, d.Digest = untrusted.Runs(say.Say("this request")), "" // an option could be held against it
	}
	if locked {
		// The server refuses in any case; buttons that cannot work mislead.
		return &review.Decision{Ask: review.AskNothing, Object: d.Object, Refused: say.Say("Sign in again to decide. You've been inactive for a while.")}
	}
	d.Also, d.Word = alsoOf(say, v, t), wordOf(say, v, t)
	if v.MayEdit {
		d.Edit = urls.Edit(v.Tenant, v.ID)
	}
	switch v.Stage {
	case approvals.StageLocked:
		d.Refused = say.Say("You're locked out of approving this after two failed attempts. You can still deny it or request changes.")
	case approvals.StageBlinded:
		d.Refused = present.Sentence(say.Phrase(v.Why)) + ". " + say.Say("You can deny it or request changes now.")
	case approvals.StageSigned:
		d.Refused = say.Say("You've approved this. Until the others do, you can still deny it or request changes.")
	case approvals.StageAsking:
		d.Ask, d.Quiz = review.AskQuiz, quizOf(say, v)
		d.Note = say.Say("Approve unlocks when every answer is right. You can deny at any time.")
	case approvals.StagePassed:
		if d.Refused = noTimeLeft(say, v); d.Refused != "" {
			return d
		}
		d.Ask, d.Note, d.Next = review.AskQuizPassed, oneClick(say, d), nextOf(say, v)
	default:
		reading(say, d, v, t)
	}
	return d
}

// wordOf is the note that goes with an approval. It stands open where the policy asks for one,
// and after a refusal.
func wordOf(say texts.Printer, v approvals.Review, t Typed) *review.WordField {
	w := &review.WordField{Required: v.NoteRequired}
	if t.Verdict == approvals.VerdictApprove {
		if w.Text = t.Reason; t.Fault != nil && t.Fault.Member == "reason" {
			w.Error = present.Because(say, t.Fault) + "."
		}
	}
	w.Open = w.Required || w.Text != "" || w.Error != ""
	return w
}

// reading fills in what this challenge asks of somebody who is reading.
func reading(say texts.Printer, d *review.Decision, v approvals.Review, t Typed) {
	if d.Refused = cmp.Or(noTimeLeft(say, v), unreadNote(say, v)); d.Refused != "" {
		return
	}
	switch v.Kind {
	case scoring.ChallengeConfirm:
		d.Ask, d.Note = review.AskConfirm, oneClick(say, d)
		d.Next = nextOf(say, v)
	case scoring.ChallengeQuiz:
		d.Ask, d.Start = review.AskQuizStart, urls.Request(v.Tenant, v.ID)+"/start"
		d.Note = say.Say("Answer 3 questions to approve. Attempt %d of %d.", v.Attempt, approvals.MaxAttempts)
	case scoring.ChallengeExplicit:
		if asksForSignIn(v) {
			d.Refused = say.Say("Sign in again to approve. You can deny or request changes now.")
			return
		}
		d.Ask, d.Explicit = review.AskExplicit, explicitOf(say, v, t)
		d.Note = say.Say("To approve: type the target and accept every consequence.")
	default:
		d.Refused = say.Say("The current policy doesn't let anyone approve this.")
	}
}

// nextOf offers to let the next ones like it through in the same session; nil where that
// cannot be.
func nextOf(say texts.Printer, v approvals.Review) *review.NextField {
	if !v.MayNext {
		return nil
	}
	if v.NextScope != nil {
		return nextScope(say, *v.NextScope, &v.Assessment.Workspace.Judgement)
	}
	f := &review.NextField{Name: FieldNext, Hint: say.Say("Calls with the same effects, for 8 hours. You can end it any time.")}
	f.Options = append(f.Options, views.Choice{Label: say.Say("Only this one"), Checked: true})
	for _, n := range []int{3, 5, 10, 20, approvals.MaxNext} {
		f.Options = append(f.Options, views.Choice{Value: strconv.Itoa(n), Label: say.Say("This and the next %d like it in this session", n)})
	}
	return f
}

func oneClick(say texts.Printer, d *review.Decision) string {
	if d.NotBeforeText != "" {
		return say.Say("Approve unlocks in %s. Click or press Space.", d.NotBeforeText)
	}
	return say.Say("Click or press Space to approve.")
}

// noTimeLeft says that a request expires before it may be approved; empty where it does not.
func noTimeLeft(say texts.Printer, v approvals.Review) string {
	if v.EarliestApproval.Before(v.ExpiresAt) {
		return ""
	}
	return say.Say("Not enough time left to approve. Deny it or let it expire.")
}

// reasonForm stands open, with what was written, after a refusal of its verdict.
func reasonForm(say texts.Printer, t Typed, verdict approvals.Verdict, own tenants.Reasons) *review.ReasonForm {
	f := &review.ReasonForm{Reasons: ReasonsFor(say, own, verdict)}
	if t.Fault == nil || t.Verdict != verdict {
		return f
	}
	f.Open, f.Text = true, t.Reason
	if t.Fault.Member == "reason" {
		f.Error = present.Because(say, t.Fault) + "."
	}
	return f
}

// quizOf is the question to answer now. Of the options nothing but their text
// and their random id reaches the page.
func quizOf(say texts.Printer, v approvals.Review) *review.Quiz {
	url := urls.Request(v.Tenant, v.ID)
	z := &review.Quiz{
		URL: url + "/answer", Leave: url + "/leave", Challenge: v.Challenge.ID,
		Question: strconv.Itoa(v.Asking.Number), Number: v.Asking.Number, Of: v.Asking.Of,
		Attempt: say.Say("Attempt %s of %s · %d min to answer", strconv.Itoa(v.Attempt), strconv.Itoa(approvals.MaxAttempts), int(approvals.ChallengeLife.Minutes())), Text: present.Flat(say, v.Asking.Prompt), // its label can be a word of the agent's
	}
	for _, o := range v.Asking.Options {
		z.Options = append(z.Options, review.Option{Value: o.ID, Text: untrusted.Runs(o.Text)})
	}
	return z
}

// explicitOf is the typed target and the consequences, with what was typed and
// ticked before a refusal.
func explicitOf(say texts.Printer, v approvals.Review, t Typed) *review.Explicit {
	c := v.Confirmation
	e := &review.Explicit{
		Fresh: v.FreshSignIn,
		Say:   c.Typed, Shown: untrusted.Runs(c.Typed), Tail: c.Typed != c.Target, Typed: t.Target,
		Paste: !typable(c.Typed), Needed: max(1, v.Treatment.ApprovalsRequired), Given: v.Given(), Signatures: signatures(say, v),
	}
	if t.Fault != nil && t.Fault.Member == "target" {
		e.Error = present.Because(say, t.Fault) + "."
	}
	for i, text := range c.Consequences {
		e.Consequences = append(e.Consequences, review.Consequence{Text: untrusted.InEnglish(untrusted.Runs(text)), Checked: slices.Contains(t.Ticked, i+1)})
	}
	return e
}

// typable reports whether most keyboards can type a target: where they cannot,
// pasting is allowed.
func typable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= utf8.RuneSelf || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// VerdictExtend marks what was typed in the form of an extension. It is no verdict.
const VerdictExtend approvals.Verdict = "extend"

// extendOf is the form; nil where there is nothing to extend, or not for this reader.
func extendOf(say texts.Printer, v approvals.Review, own tenants.Reasons, t Typed) *review.Extend {
	most := int(v.MostExtension / time.Second)
	if most == 0 {
		return nil
	}
	e := &review.Extend{URL: urls.Request(v.Tenant, v.ID) + "/extend", Form: *reasonForm(say, t, VerdictExtend, own)}
	for _, seconds := range []int{300, 900, 1800, 3600, 86_400} {
		if seconds < most {
			e.Times = append(e.Times, views.Choice{Value: strconv.Itoa(seconds), Label: say.Say("%d more minutes", seconds/60)})
		}
	}
	whole := views.Choice{Value: strconv.Itoa(most), Label: say.Say("%d more minutes", most/60), Checked: true}
	if most%60 != 0 || v.MostExtension >= present.InDays {
		whole.Label = say.Say("%s more", present.Duration(say, v.MostExtension))
	}
	e.Times = append(e.Times, whole)
	slices.Reverse(e.Times)
	return e
}

// TimeOf is what stands above a request about its time. While somebody answers questions, what a
// colleague wrote is out of their sight: it may say what they are asked for.
func TimeOf(say texts.Printer, a approvals.Approval, now time.Time, may, asking bool) review.TimeBox {
	b := review.TimeBox{ID: a.ID, Left: present.TimeLeft(say, a, now), May: may && a.Extension == nil}
	if e := a.Extension; e != nil && !asking {
		b.Extended = present.SayAt(say, present.MomentForm, texts.Key("%s extended this until %s: “%s”"), e.Name, e.Until, e.Reason)
	}
	if a.HoursOnly {
		if len(b.Extended) > 0 {
			b.Extended = append(b.Extended, untrusted.Runs(" ")...)
		}
		b.Extended = append(b.Extended, present.SayAt(say, present.DateForm, texts.Key("With no decision, it's denied on %s. Only working hours count: nights, days off and holidays don't."), a.ExpiresAt)...)
	}
	return b
}

// Repeats reports whether somebody sent once more what they decided already, and it counted.
func Repeats(v approvals.Review, t Typed, person string) bool {
	verdict, _, counted := v.CountedOf(person)
	return counted && verdict == t.Verdict && (t.Fault.Code == fault.AlreadyDecided || t.Fault.Code == fault.NotEligible)
}

// refusedOrRepeated says why a form was refused. Who decided already hears that that counted,
// whatever they sent now.
func refusedOrRepeated(say texts.Printer, v approvals.Review, t Typed, person string) views.Notice {
	verdict, at, counted := v.CountedOf(person)
	if !counted || t.Fault.Code != fault.AlreadyDecided && !Repeats(v, t, person) {
		return RefusalNotice(say, t.Fault)
	}
	n := views.Notice{Tone: views.ToneAccent, Icon: views.IconCheck}
	if verdict != t.Verdict {
		n.Tone, n.Icon, n.Text = views.ToneBad, views.IconAlert, untrusted.Runs(say.Say("What you sent now came after it and wasn't counted."))
	}
	return present.Titled(n, present.SayAt(say, present.ClockForm, countedWords[verdict], at))
}

// FieldNext is how many more like it are let through in the same session.
const FieldNext = "next"

// VerdictWithdraw marks what was typed in that form. It is no verdict.
const VerdictWithdraw approvals.Verdict = "withdraw"

// withdrawOf is the form where it was asked for or refused; nil where it is not there.
func withdrawOf(say texts.Printer, v approvals.Review, who Reader, t Typed) *review.Withdraw {
	if who.Locked || !v.MayWithdraw(who.Member, v.Now) || !who.Withdraws && t.Verdict != VerdictWithdraw {
		return nil
	}
	page := urls.Request(v.Tenant, v.ID)
	return &review.Withdraw{URL: page + "/withdraw", Page: page, Reader: who.Member.Person.ID, Form: *reasonForm(say, t, VerdictWithdraw, who.Own)}
}

// OutcomeTo is how an approval ended, with what this reader can do about it.
func OutcomeTo(say texts.Printer, v approvals.Review, who Reader) views.Notice {
	n := OutcomeOf(say, v.Approval)
	n.Ends = true
	if by := who.Withdrew[v.ID]; by != "" {
		n.Text = slices.Concat(Quoted(v.Decision.Reason), untrusted.Runs(" "), present.SayAt(say, present.MomentForm, texts.Key("%s withdrew this at %s: “%s”. The agent must resubmit."), by, *v.Grant.VoidedAt, v.Grant.VoidReason))
	}
	if !who.Locked && !who.Withdraws && v.MayWithdraw(who.Member, v.Now) {
		n.Undo = &views.Link{Label: say.Say("Withdraw approval"), URL: urls.Request(v.Tenant, v.ID) + "?" + WithdrawQuery}
	}
	return n
}

// countedWords say of each verdict that it counted.
var countedWords = map[approvals.Verdict]texts.Key{
	approvals.VerdictApprove: texts.Key("Your approval counted at %s"), approvals.VerdictDeny: texts.Key("Your denial counted at %s"),
	approvals.VerdictRequestChanges: texts.Key("Your request for changes counted at %s"),
}

// WithdrawQuery opens the form. Without a fragment, with which a browser takes no notice of autofocus.
const WithdrawQuery = "withdraw"
