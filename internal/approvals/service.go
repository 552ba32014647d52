package approvals

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/scoring"

	"github.com/countersign/countersign/internal/audit"
)

// Service is what agents and people do with approvals. It is safe for concurrent use.
type Service struct {
	store  Store
	live   *live.Hub
	signer Signer
	// refused is Config.Refused.
	refused func(tenant string) string
	meter   Meter
	issuer  func() string
	now     func() time.Time
	log     *slog.Logger

	keepFigures int // days
	policies    policies
	replays     chan struct{} // one place for each replay that may run at once
	stopping    chan struct{}
	stop        sync.Once
}

// Config is what a Service needs; every field but Meter and KeepFigures is required.
type Config struct {
	Store  Store
	Live   *live.Hub
	Signer Signer
	Issuer func() string    // the public URL, known once the server listens
	Now    func() time.Time // only for measuring how long a scan took
	Log    *slog.Logger
	Meter  Meter
	// KeepFigures is for how many days rollups are kept; 0 is for good.
	KeepFigures int
	// Refused says why the audit trail of a tenant gets no signature any more, "" while it
	// does: nothing is spent then. nil: nobody signs trails.
	Refused func(tenant string) string
}

// NewService returns a service over a store. Stop it.
func NewService(c Config) *Service {
	if c.Meter == nil {
		c.Meter = unmetered{}
	}
	if c.Refused == nil {
		c.Refused = func(string) string { return "" }
	}
	return &Service{
		refused: c.Refused, store: c.Store, live: c.Live, signer: c.Signer, issuer: c.Issuer, now: c.Now, log: c.Log, meter: c.Meter, keepFigures: c.KeepFigures,
		stopping: make(chan struct{}), replays: make(chan struct{}, replaysAtOnce),
	}
}

// Stop answers every waiting agent with what there is.
func (s *Service) Stop() { s.stop.Do(func() { close(s.stopping) }) }

// Submission is an action that an agent hands in.
type Submission struct {
	Action    scoring.Action
	ExpiresIn int    // seconds, 1–86,400; 0 = the policy's. Where the policy limits it, it can only shorten
	Revises   string // id of the approval whose requested changes this answers
	// IdempotencyKey, when not empty, makes a repeated submission return the same approval.
	IdempotencyKey string
}

// Submit scores an action and stores it: approved, blocked or pending. created
// is false when the idempotency key was used before with the same body.
func (s *Service) Submit(ctx context.Context, agent auth.Agent, sub Submission) (a Approval, created bool, err error) {
	for try := 0; ; try++ {
		a, created, err = s.submit(ctx, agent, sub)
		// A parallel submission with the same key was faster: the next round reads it.
		if try > 0 || sub.IdempotencyKey == "" || !fault.Is(err, fault.AlreadyExists) {
			break
		}
	}
	if err != nil {
		return Approval{}, false, err
	}
	if created {
		s.meter.Submitted(a.Status, a.Assessment.Level)
		s.changed(a)
	}
	a, err = s.telling(ctx, a, nil)
	return a, created, err
}

func (s *Service) submit(ctx context.Context, agent auth.Agent, sub Submission) (a Approval, created bool, err error) {
	// Scoring is the long part and depends on the database only through the policy
	// and the call number, so it runs outside the transaction.
	exam, version, took, err := s.examine(ctx, agent, sub.Action)
	if err != nil {
		return Approval{}, false, err
	}
	if err := exam.UnnamableKey(sub.IdempotencyKey); err != nil {
		return Approval{}, false, err
	}
	err = s.writeAs(ctx, agent, func(w Writer) error {
		created = false
		if sub.IdempotencyKey != "" {
			a, err = s.replay(w, agent, sub, exam, version)
			if !fault.Is(err, fault.Missing) {
				return err
			}
		}
		if err := s.checkRevises(w, agent, sub); err != nil {
			return err
		}
		policy, current, err := w.Policy()
		if err != nil {
			return err
		}
		if current != version { // the policy changed in between
			c, err := s.policies.compiled(agent.Tenant, current, policy)
			if err != nil {
				return err
			}
			if exam, version = c.Examine(sub.Action, nil), current; exam.Unnamable() != nil {
				return exam.Unnamable()
			}
		}
		calls, err := w.Calls(agent.ID, sub.Action.SessionID(), sub.Action.Function())
		if err != nil {
			return err
		}
		given, err := inputsOf(w, agent, sub.Action.Function())
		if err != nil {
			return err
		}
		if exam, err = remembering(w, exam, given, agent.ID, ""); err != nil {
			return err
		}
		if exam, err = trusting(w, exam, agent.ID, sub.Action.Function(), calls+1); err != nil {
			return err
		}
		a = s.propose(agent, sub, exam, calls+1, version, took, w.Now())
		held, like, err := a.recall(w, policy, sub.Action)
		if err != nil {
			return err
		}
		if held != nil {
			a = s.propose(agent, sub, exam.Remembering(held), calls+1, version, took, w.Now())
		}
		used, err := a.endScopes(w)
		if err != nil {
			return err
		}
		var by []audit.Event
		if a, by, err = s.standing(w, a, sub.Action); err != nil {
			return err
		}
		used = append(used, by...)
		if a.Status == Approved {
			if err := s.heldCall(w, a, a.ground(w, policy, sub.Action)); err != nil {
				return err
			}
		}
		rose, err := a.evaluated(w, policy)
		if err != nil {
			return err
		}
		used = append(used, rose...)
		created = true
		a, err = s.create(w, a, sub, exam, like, used)
		return err
	})
	return a, created, err
}

