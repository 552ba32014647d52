package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// The audit trail: the list with its filters, and one entry with its proof.

const auditPerPage = 50

// trailOrder is the canonical order of the list's parameters.
var trailOrder = []string{"q", "text", "kind", "actor", "agent", "approval", "level", "effect", "function", "match", "from", "to", "before", "after"}

// trailQuery reads which entries are asked for.
func trailQuery(a *filter.Address) audit.Query {
	q := audit.Query{Limit: auditPerPage}
	q.About, q.Text = a.One("q"), a.One("text")
	for _, k := range a.Choices("kind", filter.KindForm, fault.Textf("choose kinds from the list")) {
		q.Kinds = append(q.Kinds, audit.Kind(k))
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

// auditPage lists the trail.
func (s *Console) auditPage(c call) error {
	ctx, tenant := c.Request().Context(), c.member.Tenant
	a := filter.Read(c.say, c.Request().URL.RawQuery, trailOrder...)
	q := trailQuery(a)
	names, err := s.tenants.Names(ctx, c.member)
	if err != nil {
		return err
	}
	head, err := s.audit.Head(ctx, tenant)
	if err != nil {
		return err
	}
	checked, err := s.lastVerified(ctx, tenant)
	if err != nil {
		return err
	}
	if checked != nil {
		if err := s.former(ctx, names, []audit.Record{*checked}); err != nil {
			return err
		}
	}
	t := trailPage{say: c.say, member: c.member, address: a, query: q, head: head, signed: s.signed.Newest(tenant), keys: s.signed.Keys(), checked: checked, names: names, now: s.now().UTC()}
	if !a.OK() {
		return show(c, http.StatusUnprocessableEntity, trail.AuditPage(s.page(c, c.say.Say("Audit trail"), views.PlaceAudit), t.view()))
	}
	if here := "/t/" + tenant + "/audit"; !a.Canonical(c.Request().URL.RawQuery) {
		return goTo(c, a.At(here))
	} else if t.cut, err = s.among(ctx, c.member, &q.Filter); err != nil {
		return err
	} else if t.page, err = s.audit.Search(ctx, tenant, q); err != nil {
		return err
	} else if q.Upward && t.page.Done && len(t.page.Records) < q.Limit {
		return goTo(c, a.At(here, "after", "")) // the newest page is a whole one
	}
	if t.saved, err = s.saved(c, savedTrail(), a); err != nil {
		return err
	}
	if t.page.Records, err = s.seal(ctx, c.member, t.page.Records, q.Text); err != nil {
		return err
	}
	if err := s.former(ctx, names, t.page.Records); err != nil {
		return err
	}
	t.named = s.named(ctx, c.member, names, t.page.Records)
	p := s.page(c, c.say.Say("Audit trail"), views.PlaceAudit)
	p.Assets.Fonts = append(p.Assets.Fonts, s.assets.CodeFont()) // of the numbers and the kinds
	return show(c, http.StatusOK, trail.AuditPage(p, t.view()))
}

// among finds the requests that the filter asks for by what they say. cut says that there
// may be others.
func (s *Console) among(ctx context.Context, m auth.Member, f *audit.Filter) (cut bool, err error) {
	if f.About == "" {
		return false, nil
	}
	var whole bool
	f.Among, whole, err = s.approvals.Matching(ctx, m, f.About, f.To)
	return !whole, err
}

// former adds the names of people who left and whose acts are among the records.
func (s *Console) former(ctx context.Context, names tenants.Names, records []audit.Record) error {
	for _, r := range records {
		if err := s.tenants.FormerNames(ctx, names, r.Event.People()...); err != nil {
			return err
		}
	}
	return nil
}

// named are the names for the sentences of these records: those of people and agents, and
// for a request what it would do. A request that cannot be read any more has none; the
// trail is shown all the same.
func (s *Console) named(ctx context.Context, m auth.Member, names tenants.Names, records []audit.Record) audit.Names {
	var ids []string
	for _, r := range records {
		if id := r.Event.Approval; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	about, err := s.approvals.Sentences(ctx, m, ids)
	if err != nil {
		s.log.WarnContext(ctx, "requests of the trail can't be read", "tenant", m.Tenant, "error", err)
	}
	return func(kind, id string) string {
		if sentence := about[id]; sentence != "" {
			return sentence
		}
		return names.Of(kind, id)
	}
}

// auditEntryPage is one event with its bytes and its proof.
func (s *Console) auditEntryPage(c call) error {
	ctx, tenant := c.Request().Context(), c.member.Tenant
	index, err := strconv.ParseInt(c.Param("index"), 10, 64)
	if err != nil || index < 0 {
		return fault.New(fault.Missing, "there is no such entry; they are numbered from 0")
	}
	r, err := s.audit.Event(ctx, tenant, index)
	if err != nil {
		return err
	}
	names, err := s.tenants.Names(ctx, c.member)
	if err != nil {
		return err
	}
	shown, err := s.seal(ctx, c.member, []audit.Record{r}, "")
	if err != nil {
		return err
	}
	e := entryPage{say: c.say, tenant: tenant, record: shown[0], names: names, now: s.now().UTC()}
	// A log that was tampered with may have no proof; the entry is shown all the same.
	_, e.proof, e.unproved = s.audit.Proof(ctx, tenant, index)
	around, err := s.audit.Search(ctx, tenant, audit.Query{Edge: index + 3, Limit: 5})
	if err != nil {
		return err
	}
	e.around = around.Records
	if e.session, err = s.approvals.SessionOf(ctx, c.member, r.Event.Approval); err != nil {
		return err
	}
	if err := s.former(ctx, names, append(around.Records, r)); err != nil {
		return err
	}
	e.named = s.named(ctx, c.member, names, append(around.Records, r))
	if e.unproved != nil {
		s.log.WarnContext(ctx, "an entry has no proof", "tenant", tenant, "index", index, "error", e.unproved)
	}
	p := s.page(c, c.say.Say("Entry %s", strconv.FormatInt(index, 10)), views.PlaceAudit)
	p.Assets.Scripts = append(p.Assets.Scripts, s.assets.URL("js/verify.js"))
	return show(c, http.StatusOK, trail.AuditEntryPage(p, e.view()))
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
