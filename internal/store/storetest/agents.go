package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

// house is the tenants' door of a place, for steps that must succeed.
func (p place) house(t *testing.T, fn func(w tenants.Writer) error) {
	t.Helper()
	if err := p.tryHouse(t.Context(), fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func (p place) tryHouse(ctx context.Context, fn func(w tenants.Writer) error) error {
	return p.db.Store.Tenants().Write(ctx, p.tenant, fn)
}

// opens reports whether a key of acme's opens anything, by its hash and by its id.
func (p place) opens(t *testing.T, hash, id string) bool {
	t.Helper()
	byHash := false
	p.house(t, func(w tenants.Writer) error {
		_, err := w.AgentByKeyHash(hash)
		byHash = err == nil
		return nil
	})
	p.read(t, func(r approvals.Reader) error {
		byID, err := r.WorkingKeys(id, "key_none")
		if (len(byID) == 1 && byID[0] == id) != byHash {
			t.Errorf("the key %s works by hash: %t, by id: %v", id, byHash, byID)
		}
		return err
	})
	return byHash
}

func testAgentKeys(t *testing.T, w world) {
	p, other := w.acme, w.beta
	var now time.Time
	second := tenants.Key{ID: "key_2", Agent: p.agent.ID, Hint: "7Q2K", Scopes: []auth.Scope{auth.ScopeAssess}}
	p.house(t, func(w tenants.Writer) error {
		now = w.Now()
		end := now.Add(time.Hour)
		second.ExpiresAt = &end
		return w.AddKey(second, "hash2")
	})
	p.house(t, func(w tenants.Writer) error {
		for _, list := range []func() ([]tenants.Key, error){func() ([]tenants.Key, error) { return w.Keys(p.agent.ID) }, w.AllKeys} {
			keys, err := list()
			if err != nil || len(keys) != 2 || keys[0].ID != second.ID || keys[1].ID != p.agent.KeyID {
				t.Fatalf("keys are %+v, %v; want the newest first", keys, err)
			}
			k := keys[0]
			if k.Hint != "7Q2K" || k.Agent != p.agent.ID || !k.ExpiresAt.Equal(*second.ExpiresAt) || k.RevokedAt != nil || k.LastUsedAt != nil ||
				len(k.Scopes) != 1 || k.CreatedAt.Location() != time.UTC || !k.Works(now) || k.Works(*second.ExpiresAt) {
				t.Errorf("the second key is %+v", k)
			}
		}
		for _, unknown := range []string{"", "%", other.agent.ID} {
			if keys, err := w.Keys(unknown); err != nil || len(keys) != 0 {
				t.Errorf("keys of %q: %+v, %v", unknown, keys, err)
			}
		}
		a, err := w.Agent(p.agent.ID)
		if err != nil || a.Name != "bot" || a.Owner != p.ben.ID || a.StoppedAt != nil {
			t.Errorf("the agent is %+v, %v", a, err)
		}
		_, err = w.Agent(other.agent.ID)
		wantFault(t, "another tenant's agent", err, fault.Missing)
		return nil
	})
	if !p.opens(t, "hash2", "key_2") {
		t.Fatal("a new key does not work")
	}
	wantFault(t, "a key id that is taken", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.AddKey(second, "hash3") }), fault.AlreadyExists)
	wantFault(t, "a key for another tenant's agent", other.tryHouse(t.Context(), func(w tenants.Writer) error {
		return w.AddKey(tenants.Key{ID: "key_9", Agent: p.agent.ID}, "hash9")
	}), fault.Missing)
	wantFault(t, "setting another tenant's key", other.tryHouse(t.Context(), func(w tenants.Writer) error { return w.SetKey(second) }), fault.Missing)

	past := now.Add(-time.Microsecond)
	second.ExpiresAt = &past
	p.house(t, func(w tenants.Writer) error { return w.SetKey(second) })
	if p.opens(t, "hash2", "key_2") {
		t.Error("an expired key works")
	}
	second.ExpiresAt = nil
	p.house(t, func(w tenants.Writer) error { return w.SetKey(second) })
	if !p.opens(t, "hash2", "key_2") {
		t.Error("a key whose end was taken away does not work")
	}
	revoked := second
	revoked.RevokedAt = &now
	p.house(t, func(w tenants.Writer) error { return w.SetKey(revoked) })
	if p.opens(t, "hash2", "key_2") {
		t.Error("a revoked key works")
	}
	wantFault(t, "bringing a revoked key back", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.SetKey(second) }), fault.Missing)
	if !p.opens(t, p.key, p.agent.KeyID) {
		t.Error("the first key went with it")
	}
	if p.opens(t, other.key, other.agent.KeyID) {
		t.Error("another tenant's key opens this one")
	}
}