// checkRevises makes sure that a revision answers a request for changes to the
// same agent.
func (s *Service) checkRevises(r Reader, agent auth.Agent, sub Submission) error {
	if sub.Revises == "" {
		return nil
	}
	before, err := r.Approval(sub.Revises)
	if fault.Is(err, fault.Missing) || (err == nil && before.Agent.ID != agent.ID) {
		return fault.Member(fault.InvalidMember, "/revises", "this agent has no approval %.60q; name the one with requested changes, or leave it out", sub.Revises)
	}
	if err != nil {
		return err
	}
	if before.Status != ChangesRequested {
		return fault.Member(fault.InvalidMember, "/revises", "%s is %s; only one with status changes_requested can be revised", before.ID, before.Status)
	}
	return nil
}

// propose makes the approval as it will be stored. Pure but for the new ids.
func (s *Service) propose(agent auth.Agent, sub Submission, exam scoring.Examination, n int, version int64, took time.Duration, now time.Time) Approval {
	as := exam.Assess(n)
	expires := exam.Expiry(as.Level, sub.ExpiresIn)
	shown, carried, as := exam.Mask(as)
	a := Approval{
		Tenant: agent.Tenant, ID: auth.NewID("apr"), Revises: sub.Revises,
		Agent:  Agent{ID: agent.ID, Name: agent.Name, Owner: agent.Owner},
		Action: shown.Canonical(), Digest: sub.Action.Digest(), ShownDigest: shown.Digest(), Carried: carried,
		CallNumber: n, Function: sub.Action.Function(), Session: sub.Action.SessionID(),
		Version: 1, Assessment: as, Treatment: as.Treatment, PolicyVersion: version,
		CreatedAt: now, ExpiresAt: now.Add(time.Duration(expires) * time.Second),
	}
	a.stampRecord(took, now)
	return a.settle(now)
}

// stampRecord fills in what scoring, being pure, cannot know.
func (a *Approval) stampRecord(took time.Duration, now time.Time) {
	r := &a.Assessment.Patterns
	r.EvaluationID = auth.NewUUID()
	r.Timestamp = now
	r.ScanDurationMS = float64(took.Microseconds()) / 1000
	r.TenantID, r.AgentID = a.Tenant, a.Agent.ID
	if a.Session != "" {
		r.SessionID = &a.Session
	}
}

// create stores a new approval with its events, and with its grant where the
// policy or a standing grant approved it. like says in which ways it is like what was
// denied or blocked.
func (s *Service) create(w Writer, a Approval, sub Submission, exam scoring.Examination, like []string, used []audit.Event) (_ Approval, err error) {
	events := append([]audit.Event{a.submittedEvent(like)}, used...)
	if len(like) > 0 {
		if err := w.AskAgain(a.Agent.ID, like); err != nil {
			return a, err
		}
	}
	if a.Status == Approved {
		if a, err = s.grant(w, a); err != nil {
			return a, err
		}
	}
	if err := a.addFiles(w); err != nil {
		return a, err
	}
	hash := "" // nothing is compared without a key
	if sub.IdempotencyKey != "" {
		hash = sub.bodyHash(exam.Shown(), a.PolicyVersion)
	}
	if err := w.Create(a, sub.IdempotencyKey, hash); err != nil {
		return a, err
	}
	if a.Status.Final() {
		learned, err := s.ended(w, a)
		if err != nil {
			return a, err
		}
		events = append(events, a.decisionEvent(learned...))
	}
	return a, w.Append(events...)
}

