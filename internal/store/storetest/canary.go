package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// Canary is what acme has, by all that a stranger could name it with. Its method
// Ask puts those names into every method that there is, those included that
// somebody adds later.
type Canary struct {
	names  []string // each alone
	paired []string // those of which each pair is tried
	known  map[reflect.Type][]any
	grown  time.Time // when all of it was there
}

// Plant gives acme something of everything in an empty database, and beta only its
// people and its agent.
func Plant(t *testing.T, db Database) Canary {
	t.Helper()
	p, _ := newPlace(t, db, "acme"), newPlace(t, db, "beta")
	s := p.story(t)
	wrote := func(a *approvals.Approval) {
		a.Assessment.Workspace = &scoring.Workspace{Judgement: workspace.Judgement{Writes: []workspace.File{{Path: "/srv/canary"}}}}
	}
	unspent, signing := p.approve(t, p.submit(t, wrote)), p.severally(t, 2)
	p.sign(t, signing, p.ada)
	p.edit(t, p.submit(t, nil), p.ada)
	p.quiz(t, unspent, approvals.ChallengeSpent, 0)
	scanned, total := p.evaluated(t, nil)
	total.Above, total.AboveAt = true, scanned.At
	p.write(t, func(w approvals.Writer) error { return w.MarkSession(total) })
	p.rollUp(t)
	var counted int64
	p.read(t, func(r approvals.Reader) (err error) {
		counted, _, err = r.RolledUp()
		return err
	})
	var pending approvals.Approval
	var open approvals.Challenge
	p.write(t, func(w approvals.Writer) error {
		pending = p.propose(t, w.Now())
		open = p.challenge(pending, w.Now())
		failed := open
		failed.ID, failed.State = auth.NewID("chl"), approvals.ChallengeFailed
		created := w.Create(pending, "key", "hash")
		_, _, viewed := w.Viewed(pending.ID, p.ada.ID, 1)
		_, read := w.ReadSection(pending.ID, p.ada.ID, 1, 10)
		return errors.Join(created, viewed, read, w.Look(pending.ID, p.ada.ID), w.WaitUntil(pending.ID, w.Now().Add(time.Hour)), w.SaveFilter(p.ada.ID, approvals.SavedFilter{List: approvals.QueueList, Name: "key", Query: "q=canary"}), w.Claim(claimed(pending, p.ada, w.Now()), ""), w.Issue(failed), w.Issue(open), w.Append(submitted(pending)))
	})
	p.denies(t, level.High, 1, time.Time{}, pending.ID)
	p.approve(t, p.submit(t, func(a *approvals.Approval) {
		a.Assessment.Workspace = &scoring.Workspace{Judgement: workspace.Judgement{Writes: []workspace.File{{Path: "/srv/canary"}}}}
	}))
	remembered := heldAs(workspace.File{Path: "/srv/canary"})
	p.keepFiles(t, remembered)
	p.submit(t, func(a *approvals.Approval) { // pending has a newer one
		again := parse(t, `{"function":"delete_user","arguments":{"id":"usr_١٢٣","note":"canary"},"environment":"production","session_id":"s1"}`)
		a.Action, a.Digest, a.ShownDigest = again.Canonical(), again.Digest(), again.Digest()
	})
	allowed := p.allow(t, pending, 3)
	p.write(t, func(w approvals.Writer) error {
		_, err := w.LoseTrust(p.agent.ID, trust.Loss{Cause: trust.Incident})
		return err
	})
	// Its day is after every name that may stand where a day does.
	p.learn(t, pending.Function, trust.Day{Day: "zzz", Person: p.ada.ID, Succeeded: 1}, p.lost(t).At.Add(time.Second))
	ticket := tenants.Ticket{ID: auth.NewID("tkt"), Kind: tenants.TicketJoin, Email: "canary@acme.example", By: p.ada.ID}
	p.write(t, func(w approvals.Writer) error {
		return errors.Join(w.Mention(pending.ID, p.ada.ID, p.ben.ID), w.Append(said(pending, audit.QuestionAsked, "qst_1", "canary"), said(pending, audit.Commented, "cmt_1", "canary")))
	})
	p.write(t, func(w approvals.Writer) error { // nothing happens to it from here on
		return w.Snooze(approvals.Snooze{Approval: pending.ID, Person: p.ada.ID, Until: w.Now().Add(time.Hour)})
	})
	p.notify(t, func(w notices.Writer) error { return w.StandIn(pending.ID, p.ben.ID, p.ada.ID) })
	asked := tenants.PeopleProposal{ID: auth.NewID("prp"), Act: tenants.ActRoles, Person: p.ben, Author: p.ada, State: tenants.ProposalOpen}
	proposal := tenants.Proposal{ID: auth.NewID("ppl"), Base: 1, Policy: scoring.DefaultPolicy(), Reason: "canary", Author: p.ada, State: tenants.ProposalOpen}
	if err := db.Store.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
		ticket.ExpiresAt, proposal.CreatedAt = w.Now().Add(time.Hour), w.Now()
		return errors.Join(w.HaltAgents(p.ada.ID, "canary"), w.AddTicket(ticket, "hash of the ticket"), w.SetReasons(tenants.Reasons{Deny: []string{"canary"}}), w.SetDisplay(p.ada.ID, tenants.Display{Sound: "all"}), w.KeepAbsence(away(p.ben, p.ada, w.Now())), w.CreateProposal(proposal), w.SetTools(p.agent.ID, "key", []tenants.Tool{imported("key", "key")}))
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Store.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
		asked.CreatedAt = w.Now()
		return errors.Join(w.CreatePeopleProposal(asked), w.Opened(pending.ID, p.ada.ID), w.Tie(p.ada.ID, p.ben.ID, tenants.TieInvited), w.EndSinglePerson(p.ada.ID))
	}); err != nil {
		t.Fatal(err)
	}
	channel := p.channel(t, "key") // what happened before has no notices
	told := notices.Notice{ID: auth.NewID("ntc"), Kind: notices.Held, Approval: pending.ID}
	tested := notices.Notice{ID: auth.NewID("ntc"), Kind: notices.Test, Only: channel.ID}
	p.notify(t, func(w notices.Writer) error {
		return errors.Join(w.PostNotice(notices.New(notices.Proposed)), w.PostNotice(told), w.RouteNotice(told, []string{channel.ID}), w.PostNotice(tested), w.RouteNotice(tested, []string{channel.ID}),
			w.TakeDelivery(notices.Delivery{Notice: told.ID, Channel: channel.ID}, w.Now()), w.MarkDelivery(notices.Delivery{Notice: told.ID, Channel: channel.ID, Attempts: 1, Failures: 1, State: notices.Waiting, Next: w.Now()}),
			w.KeepNoticePlan(notices.Plan{Teams: []notices.Team{{ID: "key", Name: "canary"}}}, 0), w.KeepNoticeOwn(notices.Own{Person: p.ada.ID, Levels: []string{"HIGH"}}, 0),
			w.KeepNoticeCall(notices.Call{Approval: pending.ID, Rule: "canary", Steps: []notices.Step{{Minutes: 1}}, State: notices.CallOpen, Next: w.Now().Add(-time.Minute)}, -1))
	})
	db.mustRaw(t, "UPDATE agent_keys SET created_by = 'canary', created_at = '2020-01-01 00:00:00' WHERE tenant_id = 'acme'")
	p.write(t, func(w approvals.Writer) error { // another password than is stored
		return w.Append(audit.Event{Kind: audit.PasswordChanged, Actor: audit.Actor{Kind: "person", ID: p.ada.ID}, Data: canon.Object(
			canon.Member{Name: "person", Value: canon.String(p.ada.ID)}, canon.Member{Name: "password_sum", Value: canon.String("canary")})})
	})
	db.mustRaw(t, "INSERT INTO policies SELECT tenant_id, version + 100, policy, created_at FROM policies WHERE tenant_id = 'acme'")

	now := pending.CreatedAt
	restated, spent := p.denied(pending, "no", now), open
	restated.Version, spent.State = 2, approvals.ChallengeSpent
	rewritten := edited(p.denied(pending, "no", now), p.ada, now)
	rewritten.Status = approvals.Pending
	filter := approvals.Filter{Agent: p.agent.ID, Statuses: []approvals.Status{approvals.Pending}}
	key := tenants.Key{ID: p.agent.KeyID, Agent: p.agent.ID, CreatedAt: now}
	return Canary{
		grown: time.Now(),
		names: []string{
			pending.ID, signing.ID, unspent.ID, s.spent, s.denied, open.ID, p.agent.ID, p.agent.KeyID, p.ada.ID, p.key,
			ticket.ID, "hash of the ticket", proposal.ID, asked.ID, allowed.ID, channel.ID, "key", pending.Session, pending.Function, "acme",
		},
		paired: []string{pending.ID, unspent.ID, open.ID, p.agent.ID, p.agent.KeyID, p.ada.ID, "key", pending.Session, "delete_user"},
		known: map[reflect.Type][]any{
			reflect.TypeFor[int64]():                        {int64(1), int64(9)},
			reflect.TypeFor[int]():                          {10},
			reflect.TypeFor[time.Time]():                    {now.Add(-time.Hour)},
			reflect.TypeFor[[]auth.Role]():                  {[]auth.Role{auth.Operator}},
			reflect.TypeFor[approvals.Approval]():           {p.denied(pending, "no", now), restated, rewritten, p.approved(signing, now)},
			reflect.TypeFor[[]string]():                     {[]string{pending.ID}},
			reflect.TypeFor[audit.Kind]():                   {audit.Submitted},
			reflect.TypeFor[approvals.Challenge]():          {spent},
			reflect.TypeFor[approvals.ChallengeState]():     {approvals.ChallengeOpen},
			reflect.TypeFor[approvals.Execution]():          {approvals.Execution{Status: "failed", ReportedAt: now}},
			reflect.TypeFor[approvals.Signature]():          {signature(p.ben, 1, now)},
			reflect.TypeFor[approvals.Filter]():             {approvals.Filter{}, approvals.Filter{Digest: pending.Digest}, filter, approvals.Filter{Session: pending.Session}},
			reflect.TypeFor[approvals.LineQuery]():          {approvals.LineQuery{Limit: 50}},
			reflect.TypeFor[approvals.Act]():                {approvals.Act{Agent: p.agent.ID, Digest: pending.Digest}},
			reflect.TypeFor[[]approvals.Act]():              {[]approvals.Act{{Agent: p.agent.ID, Digest: pending.Digest}}},
			reflect.TypeFor[approvals.HistoryQuery]():       {approvals.HistoryQuery{Edge: -1, Limit: 50}},
			reflect.TypeFor[approvals.QuizQuery]():          {approvals.QuizQuery{From: now.Add(-time.Hour), Limit: 50}},
			reflect.TypeFor[approvals.RollupQuery]():        {approvals.RollupQuery{Dimension: approvals.ByAll, From: "2000-01-01", To: "2100-01-01"}},
			reflect.TypeFor[approvals.SessionRollupQuery](): {approvals.SessionRollupQuery{Limit: 50}, approvals.SessionRollupQuery{Agent: p.agent.ID, Limit: 50}},
			reflect.TypeFor[approvals.OccurrenceQuery](): {
				approvals.OccurrenceQuery{To: now.AddDate(9, 0, 0), Kinds: []audit.Kind{audit.Submitted, audit.Approved}, Agent: p.agent.ID, Limit: 50},
				approvals.OccurrenceQuery{To: now.AddDate(9, 0, 0), Kinds: []audit.Kind{audit.Submitted, audit.Approved}, Function: pending.Function, Limit: 50},
				approvals.OccurrenceQuery{To: now.AddDate(9, 0, 0), Kinds: []audit.Kind{audit.Approved}, Person: p.ada.ID, Limit: 50},
			},
			reflect.TypeFor[[]approvals.Occurrence]():    {[]approvals.Occurrence{{Kind: audit.Approved, ApprovalID: unspent.ID}}},
			reflect.TypeFor[approvals.EvaluationQuery](): {approvals.EvaluationQuery{Limit: 50}},
			reflect.TypeFor[approvals.Evaluation]():      {p.evaluation(now)},
			reflect.TypeFor[approvals.SessionTotal]():    {approvals.SessionTotal{Agent: p.agent.ID, Session: scanned.Session}},
			reflect.TypeFor[approvals.RollupBatch]():     {approvals.RollupBatch{From: counted, To: counted + 1}},
			reflect.TypeFor[approvals.Claim]():           {claimed(pending, p.ben, now)},
			reflect.TypeFor[approvals.List]():            {approvals.QueueList},
			reflect.TypeFor[approvals.TextQuery]():       {approvals.TextQuery{Text: "u"}},
			reflect.TypeFor[approvals.SavedFilter]():     {approvals.SavedFilter{List: approvals.QueueList, Name: "key", Query: "q=other"}},
			reflect.TypeFor[approvals.Standing]():        {another(allowed)},
			reflect.TypeFor[approvals.StandingQuery]():   {approvals.StandingQuery{}, approvals.StandingQuery{Agent: p.agent.ID, Open: true}, approvals.StandingQuery{InSession: new(string)}},
			reflect.TypeFor[workspace.Asks]():            {workspace.Asks{Paths: []string{remembered.Path}}},
			reflect.TypeFor[[]approvals.FileMemory]():    {[]approvals.FileMemory{{Path: remembered.Path}}},
			reflect.TypeFor[approvals.Denial]():          {approvals.Denial{Approval: s.denied, Level: level.High, Asked: 1}},
			reflect.TypeFor[trust.Day]():                 {trust.Day{Day: "zzz", Person: p.ada.ID, Denied: 1}},
			reflect.TypeFor[trust.Loss]():                {trust.Loss{Cause: trust.Incident, Person: p.ada.ID}},
			reflect.TypeFor[audit.Event]():               {happened(audit.SignedIn)},
			reflect.TypeFor[audit.Checkpoint]():          {audit.Checkpoint{Tenant: "beta", Root: audit.Head{}.RootHash()}},
			reflect.TypeFor[audit.Filter]():              {audit.Filter{}, audit.Filter{Agent: p.agent.ID}},
			reflect.TypeFor[audit.Query]():               {audit.Query{Edge: -1, Limit: 50}, audit.Query{Edge: -1, Limit: 50, Filter: audit.Filter{Approval: pending.ID, Text: "u"}}},
			reflect.TypeFor[auth.Person]():               {p.ada},
			reflect.TypeFor[tenants.Description]():       {tenants.Description{Contact: "other"}},
			reflect.TypeFor[tenants.Reasons]():           {tenants.Reasons{Deny: []string{"other"}}},
			reflect.TypeFor[tenants.Agent]():             {tenants.Agent{Agent: p.agent}},
			reflect.TypeFor[tenants.Absence]():           {away(p.ada, p.ben, now)},
			reflect.TypeFor[[]tenants.Tool]():            {[]tenants.Tool{imported("other", "key")}},
			reflect.TypeFor[tenants.Key]():               {key},
			reflect.TypeFor[notices.Notice]():            {told},
			reflect.TypeFor[notices.Delivery]():          {notices.Delivery{Notice: told.ID, Channel: channel.ID, Attempts: 1, State: notices.Waiting}},
			reflect.TypeFor[notices.SealedChannel]():     {channel},
			reflect.TypeFor[notices.Plan]():              {notices.Plan{Teams: []notices.Team{{Name: "other"}}}},
			reflect.TypeFor[notices.Own]():               {notices.Own{Person: p.ada.ID, Levels: []string{"LOW"}}, notices.Own{Person: p.ben.ID}},
			reflect.TypeFor[notices.Call]():              {notices.Call{Approval: pending.ID, Step: 1, State: notices.CallEmpty, Next: now}, notices.Call{Approval: unspent.ID, State: notices.CallOpen, Next: now}},
		},
	}
}

