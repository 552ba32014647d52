package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/notices"
)

const routingPage = "/t/acme/settings/notices/routing"

// plan makes a team of ada and bob, of whom ada is on call first, and a rule that calls who
// is on call and then bob.
func (s *site) plan(admin string) {
	s.t.Helper()
	ctx, m := s.t.Context(), s.member(admin)
	var err error
	s.team, err = s.notices.KeepTeam(ctx, m, 0, notices.Team{
		Name: "Payments", Members: []string{s.personID("ada"), s.personID("bob")},
		Rotation: &notices.Rotation{Hours: 24 * 300, Starts: s.clock.now().Format("2006-01-02"), At: "00:00", Zone: "UTC"},
	})
	must(s.t, err)
	s.rule, err = s.notices.KeepRule(ctx, m, 1, notices.Rule{Name: "Production", When: notices.When{Levels: []string{"HIGH", "CRITICAL"}}, Steps: []notices.Step{
		{Targets: []notices.Target{notices.To(notices.ToOnCall, s.team)}, Minutes: 7}, {Targets: []notices.Target{notices.To(notices.ToPerson, s.personID("bob"))}, Minutes: 3},
	}})
	must(s.t, err)
}

// ownChannel gives somebody a channel of their own.
func (s *site) ownChannel(name string) (id string) {
	s.t.Helper()
	id = auth.NewID("chn")
	must(s.t, s.store.Notices().Write(s.t.Context(), "acme", func(w notices.Writer) error {
		return w.KeepNoticeChannel(notices.SealedChannel{Channel: notices.Channel{
			ID: id, Kind: "email", Name: "Email", Person: s.personID(name), State: notices.Active, Tells: []notices.Kind{notices.Held, notices.Escalated},
			Settings: notices.Settings{Fields: map[string]string{"to": name + "@example.com"}},
		}}, 0)
	}))
	return id
}

// empty takes away what the helper of forms ticks: every box.
func empty(form url.Values) url.Values {
	for _, name := range []string{"levels", "agents", "when_days", "quiet_days", "step1", "step2", "step3"} {
		form.Del(name)
	}
	return form
}

// An admin makes a team and a rule in the browser, sees who is on call, moves and deletes
// them; somebody who only reads sees them and no forms.
func TestRoutingPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	adam.get(routingPage).want(t, http.StatusOK, "If no rule matches", "No teams yet")

	form := adam.get(routingPage+"/teams/new").want(t, http.StatusOK, "New team", "Give everyone in the team a number").form(t, `name="length"`)
	form.Set("name", "Payments")
	form.Set("place:"+s.personID("bob"), "1")
	form.Set("place:"+s.personID("ada"), "2")
	form.Set("length", "1")
	form.Set("unit", "days")
	form.Set("starts", s.clock.now().AddDate(0, 0, -2).Format("2006-01-02"))
	form.Set("at", "00:00")
	form.Set("zone", "Mars/Olympus")
	adam.post(routingPage+"/teams/new", form).want(t, http.StatusUnprocessableEntity, "isn&#39;t a time zone", `value="Payments"`, `id="zone-error"`)
	form.Set("zone", "UTC")
	team := adam.post(routingPage+"/teams/new", form).want(t, http.StatusSeeOther).location()
	adam.get(team).want(t, http.StatusOK, "On call now", "Until", "Take a day", "Delete the team")
	adam.get(routingPage).want(t, http.StatusOK, "Payments", "On call now", "<bdi>Bob (no channel yet)")

	form = adam.get(team).form(t, `name="day"`)
	form.Set("day", s.clock.now().Format("2006-01-02"))
	form.Set("person", s.personID("ada"))
	adam.post(team+"/day", form).want(t, http.StatusSeeOther)
	adam.get(routingPage).want(t, http.StatusOK, "<bdi>Ada")
	adam.post(team+"/day", form).want(t, http.StatusConflict, "Someone else changed the rules") // of a page that is old

	rule := empty(adam.get(routingPage+"/rules/new").want(t, http.StatusOK, "New rule", "Who is on call in Payments", "Everyone in Payments", "hasn&#39;t set up a channel yet").form(t, `name="step1"`))
	rule.Set("name", "Production")
	rule["levels"] = []string{"HIGH"}
	adam.post(routingPage+"/rules/new", rule).want(t, http.StatusUnprocessableEntity, "Choose who is called first", `value="Production"`, `value="HIGH" checked`)
	id := team[strings.LastIndex(team, "/")+1:]
	rule["step1"] = []string{"on-call:" + id}
	rule["step2"] = []string{"person:" + s.personID("bob")}
	rule.Set("wait1", "7")
	adam.post(routingPage+"/rules/new", rule).want(t, http.StatusSeeOther)
	rule = empty(adam.get(routingPage+"/rules/new").form(t, `name="step1"`))
	rule.Set("name", "Rest")
	rule["step1"] = []string{"team:" + id}
	adam.post(routingPage+"/rules/new", rule).want(t, http.StatusSeeOther)
	page := adam.get(routingPage).want(t, http.StatusOK, "Production", "HIGH", "who is on call in Payments; 7 minutes to claim or decide", "Every request", "everyone in Payments")
	if strings.Index(page.body, "Production") > strings.Index(page.body, ">Rest<") {
		t.Error("the rules are not in the order in which they were made")
	}
	adam.post(team+"/delete", page.form(t, "/delete")).want(t, http.StatusUnprocessableEntity, "calls this team; change the rule first")
	up := page.form(t, `value="up"`)
	rest := page.body[:strings.Index(page.body, `value="up"`)]
	rest = rest[strings.LastIndex(rest, `action="`)+len(`action="`):]
	adam.post(rest[:strings.Index(rest, `"`)], up).want(t, http.StatusSeeOther)
	page = adam.get(routingPage)
	if strings.Index(page.body, "Production") < strings.Index(page.body, ">Rest<") {
		t.Error("the rule did not move up")
	}

	cleo := s.signedIn("cleo")
	cleo.get(routingPage).want(t, http.StatusOK, "Production", "Payments").without(t, "Add a rule", "/delete")
	cleo.get(team).want(t, http.StatusOK, "On call now").without(t, `name="length"`)
	adam.get(routingPage+"/rules/rul_x").want(t, http.StatusNotFound)
	adam.get("/t/acme/audit").want(t, http.StatusOK, "Added the rule Production for notices", "Moved the rule Rest for notices", "Changed who takes a day on call in the team Payments")
}

