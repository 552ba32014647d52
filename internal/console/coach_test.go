package console

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
)

// The pages of functions and insights say what people always approve, and lead to the form.
func TestCoachPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.signedIn("ada")
	functions := "/t/acme/settings/functions"
	ada.get(functions).want(t, http.StatusOK, "None yet. Functions appear here once people have approved them at least 20 times in")
	var last approvals.Approval
	for n := range 20 {
		last = s.submit(fmt.Sprintf(`{"function":"update_ticket","arguments":{"ticket_id":"%d"}}`, n))
		form := ada.get("/t/acme/approvals/"+last.ID).form(t, `value="approve"`)
		s.clock.pass(10 * time.Second)
		ada.post("/t/acme/approvals/"+last.ID+"/decide", form).want(t, http.StatusSeeOther)
	}
	ada.get(functions).want(t, http.StatusOK, "Always approved", "update_ticket", allow+"?from="+last.ID)
	s.signedIn("cleo").get(functions).want(t, http.StatusOK, "update_ticket").without(t, allow)
	must(t, s.approvals.RollUp(t.Context()))
	s.signedIn("cleo").get("/t/acme/insights").want(t, http.StatusOK, "Could be approved automatically", "20 of 20 held in 30 days", "Held per day and operator")
	s.signedIn("eve").get("/t/rival/insights").want(t, http.StatusOK).without(t, "update_ticket")
}
