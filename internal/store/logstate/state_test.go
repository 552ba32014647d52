package logstate

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

// What is over is let go: a state doesn't grow with the age of its log, but with what somebody can
// still use.
func TestAStateForgetsWhatIsOver(t *testing.T) {
	t.Parallel()
	s, at := New(), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	apply := func(kind audit.Kind, approval string, data ...string) {
		members := []canon.Member{{Name: "uses", Value: canon.Int(1)}}
		for i := 0; i < len(data); i += 2 {
			members = append(members, canon.Member{Name: data[i], Value: canon.String(data[i+1])})
		}
		at = at.Add(time.Minute)
		e := audit.Event{Tenant: "acme", Index: s.Head.Size, At: at, Kind: kind, Approval: approval, Agent: "agt_1", Actor: audit.Actor{Kind: "person", ID: "per_1"}, Data: canon.Object(members...)}
		s.Apply(e, [32]byte{})
		s.Head.Size++
	}
	year := func() int {
		for i := range 4 * forgetEvery {
			id := fmt.Sprint(s.Head.Size, "-", i)
			soon := audit.FormatTime(at.Add(time.Hour))
			apply(audit.PolicyProposed, "", "proposal", "pol_"+id)
			apply(audit.ProposalRejected, "", "proposal", "pol_"+id)
			apply(audit.PeopleProposed, "", "proposal", "ppl_"+id, "ticket", "tkt_"+id)
			apply(audit.PersonInvited, "", "ticket", "tkt_"+id, "expires_at", soon)
			apply(audit.PeopleAccepted, "", "proposal", "ppl_"+id)
			apply(audit.PersonInvited, "", "ticket", "tkt_late_"+id, "expires_at", soon)
			apply(audit.InviteWithdrawn, "", "ticket", "tkt_"+id)
			apply(audit.Submitted, "apr_"+id)
			apply(audit.StandingCreated, "", "standing", "std_"+id, "ends_at", soon)
			apply(audit.StandingUsed, "apr_"+id, "standing", "std_"+id)
			apply(audit.GrantVoided, "apr_"+id)
			apply(audit.StandingCreated, "", "standing", "std_late_"+id, "ends_at", soon)
			apply(audit.EnrolmentOpened, "", "enrolment", "enr_"+id, "expires_at", soon)
			apply(audit.AgentCreated, "", "enrolment", "enr_"+id)
			apply(audit.EnrolmentEnded, "", "enrolment", "enr_"+id)
			apply(audit.EnrolmentOpened, "", "enrolment", "enr_late_"+id, "expires_at", soon)
			apply(audit.AgentCreated, "")
		}
		few := 0
		for _, all := range s.Few {
			few += len(all)
		}
		return len(s.Proposals) + len(s.Authority.Proposals) + len(s.Tickets.Of) + len(s.Tickets.Asked) + len(s.Standing) + len(s.Open) + few
	}
	const most = 6 * forgetEvery // of a day, and of what came since it was last let go
	if first, second := year(), year(); first > most || second > most {
		t.Errorf("it keeps %d after one year and %d after two, want at most %d", first, second, most)
	}
	// What somebody can use still stays, however old it is.
	apply(audit.Submitted, "apr_open")
	apply(audit.StandingCreated, "", "standing", "std_used", "ends_at", audit.FormatTime(at.Add(time.Hour)))
	apply(audit.StandingUsed, "apr_open", "standing", "std_used")
	apply(audit.StandingCreated, "", "standing", "std_open", "ends_at", audit.FormatTime(at.AddDate(9, 0, 0)))
	apply(audit.PolicyProposed, "", "proposal", "pol_open")
	apply(audit.PeopleProposed, "", "proposal", "ppl_open", "ticket", "tkt_open")
	apply(audit.PersonInvited, "", "ticket", "tkt_open", "expires_at", audit.FormatTime(at.Add(time.Hour)))
	apply(audit.EnrolmentOpened, "", "enrolment", "enr_open", "expires_at", audit.FormatTime(at.AddDate(9, 0, 0)))
	apply(audit.AgentCreated, "", "enrolment", "enr_open")
	year()
	for what, there := range map[string]bool{
		"a standing approval": s.Standing["std_open"] != nil, "one that gave an open grant": s.Standing["std_used"] != nil,
		"a policy": s.Proposals["pol_open"] != nil, "rights": s.Authority.Proposals["ppl_open"] != nil,
		"a link that waits": s.Tickets.Of["tkt_open"] != nil && s.Tickets.Asked["ppl_open"] == "tkt_open",
		"an enrolment":      len(s.Few[audit.EnrolmentOpened]) > 0 && s.Few[audit.EnrolmentOpened][0].Enrolment == "enr_open",
		"its agents":        len(s.Few[audit.AgentCreated]) > 0 && s.Few[audit.AgentCreated][0].Enrolment == "enr_open",
	} {
		if !there {
			t.Errorf("%s is gone", what)
		}
	}
}
