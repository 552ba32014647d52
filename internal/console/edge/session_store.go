package edge

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
)

// provenSessions is a SessionStore whose rows are worth nothing without the key of the
// servers: who writes one into the table, or copies one under another token, is not signed in
// by it.
type provenSessions struct {
	SessionStore
	doors *auth.Doors
}

// FindCtx finds what CommitCtx wrote.
func (s provenSessions) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	stored, found, err := s.SessionStore.FindCtx(ctx, token)
	if err != nil || !found {
		return nil, false, err
	}
	data, found = s.doors.OpenSession(token, stored)
	return data, found, nil
}

// CommitCtx writes a session with its proof.
func (s provenSessions) CommitCtx(ctx context.Context, token string, data []byte, expiry time.Time) error {
	return s.SessionStore.CommitCtx(ctx, token, s.doors.Session(token, data), expiry)
}
