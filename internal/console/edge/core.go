package edge

import (
	"context"
	"log/slog"
	"time"

	"github.com/alexedwards/scs/v2"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/web"
)

// Config is what a Console needs; every field but NeverLock is required.
type Config struct {
	Approvals *approvals.Service
	Tenants   *tenants.Service
	Audit     AuditTrail
	// Checkpoints are the newest signed ones.
	Checkpoints Checkpoints
	Live        *live.Hub
	Notices     *notices.Service
	Sessions    SessionStore
	Doors       *auth.Doors
	Assets      *web.Assets
	PublicURL   func() string    // known once the server listens
	Now         func() time.Time // for sessions and for times on pages without data
	Log         *slog.Logger
	// Trouble is why nothing can be stored at the moment; nil: nothing is known. It is quick.
	Trouble func() error
	// NeverLock keeps deciding open however long nobody does anything: the demo's, where
	// nobody has a password to open it again.
	NeverLock bool
}

// SessionStore keeps sign-ins, by their hashed tokens.
type SessionStore interface {
	scs.CtxStore
	// Existing are those of these sessions that have not expired or ended.
	Existing(ctx context.Context, tokens []string) ([]string, error)
}

// AuditTrail reads a tenant's log. It is declared here because the store, which
// has it, stands beside this package and not below it.
type AuditTrail interface {
	// Search returns one page of what a filter chooses.
	Search(ctx context.Context, tenant string, q audit.Query) (audit.Page, error)
	// Walk calls fn for every event below an index that the filter chooses, oldest first.
	Walk(ctx context.Context, tenant string, f audit.Filter, below int64, fn func(audit.Record) error) error
	// Event is one of them. fault.Missing.
	Event(ctx context.Context, tenant string, index int64) (audit.Record, error)
	// Head is the size of the log and the root of its tree.
	Head(ctx context.Context, tenant string) (audit.Head, error)
	// Proof is an event with the way from it to the root of the head of now.
	Proof(ctx context.Context, tenant string, index int64) (audit.Record, audit.Proof, error)
	// VerifyTelling checks the whole trail and says how far it is.
	// What was signed before must hold, too: against.
	VerifyTelling(ctx context.Context, tenant string, progress func(done, of int64), against ...audit.Checkpoint) (audit.Report, error)
}

// Checkpoints has what the server signed. It is declared here because its state
// stands with the keys, outside of the database.
type Checkpoints interface {
	// Newest is that of a tenant's log; without a note where there is none yet.
	Newest(tenant string) audit.SignedCheckpoint
	// Keys are the public keys that verify, the one that signs first.
	Keys() []string
}

// Console is what every page has: the services, who is signed in, what stands around a page.
type Console struct {
	Config
	Visits *sessions
	// Match chooses a language by Accept-Language, where there is a choice.
	Match  func(accepted string) texts.Printer
	Choice bool
}

func New(c Config) *Console {
	return &Console{
		Config: c, Match: texts.Match, Choice: len(texts.Languages()) > 1,
		Visits: newSessions(provenSessions{c.Sessions, c.Doors}, c.PublicURL, c.Tenants.Now, c.NeverLock),
	}
}

// TenantChanged has open pages told at once, here and on other servers.
func (s *Console) TenantChanged(tenant string) { s.Live.Publish(tenant, live.House) }
