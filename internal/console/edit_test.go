package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
)

func letEdit(p *scoring.Policy) {
	p.EditBeforeApprove = scoring.PerLevel[bool]{Low: true, Medium: true, High: true, Critical: true}
	p.MinReviewSeconds = scoring.PerLevel[int]{}
}

func TestEditingArguments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	page := urls.Request("acme", a.ID)
	ada := s.signedIn("ada")
	ada.get(page).want(t, http.StatusOK).without(t, "Edit arguments")
	if got := ada.get(page + "/edit"); got.status != http.StatusSeeOther || got.location() != page {
		t.Errorf("where the policy does not allow it: %d %s", got.status, got.location())
	}
	ada.post(page+"/edit", url.Values{"arguments": {"{}"}, "digest": {a.ShownDigest}, "version": {"1"}}).want(t, http.StatusConflict, "The arguments can't be edited", "request changes instead")

	s.policy(letEdit)
	ada.get(page).want(t, http.StatusOK, `href="`+page+`/edit"`, "Edit arguments")
	form := ada.get(page+"/edit").want(t, http.StatusOK, "What happens when you save", "Zürich", "Back to the request").fields(t, "digest")
	if form.Get("digest") != a.ShownDigest || form.Get("version") != "1" || !strings.Contains(form.Get("arguments"), "\n  \"service\": \"checkout-api\"") {
		t.Fatalf("the form holds %v", form)
	}
	ada.post(page+"/edit", form).want(t, http.StatusUnprocessableEntity, "Nothing would change", `aria-invalid="true"`)
	for typed, says := range map[string]string{`{"service": oops}`: "strict JSON", `"text"`: "an object or an array", "  ": "write {} for none", `{"a":1,"a":2}`: "strict JSON"} {
		form.Set("arguments", typed)
		again := ada.post(page+"/edit", form).want(t, http.StatusUnprocessableEntity, says, `id="arguments-error"`)
		if kept := again.fields(t, "digest"); kept.Get("arguments") != typed || kept.Get("version") != "1" {
			t.Errorf("%q came back as %q", typed, kept.Get("arguments"))
		}
	}
	form.Set("version", "x")
	ada.post(page+"/edit", form).want(t, http.StatusUnprocessableEntity)
	form.Set("version", "1")
	form.Set("arguments", `{"service":"checkout-api","version":"4.18.1"}`)
	if done := ada.post(page+"/edit", form); done.status != http.StatusSeeOther || done.location() != page {
		t.Fatalf("saved: %d %s\n%s", done.status, done.location(), done.main())
	}

	read := ada.get(page).want(t, http.StatusOK, "Ada edited the arguments at", "Edited before approval", "Proposed by the agent", "4.18.1", "<del>", "4.18.2", "Proposed digest", a.Digest)
	read.without(t, "Stricter")
	// What was told before the edit was about another act than the request says now.
	s.signedIn("cleo").get("/t/acme/audit?show=any").want(t, http.StatusOK, "Edited the arguments of deploy_service", "Proposed deploy_service")
	// Somebody else who had the form open keeps what they typed, and is told.
	late := ada.post(page+"/edit", form).want(t, http.StatusConflict, "This request changed while you were reading").fields(t, "digest")
	if late.Get("version") != "2" || late.Get("digest") == a.ShownDigest || late.Get("arguments") != form.Get("arguments") {
		t.Errorf("after a change the form holds %v", late)
	}
	v := s.approval(a.ID)
	approve := read.fields(t, "verdict")
	if approve.Get("version") != strconv.FormatInt(v.Version, 10) || approve.Get("digest") != v.Digest {
		t.Fatalf("the page decides on %v", approve)
	}
	approve.Set("verdict", "approve")
	if done := ada.post(page+"/decide", approve); done.status != http.StatusSeeOther {
		t.Fatalf("approve: %d\n%s", done.status, done.main())
	}
	ada.get(page).want(t, http.StatusOK, "Edited by Ada", "Approved by Ada", "Effective: what the agent can run", "4.18.2").without(t, "Edit arguments")
	if now := s.approval(a.ID); now.Status != approvals.Approved || !strings.Contains(string(now.Effective()), "4.18.1") {
		t.Errorf("%s: %s", now.Status, now.Effective())
	}
}

// While questions are answered the arguments are out of sight, on this page too.
func TestNoEditWhileAnswering(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(letEdit)
	ada, a := s.signedIn("ada"), s.submit(high)
	page := urls.Request("acme", a.ID)
	ada.get(page+"/edit").want(t, http.StatusOK, "usr_123")
	ada.post(page+"/start", nil).want(t, http.StatusSeeOther)
	ada.get(page).want(t, http.StatusOK).without(t, "Edit arguments")
	const instead = "You&#39;re answering questions"
	ada.get(page+"/edit").want(t, http.StatusConflict, instead).without(t, "usr_123")
	form := url.Values{"arguments": {"{"}, "digest": {a.ShownDigest}, "version": {"1"}} // of a page that was open before
	ada.post(page+"/edit", form).want(t, http.StatusConflict, instead, "Nothing was changed").without(t, "usr_123", "Arguments, as JSON", "Edit arguments")
}

