package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

func readPage(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheTableOfLimits holds the numbers of docs/api.md against the code.
func TestTheTableOfLimits(t *testing.T) {
	t.Parallel()
	policy := scoring.DefaultPolicy()
	want := map[string]int{
		"Body": canon.MaxBytes, "Depth": canon.MaxDepth, "Values": canon.MaxNodes, "`function`": scoring.MaxFunctionBytes,
		"Names": scoring.MaxNameBytes, "`Idempotency-Key`": maxKey, "`wait`": int(maxWait.Seconds()), "`expires_in_seconds`": maxExpiry,
		"`limit`": maxLimit, "`effective` on a page": approvals.MaxEffective, "Life of a grant": policy.GrantSeconds, "Open waits": maxWaiting, "Requests without a working key": strangerRate,
	}
	got := map[string]int{}
	_, table, _ := strings.Cut(readPage(t, "api.md"), "## Limits")
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \| ([0-9,]+)`).FindAllStringSubmatch(table, -1) {
		got[row[1]], _ = strconv.Atoi(strings.ReplaceAll(row[2], ",", ""))
	}
	for what, n := range want {
		if got[what] != n {
			t.Errorf("%s is limited to %d, and in docs/api.md to %d", what, n, got[what])
		}
	}
	for what, says := range map[string]string{
		"expiry": fmt.Sprintf("by default %d", policy.ExpirySeconds), "page": fmt.Sprintf("default %d", defaultLimit),
		"burst": fmt.Sprintf("at least %d", minBurst), "strangers": fmt.Sprintf("%d at once", strangerBurst),
	} {
		if !strings.Contains(table, says) {
			t.Errorf("%s: docs/api.md does not say %q", what, says)
		}
	}
}

// TestEveryCallIsInTheDocs: docs/api.md shows each operation.
func TestEveryCallIsInTheDocs(t *testing.T) {
	t.Parallel()
	text := readPage(t, "api.md")
	for path := range newSite(t).document.Paths {
		if call := strings.ReplaceAll(path, "{id}", "$ID"); strings.HasPrefix(path, "/api/v1/a") && !strings.Contains(text, "$BASE"+call) {
			t.Errorf("docs/api.md shows no call of %s", path)
		}
	}
}

// TestTheTableOfMetrics holds docs/metrics.md against what is served.
func TestTheTableOfMetrics(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	m.Sockets(func() int { return 3 })
	m.Silent(func() int { return 1 })
	m.Pending(func(context.Context) ([]approvals.PendingTotal, error) {
		return []approvals.PendingTotal{{Level: level.High, Count: 2, Oldest: time.Minute}}, nil
	}, time.Now, slog.New(slog.DiscardHandler))
	m.Observe("GET", "/x", 200, 0)
	m.Submitted("pending", 1)
	m.Decided("denied", 1)
	m.Assessed("pending", 1)
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	served := map[string]string{}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "countersign_") {
			continue
		}
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		slices.Sort(labels)
		served[f.GetName()] = strings.ToLower(f.GetType().String()) + " " + strings.Join(labels, " ")
	}
	told := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(countersign_[a-z_]+)` \\| (\\w+) \\| ([^|]*)\\|").FindAllStringSubmatch(readPage(t, "metrics.md"), -1) {
		labels := regexp.MustCompile(`[a-z]+`).FindAllString(row[3], -1)
		slices.Sort(labels)
		told[row[1]] = row[2] + " " + strings.Join(labels, " ")
	}
	if !maps.Equal(served, told) {
		t.Errorf("served are %v\ntold are %v", served, told)
	}
}
