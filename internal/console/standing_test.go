package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/urls"
)

// allowAhead makes a standing grant for exactly what a asks.
func (s *site) allowAhead(name string, a approvals.Approval) {
	s.t.Helper()
	in := approvals.NewStanding{From: a.ID, Uses: 3, Life: 24 * time.Hour, Reason: "every night"}
	v, err := s.approvals.PreviewStanding(s.t.Context(), s.member(name), in)
	must(s.t, err)
	in.Seen = v.Sum
	made, err := s.approvals.MakeStanding(s.t.Context(), s.member(name), in)
	must(s.t, err)
	s.standing = made.ID
}

const standings = "/t/acme/settings/standing-grants"

// From the request page over the preview to a call that goes through, and its end.
func TestAllowAhead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	ada := s.signedIn("ada")
	ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "New standing approval", standings+"/new?from="+a.ID)
	form := ada.get(standings+"/new?from="+a.ID).want(t, http.StatusOK, "checkout-api", "/version", "Preview").form(t, `/preview"`)
	form.Set("reason", "every “night”")
	for n, rule := range []string{"equals", "one_of", "prefix"} { // note, service, version
		form.Set("rule-"+string(rune('0'+n)), rule)
	}
	form.Set("value-1", "checkout-api\r\nbasket-api")
	form.Set("value-2", "4.18.")
	form.Set("life", "168")

	wrong := url.Values{}
	for name, v := range form {
		wrong[name] = v
	}
	wrong.Set("value-2", "../")
	ada.post(standings+"/preview", wrong).want(t, http.StatusUnprocessableEntity, "Leave out “..”", `aria-invalid="true"`, "every “night”", "basket-api")

	preview := ada.post(standings+"/preview", form).want(t, http.StatusOK, "Would have matched", "1 of 1", "1 pending request matches. ", "starts with", "/version, not covered", "4.18.a,b&#34;: it contains &#34;,&#34;; a name there has only letters", "Create: 10 times, for 7 days")
	_, own, _ := strings.Cut(preview.body, `id="preview"`)
	own, _, _ = strings.Cut(own, "</main>")
	if n := strings.Count(own, `data-kind="primary"`); n != 1 {
		t.Errorf("the preview has %d main buttons", n)
	}
	save := preview.form(t, `name="seen"`)
	s.submit(medium) // waits, since nothing was made yet
	tampered := url.Values{}
	for name, v := range save {
		tampered[name] = v
	}
	tampered.Set("uses", "1000")
	ada.post(standings, tampered).want(t, http.StatusConflict, "This isn't what the preview showed; look at it again")
	made := ada.post(standings, save).want(t, http.StatusSeeOther).location()
	if !strings.HasPrefix(made, standings+"/stg_") {
		t.Fatalf("it leads to %q", made)
	}

	through := s.submit(strings.Replace(medium, "checkout-api", "basket-api", 1))
	if through.Status != approvals.Approved {
		t.Fatalf("it is %s", through.Status)
	}
	ada.get("/t/acme/approvals/"+through.ID).want(t, http.StatusOK, "Ada's standing approval approved this")
	id := strings.TrimPrefix(made, standings+"/")
	s.signedIn("cleo").get("/t/acme/audit?actor=policy%3A"+id).want(t, http.StatusOK, "a standing approval", id, "standing approval "+id).without(t, "version "+id)
	cleo := s.signedIn("cleo")
	cleo.get(standings).want(t, http.StatusOK, "deploy_service", "1 of 10", "open").without(t, "New standing approval")
	cleo.get(made).want(t, http.StatusOK, "basket-api", "every “night”").without(t, "Revoke")
	cleo.get(standings+"/new?from="+a.ID).want(t, http.StatusForbidden)
	bob := s.signedIn("bob")
	bob.post(made+"/revoke", nil).want(t, http.StatusUnprocessableEntity, "Enter a reason")
	bob.post(made+"/revoke", url.Values{"reason": {"no more"}}).want(t, http.StatusSeeOther)
	bob.get(made).want(t, http.StatusOK, "revoked it", "no more")
	if a := s.submit(medium); a.Status != approvals.Pending {
		t.Errorf("after the revocation it is %s", a.Status)
	}
	ada.get("/t/acme/audit?show=any").want(t, http.StatusOK, "Used a standing approval", "Revoked the standing approval", "Created a standing approval of deploy_service")
	eve := s.signedIn("eve")
	eve.get("/t/rival/settings/standing-grants/"+strings.TrimPrefix(made, standings+"/")).want(t, http.StatusNotFound)
	eve.get("/t/rival/settings/standing-grants/new?from="+a.ID).want(t, http.StatusNotFound)
	eve.post("/t/rival/settings/standing-grants", save).want(t, http.StatusNotFound)
}

