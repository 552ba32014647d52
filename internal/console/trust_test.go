package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// The agent's page shows its record and takes it away; a request shows it once nobody
// can be led by it.
func TestAnAgentsRecord(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.join("adam", auth.Admin, auth.Operator)
	_, a := b.create("mailer")
	path := agentsPath + "/" + a.ID
	const mail = `{"function":"send_mail","arguments":{"to":"jo@example.com"}}`
	b.get(path).want(t, http.StatusOK, "Track record", "No track record yet", "Shown for information. The policy doesn't use it", "Record an incident")

	must(t, s.store.Approvals().Write(t.Context(), "acme", func(w approvals.Writer) error {
		learn := func(function string, d trust.Day) error {
			if _, err := w.AddTrust(a.ID, function, d, w.Now()); err != nil {
				return err
			}
			said := audit.Learned{Day: d.Day, Person: d.Person, Succeeded: int64(d.Succeeded), Denied: int64(d.Denied)}
			return w.Append(audit.Event{
				Kind: audit.Reported, Actor: audit.Actor{Kind: "agent", ID: a.ID}, Agent: a.ID, Function: function,
				Data: canon.Object(audit.TrustLearned(said)),
			})
		}
		for day := range 6 {
			at := w.Now().AddDate(0, 0, -day).Format(time.DateOnly)
			for _, function := range []string{"send_mail<b>", "send_mail"} {
				if err := learn(function, trust.Day{Day: at, Person: "per_1", Succeeded: 5}); err != nil {
					return err
				}
			}
		}
		return learn("pay", trust.Day{Day: w.Now().Format(time.DateOnly), Person: "per_1", Succeeded: 1, Denied: 1})
	}))
	b.get(path).want(t, http.StatusOK, "No effect (off)", "send_mail&lt;b&gt;").without(t, "send_mail<b>")
	waiting := s.submitAs(a, mail)
	b.get("/t/acme/approvals/"+waiting.ID).want(t, http.StatusOK).without(t, "The agent&#39;s record")

	s.policy(func(p *scoring.Policy) {
		p.Judgement.Preset = effects.Published // no record goes below the floor of a message
		p.Trust = scoring.TrustSettings{Enabled: true, Cap: 0.1, AtLeast: 0.8, Evidence: 20, HalfLifeDays: 30}
	})
	s.policy(func(p *scoring.Policy) { p.Challenges.Low = scoring.ChallengeConfirm })
	b.get(path).want(t, http.StatusOK, "no effect: the policy", "no effect: excluded by the policy").without(t, "MEDIUM lowered to LOW")
	s.policy(func(p *scoring.Policy) { p.Challenges.Low = scoring.ChallengeNone })
	b.get(path).want(t, http.StatusOK, "MEDIUM lowered to LOW", "too few calls yet", "up to a score of 0.400")
	through := s.submitAs(a, mail)
	if through.Status != approvals.Approved {
		t.Fatalf("it is %s: %+v", through.Status, through.Assessment.Trust)
	}
	b.get("/t/acme/approvals/"+through.ID).want(t, http.StatusOK, "The agent&#39;s record", "so MEDIUM became LOW")
	held := s.submitAs(a, strings.Replace(mail, "send_mail", "pay_mail", 1)) // another function
	b.get("/t/acme/approvals/"+held.ID).want(t, http.StatusOK).without(t, "The agent&#39;s record")

	b.post(path+"/incident", url.Values{"reason": {" "}}).want(t, http.StatusUnprocessableEntity, "Enter a reason", `href="#incident-why"`)
	b.get(path).without(t, "It began again")
	b.post(path+"/incident", url.Values{"reason": {"wrote to <everybody>"}}).want(t, http.StatusSeeOther)
	b.get(path).want(t, http.StatusOK, "Restarted on", "An incident was recorded", "by Adam", "wrote to &lt;everybody&gt;", "No track record yet")
	if again := s.submitAs(a, mail); again.Status != approvals.Pending {
		t.Errorf("after it, it is %s", again.Status)
	}
	b.get("/t/acme/audit").want(t, http.StatusOK, "Recorded an incident for the agent mailer")
	s.join("olga", auth.Operator).post(path+"/incident", url.Values{"reason": {"x"}}).want(t, http.StatusForbidden)
	reader := s.join("cora", auth.Compliance)
	reader.get(path).want(t, http.StatusOK, "Track record").without(t, "Record the incident")
}
