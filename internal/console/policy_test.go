package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/policyui/policytest"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
)

func TestThePolicyPagePostsBackWhatItShows(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	for i, p := range []scoring.Policy{s.policyNow().Policy, policytest.OddPolicy()} {
		if i > 0 {
			_, err := s.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: s.policyNow().Version, Policy: p, Reason: "odd"})
			must(t, err)
		}
		want := 2
		for _, text := range policyui.DraftOf(texts.Printer{}, p) {
			if text != "false" { // a box that is not ticked is not sent
				want++
			}
		}
		if n := len(adam.edited()); n != want {
			t.Errorf("the form sends %d fields, want every setting, base and reason", n)
		}
		adam.post(policyPath+"/preview", adam.edited()).want(t, http.StatusOK, "No changes: the draft is the same as", "Keep editing").without(t, "Save as", "Replay")
	}
	adam.get("/t/acme/queue").want(t, http.StatusOK, `href="`+policyPath+`"`)
	if got := adam.get("/t/acme/settings"); got.status != http.StatusSeeOther || got.location() != policyPath {
		t.Errorf("settings lead to %d %s", got.status, got.location())
	}
}

func TestTighteningIsSavedAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	for range 3 {
		s.submit(medium)
	}
	form := adam.edited("challenges.medium", "quiz", policyui.FieldReason, "too\nfast <b>")
	page := adam.post(policyPath+"/preview", form).want(t, http.StatusOK, "Challenge at MEDIUM", "Confirm", "Quiz", "stricter", "of the last 3 actions", "Save as version 2")
	page.without(t, "Second admin", `id="typed"`, "<b>")
	if s.policyNow().Version != 1 {
		t.Fatal("a preview saved something")
	}
	form = page.fields(t, policyui.FieldBase)
	if form.Get(policyui.FieldReason) != "too\nfast <b>" {
		t.Errorf("the reason became %q", form.Get(policyui.FieldReason))
	}
	form.Set(policyui.FieldReason, "")
	adam.post(policyPath, form).want(t, http.StatusUnprocessableEntity, `href="#reason"`, `aria-invalid="true"`, "Save as version 2")
	form.Set(policyui.FieldReason, "too fast")
	saved := adam.post(policyPath, form)
	if saved.status != http.StatusSeeOther || saved.location() != policyPath+"/versions/2" {
		t.Fatalf("saved: %d %s\n%s", saved.status, saved.location(), saved.main())
	}
	adam.get(saved.location()).want(t, http.StatusOK, "Policy, version 2", "In force since", "too fast", "Adam", "Challenge at MEDIUM", "quiz").without(t, "One person alone")
	adam.get(policyPath+"/versions/1").want(t, http.StatusOK, "No longer in force", "The default policy every organisation starts with", `rel="prev"`)
	adam.get(policyPath).want(t, http.StatusOK, "Version 2, in force since", "too fast")
	if a := s.submit(medium); a.Treatment.Challenge != scoring.ChallengeQuiz {
		t.Errorf("the next action is asked %s", a.Treatment.Challenge)
	}
}

// A change that takes effect by itself says when, with a countdown, and is accepted or
// objected to where it stands in the list.
func TestWaitingPolicies(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, amy := s.join("adam", auth.Admin), s.join("amy", auth.Admin)
	propose := func(to string) string {
		form := adam.post(policyPath+"/preview", adam.edited("thresholds.high", to, policyui.FieldReason, "quieter")).fields(t, policyui.FieldBase)
		return adam.post(policyPath, form).location()
	}
	const list = "/t/acme/settings/waiting"
	first := propose("0.65")
	amy.get(list).want(t, http.StatusOK, "24 hours, starting when one of them opens it", `action="`+first+`/accept"`, `action="`+first+`/reject"`, ">Object<", "/thresholds/high").without(t, "data-expires")
	adam.get(list).without(t, `action="`+first+`/accept"`, `action="`+first+`/reject"`)
	amy.get(first).want(t, http.StatusOK, "or automatically when its waiting time has passed").without(t, "Nothing changes until")
	s.clock.pass(time.Hour)
	amy.get(list).want(t, http.StatusOK, "it takes effect automatically at", "data-expires", "23:00:00")
	amy.post(first+"/reject", url.Values{policyui.FieldReason: {"too loose"}}).want(t, http.StatusSeeOther)
	second := propose("0.62")
	form := amy.get(list).want(t, http.StatusOK).form(t, second+"/accept")
	form.Set(policyui.FieldRead, "1")
	amy.post(second+"/accept", form).want(t, http.StatusSeeOther)
	if got := s.policyNow(); got.Version != 2 {
		t.Errorf("version %d is in force", got.Version)
	}
}