// What can't create a standing approval says so, and nobody locked out by idling allows it.
func TestAllowAheadRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, h := s.submit(medium), s.submit(high)
	ada := s.signedIn("ada")
	ada.get("/t/acme/approvals/"+h.ID).want(t, http.StatusOK).without(t, "New standing approval")
	ada.get(standings+"/new?from="+h.ID).want(t, http.StatusOK, "can't create a standing approval", "HIGH").without(t, `action="`+standings+`/preview"`)
	form := url.Values{"from": {a.ID}, "uses": {"1"}, "life": {"24"}, "reason": {"x"}}
	save := ada.post(standings+"/preview", form).form(t, `name="seen"`)
	s.clock.pass(61 * time.Minute)
	if got := ada.post(standings, save); got.status != http.StatusUnauthorized {
		t.Errorf("after 61 idle minutes: %d", got.status)
	}
	page, err := s.approvals.Standing(t.Context(), s.member("ada"), approvals.StandingQuery{Limit: 10})
	must(t, err)
	if len(page.Standing) != 0 {
		t.Error("it was made")
	}
}

// Denying in one go: what is ticked, one reason, and what became of each.
func TestDenySeveral(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b, c := s.submit(medium), s.submit(high), s.submit(critical)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	ada.get("/t/acme/queue").want(t, http.StatusOK, "Bulk deny", "queue?select=1")
	list := ada.get("/t/acme/queue?select=1&pick="+a.ID).want(t, http.StatusOK, "The list doesn't update while you choose", a.ID, b.ID, c.ID).without(t, "/live")
	if n := strings.Count(list.body, " checked"); n != 1 {
		t.Errorf("%d boxes are ticked", n)
	}
	form := list.form(t, `name="pick"`) // every box
	if len(form["pick"]) != 3 {
		t.Fatalf("accept %d consequences", len(form["pick"]))
	}
	ada.post("/t/acme/queue/deny", form).want(t, http.StatusUnprocessableEntity, "Enter a reason", `aria-invalid="true"`, pickOf(a)+`" checked`)
	long := strings.Repeat("é", 2001) // nothing that was typed is lost, and nothing is cut
	form.Set("reason", long)
	ada.post("/t/acme/queue/deny", form).want(t, http.StatusUnprocessableEntity, "Enter a reason of 1 to 2,000 characters; the agent receives it", long, pickOf(a)+`" checked`).without(t, "maxlength")
	ada.post("/t/acme/queue/deny", url.Values{"reason": {"x"}}).want(t, http.StatusUnprocessableEntity, "Select 1 to 200 requests")
	ada.post("/t/acme/queue/deny", url.Values{"reason": {"x"}, "pick": {"apr_1 1"}}).want(t, http.StatusUnprocessableEntity, "One selection isn't in the list any more; reload it")
	bob.post("/t/acme/approvals/"+b.ID+"/decide", url.Values{"verdict": {"deny"}, "reason": {"mine"}, "digest": {b.ShownDigest}, "version": {"1"}}).want(t, http.StatusSeeOther)
	form.Set("reason", "A flood <b>of</b> these")
	ada.post("/t/acme/queue/deny", form).want(t, http.StatusOK, "2 requests denied", "already decided", "Bob decided", urls.Request("acme", a.ID))
	for _, id := range []string{a.ID, c.ID} {
		if got := s.approval(id); got.Status != approvals.Denied || got.Decision.Reason != "A flood <b>of</b> these" {
			t.Errorf("%s: %s, %q", got.Function, got.Status, got.Decision.Reason)
		}
	}
	d := s.submit(medium)
	form = url.Values{"reason": {"x"}, "pick": {pickOf(d)}}
	s.signedIn("cleo").post("/t/acme/queue/deny", form).want(t, http.StatusForbidden)
	s.signedIn("eve").post("/t/rival/queue/deny", form).want(t, http.StatusOK, "0 requests denied", "not found").without(t, "checkout-api")
	s.clock.pass(61 * time.Minute)
	ada.post("/t/acme/queue/deny", form).want(t, http.StatusUnauthorized)
	if got := s.approval(d.ID); got.Status == approvals.Denied {
		t.Error("it was denied by somebody who may not, or not any more")
	}
}

