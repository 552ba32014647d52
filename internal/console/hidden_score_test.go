package console

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/request"
)

// While a quiz is being answered, nothing of the action is in any page about it.
func TestNothingIsVisibleDuringAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	// Another request of the same session that names the same user.
	other := s.submit(`{"function":"deploy_service","arguments":{"user_id":"usr_123","service":"mailer"},"docstring":"Deploys; careful.","environment":"production","session_id":"ses_2"}`)
	plainOne := s.submit(medium)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	b.get(path)
	start := b.post(path+"/start", nil).want(t, http.StatusSeeOther)

	secrets := []string{
		"usr_123", "dana@example.com", "48200", // and accounts, below: a word of the question
		"delete_user", "Permanently delete a user", "affects_production", // function, docstring, hints
		"0.735", "+0.", "0.73", // score and factors
		"Raw JSON", "class=\"facts\"", a.Assessment.Explanation,
	}
	question := b.get(start.location()).want(t, http.StatusOK, "Question 1 of 3", "Answer without looking", "sealed-"+a.ID)
	// The options are shown, of course; everything around them is searched.
	around, _, _ := strings.Cut(question.body, `<fieldset`)
	_, after, _ := strings.Cut(question.body, `</fieldset>`)
	outside := answer{question.status, question.header, around + after}
	outside.without(t, secrets...).without(t, "accounts", "production", `id="approval-`+a.ID, "Deploy")
	outside.want(t, http.StatusOK, "this request", "approval-"+plainOne.ID, "approval-"+other.ID).without(t, "data-approve", "Approve: ") // nothing to approve during the quiz
	for name, values := range question.header {
		for _, v := range values {
			for _, secret := range secrets {
				if strings.Contains(v, secret) {
					t.Errorf("header %s holds %q", name, secret)
				}
			}
		}
	}

	// The same on the list that the page asks for, on the queue, and in the resync.
	for _, from := range []string{"/t/acme/queue?open=" + a.ID, "/t/acme/queue", "/t/acme/queue/rows"} {
		page := b.get(from).want(t, http.StatusOK, "facts hidden", "The request whose questions you&#39;re answering", "Another request", "approval-"+other.ID).without(t, "dana@example.com", "usr_123", "Deploy")
		if strings.Contains(from, "open=") { // beside the questions: no push may reach the row
			page.want(t, http.StatusOK, "sealed-"+a.ID).without(t, `id="approval-`+a.ID)
		} else { // elsewhere a push opens it again
			page.want(t, http.StatusOK, `id="approval-`+a.ID)
		}
	}
	b.get("/t/acme/queue").want(t, http.StatusOK, "Back to the questions", `href="`+path+`"`)
	b.get("/t/acme/approvals/"+other.ID).want(t, http.StatusConflict, "You&#39;re answering questions", "Leave the questions").without(t, secrets...)
	// A refused answer shows nothing either.
	refused := b.post(path+"/answer", nil).want(t, http.StatusUnprocessableEntity)
	around, _, _ = strings.Cut(refused.body, `<fieldset`)
	answer{refused.status, nil, around}.without(t, secrets...)
	// For somebody else nothing is hidden.
	s.signedIn("bob").get("/t/acme/queue").want(t, http.StatusOK, ">usr_123<", "approval-"+a.ID)

	b.post(path+"/leave", nil).want(t, http.StatusSeeOther)
	b.get("/t/acme/queue").want(t, http.StatusOK).without(t, "Back to the questions")
	b.get(path).want(t, http.StatusOK, "usr_123", "Start questions").without(t, "0.735")
}

