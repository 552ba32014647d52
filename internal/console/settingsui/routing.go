package settingsui

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// Whom an organisation calls: rules, teams, who is on call.

const (
	routingPath = "/t/:tenant/settings/notices/routing"
	rulePath    = routingPath + "/rules/:rule"
	teamPath    = routingPath + "/teams/:team"
	newID       = "new" // in place of an id: one that is not there yet
)

// planVersion is the version of the plan that a form was made of.
func planVersion(c edge.Call) int64 {
	v, _ := strconv.ParseInt(c.Field("version"), 10, 64) // without one nobody saw any
	return v
}

// refused shows a page again with what was wrong.
func refused(c edge.Call, err error, again func(status int, f *fault.Error) error) error {
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Kind() == fault.NotFound {
		return err
	}
	edge.NoteRefusal(c, f)
	return again(httpserver.Status(f.Code), f)
}

// routingPage lists the rules and teams; with a level in the address it says who would be
// called.
func (s *Pages) routingPage(c edge.Call) error { return s.showRouting(c, http.StatusOK, nil) }

func (s *Pages) showRouting(c edge.Call, status int, f *fault.Error) error {
	r, err := s.Notices.Routing(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	page := routingOf(c.Say, c.Member, r, f)
	page.Preview = routingPreviewOf(c.Say, c.Member, r, readSample(c, r))
	return edge.Show(c, status, settings.RoutingPage(s.Page(c, c.Say.Say("Routing"), views.PlaceSettings), page))
}

// madeUp is a request that somebody made up.
type madeUp struct {
	asked notices.Asked
	at    time.Time
	typed string // the time as it was typed
	wrong bool   // the time is none
	given bool
}

// sampleTime is how the time of a sample is typed; it is UTC.
const sampleTime = "2006-01-02 15:04"

func readSample(c edge.Call, r notices.Routing) madeUp {
	s := madeUp{asked: notices.Asked{Level: present.Trim(c.QueryParam("level"), 20), Agent: present.Trim(c.QueryParam("agent"), 60), Function: present.Trim(c.QueryParam("function"), 256), Environment: present.Trim(c.QueryParam("environment"), 256)}, typed: present.Trim(c.QueryParam("at"), 40), at: r.Now}
	s.given = slices.Contains(notices.Levels(), s.asked.Level)
	if s.typed != "" {
		at, err := time.Parse(sampleTime, strings.Replace(s.typed, "T", " ", 1))
		s.at, s.wrong = at, err != nil
	}
	return s
}

// ruleForm is what was typed about a rule, and what was wrong with it.
type ruleForm struct {
	rule  notices.Rule
	fault *fault.Error
}

// names are the parts of a text between commas and lines.
func splitNames(text string) (all []string) {
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// readHours reads the fields of hours that begin with this.
func readHours(c edge.Call, at string) notices.Hours {
	h := notices.Hours{From: strings.TrimSpace(c.Field(at + "from")), To: strings.TrimSpace(c.Field(at + "to")), Zone: strings.TrimSpace(c.Field(at + "zone"))}
	for _, text := range c.Request().PostForm[at+"days"] {
		if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < 7 {
			h.Days = append(h.Days, time.Weekday(n))
		}
	}
	if !h.Set() {
		h.Zone = ""
	}
	return h
}

// readRule reads a rule. Steps in which nothing was chosen are left out at the end.
func readRule(c edge.Call) notices.Rule {
	form := c.Request().PostForm
	r := notices.Rule{Name: c.Field("name"), When: notices.When{
		Levels: form["levels"], Agents: form["agents"], Functions: splitNames(c.Field("functions")), Environments: splitNames(c.Field("environments")), Hours: readHours(c, "when_"),
	}}
	for i := 1; i <= notices.MaxSteps; i++ {
		n := strconv.Itoa(i)
		step := notices.Step{}
		for _, t := range form["step"+n] {
			step.Targets = append(step.Targets, notices.Target(t))
		}
		step.Minutes, _ = strconv.Atoi(strings.TrimSpace(c.Field("wait" + n))) // what is no number is refused as 0
		r.Steps = append(r.Steps, step)
	}
	for len(r.Steps) > 0 && len(r.Steps[len(r.Steps)-1].Targets) == 0 {
		r.Steps = r.Steps[:len(r.Steps)-1]
	}
	return r
}

// rulePage is one rule, or the form of a new one.
func (s *Pages) rulePage(c edge.Call) error { return s.showRule(c, http.StatusOK, nil) }

func (s *Pages) showRule(c edge.Call, status int, typed *ruleForm) error {
	r, err := s.Notices.Routing(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	id := c.Param("rule")
	var rule notices.Rule
	at := slices.IndexFunc(r.Plan.Rules, func(o notices.Rule) bool { return o.ID == id })
	switch {
	case at >= 0:
		rule = r.Plan.Rules[at]
	case id != newID:
		return fault.New(fault.Missing, "there is no rule with this id in this organisation")
	}
	page := ruleOf(c.Say, c.Member, r, rule, typed)
	return edge.Show(c, status, settings.SectionFormPage(s.Page(c, page.Title, views.PlaceSettings), page))
}

func (s *Pages) saveRule(c edge.Call) error {
	typed := ruleForm{rule: readRule(c)}
	if id := c.Param("rule"); id != newID {
		typed.rule.ID = id
	}
	err := c.Awake()
	if err == nil {
		_, err = s.Notices.KeepRule(c.Request().Context(), c.Member, planVersion(c), typed.rule)
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error {
			typed.fault = f
			return s.showRule(c, status, &typed)
		})
	}
	s.Did(c, edge.DeedSaved)
	return edge.GoTo(c, urls.Routing(c.Member.Tenant))
}

// routed is an act on the plan that leads back to the list.
func (s *Pages) routed(c edge.Call, what edge.Deed, act func() error) error {
	err := c.Awake()
	if err == nil {
		err = act()
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error { return s.showRouting(c, status, f) })
	}
	s.Did(c, what)
	return edge.GoTo(c, urls.Routing(c.Member.Tenant))
}

func (s *Pages) moveRule(c edge.Call) error {
	return s.routed(c, "", func() error {
		return s.Notices.MoveRule(c.Request().Context(), c.Member, planVersion(c), c.Param("rule"), c.Field("to") == "up")
	})
}

func (s *Pages) removeRule(c edge.Call) error {
	return s.routed(c, edge.DeedRemoved, func() error {
		return s.Notices.RemoveRule(c.Request().Context(), c.Member, planVersion(c), c.Param("rule"))
	})
}

// teamForm is what was typed about a team.
type teamForm struct {
	team   notices.Team
	places map[string]string // by person
	every  string
	unit   string
	fault  *fault.Error
}

const (
	unitHours   = "hours"
	unitDays    = "days"
	placePrefix = "place:" // begins the name of a field
)

// readTeam reads a team. Whoever has a place is a member, the lowest first.
func readTeam(c edge.Call) teamForm {
	f := teamForm{team: notices.Team{Name: c.Field("name")}, places: map[string]string{}, every: strings.TrimSpace(c.Field("length")), unit: c.Field("unit")}
	type placed struct {
		person string
		at     int
	}
	var all []placed
	for name := range c.Request().PostForm {
		person, ok := strings.CutPrefix(name, placePrefix)
		if text := strings.TrimSpace(c.Field(name)); ok && text != "" {
			f.places[person] = text
			at, _ := strconv.Atoi(text) // what is no number comes first
			all = append(all, placed{person, at})
		}
	}
	slices.SortFunc(all, func(a, b placed) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return strings.Compare(a.person, b.person)
	})
	for _, p := range all {
		f.team.Members = append(f.team.Members, p.person)
	}
	if f.every != "" {
		hours, _ := strconv.Atoi(f.every) // what is no number is refused as 0
		if f.unit == unitDays {
			hours *= 24
		}
		f.team.Rotation = &notices.Rotation{Hours: hours, Starts: strings.TrimSpace(c.Field("starts")), At: strings.TrimSpace(c.Field("at")), Zone: strings.TrimSpace(c.Field("zone"))}
	}
	return f
}