// grant signs the permission of an approved a, for as long as the policy says.
func (s *Service) grant(r Reader, a Approval) (Approval, error) {
	p, _, err := r.Policy()
	if err != nil {
		return a, err
	}
	return a.withGrant(s.signer, s.issuer(), time.Duration(p.GrantSeconds)*time.Second, r.Now())
}

// own hides what is not this agent's: another agent's id does not exist for it.
func own(a Approval, agent auth.Agent, err error) (Approval, error) {
	if err == nil && a.Agent.ID != agent.ID {
		return Approval{}, missing(a.ID)
	}
	return a, err
}

func missing(id string) error {
	return fault.New(fault.Missing, "no approval %.60q; IDs look like apr_0192f3… and are those that POST /api/v1/approvals returned to this agent", id)
}

// Get returns one of the agent's own approvals.
func (s *Service) Get(ctx context.Context, agent auth.Agent, id string) (a Approval, err error) {
	err = s.store.Read(ctx, agent.Tenant, func(r Reader) (err error) {
		a, err = r.Approval(id)
		a, err = own(a, agent, err)
		return err
	})
	return s.telling(ctx, a, err)
}

// List returns a page of the agent's own approvals, newest first, and where the
// next page begins (Filter.Before); empty on the last. A page has fewer than the
// limit where their effective actions are large.
func (s *Service) List(ctx context.Context, agent auth.Agent, f Filter) (page []AgentView, next string, err error) {
	f.Agent = agent.ID
	var more bool
	err = s.store.Read(ctx, agent.Tenant, func(r Reader) (err error) {
		if page, more, err = r.AgentViews(f); err != nil {
			return err
		}
		return s.tellingAll(r, page)
	})
	if err != nil || !more {
		return page, "", err
	}
	return page, page[len(page)-1].ID, nil
}

// Cancel takes a pending approval back.
func (s *Service) Cancel(ctx context.Context, agent auth.Agent, id string) (Approval, error) {
	var done Approval
	err := s.store.WriteAs(ctx, agent, func(w Writer) error {
		a, err := w.Approval(id)
		if a, err = own(a, agent, err); err != nil {
			return err
		}
		if err := a.decidable(w.Now()); err != nil {
			return err
		}
		if done, err = a.cancel(w.Now()); err != nil {
			return err
		}
		if err := w.Decide(done, a.Version); err != nil {
			return err
		}
		return w.Append(done.decisionEvent())
	})
	if err != nil {
		return Approval{}, err
	}
	s.changed(done)
	return done, nil
}

// Spent says when a grant was spent.
type Spent struct {
	At time.Time
	// Replayed says that it was not spent now: this call repeats one that was answered
	// before, so the act may have run already.
	Replayed bool
}

// Consume spends the grant: once, by the agent that asked, for the approved
// digest, before it expires, and only while the current policy treats the action
// no more strictly than the approval did. The grant must be what was signed and
// recorded: proven. With the same idempotency key a repeated call is told of the first.
func (s *Service) Consume(ctx context.Context, agent auth.Agent, id, digest, key string) (spent Spent, err error) {
	var void error // what is told after the void grant was committed
	err = s.writeAs(ctx, agent, func(w Writer) error {
		void = nil
		a, err := w.Approval(id)
		if a, err = own(a, agent, err); err != nil {
			return err
		}
		if spent, err = a.replayConsume(digest, key); err != nil {
			return err
		}
		if spent.Replayed {
			return s.proven(ctx, w, a)
		}
		if err := a.spendable(digest, w.Now()); err != nil {
			return err
		}
		if err := s.proven(ctx, w, a); err != nil {
			return err
		}
		if _, lost, err := a.recorded(w); err != nil {
			return err
		} else if lost {
			void, err = a.takeBack(w, lostTrust)
			return err
		}
		as, t, policy, err := s.reassess(w, a)
		if err != nil {
			return err
		}
		if err := s.unnamableKey(w, a, key); err != nil {
			return err
		}
		if t.StricterThan(a.Treatment) {
			void, err = a.stricter(w, as, policy)
			return err
		}
		if why, err := a.takenBack(w); err != nil {
			return err
		} else if !why.Empty() {
			void, err = a.takeBack(w, why)
			return err
		}
		spent = Spent{At: w.Now()}
		if err := w.Consume(a.ID, key); err != nil {
			return err
		}
		if err := a.replaceFiles(w, as); err != nil {
			return err
		}
		return w.Append(a.event(audit.GrantConsumed, a.agentActor(), member("jti", canon.String(a.Grant.ID)), member("digest", canon.String(digest))))
	})
	if err != nil {
		return Spent{}, err
	}
	s.live.Publish(agent.Tenant, id)
	if void != nil {
		return Spent{}, void
	}
	return spent, nil
}