func TestLooseningNeedsASecondAdmin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, amy := s.join("adam", auth.Admin), s.join("amy", auth.Admin)
	form := adam.edited("thresholds.high", "0.65", policyui.FieldReason, "quieter")
	page := adam.post(policyPath+"/preview", form).want(t, http.StatusOK, "a second admin must agree", "Amy", "Send to a second admin", "weaker",
		"Takes effect when Amy accepts it, or automatically 24 hours after another admin opens it").without(t, "Nothing changes until").without(t, "Save as version", `id="typed"`)
	sent := adam.post(policyPath, page.fields(t, policyui.FieldBase))
	if sent.status != http.StatusSeeOther || !strings.HasPrefix(sent.location(), policyPath+"/proposals/ppl_") || s.policyNow().Version != 1 {
		t.Fatalf("sent: %d %s, and version %d is in force", sent.status, sent.location(), s.policyNow().Version)
	}
	proposal := sent.location()
	adam.get(proposal).want(t, http.StatusOK, "You can't accept your own proposal. Amy can.", "Withdraw").without(t, "Accept as", ">Reject<")
	adam.post(proposal+"/accept", url.Values{policyui.FieldRead: {"1"}}).want(t, http.StatusForbidden, "Nothing changed")
	amy.get(policyPath).want(t, http.StatusOK, `href="`+proposal+`"`, "1 weaker")
	amy.get(proposal).want(t, http.StatusOK, "HIGH from", "Accept as version 2", "Reject", "I've read the 1 setting that would become weaker").without(t, "Withdraw")
	amy.post(proposal+"/accept", nil).want(t, http.StatusUnprocessableEntity, `href="#read"`)
	amy.post(proposal+"/reject", url.Values{policyui.FieldReason: {" "}}).want(t, http.StatusUnprocessableEntity, `href="#reason"`)
	if s.policyNow().Version != 1 {
		t.Fatal("accepted without having read")
	}
	accepted := amy.post(proposal+"/accept", url.Values{policyui.FieldRead: {"1"}})
	if accepted.status != http.StatusSeeOther || accepted.location() != policyPath+"/versions/2" {
		t.Fatalf("accepted: %d %s\n%s", accepted.status, accepted.location(), accepted.main())
	}
	amy.get(accepted.location()).want(t, http.StatusOK, "Accepted by", "Amy", "Adam", "quieter")
	adam.get(proposal).want(t, http.StatusOK, "Accepted by Amy", "version 2", "It has ended and can't change").without(t, "Withdraw", "Accept as")
	adam.post(proposal+"/withdraw", nil).want(t, http.StatusConflict)
	amy.get(policyPath).want(t, http.StatusOK, "Nothing to review")
}

// A box that a browser leaves out is a no, and ticking one weakens.
func TestLettingOperatorsEditIsWeaker(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, _ := s.join("adam", auth.Admin), s.join("amy", auth.Admin)
	form := adam.edited("expiry_seconds_by_level.critical", "120", policyui.FieldReason, "less waiting")
	form.Set("edit_before_approve.high", "true")
	page := adam.post(policyPath+"/preview", form).want(t, http.StatusOK, "Operators can edit before approving at HIGH", "Expires after at CRITICAL", "120 seconds", "1 weaker", "a second admin must agree")
	back := page.fields(t, policyui.FieldBase)
	if back.Get("edit_before_approve.high") != "true" || back.Get("edit_before_approve.low") != "false" {
		t.Errorf("the preview carries %q and %q", back["edit_before_approve.high"], back["edit_before_approve.low"])
	}
	form.Set("edit_before_approve.high", "on")
	adam.post(policyPath+"/preview", form).want(t, http.StatusUnprocessableEntity, "a box that is checked or not")
}

