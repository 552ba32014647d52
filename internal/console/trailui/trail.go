package trailui

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// The audit trail: the list with its filters, and one entry with its proof.

const auditPerPage = 50

// trailOrder is the canonical order of the list's parameters.
var trailOrder = []string{"show", "q", "text", "kind", "actor", "agent", "approval", "level", "effect", "function", "match", "from", "to", "before", "after"}

// What parts the trail: people and settings, and the calls of agents.
const (
	showPeople = "people"
	showCalls  = "calls"
)

var showEntriesForm = regexp.MustCompile(`^(people|calls|any)$`)

// trailQuery reads which entries are asked for.
func trailQuery(a *filter.Address) audit.Query {
	q := audit.Query{Limit: auditPerPage}
	show := a.Form("show", showEntriesForm, fault.Textf("the trail shows people, calls or any"))
	q.About, q.Text = a.One("q"), a.One("text")
	for _, k := range a.Choices("kind", filter.KindForm, fault.Textf("choose kinds from the list")) {
		q.Kinds = append(q.Kinds, audit.Kind(k))
	}
	if len(q.Kinds) == 0 {
		q.Kinds = entryKinds(show)
	}
	q.Actor = filter.ActorFrom(a.Form("actor", filter.ActorForm, fault.Textf("choose someone from the list")))
	q.Agent = a.Form("agent", filter.AgentIDForm, fault.Textf("choose an agent from the list"))
	q.Approval = a.Form("approval", present.IDForm, fault.Textf("the ID of a request looks like apr_ and 32 digits and lowercase letters a to f; it is in the request's address"))
	q.Levels, q.Effects = a.Levels(), a.Effects()
	q.Function, q.Prefix = a.Function()
	q.From, q.To = a.Span("from", "to")
	q.Edge, q.Upward = a.Edge()
	return q
}

// entryKinds are the kinds of a part of the trail; nil for all.
func entryKinds(show string) []audit.Kind {
	if show != showPeople && show != showCalls {
		return nil
	}
	return slices.DeleteFunc(audit.Kinds(), func(k audit.Kind) bool { return k.OfCalls() != (show == showCalls) })
}

// auditPage lists the trail.
func (s *Pages) auditPage(c edge.Call) error {
	ctx, tenant := c.Request().Context(), c.Member.Tenant
	a := filter.Read(c.Say, c.Request().URL.RawQuery, trailOrder...)
	q := trailQuery(a)
	names, err := s.Tenants.Names(ctx, c.Member)
	if err != nil {
		return err
	}
	head, err := s.Audit.Head(ctx, tenant)
	if err != nil {
		return err
	}
	checked, err := s.lastVerified(ctx, tenant)
	if err != nil {
		return err
	}
	if checked != nil {
		if err := s.Former(ctx, names, []audit.Record{*checked}); err != nil {
			return err
		}
	}
	t := trailPage{say: c.Say, member: c.Member, address: a, query: q, head: head, signed: s.Checkpoints.Newest(tenant), keys: s.Checkpoints.Keys(), checked: checked, names: names, now: s.Now().UTC()}
	if !a.OK() {
		return edge.Show(c, http.StatusUnprocessableEntity, trail.AuditPage(s.Page(c, c.Say.Say("Audit trail"), views.PlaceAudit), t.view()))
	}
	if !a.Canonical(c.Request().URL.RawQuery) {
		return edge.GoTo(c, a.At(t.here()))
	}
	if len(a.Hidden()) == 0 {
		a.Clean.Set("show", showPeople)
		q.Kinds, t.opening = entryKinds(showPeople), true
		t.query = q
	}
	if t.cut, err = s.among(ctx, c.Member, &q.Filter); err != nil {
		return err
	} else if t.page, err = s.Audit.Search(ctx, tenant, q); err != nil {
		return err
	} else if q.Upward && t.page.Done && len(t.page.Records) < q.Limit {
		return edge.GoTo(c, a.At(t.here(), "after", "")) // the newest page is a whole one
	}
	if t.saved, err = s.Saved(c, savedTrail(), a); err != nil {
		return err
	}
	if t.opening && t.saved != nil { // what nobody narrowed needs no name
		t.saved.Fields = nil
	}
	if t.page.Records, err = s.hideScores(ctx, c.Member, t.page.Records, q.Text); err != nil {
		return err
	}
	if err := s.Former(ctx, names, t.page.Records); err != nil {
		return err
	}
	t.named = s.Named(ctx, c.Member, names, t.page.Records)
	p := s.Page(c, c.Say.Say("Audit trail"), views.PlaceAudit)
	p.Assets.Fonts = append(p.Assets.Fonts, s.Assets.CodeFont()) // of the numbers and the kinds
	return edge.Show(c, http.StatusOK, trail.AuditPage(p, t.view()))
}

