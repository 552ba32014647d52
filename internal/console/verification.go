package console

import (
	"context"
	"encoding/hex"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/trailui"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/trail"
)

// Verifying a trail reads all of it, so it runs beside the requests: one at a time
// for each organisation, maxChecks in this process. Its result is an event of the
// trail, which every page and every other replica reads; how far one is, only the
// process that runs it knows.

const (
	maxChecks = 2
	// checkPatience is how long the request that starts a verification waits for it:
	// most trails are done by then, and nobody has to look at a bar.
	checkPatience = 2 * time.Second
	// checkLimit ends a verification that hangs.
	checkLimit = time.Hour
)

// checks are the verifications that run in this process.
type checks struct {
	trail  edge.AuditTrail
	signed edge.Checkpoints
	tell   func(ctx context.Context, tenant string, e audit.Event) error
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup

	mu  sync.Mutex
	now map[string]*check // by tenant
}

// check is one verification.
type check struct {
	done, of atomic.Int64
	ended    chan struct{}
	err      error // after ended
}

func newChecks(trail edge.AuditTrail, signed edge.Checkpoints, tell func(context.Context, string, audit.Event) error, log *slog.Logger) *checks {
	ctx, cancel := context.WithCancel(context.Background())
	return &checks{trail: trail, signed: signed, tell: tell, log: log, ctx: ctx, cancel: cancel, now: map[string]*check{}}
}

// close stops what runs and waits for it.
func (c *checks) close(ctx context.Context) error {
	c.cancel()
	ended := make(chan struct{})
	go func() {
		c.wait.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// running is the verification of a tenant, or nil.
func (c *checks) running(tenant string) *check {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now[tenant]
}

// start begins to verify, or joins the verification that runs already.
func (c *checks) start(tenant, person string) (*check, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.now[tenant]; one != nil {
		return one, nil
	}
	if len(c.now) >= maxChecks {
		return nil, &fault.Error{Code: fault.NotReady, Detail: "other trails are being verified here; try again in a minute", RetryAfter: time.Minute}
	}
	if c.ctx.Err() != nil {
		return nil, &fault.Error{Code: fault.NotReady, Detail: "the server is stopping; try again in a moment", RetryAfter: time.Second}
	}
	one := &check{ended: make(chan struct{})}
	c.now[tenant] = one
	c.wait.Go(func() {
		one.err = c.verify(one, tenant, person)
		c.mu.Lock()
		delete(c.now, tenant)
		c.mu.Unlock()
		close(one.ended)
	})
	return one, nil
}

// verify runs to the end and writes the result into the trail.
func (c *checks) verify(one *check, tenant, person string) error {
	ctx, cancel := context.WithTimeout(c.ctx, checkLimit)
	defer cancel()
	// Taken before the look, so that the log can only be longer.
	var against []audit.Checkpoint
	if s := c.signed.Newest(tenant); s.Note != nil {
		against = append(against, s.Checkpoint)
	}
	report, err := c.trail.VerifyTelling(ctx, tenant, func(done, of int64) {
		one.done.Store(done)
		one.of.Store(of)
	}, against...)
	if err == nil {
		err = c.tell(ctx, tenant, verifiedEvent(tenant, person, report))
	}
	if err != nil {
		c.log.ErrorContext(ctx, "a verification did not end", "tenant", tenant, "error", err)
	} else if !report.OK {
		c.log.ErrorContext(ctx, "a trail does not hold", "tenant", tenant, "index", report.FirstBroken, "problem", report.Problem)
	}
	return err
}

// verifiedEvent tells of a verification and what it found.
func verifiedEvent(tenant, person string, r audit.Report) audit.Event {
	data := []canon.Member{
		{Name: "holds", Value: canon.Bool(r.OK)},
		{Name: "size", Value: canon.Int(r.Size)},
		{Name: "root", Value: canon.String(hex.EncodeToString(r.Root))},
	}
	if !r.OK {
		data = append(data, canon.Member{Name: "first_broken", Value: canon.Int(r.FirstBroken)}, canon.Member{Name: "problem", Value: canon.String(r.Problem)})
	}
	return audit.Event{Tenant: tenant, Kind: audit.Verified, Actor: audit.Actor{Kind: "person", ID: person}, Data: canon.Object(data...)}
}

// startVerification verifies the trail.
func (s *Console) startVerification(c edge.Call) error {
	one, err := s.checks.start(c.Member.Tenant, c.Member.Person.ID)
	if err != nil {
		return err
	}
	patience := time.NewTimer(checkPatience)
	defer patience.Stop()
	select {
	case <-one.ended:
		if one.err != nil {
			return one.err
		}
		return edge.GoTo(c, "/t/"+c.Member.Tenant+"/audit")
	case <-patience.C:
		return edge.GoTo(c, "/t/"+c.Member.Tenant+"/audit/verification")
	case <-c.Request().Context().Done():
		return c.Request().Context().Err()
	}
}

// verificationPage says how far a verification is, and leads to the trail once
// nothing runs any more. A browser asks it again by itself.
func (s *Console) verificationPage(c edge.Call) error {
	here := "/t/" + c.Member.Tenant + "/audit"
	one := s.checks.running(c.Member.Tenant)
	if one == nil {
		return edge.GoTo(c, here)
	}
	done, of := one.done.Load(), one.of.Load()
	v := trail.Verification{Note: c.Say.Say("Reading the first entries."), TrailURL: here, URL: here + "/verification"}
	if of > 0 {
		v.Note = c.Say.Say("%d of %s hold so far.", done, trailui.Entries(c.Say, of))
		v.Percent = int(done * 100 / of)
	}
	c.Response().Header().Set("Refresh", "2")
	return edge.Show(c, http.StatusOK, trail.VerificationPage(s.Page(c, c.Say.Say("Verifying the trail"), views.PlaceAudit), v))
}