func TestProposalsAreRejectedAndWithdrawn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, ada := s.join("adam", auth.Admin), s.signedIn("ada")
	propose := func() string {
		ada.post(policyPath+"/preview", ada.edited("grant_seconds", "600")).want(t, http.StatusOK, "Propose", "An admin can change it: Adam").without(t, "Save as", "Send to a second")
		sent := ada.saved("grant_seconds", "600", policyui.FieldReason, "slow agents")
		if sent.status != http.StatusSeeOther {
			t.Fatalf("proposed: %d\n%s", sent.status, sent.main())
		}
		return sent.location()
	}
	first := propose()
	ada.get(first).want(t, http.StatusOK, "Withdraw", "An admin can accept or reject it: Adam").without(t, "Accept as", ">Reject<")
	ada.post(first+"/accept", url.Values{policyui.FieldRead: {"1"}}).want(t, http.StatusForbidden)
	ada.post(first+"/reject", url.Values{policyui.FieldReason: {"x"}}).want(t, http.StatusForbidden)
	long := strings.Repeat("é", 2001)
	adam.post(first+"/reject", url.Values{policyui.FieldReason: {long}}).want(t, http.StatusUnprocessableEntity, "nter a reason of 1 to 2,000 characters", long)
	tooLong := ada.saved("grant_seconds", "600", policyui.FieldReason, long)
	tooLong.want(t, http.StatusUnprocessableEntity, "nter a reason of 1 to 2,000 characters", long)
	if got := adam.post(first+"/reject", url.Values{policyui.FieldReason: {"use <two> grants"}}); got.status != http.StatusSeeOther {
		t.Fatalf("rejected: %d\n%s", got.status, got.main())
	}
	ada.get(first).want(t, http.StatusOK, "Rejected by Adam", "use &lt;two&gt; grants").without(t, "Withdraw")
	second := propose()
	s.signedIn("bob").post(second+"/withdraw", nil).want(t, http.StatusForbidden)
	if got := ada.post(second+"/withdraw", nil); got.status != http.StatusSeeOther {
		t.Fatalf("withdrawn: %d\n%s", got.status, got.main())
	}
	adam.get(second).want(t, http.StatusOK, "Withdrawn by Ada").without(t, "Accept as", ">Reject<")
	if s.policyNow().Version != 1 {
		t.Error("a proposal that ended changed the policy")
	}
}

// Somebody else was first: a proposal cannot be accepted as it stands, and opens
// as a draft on the newer version.
func TestAStaleProposalOpensAsADraft(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, ada := s.join("adam", auth.Admin), s.signedIn("ada")
	proposal := ada.saved("grant_seconds", "60", "expiry_seconds", "60", policyui.FieldReason, "shorter").location()
	adam.saved("min_review_seconds.high", "20", "expiry_seconds", "120", policyui.FieldReason, "slower")
	page := adam.get(proposal).want(t, http.StatusOK, "is now in force, so no one can accept it as is", "Open as a draft on version 2", "Requests expire after").without(t, "Accept as")
	adam.post(proposal+"/accept", nil).want(t, http.StatusConflict)
	form := page.fields(t, "grant_seconds")
	form.Set("edit", "1")
	d := adam.post(policyPath+"/preview", form).want(t, http.StatusOK).fields(t, "grant_seconds")
	for name, want := range map[string]string{"grant_seconds": "60", "expiry_seconds": "60", "min_review_seconds.high": "20", policyui.FieldBase: "2", policyui.FieldReason: "shorter"} {
		if d.Get(name) != want {
			t.Errorf("%s is %q in the draft, want %q", name, d.Get(name), want)
		}
	}
}