// Large arguments fit through the form of an edit, and through no other.
func TestLargeEdits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(letEdit)
	ada, a := s.signedIn("ada"), s.submit(medium)
	page := urls.Request("acme", a.ID)
	form := url.Values{"digest": {a.ShownDigest}, "version": {"1"}, "arguments": {`["` + strings.Repeat("é", 100_000) + `"]`}}
	if done := ada.post(page+"/edit", form); done.status != http.StatusSeeOther {
		t.Errorf("200 KB: %d\n%.300s", done.status, done.main())
	}
	form.Set("arguments", strings.Repeat(" ", maxEditForm))
	ada.post(page+"/edit", form).want(t, http.StatusUnprocessableEntity, "couldn't be read")
	ada.post(page+"/decide", url.Values{"verdict": {"deny"}, "reason": {strings.Repeat("x", edge.MaxForm)}}).want(t, http.StatusUnprocessableEntity, "couldn't be read")
}

// What is edited holds no character that deceives, and is the same JSON.
func TestEditableIsPlain(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{
		`{"a":"` + disguise + `","` + "x\u202e" + `":[1,2.5,null,true,{},[],"",{"b":["\u0000"]}],"z":"` + strings.Repeat(" ", 60) + `"}`,
		`{"name":"` + strings.Repeat("Ünï 文字 🗑 ", 50) + `","p` + "\u0430" + `y":1}`,
		`[]`,
	} {
		arguments = strings.ReplaceAll(arguments, `\u0000`, `\u001b\u0007`)
		tree, err := canon.Parse([]byte(arguments))
		must(t, err)
		text := editable(tree)
		for _, r := range text {
			if r != '\n' && hides(r) || r == '\u0430' {
				t.Errorf("%q is written as it is in %s", r, text)
			}
		}
		back, err := canon.Parse([]byte(text))
		if err != nil || string(back.Canonical()) != string(tree.Canonical()) {
			t.Errorf("%s\nis edited as\n%s\n%v", arguments, text, err)
		}
	}
	if got := editable(canon.Value{}); got != "{}" {
		t.Errorf("no arguments are edited as %q", got)
	}
}

// A hostile action is as harmless on its edit page and in its comparison as elsewhere.
func TestEditedHostileActions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.policy(letEdit)
	ada := s.signedIn("ada")
	a := s.submit(hostileAction(t, "delete_user", nil))
	page := urls.Request("acme", a.ID)
	undisguised(t, "the edit page", ada.get(page+"/edit").want(t, http.StatusOK, `TARGET\u202e\u2066\u200b`, `KEY\u202e`))
	form := ada.get(page+"/edit").fields(t, "digest")
	form.Set("arguments", `{"user_id":"usr_1"}`)
	if done := ada.post(page+"/edit", form); done.status != http.StatusSeeOther {
		t.Fatalf("saved: %d %s", done.status, done.main())
	}
	undisguised(t, "the edited request", ada.get(page), "TARGET", "VALUE", "KEY", "CODE")
}

func TestTheChainOfRevisions(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.signedIn("ada")
	first := s.submit(medium)
	page := urls.Request("acme", first.ID)
	ada.get(page).want(t, http.StatusOK).without(t, "Changes since the last request", "Superseded")
	if done := ada.post(page+"/decide", url.Values{"verdict": {"request_changes"}, "reason": {"Name <b>a</b> limit"}, "digest": {first.ShownDigest}, "version": {"1"}}); done.status != http.StatusSeeOther {
		t.Fatalf("%d %s", done.status, done.main())
	}
	ada.get(page).want(t, http.StatusOK, "requested changes").without(t, "Superseded")
	second := s.revise(strings.Replace(medium, `"version":"4.18.2"`, `"version":"4.18.3","limit":7`, 1), first.ID)
	ada.get(page).want(t, http.StatusOK, "Superseded by a revision", urls.Request("acme", second.ID), "changes requested by Ada", ", you're here", "waiting").without(t, "Changes since the last request")
	answer := ada.get(urls.Request("acme", second.ID)).want(t, http.StatusOK,
		"Changes since the last request", "Ada requested changes at", "Name &lt;b&gt;a&lt;/b&gt; limit", "2 differ", "New", "4.18.2", `href="`+page+`"`, "changes requested by Ada")
	answer.without(t, "Superseded", "Name <b>")
}

// revise hands an action in that answers a request for changes.
func (s *site) revise(body, before string) approvals.Approval {
	s.t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(s.t, err)
	action, err := scoring.NewAction(tree)
	must(s.t, err)
	a, _, err := s.approvals.Submit(s.t.Context(), s.agent, approvals.Submission{Action: action, Revises: before})
	must(s.t, err)
	return a
}
