package store

import (
	"context"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/notices"
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
