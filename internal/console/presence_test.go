package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/long"
)

// until reads frames until one holds every text.
func until(t *testing.T, next func() string, texts ...string) string {
	t.Helper()
	for {
		frame, missing := next(), false
		for _, text := range texts {
			missing = missing || !strings.Contains(frame, text)
		}
		if !missing {
			return frame
		}
	}
}

// Two people see each other, in the queue and on the request; a third organisation
// sees nobody.
func TestPeopleSeeWhoLooks(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	a := s.submit(medium)
	path := "/t/acme/approvals/" + a.ID
	ada, bob, eve := s.signedIn("ada"), s.signedIn("bob"), s.signedIn("eve")

	ada.get("/t/acme/queue").without(t, "is viewing")
	queue := bob.live("/t/acme/live")
	s.settled(queue)
	ada.get(path).want(t, http.StatusOK, "<span>You</span>").without(t, "<span>Ada</span>", "Ada is viewing")
	until(t, func() string { return next(t, queue) }, `id="approval-`+a.ID+`"`, `aria-label="Ada is viewing"`)
	bob.get("/t/acme/queue").want(t, http.StatusOK, `aria-label="Ada is viewing"`)
	bob.get("/t/acme/queue/rows").want(t, http.StatusOK, `aria-label="Ada is viewing"`)
	bob.get(path).want(t, http.StatusOK, "<span>Ada</span>", "<span>You</span>")
	eve.get("/t/rival/queue").without(t, "Ada", "looking\"")

	// Without a feed that renews it, a look is over after its time.
	s.clock.pass(approvals.LookFor)
	until(t, func() string { return next(t, queue) }, `id="approval-`+a.ID+`"`)
	ada.get("/t/acme/queue").without(t, "is viewing")

	// An open page is told of who comes, and says when it closes.
	page := ada.live("/t/acme/live?open=" + a.ID)
	until(t, func() string { return next(t, queue) }, `aria-label="Ada is viewing"`)
	bob.get(path)
	until(t, func() string { return next(t, page) }, `id="looking-`+a.ID+`"`, "<span>Bob</span>")
	must(t, page.Close())
	closing := approvals.LookFor - approvals.LookGrace
	for closed := false; !closed; { // no feed tells that a page closes before its grace is over
		must(t, s.store.Approvals().Read(t.Context(), "acme", func(r approvals.Reader) error {
			seen, ok, err := r.LookedAt(a.ID, s.personID("ada"))
			closed = ok && r.Now().Sub(seen) >= closing
			return err
		}))
	}
}

// A claim is taken, taken over by name and released by forms, and the other decides
// all the same.
func TestClaimByForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	path := "/t/acme/approvals/" + a.ID
	ada, bob, cleo := s.signedIn("ada"), s.signedIn("bob"), s.signedIn("cleo")

	stale := bob.get(path).want(t, http.StatusOK, "Claim").form(t, `name="from"`)
	ada.post(path+"/claim", ada.get(path).form(t, `name="from"`)).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Claimed by you", "Release").without(t, "Take over")
	ada.get("/t/acme/queue").want(t, http.StatusOK, "Claimed by you, 10 min left")
	cleo.get(path).want(t, http.StatusOK, "Claimed by Ada").without(t, "Take over", "/claim")
	bob.get("/t/acme/queue").want(t, http.StatusOK, "Claimed by Ada, 10 min left")

	bob.post(path+"/claim", stale).want(t, http.StatusConflict, "Ada has claimed this")
	bob.post(path+"/claim", bob.get(path).want(t, http.StatusOK, "Take over from Ada").form(t, `name="from"`)).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Claimed by Bob", "Take over from Bob")
	ada.post(path+"/release", nil).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Claimed by Bob")
	cleo.post(path+"/claim", url.Values{}).want(t, http.StatusForbidden)

	form := ada.get(path).form(t, `value="deny"`)
	form.Set("reason", "no")
	ada.post(path+"/decide", form).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK).without(t, "is on it")
	bob.post(path+"/claim", nil).want(t, http.StatusConflict)
}

// An assignment reaches the other person live, is their own in the queue, and the other
// decides all the same.
func TestAssignByForms(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	a, other := s.submit(medium), s.submit(high)
	path := "/t/acme/approvals/" + a.ID
	ada, bob, cleo := s.signedIn("ada"), s.signedIn("bob"), s.signedIn("cleo")

	queue := bob.live("/t/acme/live")
	s.settled(queue)
	cleo.get(path).want(t, http.StatusOK).without(t, path+"/assign")
	form := ada.get(path).want(t, http.StatusOK, `action="`+path+`/assign"`, ">Bob</option>").without(t, ">Ada</option>", ">Cleo</option>").form(t, `name="to"`)
	form.Set("to", s.personID("bob"))
	ada.post(path+"/assign", form).want(t, http.StatusSeeOther)
	until(t, func() string { return next(t, queue) }, `id="approval-`+a.ID+`"`, "data-assigned", "Assigned to you by Ada")
	ada.get(path).want(t, http.StatusOK, "Assigned to Bob by you", "Take over from Bob")
	bob.get(path).want(t, http.StatusOK, "Assigned to you by Ada", "Release")
	cleo.get(path).want(t, http.StatusOK, "Assigned to Bob by Ada")
	mine := bob.get("/t/acme/queue?claim=mine").want(t, http.StatusOK, `id="approval-`+a.ID+`"`)
	mine.without(t, `id="approval-`+other.ID+`"`)
	ada.get("/t/acme/queue?claim=mine").without(t, `id="approval-`+a.ID+`"`)
	form.Set("to", s.personID("cleo"))
	ada.post(path+"/assign", form).want(t, http.StatusUnprocessableEntity, "hoose someone who can decide this request")
	cleo.post(path+"/assign", form).want(t, http.StatusForbidden)

	deny := ada.get(path).form(t, `value="deny"`)
	deny.Set("reason", "no")
	ada.post(path+"/decide", deny).want(t, http.StatusSeeOther)
	bob.get("/t/acme/queue?claim=mine").without(t, `id="approval-`+a.ID+`"`)
}