// teamPage is one team, or the form of a new one.
func (s *Pages) teamPage(c edge.Call) error { return s.showTeam(c, http.StatusOK, nil) }

func (s *Pages) showTeam(c edge.Call, status int, typed *teamForm) error {
	r, err := s.Notices.Routing(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	id := c.Param("team")
	var team notices.Team
	at := slices.IndexFunc(r.Plan.Teams, func(o notices.Team) bool { return o.ID == id })
	switch {
	case at >= 0:
		team = r.Plan.Teams[at]
	case id != newID:
		return fault.New(fault.Missing, "there is no team with this id in this organisation")
	}
	page := teamOf(c.Say, c.Member, r, team, typed)
	return edge.Show(c, status, settings.SectionFormPage(s.Page(c, page.Title, views.PlaceSettings), page))
}

func (s *Pages) saveTeam(c edge.Call) error {
	typed := readTeam(c)
	if id := c.Param("team"); id != newID {
		typed.team.ID = id
	}
	err := c.Awake()
	var id string
	if err == nil {
		id, err = s.Notices.KeepTeam(c.Request().Context(), c.Member, planVersion(c), typed.team)
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error {
			typed.fault = f
			return s.showTeam(c, status, &typed)
		})
	}
	s.Did(c, edge.DeedSaved)
	return edge.GoTo(c, urls.Team(c.Member.Tenant, id))
}

func (s *Pages) removeTeam(c edge.Call) error {
	return s.routed(c, edge.DeedRemoved, func() error {
		return s.Notices.RemoveTeam(c.Request().Context(), c.Member, planVersion(c), c.Param("team"))
	})
}

// takeDay has somebody on call for a day.
func (s *Pages) takeDay(c edge.Call) error {
	id := c.Param("team")
	err := c.Awake()
	if err == nil {
		err = s.Notices.TakeDay(c.Request().Context(), c.Member, planVersion(c), id, strings.TrimSpace(c.Field("day")), c.Field("person"))
	}
	if err != nil {
		return refused(c, err, func(status int, f *fault.Error) error { return s.showTeam(c, status, &teamForm{fault: f}) })
	}
	s.Did(c, edge.DeedSaved)
	return edge.GoTo(c, urls.Team(c.Member.Tenant, id))
}
