package console

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
)

// approval reads one as it is stored.
func (s *site) approval(id string) (a approvals.Approval) {
	s.t.Helper()
	must(s.t, s.store.Approvals().Read(s.t.Context(), "acme", func(r approvals.Reader) (err error) {
		a, err = r.Approval(id)
		return err
	}))
	return a
}

func (s *site) personID(name string) string {
	s.t.Helper()
	p, _, err := s.store.Tenants().PersonByEmail(s.t.Context(), name+"@example.com")
	must(s.t, err)
	return p.ID
}

// rightAnswers are the right options of this operator's open quiz, in order.
func (s *site) rightAnswers(id, name string) (right []string) {
	s.t.Helper()
	must(s.t, s.store.Approvals().Read(s.t.Context(), "acme", func(r approvals.Reader) error {
		c, err := r.LatestChallenge(id, s.personID(name))
		for _, q := range c.Questions {
			right = append(right, q.Right)
		}
		return err
	}))
	return right
}

func TestConfirmAMedium(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	b.get("/t/acme/queue").want(t, http.StatusOK, `id="approval-`+a.ID+`"`, ">Deploy service<", ">checkout-api<", ">4.18.2<", `href="`+path+`"`)
	page := b.get(path).want(t, http.StatusOK, ">Deploy service<", "0.355", "vouchers are rounded wrong", "from the agent (unverified)", "Zürich")
	form := page.form(t, `value="approve"`)

	early := b.post(path+"/decide", form).want(t, http.StatusTooEarly, "Too early")
	if s.approval(a.ID).Status.Final() {
		t.Fatal("approved before the minimum review time")
	}
	s.clock.pass(4 * time.Second)
	done := b.post(path+"/decide", early.form(t, `value="approve"`)).want(t, http.StatusSeeOther)
	if done.location() != path {
		t.Errorf("a decision leads to %q", done.location())
	}
	b.get(path).want(t, http.StatusOK, "Ada approved this at").without(t, `value="approve"`, "data-approve")
	b.get("/t/acme/queue").want(t, http.StatusOK, "You're all caught up")
	b.get("/t/acme/history").want(t, http.StatusOK, ">checkout-api<", "Approved", "Ada")
	if got := s.approval(a.ID); got.Status != approvals.Approved || got.Grant == nil {
		t.Errorf("stored as %s, grant %v", got.Status, got.Grant)
	}
}

func TestDenyNeedsAReason(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[string]approvals.Status{"deny": approvals.Denied, "request_changes": approvals.ChangesRequested} {
		t.Run(verdict, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			a := s.submit(medium)
			b := s.signedIn("ada")
			path := "/t/acme/approvals/" + a.ID
			form := b.get(path).form(t, `value="`+verdict+`"`)
			form.Set("reason", "  ")
			b.post(path+"/decide", form).want(t, http.StatusUnprocessableEntity, "Enter a reason", "data-open")
			long := strings.Repeat("é", 2001)
			form.Set("reason", long)
			b.post(path+"/decide", form).want(t, http.StatusUnprocessableEntity, long, "Enter a reason of 1 to 2,000 characters; the agent receives it", "data-open").without(t, "maxlength")
			form.Set("reason", "Freeze until 14:00.\r\n<b>Really</b>\x00")
			b.post(path+"/decide", form).want(t, http.StatusSeeOther)
			got := s.approval(a.ID)
			if got.Status != want || got.Decision.Reason != "Freeze until 14:00.\n<b>Really</b>\ufffd" {
				t.Errorf("stored %s with %q", got.Status, got.Decision.Reason)
			}
			b.get(path).want(t, http.StatusOK, "&lt;b&gt;Really&lt;/b&gt;").without(t, "<b>Really")
		})
	}
}

func TestRefusalsKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(critical)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	page := b.get(path).want(t, http.StatusOK, `data-place="critical"`, "to confirm", `name="target"`)
	form := page.form(t, `name="target"`)
	s.clock.pass(31 * time.Second)

	form.Set("target", "biling")
	wrong := b.post(path+"/decide", form).want(t, http.StatusForbidden, `value="biling"`, "letter by letter", " checked")
	form = wrong.form(t, `name="target"`)
	form.Set("target", "billing")
	for name := range form {
		if strings.HasPrefix(name, "consequence-") {
			unticked := url.Values{}
			for n, v := range form {
				if n != name {
					unticked[n] = v
				}
			}
			b.post(path+"/decide", unticked).want(t, http.StatusForbidden, "Accept every consequence", `value="billing"`)
		}
	}
	if got := s.approval(a.ID); got.Status.Final() {
		t.Fatalf("decided by a wrong form: %s", got.Status)
	}
	b.post(path+"/decide", form).want(t, http.StatusSeeOther)
	if got := s.approval(a.ID); got.Status != approvals.Approved {
		t.Errorf("stored as %s", got.Status)
	}
}

func TestSomebodyElseWasFaster(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	mine, theirs := ada.get(path).form(t, `value="deny"`), bob.get(path).form(t, `value="deny"`)
	theirs.Set("reason", "no")
	bob.post(path+"/decide", theirs).want(t, http.StatusSeeOther)
	mine.Set("reason", "no, too")
	ada.post(path+"/decide", mine).want(t, http.StatusConflict, "Someone else decided first", "Bob denied this at", "Your decision wasn't counted").without(t, "data-approve")
}

// What somebody sends twice is recognised as their own.
func TestADecisionSentTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.signedIn("ada")
	for verdict, said := range map[string]string{"deny": "Your denial counted at", "approve": "Your approval counted at", "request_changes": "Your request for changes counted at"} {
		a := s.submit(medium)
		path := "/t/acme/approvals/" + a.ID
		page := ada.get(path)
		form := page.form(t, `value="`+verdict+`"`)
		form.Set("reason", "because of the freeze")
		s.clock.pass(4 * time.Second)
		ada.post(path+"/decide", form).want(t, http.StatusSeeOther)
		ada.post(path+"/decide", form).want(t, http.StatusConflict, said).without(t, "Someone else", "wasn't counted", `id="kept-text">because`)
		if other := page.form(t, `value="deny"`); verdict == "approve" {
			other.Set("reason", "no, after all")
			ada.post(path+"/decide", other).want(t, http.StatusConflict, said, "came after it", `id="kept-text">no, after all`).without(t, "Someone else")
		}
	}
}

func TestStaleFormsAreConflicts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	for field, value := range map[string]string{"version": "7", "digest": "sha256:00"} {
		form := b.get(path).form(t, `value="deny"`)
		form.Set("reason", "my long reason")
		form.Set(field, value)
		b.post(path+"/decide", form).want(t, http.StatusConflict, "This request changed while you were reading", "my long reason")
	}
	form := b.get(path).form(t, `value="deny"`)
	form.Set("reason", "no")
	form.Set("version", "one")
	b.post(path+"/decide", form).want(t, http.StatusUnprocessableEntity)
	form.Set("version", "1")
	form.Set("verdict", "maybe")
	b.post(path+"/decide", form).want(t, http.StatusUnprocessableEntity)
	// What stands in the address decides nothing.
	form.Set("verdict", "deny")
	b.post(path+"/decide?"+form.Encode(), nil).want(t, http.StatusUnprocessableEntity)
	b.get(path+"/decide?verdict=deny&reason=x&version=1&digest="+url.QueryEscape(a.ShownDigest)).want(t, http.StatusMethodNotAllowed, "Open the page from the queue again", "Go to the queue").without(t, "Allow header")
	if got := s.approval(a.ID); got.Status.Final() {
		t.Errorf("decided by a stale form: %s", got.Status)
	}
}

func TestTooLate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	form := b.get(path).form(t, `value="deny"`)
	form.Set("reason", "no")
	s.clock.pass(14 * time.Minute)
	b.get("/t/acme/queue").want(t, http.StatusOK)
	s.clock.pass(2 * time.Minute)
	b.post(path+"/decide", form).want(t, http.StatusGone, "Too late").without(t, "data-approve")
	must(t, s.approvals.Sweep(t.Context()))
	b.get(path).want(t, http.StatusOK, "so it was denied")
}