// Answers is what methods said, by method and by call.
type Answers map[string]map[string]string

// Ask calls every method of a store on behalf of a tenant: first those that read;
// then those that write, each in a transaction that commits unless the method
// failed. What two copies of one database answer can be compared.
func (c Canary) Ask(t *testing.T, s *store.Store, tenant string) (read, wrote Answers) {
	t.Helper()
	ctx := t.Context()
	a := asking{t: t, canary: c, said: Answers{}}
	a.fixed = map[int]reflect.Value{1: reflect.ValueOf(ctx), 2: reflect.ValueOf(tenant)}
	a.every("audit.", reflect.TypeFor[*store.AuditLog](), func(call func(of any) error) error { return call(s.Audit()) })
	a.fixed = nil
	a.every("approvals.", reflect.TypeFor[approvals.Reader](), func(call func(of any) error) error {
		return s.Approvals().Read(ctx, tenant, func(r approvals.Reader) error { return call(r) })
	})
	a.every("tenants.", reflect.TypeFor[tenants.Reader](), func(call func(of any) error) error {
		return s.Tenants().Read(ctx, tenant, func(r tenants.Reader) error { return call(r) })
	})
	a.every("notices.", reflect.TypeFor[notices.Reader](), func(call func(of any) error) error {
		return s.Notices().Read(ctx, tenant, func(r notices.Reader) error { return call(r) })
	})
	read, a.said = a.said, Answers{}
	a.every("approvals.", reflect.TypeFor[approvals.Writer](), func(call func(of any) error) error {
		return s.Approvals().Aside(ctx, tenant, func(w approvals.Writer) error { return call(w) })
	})
	a.every("approvals holding the log.", reflect.TypeFor[approvals.Writer](), func(call func(of any) error) error {
		return s.Approvals().Write(ctx, tenant, func(w approvals.Writer) error { return call(w) })
	})
	a.every("tenants.", reflect.TypeFor[tenants.Writer](), func(call func(of any) error) error {
		return s.Tenants().Aside(ctx, tenant, func(w tenants.Writer) error { return call(w) })
	})
	a.every("tenants holding the log.", reflect.TypeFor[tenants.Writer](), func(call func(of any) error) error {
		return s.Tenants().Write(ctx, tenant, func(w tenants.Writer) error { return call(w) })
	})
	a.every("notices.", reflect.TypeFor[notices.Writer](), func(call func(of any) error) error {
		return s.Notices().Aside(ctx, tenant, func(w notices.Writer) error { return call(w) })
	})
	a.every("notices holding the log.", reflect.TypeFor[notices.Writer](), func(call func(of any) error) error {
		return s.Notices().Write(ctx, tenant, func(w notices.Writer) error { return call(w) })
	})
	return read, a.said
}