func TestTheOnlyAdminTypesTheName(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	page := adam.post(policyPath+"/preview", adam.edited("challenges.high", "confirm", policyui.FieldReason, "alone")).want(t, http.StatusOK, "This weakens the policy, and you're the only admin", `id="typed"`, "Save as version 2")
	form := page.fields(t, "typed")
	for _, typed := range []string{"", "Acme", "rival", "acme2"} {
		form.Set("typed", typed)
		adam.post(policyPath, form).want(t, http.StatusUnprocessableEntity, `href="#typed"`, `value="`+typed+`"`)
	}
	if s.policyNow().Version != 1 {
		t.Fatal("saved without the name")
	}
	form.Set("typed", "acme")
	if got := adam.post(policyPath, form); got.location() != policyPath+"/versions/2" {
		t.Fatalf("saved: %d %s\n%s", got.status, got.location(), got.main())
	}
	adam.get(policyPath+"/versions/2").want(t, http.StatusOK, "One person alone")
	adam.get(policyPath+"/versions").want(t, http.StatusOK, "single person", "in force")
}

// Two at once: the second is told what the first changed, and loses nothing.
func TestADraftOfAnOldVersion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, amy := s.join("adam", auth.Admin), s.join("amy", auth.Admin)
	draft := adam.edited("grant_seconds", "120", "expiry_seconds", "300", policyui.FieldReason, "mine")
	ready := adam.post(policyPath+"/preview", draft).want(t, http.StatusOK).fields(t, policyui.FieldBase)
	if got := amy.saved("min_review_seconds.high", "20", "expiry_seconds", "600", policyui.FieldReason, "hers"); got.status != http.StatusSeeOther {
		t.Fatalf("saved: %d\n%s", got.status, got.main())
	}
	for path, form := range map[string]url.Values{policyPath + "/preview": draft, policyPath: ready} {
		page := adam.post(path, form).want(t, http.StatusConflict, "The policy has changed", "What changed meanwhile", "Minimum review time at HIGH", "“hers”", "You both changed Requests expire after")
		kept := page.fields(t, "grant_seconds")
		for name, want := range map[string]string{"grant_seconds": "120", "expiry_seconds": "300", "min_review_seconds.high": "20", policyui.FieldBase: "2", policyui.FieldReason: "mine"} {
			if kept.Get(name) != want {
				t.Errorf("%s: %s is %q, want %q", path, name, kept.Get(name), want)
			}
		}
	}
	if s.policyNow().Version != 2 {
		t.Error("a draft of an old version was saved")
	}
}

func TestWrongSettingsAreSaidAtTheirFields(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	form := adam.edited("thresholds.high", "1e999", "expiry_seconds", "0", "weights.hints", "", "grant_seconds", `"><script>`, policyui.FieldReason, "keep me")
	form.Del("challenges.low") // no radio is chosen
	for _, path := range []string{policyPath + "/preview", policyPath} {
		page := adam.post(path, form).want(t, http.StatusUnprocessableEntity, "Fix 5 problems", `href="#thresholds.high"`, `href="#expiry_seconds"`, `href="#weights.hints"`, `href="#grant_seconds"`, `href="#challenges.low"`, "keep me", `value="1e999"`)
		page.without(t, "><script>")
		if got := page.fields(t, "grant_seconds").Get("grant_seconds"); got != `"><script>` {
			t.Errorf("what was typed became %q", got)
		}
	}
	if s.policyNow().Version != 1 {
		t.Error("saved")
	}
}

