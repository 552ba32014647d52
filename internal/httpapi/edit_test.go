package httpapi

import (
	"encoding/json"
	"testing"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// An agent whose arguments were edited reads its own digest, is told what to run,
// and spends the grant for that only.
func TestEffectiveIsWhatWasEdited(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	r.policy(t, func(p *scoring.Policy) {
		p.EditBeforeApprove.High, p.EditBeforeApprove.Medium = true, true
		p.Challenges.High, p.Challenges.Medium = scoring.ChallengeConfirm, scoring.ChallengeConfirm
		p.MinReviewSeconds = scoring.PerLevel[int]{}
	})
	a := r.as(t, "acme", "/api/v1/approvals", risky).approvalOf(t, 201)
	id, digest := a["id"].(string), a["digest"].(string)
	review, err := r.service.Show(t.Context(), r.operator, id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.service.Edit(t.Context(), r.operator, id, approvals.EditInput{Arguments: `{"user_id":"usr_124"}`, Digest: review.ShownDigest, Version: 1}); err != nil {
		t.Fatal(err)
	}
	path := "/api/v1/approvals/" + id
	if a = r.as(t, "acme", path, "").approvalOf(t, 200); a["digest"] != digest || a["shown_digest"] != digest || a["decision"] != nil || a["status"] != "pending" {
		t.Errorf("before the decision: %v", a)
	}
	if review, err = r.service.Show(t.Context(), r.operator, id); err != nil {
		t.Fatal(err)
	}
	if _, err := r.service.Decide(t.Context(), r.operator, id, approvals.DecideInput{
		Verdict: approvals.VerdictApprove, Digest: review.ShownDigest, Version: 2, Challenge: review.Challenge.ID,
	}); err != nil {
		t.Fatal(err)
	}
	a = r.as(t, "acme", path, "").approvalOf(t, 200)
	d := a["decision"].(map[string]any)
	effective, err := json.Marshal(d["effective"])
	if err != nil || string(effective) != `{"arguments":{"user_id":"usr_124"},"environment":"production","function":"delete_user"}` || a["digest"] != digest {
		t.Fatalf("effective is %s, the digest %v", effective, a["digest"])
	}
	act, err := grant.Act(effective)
	if err != nil {
		t.Fatal(err)
	}
	edited, err := grant.Digest(act)
	if err != nil || edited == digest {
		t.Fatalf("%s, %v", edited, err)
	}
	r.as(t, "acme", path+"/consume", `{"digest":"`+digest+`"}`).refused(t, 409, fault.DigestMismatch, "/digest", "decision.effective")
	if spent := r.as(t, "acme", path+"/consume", `{"digest":"`+edited+`"}`); spent.StatusCode != 200 {
		t.Errorf("%d %s", spent.StatusCode, spent.body)
	}
}