func TestWhoMayNotDecide(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, owned, err := s.tenants.CreateAgent(t.Context(), "acme", "ada-bot", "ada@example.com")
	must(t, err)
	s.agent = owned
	a := s.submit(medium)
	path := "/t/acme/approvals/" + a.ID

	ada := s.signedIn("ada")
	page := ada.get(path).want(t, http.StatusOK, "You can't decide this", "Bob can decide").without(t, "<form class=\"push\"", `value="deny"`)
	form := url.Values{"verdict": {"deny"}, "reason": {"mine"}, "digest": {a.ShownDigest}, "version": {"1"}}
	ada.post(path+"/decide", form).want(t, http.StatusForbidden, "You can't decide this")
	_ = page

	cleo := s.signedIn("cleo")
	cleo.get(path).want(t, http.StatusOK, "View only").without(t, "data-approve", `value="deny"`)
	cleo.post(path+"/decide", form).want(t, http.StatusForbidden)
	if got := s.approval(a.ID); got.Status.Final() {
		t.Errorf("decided by somebody who may not: %s", got.Status)
	}
}

func TestQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	b.get(path).want(t, http.StatusOK, "Start questions", "Score hidden").without(t, "0.735", "+0.")
	s.clock.pass(11 * time.Second)

	answerAll := func(wrong bool) answer {
		t.Helper()
		start := b.get(path).form(t, "Start questions")
		b.post(path+"/start", start).want(t, http.StatusSeeOther)
		right := s.rightAnswers(a.ID, "ada")
		if len(right) != 3 {
			t.Fatalf("%d questions", len(right))
		}
		var last answer
		for n, option := range right {
			page := b.get(path).want(t, http.StatusOK, fmt.Sprintf("Question %d of 3", n+1))
			if got := strings.Count(page.body, `type="radio"`); got != 4 {
				t.Fatalf("%d options", got)
			}
			last = b.post(path+"/answer", page.answered(t, option, wrong && n == 0))
		}
		return last
	}

	answerAll(true).want(t, http.StatusForbidden, "Start questions")
	if got := answerAll(false).want(t, http.StatusSeeOther).location(); got != path {
		t.Fatalf("the last answer leads to %q", got)
	}
	page := b.get(path).want(t, http.StatusOK, "0.735", "usr_123", "data-approve")
	b.post(path+"/decide", page.form(t, `value="approve"`)).want(t, http.StatusSeeOther)
	if got := s.approval(a.ID); got.Status != approvals.Approved {
		t.Errorf("stored as %s", got.Status)
	}
	told := []string{"Questions, attempt 1", "Questions, attempt 2", "3 of 3 correct", "answered, wrong", "the correct one", "2 sets of questions answered"}
	b.get(path).want(t, http.StatusOK, append(told, "How it was reviewed", "data-same")...)
	b.get("/t/acme/audit/"+s.indexOf(a.ID, audit.Approved)).want(t, http.StatusOK, append(told, "The review behind this")...).without(t, "data-same")
}

// answered is the form of a question with the right answer, or with a wrong one.
func (a answer) answered(t testing.TB, right string, wrong bool) url.Values {
	t.Helper()
	form := a.form(t, `name="question"`)
	form.Set("option", right)
	if wrong {
		form.Set("option", otherOption(a.body, right))
	}
	return form
}

func otherOption(body, right string) string {
	for _, tag := range inputTag.FindAllString(body, -1) {
		if m := valueAttr.FindStringSubmatch(tag); m != nil && strings.Contains(tag, `type="radio"`) && m[1] != right {
			return m[1]
		}
	}
	return ""
}

func TestTwoFailedAttemptsLockOut(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	b.get(path)
	for attempt := range 2 {
		b.post(path+"/start", nil).want(t, http.StatusSeeOther)
		var last answer
		for range 3 {
			page := b.get(path)
			n, err := strconv.Atoi(page.form(t, `name="question"`).Get("question"))
			must(t, err)
			last = b.post(path+"/answer", page.answered(t, s.rightAnswers(a.ID, "ada")[n-1], true))
		}
		if last.status != http.StatusForbidden {
			t.Fatalf("attempt %d: %d", attempt+1, last.status)
		}
	}
	page := b.get(path).want(t, http.StatusOK, "locked out of approving this", "Bob can decide", `value="deny"`).without(t, "Start questions", "0.735")
	b.post(path+"/start", nil).want(t, http.StatusForbidden)
	form := page.form(t, `value="deny"`)
	form.Set("reason", "I can't judge this")
	b.post(path+"/decide", form).want(t, http.StatusSeeOther)
}