// among finds the requests that the filter asks for by what they say. cut says that there
// may be others.
func (s *Pages) among(ctx context.Context, m auth.Member, f *audit.Filter) (cut bool, err error) {
	if f.About == "" {
		return false, nil
	}
	var whole bool
	f.Among, whole, err = s.Approvals.Matching(ctx, m, f.About, f.To)
	return !whole, err
}

// auditEntryPage is one event with its bytes and its proof.
func (s *Pages) auditEntryPage(c edge.Call) error {
	ctx, tenant := c.Request().Context(), c.Member.Tenant
	index, err := strconv.ParseInt(c.Param("index"), 10, 64)
	if err != nil || index < 0 {
		return fault.New(fault.Missing, "there is no such entry; they are numbered from 0")
	}
	r, err := s.Audit.Event(ctx, tenant, index)
	if err != nil {
		return err
	}
	names, err := s.Tenants.Names(ctx, c.Member)
	if err != nil {
		return err
	}
	shown, err := s.hideScores(ctx, c.Member, []audit.Record{r}, "")
	if err != nil {
		return err
	}
	e := entryPage{say: c.Say, tenant: tenant, record: shown[0], names: names, now: s.Now().UTC()}
	// A log that was tampered with may have no proof; the entry is shown all the same.
	_, e.proof, e.unproved = s.Audit.Proof(ctx, tenant, index)
	around, err := s.Audit.Search(ctx, tenant, audit.Query{Edge: index + 3, Limit: 5})
	if err != nil {
		return err
	}
	e.around = around.Records
	if e.session, err = s.Approvals.SessionOf(ctx, c.Member, r.Event.Approval); err != nil {
		return err
	}
	if err := s.Former(ctx, names, append(around.Records, r)); err != nil {
		return err
	}
	e.named = s.Named(ctx, c.Member, names, append(around.Records, r))
	if e.unproved != nil {
		s.Log.WarnContext(ctx, "an entry has no proof", "tenant", tenant, "index", index, "error", e.unproved)
	}
	p := s.Page(c, c.Say.Say("Entry %s", strconv.FormatInt(index, 10)), views.PlaceAudit)
	p.Assets.Scripts = append(p.Assets.Scripts, s.Assets.URL("js/verify.js"))
	return edge.Show(c, http.StatusOK, trail.AuditEntryPage(p, e.view()))
}

// exportForms are the buttons that send a list as a file, for those who may.
func exportForms(m auth.Member, a *filter.Address, files ...string) []views.Download {
	if !m.May(auth.ExportAudit) {
		return nil
	}
	var all []views.Download
	for _, file := range files {
		_, format, _ := strings.Cut(file, ".")
		label := a.Say.Say("Export all as %s", a.Say.Key(formatLabels[format]))
		if a.Filtered() {
			label = a.Say.Say("Export these as %s", a.Say.Key(formatLabels[format]))
		}
		all = append(all, views.Download{
			URL: "/t/" + m.Tenant + "/" + file, Label: label, Fields: a.Hidden(),
		})
	}
	return all
}

var formatLabels = map[string]texts.Key{"csv": texts.Key("CSV"), "jsonl": texts.Key("JSON lines")}

// lastVerified is the newest event of a verification; nil when there is none.
func (s *Pages) lastVerified(ctx context.Context, tenant string) (*audit.Record, error) {
	page, err := s.Audit.Search(ctx, tenant, audit.Query{Filter: audit.Filter{Kinds: []audit.Kind{audit.Verified}}, Edge: -1, Limit: 1})
	if err != nil || len(page.Records) == 0 {
		return nil, err
	}
	return &page.Records[0], nil
}