// One yes for identical requests: a box that is not ticked, and what became of each.
func TestApproveAlike(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b, c := s.submit(medium), s.submit(medium), s.submit(medium)
	ada := s.signedIn("ada")
	page := ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "Approve the 2 identical requests too (runs 3 times)")
	if strings.Contains(page.body, `name="also" id="also" form="approve-form" value="`+b.ID+`:1 `+c.ID+`:1" checked`) {
		t.Error("the box is ticked")
	}
	form := page.form(t, `value="approve"`)
	_, box, _ := strings.Cut(page.body, `name="also" id="also" form="approve-form" value="`)
	box, _, _ = strings.Cut(box, `"`)
	form.Set("also", box)
	if form.Get("also") != b.ID+":1 "+c.ID+":1" {
		t.Fatalf("the box holds %q", form.Get("also"))
	}
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusTooEarly, "id=\"also\" form=\"approve-form\" value=\""+form.Get("also")+"\" checked")
	s.clock.pass(5 * time.Second)
	bob := s.signedIn("bob")
	bob.post("/t/acme/approvals/"+c.ID+"/decide", url.Values{"verdict": {"deny"}, "reason": {"once is enough"}, "digest": {c.ShownDigest}, "version": {"1"}}).want(t, http.StatusSeeOther)
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusOK, "2 of 3 identical requests approved", "already decided")
	if got := s.approval(b.ID); got.Status != approvals.Approved || got.Decision.Evidence.With != a.ID {
		t.Errorf("the second: %s, %+v", got.Status, got.Decision)
	}

	// Without the box nothing but the one is decided.
	d, e := s.submit(critical), s.submit(critical)
	page = ada.get("/t/acme/approvals/"+d.ID).want(t, http.StatusOK, "It runs 2 times: this request and 1 identical.")
	form = page.form(t, `id="target"`)
	form.Set("target", s.review("ada", d.ID).Confirmation.Typed)
	s.clock.pass(time.Minute)
	runs := form.Get("also")
	form.Set("also", runs)
	last := ""
	for name := range form {
		if strings.HasPrefix(name, "consequence-") && name > last {
			last = name
		}
	}
	form.Del(last)
	ada.post("/t/acme/approvals/"+d.ID+"/decide", form).want(t, http.StatusForbidden, "Check the box that says how many times it runs")
	form.Del("also")
	ada.post("/t/acme/approvals/"+d.ID+"/decide", form).want(t, http.StatusSeeOther)
	if got := s.approval(e.ID); got.Status != approvals.Pending {
		t.Errorf("the one that was left out is %s", got.Status)
	}
}

func (s *site) review(name, id string) approvals.Review {
	s.t.Helper()
	v, err := s.approvals.Show(s.t.Context(), s.member(name), id)
	must(s.t, err)
	return v
}

// pickOf is the value of a request's box in the queue.
func pickOf(a approvals.Approval) string {
	return fmt.Sprintf("%s %d %s", a.ID, a.Version, a.ShownDigest)
}