type asking struct {
	t      *testing.T
	canary Canary
	fixed  map[int]reflect.Value // parameters that every method has, the receiver being 0
	said   Answers
}

// every calls the methods of a type in the order of their names.
func (a *asking) every(of string, kind reflect.Type, in func(call func(of any) error) error) {
	for i := range kind.NumMethod() {
		m := kind.Method(i)
		receiver := 0
		if kind.Kind() != reflect.Interface {
			receiver = 1
		}
		name := of + m.Name
		a.said[name] = map[string]string{}
		for _, args := range a.arguments(m.Type, receiver) {
			var heard []string
			values := make([]reflect.Value, len(args))
			for i, arg := range args {
				values[i] = reflect.ValueOf(arg)
				if f, ok := arg.(func(into *[]string) reflect.Value); ok {
					values[i] = f(&heard)
				}
			}
			err := in(func(of any) error {
				var failed error
				for _, v := range reflect.ValueOf(of).MethodByName(m.Name).Call(values) {
					if err, ok := v.Interface().(error); ok {
						failed = err
						continue
					}
					heard = append(heard, a.print(v.Interface()))
				}
				return failed
			})
			if err != nil {
				heard = append(heard, "failed: "+string(fault.As(err).Code))
			}
			a.said[name][a.label(args)] = fmt.Sprint(heard)
		}
	}
}

