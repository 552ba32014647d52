package console

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

var challengeWords = map[scoring.ChallengeKind]texts.Key{
	scoring.ChallengeNone: texts.Key("none"), scoring.ChallengeConfirm: texts.Key("one click"), scoring.ChallengeQuiz: texts.Key("three questions"),
	scoring.ChallengeExplicit: texts.Key("typed target"), scoring.ChallengeDeny: texts.Key("nobody may approve"),
}

// The common reasons; they only fill the text, which can be changed.
func denyReasons(say texts.Printer) []string {
	return []string{say.Say("Wrong target"), say.Say("Not now"), say.Say("Too broad"), say.Say("Needs a ticket"), say.Say("I cannot judge this")}
}

func changeReasons(say texts.Printer) []string {
	return []string{say.Say("Narrow it down"), say.Say("Say why it is needed"), say.Say("Try it in staging first"), say.Say("Name a limit")}
}

// decisionOf is the decision area; nil for whoever has nothing to decide here.
func decisionOf(say texts.Printer, v approvals.Review, about subject, t typed, locked bool) *views.Decision {
	if !canDecide(v.Stage) {
		if v.Stage != approvals.StageNotEligible {
			return nil
		}
		return &views.Decision{Ask: views.AskNothing, Object: about.label(say), Refused: sentence(say.Phrase(v.Why)) + ". " + whoCan(say, v.Eligible)}
	}
	url := requestURL(v.Tenant, v.ID)
	d := &views.Decision{
		URL: url + "/decide", Digest: v.ShownDigest, Version: strconv.FormatInt(v.Version, 10), Challenge: v.Challenge.ID,
		Object:  about.label(say),
		Deny:    reasonForm(say, t, approvals.VerdictDeny, denyReasons(say)),
		Changes: reasonForm(say, t, approvals.VerdictRequestChanges, changeReasons(say)),
	}
	if v.EarliestApproval.After(v.Now) {
		d.NotBefore = v.EarliestApproval.Format(isoForm)
		d.NotBeforeText = say.Say("after %s more of reading", duration(v.EarliestApproval.Sub(v.Now)))
	}
	if v.Stage == approvals.StageAsking {
		d.Object, d.Digest = about.hiddenLabel(), "" // a question may ask for it
	}
	if locked {
		// The server refuses in any case; buttons that cannot work mislead.
		return &views.Decision{Ask: views.AskNothing, Object: d.Object, Refused: say.Say("Deciding is locked: you were away for more than 15 minutes. Sign in again.")}
	}
	d.Also = alsoOf(say, v, t)
	if v.MayEdit {
		d.Edit = editURL(v.Tenant, v.ID)
	}
	switch v.Stage {
	case approvals.StageLocked:
		d.Refused = say.Say("Locked for you after two failed attempts; denying and asking for changes stay open.")
	case approvals.StageSigned:
		d.Refused = say.Say("You approved it. Denying and asking for changes stay open until the others have.")
	case approvals.StageAsking:
		d.Ask, d.Quiz = views.AskQuiz, quizOf(say, v)
		d.Note = say.Say("Opens when all answers are right. Denying never needs the questions.")
	case approvals.StagePassed:
		d.Ask, d.Note, d.Next = views.AskQuizPassed, oneClick(say, d), nextOf(say, v)
	default:
		reading(say, d, v, t)
	}
	return d
}

// reading fills in what this challenge asks of somebody who is reading.
func reading(say texts.Printer, d *views.Decision, v approvals.Review, t typed) {
	if d.Refused = unreadNote(say, v); d.Refused != "" {
		return
	}
	switch v.Kind {
	case scoring.ChallengeConfirm:
		d.Ask, d.Note = views.AskConfirm, oneClick(say, d)
		d.Next = nextOf(say, v)
	case scoring.ChallengeQuiz:
		d.Ask, d.Start = views.AskQuizStart, requestURL(v.Tenant, v.ID)+"/start"
		d.StartNote = say.Say("3 questions, attempt %d of %d", v.Attempt, approvals.MaxAttempts)
		d.Note = say.Say("%s, then another operator decides. While you answer, everything else is out of sight.", d.StartNote)
	case scoring.ChallengeExplicit:
		if asksForSignIn(v) {
			d.Refused = say.Say("Approving waits for a newer sign-in; denying and asking for changes do not.")
			return
		}
		d.Ask, d.Explicit = views.AskExplicit, explicitOf(say, v, t)
		d.Note = say.Say("Opens when the target is typed and every box is ticked.")
	default:
		d.Refused = say.Say("Nobody may approve this under the current policy.")
	}
}

// nextOf offers to let the next ones like it through in the same session; nil where that
// cannot be.
func nextOf(say texts.Printer, v approvals.Review) *views.NextField {
	if !v.MayNext {
		return nil
	}
	if v.NextScope != nil {
		return nextScope(say, *v.NextScope, &v.Assessment.Workspace.Judgement)
	}
	f := &views.NextField{Name: fieldNext, Hint: say.Say("Those with the same effects, for 8 hours; it can be ended.")}
	f.Options = append(f.Options, views.Choice{Label: say.Say("only this one"), Checked: true})
	for _, n := range []int{3, 5, 10, 20, approvals.MaxNext} {
		f.Options = append(f.Options, views.Choice{Value: strconv.Itoa(n), Label: say.Say("and the next %d like it in this session", n)})
	}
	return f
}

func oneClick(say texts.Printer, d *views.Decision) string {
	if d.NotBeforeText != "" {
		return say.Say("One deliberate click, %s. Enter alone never approves.", d.NotBeforeText)
	}
	return say.Say("One deliberate click. Enter alone never approves.")
}

// reasonForm stands open, with what was written, after a refusal of its verdict.
func reasonForm(say texts.Printer, t typed, verdict approvals.Verdict, reasons []string) *views.ReasonForm {
	f := &views.ReasonForm{Reasons: reasons}
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
func quizOf(say texts.Printer, v approvals.Review) *views.Quiz {
	url := requestURL(v.Tenant, v.ID)
	z := &views.Quiz{
		URL: url + "/answer", Leave: url + "/leave", Challenge: v.Challenge.ID,
		Question: strconv.Itoa(v.Asking.Number), Number: v.Asking.Number, Of: v.Asking.Of,
		Attempt: say.Say("Attempt %s of %s · %d minutes", strconv.Itoa(v.Attempt), strconv.Itoa(approvals.MaxAttempts), int(approvals.ChallengeLife.Minutes())), Text: flat(say, v.Asking.Prompt), // its label can be a word of the agent's
		Typed: v.Asking.Typed,
	}
	for _, o := range v.Asking.Options {
		z.Options = append(z.Options, views.Option{Value: o.ID, Text: runs(o.Text)})
	}
	return z
}

// explicitOf is the typed target and the consequences, with what was typed and
// ticked before a refusal.
func explicitOf(say texts.Printer, v approvals.Review, t typed) *views.Explicit {
	c := v.Confirmation
	e := &views.Explicit{
		Say: c.Typed, Shown: runs(c.Typed), Tail: c.Typed != c.Target, Typed: t.target,
		Paste: !typable(c.Typed), Needed: max(1, v.Treatment.ApprovalsRequired), Given: len(v.Signatures), Signatures: signatures(say, v),
	}
	if t.fault != nil && t.fault.Member == "target" {
		e.Error = because(say, t.fault) + "."
	}
	for i, text := range c.Consequences {
		e.Consequences = append(e.Consequences, views.Consequence{Text: inEnglish(runs(text)), Checked: slices.Contains(t.ticked, i+1)})
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