// acts is something an agent did, as it is recorded.
func (p place) acts(t *testing.T, a approvals.Approval) error {
	return p.try(t.Context(), func(w approvals.Writer) error { return w.Append(about(a, audit.Reported)) })
}

func testStoppedAgents(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	before := p.size(t)
	p.house(t, func(w tenants.Writer) error { return w.StopAgent(p.agent.ID, p.ada.ID, "why") })
	p.house(t, func(w tenants.Writer) error {
		got, err := w.Agent(p.agent.ID)
		if err != nil || got.StoppedAt == nil || got.StoppedBy != p.ada.ID || got.StopReason != "why" {
			t.Errorf("the stopped agent is %+v, %v", got, err)
		}
		return nil
	})
	if p.opens(t, p.key, p.agent.KeyID) {
		t.Error("the key of a stopped agent works")
	}
	wantFault(t, "an act of a stopped agent", p.acts(t, a), fault.AgentsStopped)
	if p.size(t) != before {
		t.Error("it was recorded")
	}
	if err := p.try(t.Context(), func(w approvals.Writer) error { return w.Append(happened(audit.SignedIn)) }); err != nil {
		t.Errorf("an act of nobody: %v", err)
	}
	for name, step := range map[string]func(w tenants.Writer) error{
		"stopping it again":                func(w tenants.Writer) error { return w.StopAgent(p.agent.ID, p.ada.ID, "again") },
		"stopping another tenant's agent":  func(w tenants.Writer) error { return w.StopAgent("agt_no", p.ada.ID, "x") },
		"starting one that is not stopped": func(w tenants.Writer) error { return w.StartAgent("agt_no") },
	} {
		wantFault(t, name, p.tryHouse(t.Context(), step), fault.Changed)
	}
	wantFault(t, "beta starting acme's agent", w.beta.tryHouse(t.Context(), func(w tenants.Writer) error { return w.StartAgent(p.agent.ID) }), fault.Changed)
	p.house(t, func(w tenants.Writer) error { return w.StartAgent(p.agent.ID) })
	if p.opens(t, p.key, p.agent.KeyID) {
		t.Error("a started agent has its old key again")
	}
	if err := p.acts(t, a); err != nil {
		t.Errorf("an act after the start: %v", err)
	}
}

func testHalts(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	halt := func(place place) (h *tenants.Halt) {
		place.house(t, func(w tenants.Writer) (err error) {
			h, err = w.Halt()
			return err
		})
		return h
	}
	if halt(p) != nil {
		t.Error("halted from the start")
	}
	p.house(t, func(w tenants.Writer) error { return w.HaltAgents(p.ada.ID, "a leak") })
	if h := halt(p); h == nil || h.By != p.ada || h.Reason != "a leak" || h.At.Location() != time.UTC {
		t.Errorf("the halt is %+v", h)
	}
	if halt(w.beta) != nil {
		t.Error("beta is halted, too")
	}
	p.house(t, func(w tenants.Writer) error {
		got, err := w.AgentByKeyHash(p.key)
		if err != nil || got.Halted == "" || got.ID != p.agent.ID {
			t.Errorf("the key of a halted tenant: %+v, %v; want the agent, and why it may do nothing", got, err)
		}
		return nil
	})
	wantFault(t, "an act while halted", p.acts(t, a), fault.AgentsStopped)
	if err := w.beta.acts(t, w.beta.submit(t, nil)); err != nil {
		t.Errorf("an act of beta's agent: %v", err)
	}
	p.deny(t, a, "people go on deciding")
	wantFault(t, "halting twice", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.HaltAgents(p.ada.ID, "") }), fault.Changed)
	wantFault(t, "beta resuming", w.beta.tryHouse(t.Context(), func(w tenants.Writer) error { return w.Resume() }), fault.Changed)
	if halt(p) == nil {
		t.Error("beta's resume ended acme's halt")
	}
	p.house(t, func(w tenants.Writer) error { return w.Resume() })
	wantFault(t, "resuming twice", p.tryHouse(t.Context(), func(w tenants.Writer) error { return w.Resume() }), fault.Changed)
	p.submit(t, nil)
	p.house(t, func(w tenants.Writer) error { return w.HaltAgents("", "") })
	if h := halt(p); h == nil || h.By.ID != "" {
		t.Errorf("a halt from the command line is %+v", h)
	}
}

