package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What waits is counted when somebody looks, and at most every five seconds; where it
// cannot be counted the rest of the metrics is answered all the same.
func TestPendingGauges(t *testing.T) {
	t.Parallel()
	now, asked, fail := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), 0, error(nil)
	var log bytes.Buffer
	m := NewMetrics()
	m.Pending(func(ctx context.Context) ([]approvals.PendingTotal, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("a scrape may take for ever")
		}
		asked++
		return []approvals.PendingTotal{{Level: level.Low}, {Level: level.High, Count: asked, Oldest: 90 * time.Second}}, fail
	}, func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, nil)))
	scrape := func() string {
		t.Helper()
		res := httptest.NewRecorder()
		m.handler(slog.New(slog.DiscardHandler)).ServeHTTP(res, httptest.NewRequest("GET", "/metrics", nil))
		if res.Code != 200 || !strings.Contains(res.Body.String(), "go_goroutines") {
			t.Errorf("%d %s", res.Code, res.Body)
		}
		return res.Body.String()
	}
	has := func(body string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(body, want+"\n") {
				t.Errorf("no %q in\n%s", want, body)
			}
		}
	}
	const high = `countersign_approvals_pending{level="HIGH"} `
	has(scrape(), high+"1", `countersign_approvals_pending{level="LOW"} 0`, `countersign_approvals_pending_oldest_seconds{level="HIGH"} 90`, `countersign_approvals_pending_oldest_seconds{level="LOW"} 0`)
	now = now.Add(pendingEvery - 1)
	has(scrape(), high+"1")
	now = now.Add(1)
	has(scrape(), high+"2")
	now, fail = now.Add(pendingEvery), errors.New("the database is down")
	if strings.Contains(scrape(), "countersign_approvals_pending") || !strings.Contains(log.String(), "the database is down") {
		t.Errorf("what could not be counted is told; the log says %s", &log)
	}
	fail = nil
	has(scrape(), high+"4")
}

// Whoever asks for more time than the policy allows is told so by the answer that creates the request.
func TestMoreTimeThanThePolicyAllows(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	for _, c := range []struct {
		asked int
		want  any
	}{{86_400, nil}, {90_000, map[string]any{"asked_seconds": 90_000.0, "seconds": 86_400.0}}} {
		body := fmt.Sprintf(`{"function":"delete_user","arguments":{"id":%d},"expires_in_seconds":%d}`, c.asked, c.asked)
		if got := r.as(t, "acme", "/api/v1/approvals", body, "Idempotency-Key", strconv.Itoa(c.asked)).approvalOf(t, 201)["expiry_limited"]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("asked for %d seconds: got %v, want %v", c.asked, got, c.want)
		}
		if got := r.as(t, "acme", "/api/v1/approvals", body, "Idempotency-Key", strconv.Itoa(c.asked)).approvalOf(t, 200)["expiry_limited"]; got != nil {
			t.Errorf("a replay says %v", got)
		}
	}
}