// What no page of ours sends is refused, and changes nothing.
func TestHostilePolicyForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	for name, change := range map[string]func(url.Values){
		"a field of another page": func(v url.Values) { v.Set("verdict", "approve") },
		"a setting without field": func(v url.Values) { v.Set("rules.extended", "false") },
		"a field twice":           func(v url.Values) { v.Add("expiry_seconds", "60") },
		"no base":                 func(v url.Values) { v.Del(policyui.FieldBase) },
		"a base that is none":     func(v url.Values) { v.Set(policyui.FieldBase, "99") },
		"an empty form":           func(v url.Values) { clear(v) },
		"an unknown preset":       func(v url.Values) { v.Set("preset", "approve_all") },
		"the preset custom":       func(v url.Values) { v.Set("preset", scoring.PresetCustom) },
	} {
		form := adam.edited("expiry_seconds", "60", policyui.FieldReason, "x")
		change(form)
		adam.post(policyPath+"/preview", form).want(t, http.StatusUnprocessableEntity)
		if strings.Contains(name, "preset") {
			continue // a preset is nothing that saves
		}
		if got := adam.post(policyPath, form); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	if s.policyNow().Version != 1 {
		t.Error("saved")
	}
}

func TestPresetsWithoutScript(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	form := adam.edited("expiry_seconds", "oops", policyui.FieldReason, "still here")
	form.Set("preset", scoring.PresetDenyAll)
	got := adam.post(policyPath+"/preview", form).want(t, http.StatusOK, `value="deny_all"`, `aria-pressed="true">Deny all`).fields(t, "expiry_seconds")
	for name, want := range map[string]string{"challenges.low": "deny", "challenges.critical": "deny", "expiry_seconds": "oops", policyui.FieldReason: "still here"} {
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
}

func TestReadersOfThePolicy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	proposal := s.signedIn("ada").saved("grant_seconds", "60", policyui.FieldReason, "shorter").location()
	cleo := s.signedIn("cleo")
	for _, path := range []string{policyPath, proposal} {
		page := cleo.get(path).want(t, http.StatusOK, "Adam")
		if main := page.body[strings.Index(page.body, "<main"):strings.Index(page.body, "</main>")]; strings.Contains(main, "<form") || strings.Contains(main, "<input") || strings.Contains(main, "<button") {
			t.Errorf("%s: somebody who only reads has a control", path)
		}
	}
	cleo.get(policyPath).want(t, http.StatusOK, "900", "seconds", "Typed target", "Highest")
	form := adam.edited("expiry_seconds", "60", policyui.FieldReason, "x")
	cleo.post(policyPath, form).want(t, http.StatusForbidden)
	cleo.post(policyPath+"/preview", form).want(t, http.StatusForbidden)
}

func TestThePolicyAsAFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	cleo := s.signedIn("cleo")
	_, err := s.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: s.policyNow().Version, Policy: policytest.OddPolicy(), Reason: "odd"})
	must(t, err)
	file := cleo.get(policyPath+".yaml").want(t, http.StatusOK, "delete_*")
	if got := file.header.Get("Content-Disposition"); got != `attachment; filename="acme-policy-2.yaml"` {
		t.Errorf("Content-Disposition %q", got)
	}
	p, err := scoring.ReadPolicy([]byte(file.body))
	must(t, err)
	if changes := policytest.OddPolicy().Differences(p); len(changes) > 0 {
		t.Errorf("the file says otherwise: %v", changes)
	}
	if schema := cleo.get(policyPath+".schema.json").want(t, http.StatusOK); !json.Valid([]byte(schema.body)) || !strings.HasPrefix(schema.header.Get("Content-Type"), "application/schema+json") {
		t.Errorf("the schema: %.200s", schema.body)
	}
	cleo.get(policyPath).want(t, http.StatusOK, "command line", "1 known", `href="/t/acme/settings/rules"`)
}

