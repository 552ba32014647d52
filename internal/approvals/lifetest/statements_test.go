package lifetest

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
)

// counting notes the statements that the store logs.
type counting struct {
	slog.Handler
	all *[]string
}

func (counting) Enabled(context.Context, slog.Level) bool { return true }

func (c counting) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "sql" {
			*c.all = append(*c.all, a.Value.String())
		}
		return true
	})
	return nil
}

// An act costs no more statements than this, however long the trail is.
func TestStatements(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var all []string
	db, err := store.Open(t.Context(), store.Config{Path: h.path, Now: h.clock.Now, Heads: h.heads, Log: slog.New(counting{slog.DiscardHandler, &all})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	service := approvals.NewService(approvals.Config{
		Store: db.Approvals(), Live: h.hub, Signer: h.signer, Issuer: func() string { return "https://console.test" }, Now: h.clock.Now, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(service.Stop)
	h.use(server{db, service})
	h.policy(func(p *scoring.Policy) { p.MinReviewSeconds = scoring.PerLevel[int]{} })
	h.submit(harmless) // which reads the log
	cost := func(what string, most int, act func() error) {
		t.Helper()
		all = nil
		if err := act(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if len(all) == 0 || len(all) > most {
			t.Errorf("%s costs %d statements, want at most %d:\n%s", what, len(all), most, strings.Join(all, "\n"))
		}
	}
	var a, held approvals.Approval
	cost("a call that is let through", 8, func() error { a = h.submit(harmless); return nil })
	cost("spending it", 6, func() error { _, err := h.consume(a, a.Digest, ""); return err })
	cost("its report", 5, func() error {
		_, err := h.Report(t.Context(), h.agent, a.ID, "succeeded", "")
		return err
	})
	cost("a call that is held", 10, func() error { held = h.waiting(confirm, scoring.ChallengeConfirm); return nil })
	v := h.show(h.ada, held.ID)
	cost("a decision", 12, func() error { _, err := h.decide(h.ada, held.ID, form(v)); return err })
}