// arguments are the calls that are tried: every name, some pairs of names, and
// every value that is known of another type.
func (a *asking) arguments(f reflect.Type, receiver int) (all [][]any) {
	names, texts := a.canary.names, 0
	for i := receiver; i < f.NumIn(); i++ {
		if _, fixed := a.fixed[i]; !fixed && f.In(i) == reflect.TypeFor[string]() {
			texts++
		}
	}
	if texts > 1 {
		names = a.canary.paired
	}
	if texts > 2 {
		known := a.canary.known[reflect.TypeFor[approvals.Filter]()]
		names = []string{known[2].(approvals.Filter).Agent, known[3].(approvals.Filter).Session, "delete_user"}
	}
	all = [][]any{{}}
	for i := receiver; i < f.NumIn(); i++ {
		kind := f.In(i)
		if f.IsVariadic() && i == f.NumIn()-1 {
			kind = kind.Elem()
		}
		var values []any
		switch fixed, isFixed := a.fixed[i]; {
		case isFixed:
			values = []any{fixed.Interface()}
		case kind == reflect.TypeFor[string]():
			for _, n := range names {
				values = append(values, n)
			}
		case kind.Kind() == reflect.Func:
			values = []any{a.listener(kind)}
		default:
			if values = a.canary.known[kind]; len(values) == 0 {
				values = []any{a.made(kind)}
			}
		}
		var longer [][]any
		for _, begun := range all {
			for _, v := range values {
				longer = append(longer, append(append([]any{}, begun...), v))
			}
		}
		all = longer
	}
	return all
}

