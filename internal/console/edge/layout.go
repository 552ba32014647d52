package edge

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// SentenceOf is what somebody did with the reason for it, if there is one.
func SentenceOf(did []views.Run, reason string) []views.Run {
	end := "."
	if reason != "" {
		end = ": " + strings.TrimSuffix(reason, ".") + "."
	}
	return append(did, untrusted.Runs(end)...)
}

// asleepBanner says so before somebody fills in a form: stopping an agent cannot wait for
// a refusal.
func asleepBanner(c Call) views.Notice {
	next := c.Request().URL.Path
	if c.Request().Method != http.MethodGet {
		next = SettingsItems(c.Say, c.Member, "")[0].URL
	}
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: c.Say.Say("Sign in again to make changes"),
		Text:   untrusted.Runs(c.Say.Say("You've been inactive for a while. Sign in again to make changes or stop an agent.")),
		Action: &views.Link{Label: c.Say.Say("Sign in again"), URL: urls.SignIn + "?next=" + url.QueryEscape(next)},
	}
}

// Awake refuses to change anything while deciding is locked: what changes who may do
// what is worth at least as much as a decision.
func (c Call) Awake() error {
	if c.Locked {
		return fault.New(fault.Unauthorized, "nothing was changed because you've been inactive for a while; sign in and try again")
	}
	return c.ownPage()
}

// paletteOf are the places that this person's roles may see.
func paletteOf(c Call, nav []views.NavItem) *views.Palette {
	base := "/t/" + c.Member.Tenant
	p := &views.Palette{Requests: base + "/approvals/"}
	if c.Member.May(auth.ReadQueue) {
		queue := urls.Queue(c.Member.Tenant)
		p.Filters = []views.Link{
			{Label: c.Say.Say("My requests: claimed or assigned"), URL: queue + "?claim=mine"},
			{Label: c.Say.Say("Unclaimed requests"), URL: queue + "?claim=nobody"},
			{Label: c.Say.Say("CRITICAL requests only"), URL: queue + "?level=CRITICAL"},
			{Label: c.Say.Say("HIGH requests only"), URL: queue + "?level=HIGH"},
			{Label: c.Say.Say("Sort by time left"), URL: queue + "?sort=time"},
			{Label: c.Say.Say("Sort by risk"), URL: queue},
		}
	}
	add := func(label, url string) {
		p.Destinations = append(p.Destinations, views.Link{Label: label, URL: url})
	}
	for _, n := range nav {
		if n.Place != views.PlaceSettings { // its pages follow by name
			add(n.Place.Label(c.Say), n.URL)
		}
	}
	if c.Member.May(auth.ReadAudit) {
		add(c.Say.Say("Verify the audit trail"), base+"/audit/verification")
		p.Searches = append(p.Searches, views.Link{Label: c.Say.Say("Search the audit trail for"), URL: base + "/audit?text="})
	}
	p.Searches = append(p.Searches, views.Link{Label: c.Say.Say("Search the queue for"), URL: base + "/queue?q="})
	if c.Member.May(auth.ReadPeople) {
		add(c.Say.Say("Quiz questions"), urls.Items(c.Member.Tenant))
	}
	for _, item := range SettingsItems(c.Say, c.Member, "") {
		add(c.Say.Say("Settings: %s", item.Label), item.URL)
	}
	if c.Member.May(auth.ManageAgents) {
		add(c.Say.Say("Create an agent"), base+"/settings/agents/new")
	}
	if c.Member.May(auth.ManagePeople) {
		add(c.Say.Say("Invite a person"), base+"/settings/people/new")
	}
	add(c.Say.Say("Help and shortcuts"), urls.Help(c.Member.Tenant))
	if links, err := HandbookLinks(c.Member.Tenant); err == nil {
		p.Handbook = links
	}
	add(c.Say.Say("Your account"), urls.Account)
	for _, slug := range c.Visit.Tenants {
		if slug != c.Member.Tenant {
			add(c.Say.Say("Organisation: %s", slug), urls.Queue(slug))
		}
	}
	return p
}

// NothingChanged says what was refused where the page has several forms.
func NothingChanged(say texts.Printer, f *fault.Error) views.Notice {
	return views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: say.Say("Nothing was changed"), Text: untrusted.Runs(present.Because(say, f) + ".")}
}

