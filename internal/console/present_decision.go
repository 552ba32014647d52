package console

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

var challengeWords = map[scoring.ChallengeKind]texts.Key{
	scoring.ChallengeNone: texts.Key("none"), scoring.ChallengeConfirm: texts.Key("one click"), scoring.ChallengeQuiz: texts.Key("three questions"),
	scoring.ChallengeExplicit: texts.Key("type the target"), scoring.ChallengeDeny: texts.Key("no one can approve"),
}

// decisionOf is the decision area; nil for whoever has nothing to decide here.
func decisionOf(say texts.Printer, v approvals.Review, own tenants.Reasons, t typed, locked bool) *review.Decision {
	if !canDecide(v.Stage) {
		if v.Stage != approvals.StageNotEligible {
			return nil
		}
		return &review.Decision{Ask: review.AskNothing, Object: headlineOf(say, v.Subject().Head()), Refused: sentence(say.Phrase(v.Why)) + ". " + whoCan(say, v.Eligible)}
	}
	url := requestURL(v.Tenant, v.ID)
	d := &review.Decision{
		URL: url + "/decide", Digest: v.ShownDigest, Version: strconv.FormatInt(v.Version, 10), Challenge: v.Challenge.ID,
		Object:  headlineOf(say, v.Subject().Head()),
		Deny:    reasonForm(say, t, approvals.VerdictDeny, own),
		Changes: reasonForm(say, t, approvals.VerdictRequestChanges, own),
	}
	if v.EarliestApproval.After(v.Now) {
		d.NotBefore = v.EarliestApproval.Format(isoForm)
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
		d.Edit = editURL(v.Tenant, v.ID)
	}
	switch v.Stage {
	case approvals.StageLocked:
		d.Refused = say.Say("You're locked out of approving this after two failed attempts. You can still deny it or request changes.")
	case approvals.StageBlinded:
		d.Refused = sentence(say.Phrase(v.Why)) + ". " + say.Say("You can deny it or request changes now.")
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
func wordOf(say texts.Printer, v approvals.Review, t typed) *review.WordField {
	w := &review.WordField{Required: v.NoteRequired}
	if t.verdict == approvals.VerdictApprove {
		if w.Text = t.reason; t.fault != nil && t.fault.Member == "reason" {
			w.Error = because(say, t.fault) + "."
		}
	}
	w.Open = w.Required || w.Text != "" || w.Error != ""
	return w
}

// reading fills in what this challenge asks of somebody who is reading.
func reading(say texts.Printer, d *review.Decision, v approvals.Review, t typed) {
	if d.Refused = cmp.Or(noTimeLeft(say, v), unreadNote(say, v)); d.Refused != "" {
		return
	}
	switch v.Kind {
	case scoring.ChallengeConfirm:
		d.Ask, d.Note = review.AskConfirm, oneClick(say, d)
		d.Next = nextOf(say, v)
	case scoring.ChallengeQuiz:
		d.Ask, d.Start = review.AskQuizStart, requestURL(v.Tenant, v.ID)+"/start"
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
	f := &review.NextField{Name: fieldNext, Hint: say.Say("Calls with the same effects, for 8 hours. You can end it any time.")}
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
func reasonForm(say texts.Printer, t typed, verdict approvals.Verdict, own tenants.Reasons) *review.ReasonForm {
	f := &review.ReasonForm{Reasons: reasonsFor(say, own, verdict)}
	if t.fault == nil || t.verdict != verdict {
		return f
	}
	f.Open, f.Text = true, t.reason
	if t.fault.Member == "reason" {
		f.Error = because(say, t.fault) + "."
	}
	return f
}

// quizOf is the question to answer now. Of the options nothing but their text
// and their random id reaches the page.
func quizOf(say texts.Printer, v approvals.Review) *review.Quiz {
	url := requestURL(v.Tenant, v.ID)
	z := &review.Quiz{
		URL: url + "/answer", Leave: url + "/leave", Challenge: v.Challenge.ID,
		Question: strconv.Itoa(v.Asking.Number), Number: v.Asking.Number, Of: v.Asking.Of,
		Attempt: say.Say("Attempt %s of %s · %d min to answer", strconv.Itoa(v.Attempt), strconv.Itoa(approvals.MaxAttempts), int(approvals.ChallengeLife.Minutes())), Text: flat(say, v.Asking.Prompt), // its label can be a word of the agent's
	}
	for _, o := range v.Asking.Options {
		z.Options = append(z.Options, review.Option{Value: o.ID, Text: untrusted.Runs(o.Text)})
	}
	return z
}

// explicitOf is the typed target and the consequences, with what was typed and
// ticked before a refusal.
func explicitOf(say texts.Printer, v approvals.Review, t typed) *review.Explicit {
	c := v.Confirmation
	e := &review.Explicit{
		Fresh: v.FreshSignIn,
		Say:   c.Typed, Shown: untrusted.Runs(c.Typed), Tail: c.Typed != c.Target, Typed: t.target,
		Paste: !typable(c.Typed), Needed: max(1, v.Treatment.ApprovalsRequired), Given: v.Given(), Signatures: signatures(say, v),
	}
	if t.fault != nil && t.fault.Member == "target" {
		e.Error = because(say, t.fault) + "."
	}
	for i, text := range c.Consequences {
		e.Consequences = append(e.Consequences, review.Consequence{Text: untrusted.InEnglish(untrusted.Runs(text)), Checked: slices.Contains(t.ticked, i+1)})
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