func stricterNow(moved fault.Text) error {
	return fault.New(fault.StricterNow, "%s: this action now needs stricter review, so the grant is void; submit the action again", moved)
}

// replayConsume answers a repeated call with what the first one was told.
func (a Approval) replayConsume(digest, key string) (Spent, error) {
	g := a.Grant
	if g == nil || g.ConsumedAt == nil {
		return Spent{}, nil
	}
	if key != "" && key == g.ConsumeKey && digest == a.Digest {
		return Spent{At: *g.ConsumedAt, Replayed: true}, nil
	}
	return Spent{}, fault.New(fault.AlreadyConsumed, "the grant was consumed at %s; submit the action again to run it again", g.ConsumedAt.Format(time.RFC3339))
}

// spendable reports why the grant of a cannot be spent for this digest now, or nil.
func (a Approval) spendable(digest string, now time.Time) error {
	g := a.Grant
	switch {
	case g == nil:
		return fault.New(fault.NotApproved, "the approval is %s, so there is no grant to consume", a.Status)
	case digest != a.Digest && a.Proposed != nil && digest == a.Proposed.Digest:
		return fault.Member(fault.DigestMismatch, "/digest", "an operator edited what you proposed before it was approved: run decision.effective in its place, and consume %s", a.Digest)
	case digest != a.Digest && digest == a.ShownDigest && a.Assessment.Rewrites:
		return fault.Member(fault.DigestMismatch, "/digest", "decision.effective is your call without the secrets that were found in it, and the grant is for what you sent: consume %s", a.Digest)
	case digest != a.Digest:
		return fault.Member(fault.DigestMismatch, "/digest", "the approval is for %s; what you're about to run is a different action, so submit that one", a.Digest)
	case g.VoidedAt != nil && g.VoidReason != "":
		return fault.New(fault.GrantVoid, "the grant was voided at %s: %s; submit the action again", g.VoidedAt.Format(time.RFC3339), g.VoidReason)
	case g.VoidedAt != nil:
		return stricterNow(fault.Textf("what it depends on changed")) // what, the first answer said
	case !now.Before(g.ExpiresAt):
		return fault.New(fault.GrantExpired, "the grant expired at %s; submit the action again", g.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}

// maxDetail bounds what an agent says about an outcome, in bytes.
const maxDetail = 4096

// Report stores what happened when the agent ran what was approved. The same
// report twice is one.
func (s *Service) Report(ctx context.Context, agent auth.Agent, id, status, detail string) (a Approval, err error) {
	if status != "succeeded" && status != "failed" {
		return a, fault.Member(fault.InvalidMember, "/status", "%.60q isn't an outcome; send succeeded or failed", status)
	}
	if len(detail) > maxDetail {
		return a, fault.Member(fault.InvalidMember, "/detail", "%d bytes is too large; send at most %d", len(detail), maxDetail)
	}
	err = s.writeAs(ctx, agent, func(w Writer) error {
		a, err = w.Approval(id)
		if a, err = own(a, agent, err); err != nil {
			return err
		}
		if a.Grant == nil || a.Grant.ConsumedAt == nil {
			return fault.New(fault.NotConsumed, "the grant wasn't consumed, so nothing can have run; consume it first")
		}
		masked, err := s.maskResult(w, a, detail)
		if err != nil {
			return err
		}
		e := Execution{Status: status, Detail: masked, ReportedAt: w.Now()}
		if old := a.Execution; old != nil {
			if old.Status == e.Status && old.Detail == e.Detail {
				return nil
			}
			return fault.New(fault.AlreadyReported, "%s was reported at %s and can't be changed", old.Status, old.ReportedAt.Format(time.RFC3339))
		}
		a.Execution = &e
		learned, err := a.learnReport(w) // holds the agent before the count of its calls, as Consume does
		if err != nil {
			return err
		}
		if err := w.Report(id, e); err != nil {
			return err
		}
		if status == "failed" {
			if err := a.failedFiles(w); err != nil {
				return err
			}
		}
		return w.Append(a.event(audit.Reported, a.agentActor(), append(learned, member("status", canon.String(status)), member("detail", text(masked)))...))
	})
	if err != nil {
		return Approval{}, err
	}
	s.live.Publish(agent.Tenant, id)
	return a, nil
}