// Who is suspended stays in the rules and teams that name them when somebody saves these.
func TestSuspendedPeopleStayInRules(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	s.plan("adam")
	must(t, s.tenants.Suspend(t.Context(), s.member("adam"), s.personID("bob"), "on leave"))
	rule, team := routingPage+"/rules/"+s.rule, routingPage+"/teams/"+s.team
	form := adam.get(rule).want(t, http.StatusOK, "Bob (suspended)").form(t, `name="step1"`)
	for _, name := range []string{"when_days", "agents", "levels"} { // the helper checks every box
		form.Del(name)
	}
	adam.post(rule, form).want(t, http.StatusSeeOther)
	form = adam.get(team).want(t, http.StatusOK, "Bob (suspended)").form(t, `name="length"`)
	adam.post(team, form).want(t, http.StatusSeeOther)
	r, err := s.notices.Routing(t.Context(), s.member("adam"))
	must(t, err)
	if bob := notices.To(notices.ToPerson, s.personID("bob")); !slices.Contains(r.Plan.Rules[0].Steps[1].Targets, bob) || len(r.Plan.Teams[0].Members) != 2 {
		t.Errorf("after saving, the plan is %+v", r.Plan)
	}
	adam.get(routingPage+"?"+url.Values{"level": {"HIGH"}}.Encode()).want(t, http.StatusOK, "is suspended")
}

// The preview says who would be called for a sample, and why not.
func TestRoutingPreview(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin)
	s.plan("adam")
	s.ownChannel("ada")
	try := func(level, at string) answer {
		return adam.get(routingPage + "?" + url.Values{"level": {level}, "function": {"deploy"}, "at": {at}}.Encode())
	}
	try("HIGH", "").want(t, http.StatusOK, "The rule Production decides.", "on call in Payments", "hasn&#39;t set up a channel yet", "no one was reached")
	try("MEDIUM", "").want(t, http.StatusOK, "No rule matches", "Production doesn't match: the level doesn't match")
	try("HIGH", "tomorrow").want(t, http.StatusOK, "This isn&#39;t a time", `value="tomorrow"`).without(t, "The rule Production decides.")
}

// Everyone sets when they are called themselves, and nobody for another.
func TestOwnNotices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.join("adam", auth.Admin)
	s.plan("adam")
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	id := s.ownChannel("ada")
	const page = "/t/acme/account/notices"
	ada.get("/account").want(t, http.StatusOK, `href="`+page+`"`)
	form := ada.get(page).want(t, http.StatusOK, "You&#39;re on call in Payments", "Send a test", "Quiet hours").form(t, `name="quiet_from"`)
	form = empty(form)
	form["levels"] = []string{"HIGH", "CRITICAL"}
	form.Set("quiet_from", "22:00")
	form.Set("quiet_zone", "Europe/Berlin")
	ada.post(page, form).want(t, http.StatusUnprocessableEntity, "nter when the hours end", `value="Europe/Berlin"`, `value="HIGH" checked`)
	form.Set("quiet_to", "07:00")
	ada.post(page, form).want(t, http.StatusSeeOther)
	ada.get(page).want(t, http.StatusOK, `value="22:00"`, `value="Europe/Berlin"`, `value="HIGH" checked`)
	ada.post(page, form).want(t, http.StatusConflict, "You changed this somewhere else")
	ada.post(page+"/"+id+"/test", nil).want(t, http.StatusSeeOther)
	ada.post(page+"/"+id+"/pause", nil).want(t, http.StatusSeeOther)
	ada.get(page).want(t, http.StatusOK, "paused", "Resume")
	for _, act := range []string{"test", "pause", "resume", "delete"} {
		bob.post(page+"/"+id+"/"+act, nil).want(t, http.StatusNotFound)
	}
	bob.get(page).want(t, http.StatusOK, "You have none").without(t, "Send a test")
	ada.post(page+"/"+id+"/delete", nil).want(t, http.StatusSeeOther)
	ada.get(page).want(t, http.StatusOK, "You have none")
}