// While a quiz is open, the page says no digest, and there is neither a history nor a trail.
// Somebody else, and everybody afterwards, reads all of it.
func TestTheTrailTellsNothingDuringAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	must1(s.tenants.Grant(t.Context(), "acme", "ada@example.com", []auth.Role{auth.Operator, auth.Compliance}))
	before := s.submit(`{"function":"deploy_service","arguments":{"user_id":"usr_123","service":"mailer"},"docstring":"Deploys; careful.","environment":"production"}`)
	ada := s.signedIn("ada")
	ada.denies(before, "not usr_123 again")
	a := s.submit(high)
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK, a.ShownDigest)
	entry := "/t/acme/audit/" + s.indexOf(a.ID, audit.Submitted)
	ada.get("/t/acme/history").want(t, http.StatusOK, "usr_123")
	s.clock.pass(11 * time.Second)
	ada.post(path+"/start", nil).want(t, http.StatusSeeOther)
	digest := strings.TrimPrefix(a.ShownDigest, "sha256:")
	shown, rest, _ := strings.Cut(ada.get(path).want(t, http.StatusOK).body, `<fieldset`)
	_, behind, _ := strings.Cut(rest, `</fieldset>`)
	shown += behind
	if strings.Contains(shown, "usr_123") || strings.Contains(shown, digest) || strings.Contains(shown, digest[len(digest)-6:]) {
		t.Error("the page of the questions tells what may be asked")
	}
	for _, page := range []string{"/t/acme/history", "/t/acme/audit?show=any", entry, "/t/acme/audit/" + s.indexOf(a.ID, audit.ChallengeIssued), "/t/acme/audit?text=usr_123", "/t/acme/audit?text=" + digest} {
		ada.get(page).want(t, http.StatusConflict)
	}
	s.signedIn("cleo").get("/t/acme/history").want(t, http.StatusOK, "usr_123")
	ada.denies(a, "no")
	ada.get("/t/acme/history").want(t, http.StatusOK, "usr_123")
	ada.get(entry).want(t, http.StatusOK, digest)
}

// At HIGH the score, the factors and what was approved before are sealed until
// the quiz is passed, also for the first look.
func TestSealedBeforeTheQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.submit(high)
	a := s.submit(strings.ReplaceAll(high, "usr_123", "usr_124"))
	for _, f := range a.Assessment.FiveFactor.Factors {
		if f.Contribution > 0 {
			s.signedIn("ada").get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, "usr_124", "sealed").
				without(t, request.Score(f.Contribution), request.Score(a.Assessment.Score), "class=\"scorebar", "class=\"factors\"", "Last approved")
		}
	}
	if a.Status != approvals.Pending {
		t.Fatal(a.Status)
	}
}

// Where the score of a pending HIGH could be read by an operator who has not passed
// its quiz, and why it cannot. Whoever decides nothing reads all of it, and so does
// everybody after the end.
func TestTheScoreIsSealedEverywhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.submit(strings.ReplaceAll(high, "usr_123", "usr_122"))
	a := s.submit(high)
	secret := strconv.FormatFloat(a.Assessment.Score, 'g', 5, 64)
	entry := "/t/acme/audit/" + s.indexOf(a.ID, audit.Submitted)
	places := []struct{ path, why string }{
		{"/t/acme/queue", "a row has level, sentence and time only"},
		{"/t/acme/queue/rows", "the same row is what is pushed"},
		{"/t/acme/approvals/" + a.ID, "factors and score are sealed on the page"},
		{"/t/acme/history", "it lists what ended"},
		{"/t/acme/audit?show=any", "the sentence of a sealed entry has no score"},
		{"/t/acme/audit?text=delete_user", "nor when it is searched for by what is open"},
		{entry, "the entry withholds score, bytes and proof"},
	}
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	for _, p := range places {
		body := ada.get(p.path).want(t, http.StatusOK).body
		if holds(body, secret) || strings.Contains(body, a.Assessment.Explanation) {
			t.Errorf("%s tells the score: %s", p.path, p.why)
		}
	}
	ada.get("/t/acme/audit?text="+secret).want(t, http.StatusOK).without(t, entry) // a search does not find it by its score
	ada.get("/t/acme/audit?text=delete_user").want(t, http.StatusOK, entry)
	ada.get(entry).want(t, http.StatusOK, "Hidden from you").without(t, `id="bytes"`, "sha256sum")
	cleo.get(entry).want(t, http.StatusOK, secret, `id="bytes"`, "sha256sum").without(t, "Hidden from you")
	cleo.get("/t/acme/audit?text="+secret).want(t, http.StatusOK, entry)
	form := ada.get("/t/acme/approvals/"+a.ID).form(t, `value="deny"`)
	form.Set("reason", "no")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)
	ada.get(entry).want(t, http.StatusOK, secret, `id="bytes"`).without(t, "Hidden from you")
}