func TestVersionsOfThePolicyAreListed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.policyNow().Policy
	for range 50 + 4 {
		p.ExpirySeconds++
		_, err := s.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: s.policyNow().Version, Policy: p, Reason: "longer"})
		must(t, err)
	}
	cleo := s.signedIn("cleo")
	cleo.get(policyPath).want(t, http.StatusOK, "Version 55, command line", "Version 50", "All versions").without(t, "Version 49")
	first := cleo.get(policyPath+"/versions").want(t, http.StatusOK, "in force", "/versions/55", "/versions/6").without(t, `/versions/5"`)
	second := cleo.get(olderPage(first)).want(t, http.StatusOK, `/versions/5"`, "the defaults", `rel="prev"`).without(t, "/versions/6\"", `rel="next"`)
	_ = second
	cleo.get(policyPath+"/versions?before=1").want(t, http.StatusOK, "No earlier versions")
	for _, before := range []string{"0", "-1", "x", "1.5", "99999999999999999999"} {
		cleo.get(policyPath+"/versions?before="+before).want(t, http.StatusUnprocessableEntity)
	}
	for _, path := range []string{"/versions/0", "/versions/56", "/versions/x", "/versions/99999999999999999999", "/proposals/x", "/proposals/ppl_" + strings.Repeat("0", 32), "/proposals/%00"} {
		cleo.get(policyPath+path).want(t, http.StatusNotFound)
	}
}

// A session that was idle for long reads, and changes nothing; what was typed
// stays.
func TestALockedSessionChangesNoPolicy(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, ada := s.join("adam", auth.Admin), s.signedIn("ada")
	proposal := ada.saved("grant_seconds", "60", policyui.FieldReason, "shorter").location()
	form := adam.post(policyPath+"/preview", adam.edited("expiry_seconds", "60", policyui.FieldReason, "kept")).fields(t, policyui.FieldBase)
	s.clock.pass(61 * time.Minute)
	page := adam.post(policyPath, form).want(t, http.StatusUnauthorized, "Nothing was saved", "sign in and try again")
	if got := page.fields(t, policyui.FieldBase).Get(policyui.FieldReason); got != "kept" {
		t.Errorf("the reason became %q", got)
	}
	for _, act := range []string{"/accept", "/reject", "/withdraw"} {
		who := adam
		if act == "/withdraw" {
			who = ada
		}
		who.post(proposal+act, url.Values{policyui.FieldReason: {"x"}, policyui.FieldRead: {"1"}}).want(t, http.StatusUnauthorized)
	}
	if p, err := s.tenants.Proposal(t.Context(), s.member("cleo"), proposal[strings.LastIndexByte(proposal, '/')+1:]); err != nil || p.State != tenants.ProposalOpen || s.policyNow().Version != 1 {
		t.Errorf("version %d, proposal %s, %v", s.policyNow().Version, p.State, err)
	}
}

func TestPolicyFormsFromElsewhere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	form := adam.edited("expiry_seconds", "60", policyui.FieldReason, "x")
	for _, path := range []string{policyPath, policyPath + "/preview", policyPath + "/proposals/ppl_" + strings.Repeat("0", 32) + "/accept"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(form.Encode()))
		must(t, err)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "https://evil.example")
		adam.do(r).want(t, http.StatusForbidden, "another site")
	}
	if s.policyNow().Version != 1 {
		t.Error("a form of another site saved")
	}
}

// The replay lists what was refused and would pass, with the way to it.
func TestTheReplayNamesWhatWasRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	a := s.submit(medium)
	ada := s.signedIn("ada")
	page := ada.get("/t/acme/approvals/" + a.ID)
	deny := page.form(t, `value="deny"`)
	deny.Set("verdict", "deny")
	deny.Set("reason", "not now")
	if got := ada.post("/t/acme/approvals/"+a.ID+"/decide", deny); got.status != http.StatusSeeOther {
		t.Fatalf("denied: %d\n%s", got.status, got.main())
	}
	adam.post(policyPath+"/preview", adam.edited("challenges.medium", "none")).want(t, http.StatusOK,
		"1 refused action would now pass", "/t/acme/approvals/"+a.ID, "checkout-api", "denied", "by Ada", "1 stays")
	adam.post(policyPath+"/preview", adam.edited("challenges.medium", "quiz")).want(t, http.StatusOK).without(t, "/t/acme/approvals/"+a.ID)
	adam.post(policyPath+"/preview", adam.edited("thresholds.medium", strconv.FormatFloat(a.Assessment.Score+0.01, 'f', -1, 64))).want(t, http.StatusOK, "of the last 1 action ")
}
