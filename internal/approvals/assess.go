package approvals

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// policies keeps the compiled policies of the tenants that were last used, where they have
// patterns, rules or functions of their own: compiling such a one takes longer than
// scoring, and it holds a megabyte or more. One version a tenant is enough, since versions
// only go up. It is compared with what is stored, which somebody may have written to. The
// zero value is ready.
type policies struct {
	mu   sync.Mutex
	kept []compiledPolicy  // the last used first
	last map[string]judged // by organisation
}

// judged is what calls of an organisation were judged by last.
type judged struct {
	policy  scoring.Policy
	version int64
	bound   map[string]tenants.Bound // by agent
}

// judge keeps what a call of an agent is judged by, which is a guess for the next one.
func (p *policies) judge(agent auth.Agent, policy scoring.Policy, version int64, bound tenants.Bound) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was, ok := p.last[agent.Tenant]
	if !ok {
		if len(p.last) >= mostPolicies {
			clear(p.last)
		}
		was.bound = map[string]tenants.Bound{}
	}
	if p.last == nil {
		p.last = map[string]judged{}
	}
	was.bound[agent.ID] = bound
	p.last[agent.Tenant] = judged{policy, version, was.bound}
}

// guess is what a call of an agent will be judged by, if nobody changed it.
func (p *policies) guess(agent auth.Agent) (policy scoring.Policy, version int64, bound tenants.Bound, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.last[agent.Tenant]
	bound, ok = last.bound[agent.ID]
	return last.policy, last.version, bound, ok
}

func (p *policies) forget(agent auth.Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.last, agent.Tenant)
}

type compiledPolicy struct {
	tenant  string
	version int64
	of      scoring.Policy
	policy  func() (*scoring.Compiled, error) // compiles it, once
}

// mostPolicies is how many compiled policies are kept.
const mostPolicies = 128

// compiled returns the policy of this version, compiling it where it is not kept. While
// it compiles, only those wait who want the same one.
func (p *policies) compiled(tenant string, version int64, policy scoring.Policy) (*scoring.Compiled, error) {
	if policy.CompilesAtOnce() {
		return scoring.Compile(policy)
	}
	return p.entry(tenant, version, policy).policy()
}

func (p *policies) entry(tenant string, version int64, policy scoring.Policy) compiledPolicy {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.kept, func(c compiledPolicy) bool { return c.tenant == tenant })
	if at >= 0 && p.kept[at].version == version && reflect.DeepEqual(p.kept[at].of, policy) {
		c := p.kept[at]
		copy(p.kept[1:at+1], p.kept[:at])
		p.kept[0] = c
		return c
	}
	c := compiledPolicy{tenant, version, policy, sync.OnceValues(func() (*scoring.Compiled, error) { return scoring.Compile(policy) })}
	switch {
	case at >= 0 && p.kept[at].version > version:
		return c // an older one is for this time only
	case at >= 0:
		p.kept = slices.Delete(p.kept, at, at+1)
	case len(p.kept) == mostPolicies:
		p.kept = slices.Delete(p.kept, mostPolicies-1, mostPolicies)
	}
	p.kept = slices.Insert(p.kept, 0, c)
	return c
}

// examined is an action as it was read under a policy.
type examined struct {
	scoring.Examination
	policy  scoring.Policy
	version int64
	took    time.Duration
}

// unnamable is why the action, or its idempotency key, can't be kept, or nil.
func (e examined) unnamable(key string) error {
	if err := e.Unnamable(); err != nil {
		return err
	}
	return e.UnnamableKey(key)
}

// examine scans an action of an agent under the tenant's current policy, in the workspace that the
// agent is bound to; as far as that is known from its last call. underNow makes it true.
func (s *Service) examine(ctx context.Context, agent auth.Agent, action scoring.Action, key string) (e examined, err error) {
	policy, version, bound, guessed := s.policies.guess(agent)
	if !guessed {
		err = s.store.Read(ctx, agent.Tenant, func(r Reader) (err error) {
			if bound, err = r.AgentBound(agent.ID); err != nil {
				return err
			}
			policy, version, err = r.Policy()
			return err
		})
		if err != nil {
			return e, err
		}
	}
	c, err := s.policies.compiled(agent.Tenant, version, policy)
	if err != nil {
		return e, err
	}
	done, err := s.turn(ctx, agent, action)
	if err != nil {
		return e, err
	}
	func() {
		defer done()
		from := s.now()
		e = examined{Examination: c.Examine(action, nil).In(bound.Folder()), policy: policy, version: version}
		e.took = s.now().Sub(from)
	}()
	if err = e.unnamable(key); err != nil && guessed { // perhaps not any more
		s.policies.forget(agent)
		return s.examine(ctx, agent, action, key)
	}
	if err == nil {
		s.meter.Scored(e.took)
	}
	return e, err
}