func testLastUsed(t *testing.T, w world) {
	p := w.acme
	last := func() (key, agent *time.Time) {
		p.house(t, func(w tenants.Writer) error {
			keys, err := w.Keys(p.agent.ID)
			if err != nil {
				return err
			}
			a, err := w.Agent(p.agent.ID)
			key, agent = keys[0].LastUsedAt, a.LastUsedAt
			return err
		})
		return key, agent
	}
	if key, agent := last(); key != nil || agent != nil {
		t.Errorf("used before the first use: %v, %v", key, agent)
	}
	first := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.FixedZone("+3", 3*3600))
	for _, c := range []struct {
		at, want time.Time
	}{
		{first, first},
		{first.Add(tenants.UsageStep - time.Microsecond), first},
		{first.Add(-time.Hour), first},
		{first.Add(tenants.UsageStep), first.Add(tenants.UsageStep)},
	} {
		p.house(t, func(w tenants.Writer) error { return w.Used(p.agent.ID, p.agent.KeyID, c.at) })
		key, agent := last()
		if key == nil || agent == nil || !key.Equal(c.want) || !agent.Equal(c.want) {
			t.Errorf("used at %v: the key says %v, the agent %v; want %v", c.at, key, agent, c.want)
		}
	}
	w.beta.house(t, func(w tenants.Writer) error { return w.Used(p.agent.ID, p.agent.KeyID, first.Add(time.Hour)) })
	if key, _ := last(); !key.Equal(first.Add(tenants.UsageStep)) {
		t.Error("another tenant wrote the last use")
	}
}

func testActivity(t *testing.T, w world) {
	p := w.acme
	start := time.Now().Add(-time.Minute)
	count := func(agent string, since time.Time, limit int) (a tenants.Activity) {
		p.house(t, func(w tenants.Writer) (err error) {
			a, err = w.Activity(agent, since, limit)
			return err
		})
		return a
	}
	if got := count(p.agent.ID, start, 10); got != (tenants.Activity{}) {
		t.Errorf("before the first action: %+v", got)
	}
	for _, l := range []level.Level{level.Low, level.Critical, level.Medium} {
		p.submit(t, func(a *approvals.Approval) { a.Assessment.Level = l })
	}
	w.beta.submit(t, nil)
	for name, c := range map[string]struct {
		got, want tenants.Activity
	}{
		"all":           {count(p.agent.ID, start, 10), tenants.Activity{Count: 3, Highest: level.Critical}},
		"exactly limit": {count(p.agent.ID, start, 3), tenants.Activity{Count: 3, Highest: level.Critical}},
		"more":          {count(p.agent.ID, start, 2), tenants.Activity{Count: 2, More: true, Highest: level.Critical}},
		"too long ago":  {count(p.agent.ID, time.Now().Add(time.Hour), 10), tenants.Activity{}},
		"nobody":        {count("", start, 10), tenants.Activity{}},
		"of beta":       {count(w.beta.agent.ID, start, 10), tenants.Activity{}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", name, c.got, c.want)
		}
	}
}

func testUnspent(t *testing.T, w world) {
	p := w.acme
	live, spent := p.approve(t, p.submit(t, nil)), p.approve(t, p.submit(t, nil))
	p.submit(t, nil)
	w.beta.approve(t, w.beta.submit(t, nil))
	p.write(t, func(w approvals.Writer) error { return w.Consume(spent.ID, "") })
	expired := p.submit(t, nil)
	p.write(t, func(w approvals.Writer) error {
		done := p.approved(expired, w.Now())
		done.Grant.ExpiresAt = w.Now()
		return w.Decide(done, 1)
	})
	unspent := func(agent string, limit int) (ids []string) {
		p.read(t, func(r approvals.Reader) error {
			all, err := r.Unspent(agent, limit)
			for _, a := range all {
				ids = append(ids, a.ID)
			}
			return err
		})
		return ids
	}
	same(t, "what can be spent", unspent(p.agent.ID, 10), []string{live.ID})
	same(t, "of beta's agent", unspent(w.beta.agent.ID, 10), []string(nil))
	same(t, "of nobody", unspent("", 10), []string(nil))
	p.write(t, func(w approvals.Writer) error { return w.Revoke(live.ID, "stopped") })
	same(t, "after it was taken back", unspent(p.agent.ID, 10), []string(nil))
	if g := p.get(t, live.ID).Grant; g.VoidedAt == nil || g.VoidReason != "stopped" {
		t.Errorf("the grant is %+v", g)
	}
	wantFault(t, "taking a spent one back", p.try(t.Context(), func(w approvals.Writer) error { return w.Revoke(spent.ID, "x") }), fault.AlreadyConsumed)
	wantFault(t, "beta taking it back", w.beta.try(t.Context(), func(w approvals.Writer) error { return w.Revoke(spent.ID, "x") }), fault.Missing)
}
