package console

import (
	"context"
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What happens to the whole organisation while pages are open: all agents are stopped,
// or may act again, or another policy is in force. The trail tells who did it and when,
// whichever server or command it was.

// tenantKinds are the events that open pages are told of.
var tenantKinds = [...]audit.Kind{audit.AgentsStopped, audit.AgentsResumed, audit.PolicyChanged}

// tenantNews is what a room found: the newest event of each sort since it began.
type tenantNews struct {
	agents, policy *audit.Event
	names          tenants.Names
}

// newest is the index of the newest event that pages are told of; −1 for none.
func (r *hub) newest(ctx context.Context) (int64, error) {
	page, err := r.Audit.Search(ctx, r.tenant, audit.Query{Filter: audit.Filter{Kinds: tenantKinds[:]}, Edge: -1, Limit: 1})
	if err != nil || len(page.Records) == 0 {
		return -1, err
	}
	return page.Records[0].Event.Index, nil
}

// tenantHints is how many events at most are read at once; later ones count.
const tenantHints = 50

// tenantNotices tells every page what happened to the organisation since the last look.
func (r *hub) tenantNotices(ctx context.Context) error {
	page, err := r.Audit.Search(ctx, r.tenant, audit.Query{Filter: audit.Filter{Kinds: tenantKinds[:]}, Edge: r.heard, Upward: true, Limit: tenantHints})
	if err != nil || len(page.Records) == 0 {
		return err
	}
	for _, one := range page.Records {
		r.heard = one.Event.Index
		if one.Event.Kind == audit.PolicyChanged {
			r.news.policy = &one.Event
		} else {
			r.news.agents = &one.Event
		}
	}
	reader := auth.Member{Tenant: r.tenant, Roles: []auth.Role{auth.Operator}}
	if r.news.names, err = r.Tenants.Names(ctx, reader); err != nil {
		return err
	}
	admitted, members, err := r.admitted(ctx)
	if err != nil || len(admitted) == 0 {
		return err
	}
	news := r.news
	hand(&broadcast{members: members, news: &news, frames: newFrames()}, admitted)
	return nil
}

// takeNews tells the page; who sees the same links is told the same.
func (k *socket) takeNews(ctx context.Context, w *broadcast) error {
	name := "house " + strconv.FormatBool(k.member.May(auth.ReadAgents)) + strconv.FormatBool(k.member.May(auth.ReadPolicy))
	frame, err := w.frame(ctx, []part{{name, review.PushHouse(w.news.notices(k.say, k.member))}})
	if err != nil {
		return err
	}
	return k.send(frame)
}

// sendHalt tells a page that was on its way when all agents were stopped.
func (k *socket) sendHalt(ctx context.Context) error {
	if k.halt == nil {
		return nil
	}
	return k.tell(ctx, []part{{"house", review.PushHouse([]views.Notice{edge.HaltBanner(k.say, k.member, *k.halt)})}})
}

// notices say what holds now and what is new.
func (n tenantNews) notices(say texts.Printer, m auth.Member) (all []views.Notice) {
	if e := n.agents; e != nil {
		who := n.who(say, *e)
		if e.Kind == audit.AgentsStopped {
			all = append(all, edge.HaltBanner(say, m, tenants.Halt{At: e.At, By: auth.Person{Name: who}, Reason: e.Data.Get("reason").Text()}))
		} else {
			all = append(all, views.Notice{
				Tone: views.ToneOK, Icon: views.IconCheck, Title: say.Say("Agents resumed"),
				Text: edge.SentenceOf(present.SayAt(say, present.DateForm, texts.Key("%s resumed agents at %s"), who, e.At), e.Data.Get("reason").Text()),
			})
		}
	}
	if e := n.policy; e != nil {
		version, _ := e.Data.Get("version").Int64()
		v := views.Notice{
			Icon: views.IconShield, Title: say.Say("Version %s of the policy is in force", strconv.FormatInt(version, 10)),
			Text: append(edge.SentenceOf(present.SayAt(say, present.DateForm, texts.Key("%s saved it at %s"), n.who(say, *e), e.At), e.Data.Get("reason").Text()), untrusted.Runs(" "+say.Say("Requests that need stricter review are asked again."))...),
		}
		if m.May(auth.ReadPolicy) {
			v.Action = &views.Link{Label: say.Say("What changed"), URL: urls.Version(m.Tenant, version)}
		}
		all = append(all, v)
	}
	return slices.Clip(all)
}

func (n tenantNews) who(say texts.Printer, e audit.Event) string {
	if e.Actor.Kind != "person" {
		return say.Say("Command line")
	}
	return n.names.Of(e.Actor.Kind, e.Actor.ID)
}
