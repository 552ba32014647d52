package console

import (
	"net/http"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What stands behind Ctrl+K and ?: the way to everything, and what it means.

// helpPage explains keys, levels and numbers with this tenant's own settings.
func (s *Console) helpPage(c call) error {
	v, err := s.tenants.PolicyOf(c.Request().Context(), c.member.Tenant)
	if err != nil {
		return err
	}
	h := views.Help{Levels: helpLevels(c.say, v.Policy), Bands: present.BandsOf(c.say, -1)}
	if c.member.May(auth.ReadPolicy) {
		h.Policy = "/t/" + c.member.Tenant + "/settings/" + urls.PlacePolicy
	}
	if h.Handbook, err = handbookLinks(c.member.Tenant); err != nil {
		return err
	}
	return show(c, http.StatusOK, views.HelpPage(s.page(c, c.say.Say("Help"), views.PlaceNone), h))
}

func helpLevels(say texts.Printer, p scoring.Policy) []views.HelpLevel {
	var all []views.HelpLevel
	for _, l := range []struct {
		level level.Level
		from  float64
	}{{level.Low, 0}, {level.Medium, p.Thresholds.Medium}, {level.High, p.Thresholds.High}, {level.Critical, p.Thresholds.Critical}} {
		row := views.HelpLevel{
			Level: present.LevelOf(l.level), From: strconv.FormatFloat(l.from, 'f', 3, 64), Asks: say.Key(request.ChallengeWords[p.Challenges.At(l.level)]),
		}
		switch p.Challenges.At(l.level) {
		case scoring.ChallengeNone:
			row.Asks = say.Say("nothing: it runs and is recorded")
			all = append(all, row)
			continue
		case scoring.ChallengeDeny:
			row.Asks = say.Say("no one can: it's blocked")
			all = append(all, row)
			continue
		case scoring.ChallengeQuiz:
			row.Asks = say.Say("three questions; where the request says too little for them, type the target")
		}
		row.People = strconv.Itoa(p.ApprovalsRequired.At(l.level))
		if n := p.MinReviewSeconds.At(l.level); n > 0 {
			row.Read = say.Say("%d s", n)
		}
		waits := p.ExpirySeconds
		if limit := p.ExpirySecondsByLevel.At(l.level); limit > 0 {
			waits = min(waits, limit)
		}
		waits = min(waits, p.LongestExpirySeconds)
		row.Waits = present.Duration(say, time.Duration(waits)*time.Second)
		all = append(all, row)
	}
	return all
}

// paletteOf are the places that this person's roles may see.
func paletteOf(c call, nav []views.NavItem) *views.Palette {
	base := "/t/" + c.member.Tenant
	p := &views.Palette{Requests: base + "/approvals/"}
	if c.member.May(auth.ReadQueue) {
		queue := urls.Queue(c.member.Tenant)
		p.Filters = []views.Link{
			{Label: c.say.Say("My requests: claimed or assigned"), URL: queue + "?claim=mine"},
			{Label: c.say.Say("Unclaimed requests"), URL: queue + "?claim=nobody"},
			{Label: c.say.Say("CRITICAL requests only"), URL: queue + "?level=CRITICAL"},
			{Label: c.say.Say("HIGH requests only"), URL: queue + "?level=HIGH"},
			{Label: c.say.Say("Sort by time left"), URL: queue + "?sort=time"},
			{Label: c.say.Say("Sort by risk"), URL: queue},
		}
	}
	add := func(label, url string) {
		p.Destinations = append(p.Destinations, views.Link{Label: label, URL: url})
	}
	for _, n := range nav {
		if n.Place != views.PlaceSettings { // its pages follow by name
			add(n.Place.Label(c.say), n.URL)
		}
	}
	if c.member.May(auth.ReadAudit) {
		add(c.say.Say("Verify the audit trail"), base+"/audit/verification")
		p.Searches = append(p.Searches, views.Link{Label: c.say.Say("Search the audit trail for"), URL: base + "/audit?text="})
	}
	p.Searches = append(p.Searches, views.Link{Label: c.say.Say("Search the queue for"), URL: base + "/queue?q="})
	if c.member.May(auth.ReadPeople) {
		add(c.say.Say("Quiz questions"), urls.Items(c.member.Tenant))
	}
	for _, item := range settingsItems(c.say, c.member, "") {
		add(c.say.Say("Settings: %s", item.Label), item.URL)
	}
	if c.member.May(auth.ManageAgents) {
		add(c.say.Say("Create an agent"), base+"/settings/agents/new")
	}
	if c.member.May(auth.ManagePeople) {
		add(c.say.Say("Invite a person"), base+"/settings/people/new")
	}
	add(c.say.Say("Help and shortcuts"), urls.Help(c.member.Tenant))
	if links, err := handbookLinks(c.member.Tenant); err == nil {
		p.Handbook = links
	}
	add(c.say.Say("Your account"), urls.Account)
	for _, slug := range c.visit.tenants {
		if slug != c.member.Tenant {
			add(c.say.Say("Organisation: %s", slug), urls.Queue(slug))
		}
	}
	return p
}
