package console

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
)

// An approval that several people must give.

// given is for example "1 of 2"; empty where one is enough.
func given(a approvals.Approval) string {
	return givenOf(len(a.Signatures), a.Treatment.ApprovalsRequired)
}

func givenOf(signed, required int) string {
	if required <= 1 {
		return ""
	}
	return fmt.Sprintf("%d of %d", signed, required)
}

// people is how many must approve, where it is more than one.
func people(n int) string { return fmt.Sprintf("%d different people", n) }

// partlyNotice says that some of the approvals are given.
func partlyNotice(a approvals.Approval) views.Notice {
	return views.Notice{
		Tone: views.ToneAccent, Icon: views.IconCheck, Title: "Approved by " + given(a),
		Text:   runs(signedBy(a) + ". It takes effect when " + people(a.Treatment.ApprovalsRequired) + " approved it; any one of them can still deny it."),
		Action: &views.Link{Label: "Show it as it is now", URL: requestURL(a.Tenant, a.ID)},
	}
}

// signedBy is for example "Ada Lovelace at 09:38:06 UTC, Ben Bitdiddle at 09:39:10 UTC".
func signedBy(a approvals.Approval) string {
	all := make([]string, len(a.Signatures))
	for i, s := range a.Signatures {
		all[i] = s.Name + " at " + s.SignedAt.Format(clockForm) + " UTC"
	}
	return strings.Join(all, ", ")
}

// signaturePairs are the lines of the rail.
func signaturePairs(a approvals.Approval) []views.Pair {
	n := a.Treatment.ApprovalsRequired
	if n <= 1 {
		return nil
	}
	pairs := []views.Pair{{Label: "Needed", Value: runs(people(n))}}
	if a.Status.Final() {
		return pairs
	}
	pairs = append(pairs, views.Pair{Label: "Given", Value: runs(given(a))})
	for _, s := range a.Signatures {
		pairs = append(pairs, views.Pair{Label: s.SignedAt.Format(clockForm), Value: runs(s.Name)})
	}
	return pairs
}

// signatures are the places to sign of an explicit confirmation: those that are
// taken, and the reader's own.
func signatures(v approvals.Review) []views.Signature {
	if v.Treatment.ApprovalsRequired <= 1 {
		return nil
	}
	var all []views.Signature
	for _, s := range v.Signatures {
		all = append(all, views.Signature{Name: s.Name, Initials: initials(s.Name), Note: "approved " + s.SignedAt.Format(clockForm), Given: true})
	}
	return append(all, views.Signature{Name: "You", Initials: "?", Note: "when you approve"})
}

// singlePersonNotice says why somebody may decide who otherwise could not.
func singlePersonNotice(v approvals.Review) views.Notice {
	why := "You own this agent and nobody else is eligible"
	if len(v.Signatures) > 0 {
		why = "It needs " + people(v.Treatment.ApprovalsRequired) + " and nobody else is eligible"
	}
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconUser, Title: "You are the only one who can decide",
		Text: runs(why + ", so you may decide by typing the target. It is marked single-person in the audit trail."),
	}
}

// signInAgain says that the sign-in is too old for this confirmation.
func signInAgain(v approvals.Review) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: "Sign in again to approve this",
		Text:   runs("The policy asks for a recent sign-in before an explicit confirmation. Denying needs none."),
		Action: &views.Link{Label: "Sign in again", URL: signInURL + "?next=" + requestURL(v.Tenant, v.ID)},
	}
}

// asksForSignIn reports whether approving waits for a newer sign-in.
func asksForSignIn(v approvals.Review) bool {
	return v.SignInAgain && v.Kind == scoring.ChallengeExplicit && v.Stage == approvals.StageReading
}