// made is a value of a type that Plant does not know: every text in it names
// acme's agent. Where a method that reads finds nothing with it, the control of the
// test says so, and Plant must learn a better one.
func (a *asking) made(kind reflect.Type) any {
	v := reflect.New(kind).Elem()
	if kind.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(kind) {
			if f.IsExported() && f.Type.Kind() == reflect.String {
				v.FieldByIndex(f.Index).SetString(a.canary.paired[2])
			}
		}
	}
	return v.Interface()
}

// listener makes a callback that writes down what it is told.
func (a *asking) listener(kind reflect.Type) func(into *[]string) reflect.Value {
	return func(into *[]string) reflect.Value {
		return reflect.MakeFunc(kind, func(args []reflect.Value) (results []reflect.Value) {
			for _, v := range args {
				*into = append(*into, a.print(v.Interface()))
			}
			for i := range kind.NumOut() {
				results = append(results, reflect.Zero(kind.Out(i)))
			}
			return results
		})
	}
}

var instants = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// print hides the instants after the planting: they differ between two copies.
func (a *asking) print(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		a.t.Fatalf("%T: %v", v, err)
	}
	return instants.ReplaceAllStringFunc(string(b), func(s string) string {
		if at, err := time.Parse(time.RFC3339Nano, s); err == nil && at.After(a.canary.grown) {
			return "now"
		}
		return s
	})
}

func (a *asking) label(args []any) (s string) {
	for _, arg := range args {
		switch arg.(type) {
		case context.Context, func(*[]string) reflect.Value:
		default:
			s += a.print(arg) + " "
		}
	}
	return s
}