// HaltBanner stands on every page while all agents are stopped.
func HaltBanner(say texts.Printer, m auth.Member, h tenants.Halt) views.Notice {
	who := h.By.Name
	if who == "" {
		who = say.Say("Command line")
	}
	text := SentenceOf(present.SayAt(say, present.DateForm, texts.Key("%s stopped them at %s"), who, h.At), h.Reason)
	n := views.Notice{
		Tone: views.ToneBad, Icon: views.IconBan, Title: say.Say("All agents are stopped"),
		Text: append(text, untrusted.Runs(" "+say.Say("Agents can read their requests, but can't submit or use approvals."))...),
	}
	switch {
	case m.May(auth.ManageAgents):
		n.Action = &views.Link{Label: say.Say("Resume agents"), URL: urls.Agents(m.Tenant) + "#why"} // the form's only field
	case m.May(auth.ReadAgents):
		n.Action = &views.Link{Label: say.Say("Agents"), URL: urls.Agents(m.Tenant)}
	}
	return n
}

// refusedBanner says on every page what works while the trail isn't what was signed.
func refusedBanner(say texts.Printer, m auth.Member) views.Notice {
	text := say.Say("Someone may have changed the database. Nothing can be approved, used or changed until whoever runs this server restores it. You can still deny requests, request changes and stop all agents, and agents can cancel requests: that takes effect now and goes into the trail later.")
	if m.Unproven {
		text += " " + say.Say("The trail couldn't confirm your password, so you'll have to sign in again then.")
	}
	return views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: say.Say("The trail doesn't match what was signed"), Text: untrusted.Runs(text)}
}

// singleBanner says on every page that one person does here what takes two elsewhere.
func singleBanner(say texts.Printer, m auth.Member) views.Notice {
	n := views.Notice{
		Tone: views.TonePlain, Icon: "users", Title: say.Say("Single-person mode"),
		Text: untrusted.Runs(say.Say("One person can do what normally takes two, until a second operator or admin signs in.")),
	}
	if m.May(auth.ManagePeople) {
		n.Action = &views.Link{Label: say.Say("Invite a person"), URL: urls.People(m.Tenant) + "/new"}
	}
	return n
}

func sessionStateURL(tenant string) string { return "/t/" + tenant + "/session" }

// NoteRefusal notes a fault that a handler renders itself.
func NoteRefusal(c echo.Context, f *fault.Error) {
	httpserver.NoteFault(c.Request().Context(), f)
	if f.Kind() == fault.Unavailable {
		httpserver.SetFaultHeaders(c.Response().Header(), f)
	}
}

// awayBanners say to a person that they are away, to their deputy in the queue that they stand in, and to admins whose deputy
// stands in no more.
func awayBanners(c Call) (all []views.Notice) {
	m := c.Member
	for _, a := range c.Away {
		switch {
		case a.Person.ID == m.Person.ID:
			all = append(all, views.Notice{
				Icon: views.IconClock, Title: c.Say.Say("You're out of office"), Text: append(untrusted.Runs(a.Person.Name+": "), append(present.Away(c.Say, a), untrusted.Runs(".")...)...),
				Action: &views.Link{Label: c.Say.Say("I'm back"), URL: urls.OwnNotices(m.Tenant) + "#away"},
			})
		case !a.Gone.Empty() && m.May(auth.ManagePeople):
			all = append(all, views.Notice{
				Icon: views.IconAlert, Title: c.Say.Say("%s has no deputy now", a.Person.Name), Text: append(untrusted.Runs(a.Person.Name+": "), append(present.Away(c.Say, a), untrusted.Runs(".")...)...),
				Action: &views.Link{Label: c.Say.Say("Choose a deputy"), URL: urls.Person(m.Tenant, a.Person.ID) + "#away"},
			})
		}
	}
	return all
}

// MentionNotices tell who mentioned somebody, with a link. Nothing of the request is in them: it may
// be out of sight. One on the request that is open is on the page already.
func MentionNotices(say texts.Printer, tenant string, all []tenants.Mention, open string) (banners []views.Notice) {
	for _, one := range all {
		if one.Approval == open || len(banners) == mostMentions {
			continue
		}
		banners = append(banners, views.Notice{
			Icon: views.IconUser, Title: say.Say("%s mentioned you in a comment", one.By), Text: present.SayAt(say, present.DateForm, texts.Key("At %s."), one.At),
			Action: &views.Link{Label: say.Say("Read it"), URL: urls.Request(tenant, one.Approval)},
		})
	}
	return banners
}