// A large act is read in sections without script: each is acknowledged by a form
// that leads to the next, and only then is there a button that approves.
func TestALargeActIsReadInSections(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(strings.Replace(medium, `"Zürich"`, `"`+strings.Repeat(`echo step\n`, 500)+`"`, 1))
	ada, path := s.signedIn("ada"), "/t/acme/approvals/"+a.ID
	first := ada.get(path).want(t, http.StatusOK, "Section 1 of 4", "0 of 4 sections read", "To approve, read every section").without(t, "data-approve")
	forged := first.form(t, `name="verdict" value="deny"`) // what a form without the button would send
	forged.Set("verdict", "approve")
	s.clock.pass(time.Minute)
	ada.post(path+"/decide", forged).want(t, http.StatusTooEarly, "Not everything read yet", "sections 1, 2, 3 and 4")
	ada.get(path+"?section=3").want(t, http.StatusOK, "Section 3 of 4")
	for _, odd := range []string{"0", "99", "-1", "x", "1e9"} {
		ada.get(path+"?section="+odd).want(t, http.StatusOK, "Section 1 of 4")
	}
	for n := 1; n <= 4; n++ {
		page := ada.get(path).want(t, http.StatusOK, "Section "+strconv.Itoa(n)+" of 4").without(t, "data-approve")
		form := page.form(t, "I&#39;ve read section")
		if form.Get("section") != strconv.Itoa(n) {
			t.Errorf("section %d is acknowledged as %s", n, form.Get("section"))
		}
		ada.post(path+"/acknowledge", form).want(t, http.StatusSeeOther)
	}
	done := ada.get(path).want(t, http.StatusOK, "4 of 4 sections read", "data-approve").without(t, "I&#39;ve read section")
	bob := s.signedIn("bob")
	bob.get(path).want(t, http.StatusOK, "0 of 4 sections read").without(t, "data-approve")
	s.signedIn("cleo").get(path).want(t, http.StatusOK, "Section 1 of 4").without(t, "I&#39;ve read section", "sections read")
	ada.post(path+"/acknowledge", url.Values{"section": {"x"}}).want(t, http.StatusUnprocessableEntity)
	ada.post(path+"/decide", done.form(t, `value="approve"`)).want(t, http.StatusSeeOther)
}

// A script keeps its page until the answer is here: it is told where to go on, and a refusal
// waits there for it, once, for whoever was refused.
func TestAPageThatStaysIsToldWhereToGo(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	form := ada.get(path).form(t, `value="deny"`)
	form.Set("reason", strings.Repeat("é", 2001))
	refused := ada.postFromScript(path+"/decide", form).want(t, http.StatusNoContent)
	next := refused.header.Get("Content-Location")
	if next != path+"?refused" {
		t.Fatalf("a refusal leads to %q", next)
	}
	bob.get(next).want(t, http.StatusOK).without(t, "Enter a reason")
	ada.get(path).want(t, http.StatusOK).without(t, "Enter a reason")
	ada.get(next).want(t, http.StatusOK, "Enter a reason of 1 to 2,000 characters; the agent receives it", form.Get("reason"), "data-open")
	ada.get(next).want(t, http.StatusOK).without(t, "Enter a reason")

	form.Set("reason", "no")
	if next := ada.postFromScript(path+"/decide", form).want(t, http.StatusNoContent).header.Get("Content-Location"); next != path {
		t.Errorf("a decision leads to %q", next)
	}
	if got := s.approval(a.ID); got.Status != approvals.Denied {
		t.Errorf("stored as %s", got.Status)
	}
	s.clock.pass(2 * time.Hour)
	bob.postFromScript(path+"/decide", form).want(t, http.StatusUnauthorized) // deciding is locked: the script asks for the password
}
