package store

import (
	"context"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
)

// Approvals returns the database as package approvals needs it.
func (s *Store) Approvals() approvals.Store {
	return approvalStore{adapter[approvals.Reader, approvals.Writer]{s}}
}

type approvalStore struct {
	adapter[approvals.Reader, approvals.Writer]
}

func (s approvalStore) WriteAs(ctx context.Context, agent auth.Agent, fn func(approvals.Writer) error) error {
	if err := s.hears(); err != nil {
		return err
	}
	a := oneAct(ctx, agent.Tenant, false, as(agent, fn))
	a.agent = agent.ID
	return s.perform(a)
}

func (s approvalStore) SayNoAs(ctx context.Context, agent auth.Agent, fn func(approvals.Writer) error) error {
	return s.writeNo(ctx, agent.Tenant, as(agent, fn))
}

// as is fn of somebody who came with a key.
func as(agent auth.Agent, fn func(approvals.Writer) error) func(*tx) error {
	return func(t *tx) error {
		t.Acting = &agent
		return fn(t)
	}
}