// Whoever decides and audits takes no score out in a file before the quiz, and gets it
// afterwards; somebody who decides nothing gets all of it at any time.
func TestTheScoreIsSealedInFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	must1(s.tenants.Grant(t.Context(), "acme", "ada@example.com", []auth.Role{auth.Operator, auth.Compliance}))
	before := s.submit(medium)
	a := s.submit(high)
	secret := strconv.FormatFloat(a.Assessment.Score, 'g', 5, 64)
	index := s.indexOf(a.ID, audit.Submitted)
	stored, err := s.store.Audit().Event(t.Context(), "acme", int64(must1(strconv.Atoi(index))))
	must(t, err)
	leaf := hex.EncodeToString(stored.Leaf)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	all, found := url.Values{}, url.Values{"text": {secret}}

	table := ada.post("/t/acme/audit.csv", all).want(t, http.StatusOK, `"`+index+`"`, a.ID, `"sealed"`).without(t, secret, a.Assessment.Explanation, leaf)
	if n := strings.Count(table.body, `"sealed"`); n != 1 {
		t.Errorf("%d rows are sealed, one request is", n)
	}
	ada.post("/t/acme/audit.csv", found).want(t, http.StatusOK).without(t, a.ID) // a search does not find it by its score
	told := len(s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}}))
	ada.post("/t/acme/audit.jsonl", url.Values{"kind": {"approval.submitted"}}).want(t, http.StatusConflict, "hidden from you", "entries before "+stored.Event.At.Format("2006-01-02 15:04 UTC")).without(t, secret)
	if n := len(s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}})); n != told {
		t.Error("a refused export is told as one")
	}
	lines := ada.post("/t/acme/audit.jsonl", all).want(t, http.StatusOK, before.ID).without(t, secret, a.ID, leaf)
	if r, err := audit.VerifyExport(strings.NewReader(lines.body)); err != nil || !r.OK || strconv.FormatInt(r.Size, 10) != index {
		t.Errorf("the lines before entry %s: %+v, %v", index, r, err)
	}
	ada.post("/t/acme/audit.jsonl", url.Values{"approval": {before.ID}}).want(t, http.StatusOK, before.ID)
	cleo.post("/t/acme/audit.csv", all).want(t, http.StatusOK, secret, leaf).without(t, `"sealed"`)
	cleo.post("/t/acme/audit.jsonl", all).want(t, http.StatusOK, secret)

	form := ada.get("/t/acme/approvals/"+a.ID).form(t, `value="deny"`)
	form.Set("reason", "no")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)
	ada.post("/t/acme/audit.csv", all).want(t, http.StatusOK, secret, leaf).without(t, `"sealed"`)
	ada.post("/t/acme/audit.jsonl", all).want(t, http.StatusOK, secret)
}

// indexOf is the entry of a kind about an approval.
func (s *site) indexOf(id string, kind audit.Kind) string {
	s.t.Helper()
	page, err := s.store.Audit().Search(s.t.Context(), "acme", audit.Query{Edge: -1, Limit: 10, Filter: audit.Filter{Approval: id, Kinds: []audit.Kind{kind}}})
	must(s.t, err)
	return strconv.FormatInt(page.Records[0].Event.Index, 10)
}