// mostMentions bounds how many a page tells of at once: the newest.
const mostMentions = 3

// PageAssets are the addresses of styles and scripts.
func (s *Console) PageAssets() views.Assets {
	return views.Assets{Early: s.Assets.Early(), Styles: []string{s.Assets.Style()}, Scripts: []string{s.Assets.Script()}, Last: s.Assets.Last(), Fonts: s.Assets.Fonts(), Favicon: s.Assets.Favicon(), Manifest: s.Assets.Manifest(), Touch: s.Assets.Touch()}
}

// Page is what stands around every page of a tenant.
func (s *Console) Page(c Call, title string, here views.Place) views.Page {
	base := "/t/" + c.Member.Tenant
	p := views.Page{
		Title: title, Assets: s.PageAssets(), Now: s.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Home: base + "/queue", Tenant: c.Member.Tenant, Here: here,
		Person: present.PersonOf(c.Member.Person), Account: urls.Account, SignOut: urls.SignOut,
		Nav: []views.NavItem{{Place: views.PlaceQueue, URL: base + "/queue"}, {Place: views.PlaceHistory, URL: base + "/history"}},
	}
	p.Again, p.Done = s.again(c), s.done(c)
	if c.Member.May(auth.ReadAudit) {
		p.Nav = append(p.Nav, views.NavItem{Place: views.PlaceAudit, URL: base + "/audit"})
	}
	p.Nav = append(p.Nav, views.NavItem{Place: views.PlaceInsights, URL: urls.Insights(c.Member.Tenant)})
	if items := SettingsItems(c.Say, c.Member, ""); len(items) > 0 {
		settings := views.NavItem{Place: views.PlaceSettings, URL: items[0].URL, Count: c.waiting}
		if c.waiting > 0 {
			settings.URL = urls.Settings(c.Member.Tenant, urls.PlaceWaiting)
		}
		p.Nav = append(p.Nav, settings)
	}
	if c.Member.May(auth.StopAgents) && c.Halt == nil {
		p.Stop = &views.Stop{URL: urls.Agents(c.Member.Tenant) + "/stop-all", Slug: c.Member.Tenant}
	}
	if c.Locked && here == views.PlaceSettings && c.Member.May(auth.ProposePolicy) {
		p.Banners = append(p.Banners, asleepBanner(c))
	}
	if err := s.Trouble(); err != nil {
		p.Banners = append(p.Banners, views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: c.Say.Say("Nothing can be stored at the moment"), Text: untrusted.Runs(present.Because(c.Say, fault.As(err)) + "."),
		})
	}
	if s.Checkpoints.Newest(c.Member.Tenant).Problem != "" {
		p.Banners = append(p.Banners, refusedBanner(c.Say, c.Member))
	}
	if c.Single {
		p.Banners = append(p.Banners, singleBanner(c.Say, c.Member))
	}
	if c.Halt != nil {
		p.House = append(p.House, HaltBanner(c.Say, c.Member, *c.Halt))
	}
	p.Banners = append(p.Banners, awayBanners(c)...)
	p.Mentions = MentionNotices(c.Say, c.Member.Tenant, c.Mentions, "")
	p.Help, p.Explained, p.Palette = urls.Help(c.Member.Tenant), explained(c), paletteOf(c, p.Nav)
	for _, slug := range c.Visit.Tenants {
		if slug != c.Member.Tenant {
			p.Tenants = append(p.Tenants, views.Link{Label: slug, URL: urls.Queue(slug)})
		}
	}
	return p
}

// again lets a page ask for the password itself.
func (s *Console) again(c Call) *views.Again {
	a := views.Again{
		URL: urls.SignIn, Email: c.Visit.Email, Person: c.Member.Person.ID, Next: c.Request().URL.Path, Session: sessionStateURL(c.Member.Tenant),
		LockAfter: strconv.Itoa(int(c.IdleLock.Seconds())), Locked: c.Locked, SignedIn: c.Visit.SignedIn.Format(present.IsoForm),
	}
	if s.Visits.NeverLock {
		a.LockAfter = "0"
	}
	if a.Next = LocalPath(a.Next); a.Next == "" || c.Request().Method != http.MethodGet {
		a.Next = urls.Queue(c.Member.Tenant) // a form was sent there; nothing can be opened
	}
	return &a
}