// underNow is e under the policy in force.
func (s *Service) underNow(r Reader, agent auth.Agent, action scoring.Action, key string, e examined) (examined, error) {
	policy, version, err := r.Policy()
	if err != nil {
		return e, err
	}
	bound, err := r.AgentBound(agent.ID)
	if err != nil {
		return e, err
	}
	s.policies.judge(agent, policy, version, bound)
	if version == e.version && reflect.DeepEqual(policy, e.policy) {
		return e, nil
	}
	c, err := s.policies.compiled(agent.Tenant, version, policy)
	if err != nil {
		return e, err
	}
	e.Examination, e.policy, e.version = c.Examine(action, nil), policy, version
	return e, e.unnamable(key)
}

// reassess scores the stored action again under the current policy: the stored
// bytes, the recorded matches of masked spans, the recorded call number, and the
// recorded record of the agent unless its trust was lost since, the recorded inputs but
// for those that are what they are now, and what is remembered by now of its files.
func (s *Service) reassess(r Reader, a Approval) (scoring.Assessment, scoring.Treatment, int64, error) {
	policy, version, err := r.Policy()
	if err != nil {
		return scoring.Assessment{}, scoring.Treatment{}, 0, err
	}
	c, err := s.policies.compiled(a.Tenant, version, policy)
	if err != nil {
		return scoring.Assessment{}, scoring.Treatment{}, 0, err
	}
	action, err := a.Parsed()
	if err != nil {
		return scoring.Assessment{}, scoring.Treatment{}, 0, err
	}
	known, _, err := a.recorded(r)
	if err != nil {
		return scoring.Assessment{}, scoring.Treatment{}, 0, err
	}
	in, err := a.inputs(r)
	if err != nil {
		return scoring.Assessment{}, scoring.Treatment{}, 0, err
	}
	exam, err := remembering(r, c.Examine(action, a.Carried), in, a.Agent.ID, a.ID)
	if err != nil {
		return scoring.Assessment{}, scoring.Treatment{}, 0, err
	}
	as := exam.Trusting(known).Assess(a.CallNumber)
	t := as.Treatment
	if len(a.Carried) > 0 && t.StricterThan(a.Treatment) {
		was, err := s.readMasked(r, a, action, version, c)
		if err != nil {
			return as, t, version, err
		}
		if !t.StricterThan(was.Trusting(known).Assess(a.CallNumber).Treatment) {
			needs := t.Needs // who decides doesn't depend on what is masked
			t = policy.Again(a.Treatment)
			t = t.AtLeast(scoring.Treatment{Needs: needs})
		}
	}
	return as, t, version, nil
}

// readMasked reads the stored action with what counted when it was assessed. It was judged
// with what is masked since, and a masked value is no fact: that alone makes nothing stricter.
func (s *Service) readMasked(r Reader, a Approval, action scoring.Action, version int64, c *scoring.Compiled) (exam scoring.Examination, err error) {
	if a.PolicyVersion != version {
		then, err := r.PolicyVersion(a.PolicyVersion)
		if err != nil {
			return exam, err
		}
		if c, err = scoring.Compile(then.Policy); err != nil {
			return exam, err
		}
	}
	return c.Examine(action, a.Carried).Given(a.Assessment.Inputs), nil
}

// OwnMask masks what a tenant's policy masks, where that is more than what comes with the
// program; nil where it is not.
func (s *Service) OwnMask(ctx context.Context, tenant string) (mask func(string) string, err error) {
	err = s.store.Read(ctx, tenant, func(r Reader) error {
		p, version, err := r.Policy()
		if err != nil || p.PatternOverrides.Empty() {
			return err
		}
		c, err := s.policies.compiled(tenant, version, p)
		if err == nil {
			mask = c.MaskText
		}
		return err
	})
	return mask, err
}

// maskResult masks secrets in free text that an agent reports.
func (s *Service) maskResult(r Reader, a Approval, text string) (string, error) {
	c, err := s.inForce(r, a.Tenant)
	if err != nil {
		return "", err
	}
	return c.MaskResult(text), nil
}

// unnamableKey is why an idempotency key cannot be kept, or nil.
func (s *Service) unnamableKey(r Reader, a Approval, key string) error {
	if key == "" {
		return nil
	}
	c, err := s.inForce(r, a.Tenant)
	if err != nil {
		return err
	}
	return c.UnnamableKey(key)
}

// inForce is the current policy of a tenant, ready to score.
func (s *Service) inForce(r Reader, tenant string) (*scoring.Compiled, error) {
	policy, version, err := r.Policy()
	if err != nil {
		return nil, err
	}
	return s.policies.compiled(tenant, version, policy)
}
