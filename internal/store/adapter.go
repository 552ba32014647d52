package store

import (
	"context"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// adapter is the database as a service needs it, which reads by R and writes by W: a *tx is both.
type adapter[R, W any] struct{ *Store }

var (
	_ approvals.Writer = (*tx)(nil)
	_ tenants.Writer   = (*tx)(nil)
	_ notices.Writer   = (*tx)(nil)
)

// with is fn as a transaction calls it.
func with[T any](fn func(T) error) func(*tx) error {
	return func(t *tx) error { return fn(any(t).(T)) }
}

func (s adapter[R, W]) Read(ctx context.Context, tenant string, fn func(R) error) error {
	return s.read(ctx, tenant, with(fn))
}

func (s adapter[R, W]) Write(ctx context.Context, tenant string, fn func(W) error) error {
	return s.write(ctx, tenant, with(fn))
}

func (s adapter[R, W]) Aside(ctx context.Context, tenant string, fn func(W) error) error {
	return s.writeAside(ctx, tenant, with(fn))
}

func (s adapter[R, W]) SayNo(ctx context.Context, tenant string, fn func(W) error) error {
	return s.writeNo(ctx, tenant, with(fn))
}

func (s adapter[R, W]) Tenants(ctx context.Context) ([]string, error) { return s.tenants(ctx) }

// Approvals returns the database as package approvals needs it.
func (s *Store) Approvals() approvals.Store {
	return approvalStore{adapter[approvals.Reader, approvals.Writer]{s}}
}

type approvalStore struct {
	adapter[approvals.Reader, approvals.Writer]
}

func (s approvalStore) WriteAs(ctx context.Context, agent auth.Agent, of approvals.Call, fn func(approvals.Writer) error) error {
	if err := s.hears(); err != nil {
		return err
	}
	asks := func(t *tx) []tables.Wanted {
		all := t.AboutAgent(agent.ID)
		if of.Session != "" {
			all = append(all, t.CallsOf(agent.ID, of.Session, of.Function))
		}
		return all
	}
	a := oneAct(ctx, agent.Tenant, false, func(t *tx) error {
		if err := t.Fetch(asks(t)...); err != nil {
			return err
		}
		return as(agent, fn)(t)
	})
	a.agent, a.asks = agent.ID, asks
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
