package approvals

import (
	"context"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/scoring"
)

// policies keeps the compiled policy of each tenant: compiling takes longer than
// scoring. One version a tenant is enough, since versions only go up.
type policies struct {
	mu       sync.Mutex
	versions map[string]compiledPolicy
}

type compiledPolicy struct {
	version int64
	policy  *scoring.Compiled
}

// compiled returns the policy of this version, compiling it at most once.
func (p *policies) compiled(tenant string, version int64, policy scoring.Policy) (*scoring.Compiled, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.versions[tenant]; ok && c.version == version {
		return c.policy, nil
	}
	c, err := scoring.Compile(policy)
	if err != nil {
		return nil, err
	}
	if p.versions == nil {
		p.versions = map[string]compiledPolicy{}
	}
	if version >= p.versions[tenant].version {
		p.versions[tenant] = compiledPolicy{version: version, policy: c}
	}
	return c, nil
}

// examine scans an action under the tenant's current policy, and says how long
// that took.
func (s *Service) examine(ctx context.Context, tenant string, action scoring.Action) (exam scoring.Examination, version int64, took time.Duration, err error) {
	var policy scoring.Policy
	err = s.store.Read(ctx, tenant, func(r Reader) (err error) {
		policy, version, err = r.Policy()
		return err
	})
	if err != nil {
		return exam, 0, 0, err
	}
	c, err := s.policies.compiled(tenant, version, policy)
	if err != nil {
		return exam, 0, 0, err
	}
	from := s.now()
	exam = c.Examine(action, nil)
	took = s.now().Sub(from)
	s.meter.Scored(took)
	return exam, version, took, nil
}

// reassess scores the stored action again under the current policy: the stored
// bytes, the recorded matches of masked spans, the recorded call number, and the
// recorded record of the agent unless its trust was lost since.
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
	as := c.Examine(action, a.Carried).Trusting(known).Assess(a.CallNumber)
	return as, as.Treatment, version, nil
}

// maskText masks secrets in free text that an agent reports.
func (s *Service) maskText(r Reader, a Approval, text string) (string, error) {
	policy, version, err := r.Policy()
	if err != nil {
		return "", err
	}
	c, err := s.policies.compiled(a.Tenant, version, policy)
	if err != nil {
		return "", err
	}
	return c.MaskText(text), nil
}
