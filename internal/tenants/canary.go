package tenants

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/toollist"
)

// What an agent's gate tells of itself. A gate is proven with a canary: a call that must not
// run, sent the way that every call takes. It is always denied and counts for nothing.

// Canary is the newest one of an agent.
type Canary struct {
	Nonce string // what whoever tries the gate made up, to know its own canary again
	At    time.Time
	// Failed says why the call was not refused, in the words of whoever tried; "" where it was.
	Failed string
}

// SilentAfter is how long an agent is quiet before its gate counts as silent: a working day
// and the night after it.
const SilentAfter = 24 * time.Hour

// SilentSince is since when nothing is known to be held for an agent: no call came for
// SilentAfter, or its last canary was let through. nil where calls come, and for an agent
// that was stopped or never called.
func (a Agent) SilentSince(now time.Time) *time.Time {
	switch {
	case a.StoppedAt != nil:
		return nil
	case a.Canary != nil && a.Canary.Failed != "":
		return &a.Canary.At
	case a.LastUsedAt != nil && now.Sub(*a.LastUsedAt) >= SilentAfter:
		return a.LastUsedAt
	}
	return nil
}

// WatchGates tells people of gates that fell silent, once each time. It looks at agents whose
// gate was proven once: others may have nothing to say for days.
func (s *Service) WatchGates(ctx context.Context) error {
	slugs, err := s.store.Tenants(ctx)
	if err != nil {
		return err
	}
	silent := 0
	var failed []error
	for _, tenant := range slugs {
		n, err := s.watchGates(ctx, tenant)
		silent += n
		failed = append(failed, err)
	}
	s.silent.Store(int64(silent))
	return errors.Join(failed...)
}

// Silent is how many agents WatchGates found silent last.
func (s *Service) Silent() int { return int(s.silent.Load()) }

func (s *Service) watchGates(ctx context.Context, tenant string) (silent int, err error) {
	var now time.Time
	var all []Agent
	err = s.store.Read(ctx, tenant, func(r Reader) (err error) {
		now = r.Now()
		all, err = r.Agents()
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, a := range all {
		since := a.SilentSince(now)
		if a.Canary == nil || since == nil {
			continue
		}
		silent++
		if a.Canary.Failed != "" || a.SilentAt != nil && !a.SilentAt.Before(*since) { // of a canary people were told when it came
			continue
		}
		err := s.store.Write(ctx, tenant, func(w Writer) error {
			if err := w.SetSilent(a.ID); err != nil {
				return err
			}
			return w.Append(a.event(audit.AgentSilent, system, member("since", canon.String(audit.FormatTime(*since)))))
		})
		if err != nil && !fault.Is(err, fault.Changed) { // another server was faster
			return silent, err
		}
	}
	return silent, nil
}

const (
	maxNonce  = 128 // bytes
	maxFailed = 500 // bytes
)

// TryGate records a canary of an agent.
func (s *Service) TryGate(ctx context.Context, agent auth.Agent, nonce, failed string) (c Canary, err error) {
	if nonce == "" || len(nonce) > maxNonce || !utf8.ValidString(nonce) || scoring.HoldsSecret(nonce) {
		return c, fault.Member(fault.InvalidMember, "/nonce", "\"nonce\" is missing or can't be a nonce; expected a random string of 1 to %d bytes", maxNonce)
	}
	failed = beginning(scoring.MaskText(failed), maxFailed)
	err = s.store.Write(ctx, agent.Tenant, func(w Writer) error {
		a, err := w.Agent(agent.ID)
		if err != nil {
			return err
		}
		c = Canary{Nonce: nonce, At: w.Now(), Failed: failed}
		if err := w.SetCanary(a.ID, c); err != nil {
			return err
		}
		again := failed != "" && a.Canary != nil && a.Canary.Failed != "" // people were told already
		return w.Append(a.event(audit.AgentCanary, audit.Actor{Kind: "agent", ID: a.ID},
			member("nonce", canon.String(nonce)), member("failed", canon.String(failed)), member("again", canon.Bool(again))))
	})
	return c, err
}

// ToolsReceived counts what became of a list that an agent sent of its own server.
type ToolsReceived struct {
	New, Changed int
	Waiting      int // of which nobody accepted an effect
}

// Self is an agent as it is told of itself.
func (s *Service) Self(ctx context.Context, agent auth.Agent) (a Agent, err error) {
	err = s.store.Read(ctx, agent.Tenant, func(r Reader) error {
		a, err = r.Agent(agent.ID)
		return err
	})
	return a, err
}

// ImportOwnTools is ImportTools by the agent itself. As with every import, it can raise what
// calls are read as at once, and what would lower them waits for an admin.
func (s *Service) ImportOwnTools(ctx context.Context, agent auth.Agent, in ToolImport) (r ToolsReceived, err error) {
	tools, server, err := in.read()
	if err != nil {
		return r, err
	}
	err = s.store.Write(ctx, agent.Tenant, func(w Writer) error {
		r = ToolsReceived{}
		a, err := w.Agent(agent.ID)
		if err != nil {
			return err
		}
		all, err := w.ImportedTools(a.ID)
		if err != nil {
			return err
		}
		repeated := sameTools(all, server, tools) // a gateway sends its list at every start
		if !repeated {
			if err := s.held(w, agent.Tenant); err != nil { // what is there already becomes true by this
				return err
			}
			if all, err = importTools(w, a, server, tools, audit.Actor{Kind: "agent", ID: a.ID}); err != nil {
				return err
			}
		}
		accepted, err := acceptedTools(w, a)
		if err != nil {
			return err
		}
		for _, t := range all {
			switch {
			case t.Server != server || t.News == ToolGone:
				continue
			case repeated:
			case t.News == ToolAdded:
				r.New++
			case t.News == ToolChanged:
				r.Changed++
			}
			if !accepted(t) {
				r.Waiting++
			}
		}
		return nil
	})
	return r, err
}

// sameTools reports whether a list is what is stored of a server already.
func sameTools(all []Tool, server string, list []toollist.Tool) bool {
	left := map[string]string{}
	for _, t := range list {
		left[t.Name] = t.SHA256
	}
	for _, t := range all {
		if t.Server != server || t.News == ToolGone {
			continue
		}
		if left[t.Name] != t.SHA256 {
			return false
		}
		delete(left, t.Name)
	}
	return len(left) == 0
}
