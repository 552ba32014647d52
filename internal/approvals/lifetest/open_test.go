package lifetest

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// An organisation has so many open approvals at most. What is over makes room, and what opens
// nothing needs none.
func TestMostOpen(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.Service = approvals.NewService(approvals.Config{
			Store: h.db.Approvals(), Live: h.hub, Signer: h.signer, Issuer: func() string { return "https://console.test" },
			Now: time.Now, Log: slog.New(slog.DiscardHandler), Meter: h.meter, MostOpen: 2,
		})
		t.Cleanup(h.Stop)
		waits, granted := h.waiting(confirm, scoring.ChallengeConfirm), h.submit(harmless)
		full := func(what, body string) {
			t.Helper()
			_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, body)})
			wantFault(t, what, err, fault.RateLimited)
			if f := fault.As(err); f.RetryAfter == 0 || !strings.Contains(f.Detail, "cancel what isn't needed") {
				t.Errorf("%s: %v, after %s", what, err, f.RetryAfter)
			}
		}
		full("one more that waits", confirmWith("b"))
		full("one more that is approved", harmless)
		h.submit(blocked)
		if a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless), Consume: true}); err != nil || a.Grant == nil {
			t.Errorf("one that is spent at once: %v", err)
		}
		if _, err := h.consume(granted, granted.Digest, ""); err != nil {
			t.Fatal(err)
		}
		again := h.submit(harmless)
		full("after one was spent and another one came", harmless)
		if _, err := h.Cancel(t.Context(), h.agent, waits.ID); err != nil {
			t.Fatal(err)
		}
		h.waiting(confirmWith("c"), scoring.ChallengeConfirm)
		h.restart() // the number follows from the log, and the limit from the service
		if a, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)}); err != nil || a.ID == again.ID {
			t.Errorf("with the usual limit: %v", err)
		}
	})
}
