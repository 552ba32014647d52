package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Metrics is what Prometheus reads. Its registry is its own, and the number of
// series is bounded by the routes and by what the code can say: nothing that a
// stranger writes becomes a label, and nothing names a tenant, an agent or a
// person. It is safe for concurrent use, and it is the Meter of the approvals.
type Metrics struct {
	registry *prometheus.Registry

	requests  *prometheus.CounterVec   // route, method, code
	durations *prometheus.HistogramVec // route, method
	refused   *prometheus.CounterVec   // limit

	submitted, decided, assessed *prometheus.CounterVec // level, status
	scoring                      prometheus.Histogram
	checkpoints                  *prometheus.CounterVec // result
}

// requestBuckets are in seconds: answers take milliseconds, waits up to a minute.
// scoringBuckets too: an action of full size takes a few hundred milliseconds.
var (
	requestBuckets = [...]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}
	scoringBuckets = [...]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1}
)

var _ approvals.Meter = (*Metrics)(nil)

// NewMetrics returns metrics that have counted nothing yet.
func NewMetrics() *Metrics {
	outcome := []string{"level", "status"}
	m := &Metrics{
		registry:  prometheus.NewRegistry(),
		requests:  counter("countersign_http_requests_total", "Finished HTTP requests, by route pattern, method and status code (499: the client went away).", "route", "method", "code"),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "countersign_http_request_duration_seconds", Help: "How long HTTP requests took, by route pattern and method; waits for a decision included.", Buckets: requestBuckets[:]}, []string{"route", "method"}),
		refused:   counter("countersign_http_requests_limited_total", "Requests refused with 429, by the limit: of an agent's calls, of an agent's waits, or of an address without a working key.", "limit"),
		submitted: counter("countersign_approvals_submitted_total", "New approvals, by level and the status that the policy gave them.", outcome...),
		decided:   counter("countersign_approvals_decided_total", "Approvals that became final, the policy's own included, by level and final status.", outcome...),
		assessed:  counter("countersign_assessments_total", "Dry runs, by level and the status that a submission would have had.", outcome...),
		scoring:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "countersign_scoring_duration_seconds", Help: "How long the three models read one new action.", Buckets: scoringBuckets[:]}),

		checkpoints: counter("countersign_audit_checkpoints_total", "Checkpoints of audit trails: signed, refused because a trail isn't what was signed before, or failed.", "result"),
	}
	m.registry.MustRegister( // fails only where two have one name
		m.requests, m.durations, m.refused, m.submitted, m.decided, m.assessed, m.scoring, m.checkpoints,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	for _, limit := range []string{limitAgent, limitWait, limitAddress} {
		m.refused.WithLabelValues(limit) // 0 is an answer too
	}
	for _, result := range []string{"signed", "refused", "failed"} {
		m.checkpoints.WithLabelValues(result)
	}
	return m
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// Sockets adds the gauge of open live pages. Call it once; open is asked at every
// scrape.
func (m *Metrics) Sockets(open func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "countersign_sockets_open", Help: "Live pages that are open now."},
		func() float64 { return float64(open()) },
	))
}

// Silent adds the gauge of agents whose gate is silent. Call it once.
func (m *Metrics) Silent(count func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "countersign_agents_silent", Help: "Agents whose gate failed its test, or that were tested once and from which no call came for a day, over all organisations."},
		func() float64 { return float64(count()) },
	))
}

// Pending adds the gauges of what waits, over all organisations. Call it once; count is
// asked at a scrape, at most every pendingEvery, with pendingTimeout to answer. Where it
// fails the gauges are missing from that answer.
func (m *Metrics) Pending(count func(context.Context) ([]approvals.PendingTotal, error), now func() time.Time, log *slog.Logger) {
	m.registry.MustRegister(&pendingGauges{
		count: count, now: now, log: log,
		waiting: prometheus.NewDesc("countersign_approvals_pending", "Approvals that wait for people now, over all organisations, by level.", []string{"level"}, nil),
		oldest:  prometheus.NewDesc("countersign_approvals_pending_oldest_seconds", "How long the oldest of them has waited, by level; 0 where none waits.", []string{"level"}, nil),
	})
}

const (
	pendingEvery   = 5 * time.Second
	pendingTimeout = 2 * time.Second
)

// pendingGauges are counted where the approvals are, and kept for a while.
type pendingGauges struct {
	count           func(context.Context) ([]approvals.PendingTotal, error)
	now             func() time.Time
	log             *slog.Logger
	waiting, oldest *prometheus.Desc

	mu   sync.Mutex // one count at a time
	at   time.Time
	last []approvals.PendingTotal
}

// Describe is what the registry asks once.
func (g *pendingGauges) Describe(ch chan<- *prometheus.Desc) {
	ch <- g.waiting
	ch <- g.oldest
}

// Collect is what the registry asks at a scrape.
func (g *pendingGauges) Collect(ch chan<- prometheus.Metric) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := g.now(); g.at.IsZero() || now.Before(g.at) || now.Sub(g.at) >= pendingEvery {
		ctx, cancel := context.WithTimeout(context.Background(), pendingTimeout)
		defer cancel()
		last, err := g.count(ctx)
		if err != nil {
			g.log.Warn("what is pending could not be counted", "error", err)
			return
		}
		g.last, g.at = last, now
	}
	for _, p := range g.last {
		ch <- prometheus.MustNewConstMetric(g.waiting, prometheus.GaugeValue, float64(p.Count), p.Level.String())
		ch <- prometheus.MustNewConstMetric(g.oldest, prometheus.GaugeValue, p.Oldest.Seconds(), p.Level.String())
	}
}

// Observe counts one finished request. route is the pattern, "" when none
// matched; a method that HTTP does not define counts as OTHER.
func (m *Metrics) Observe(method, route string, status int, took time.Duration) {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
	default:
		method = "OTHER"
	}
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route, method).Observe(took.Seconds())
}

// The limits, as the label says them.
const (
	limitAgent   = "agent"
	limitWait    = "wait"
	limitAddress = "address"
)

func (m *Metrics) limited(limit string) { m.refused.WithLabelValues(limit).Inc() }

// Submitted counts a new approval.
func (m *Metrics) Submitted(s approvals.Status, l level.Level) {
	m.submitted.WithLabelValues(l.String(), string(s)).Inc()
}

// Decided counts an approval that became final.
func (m *Metrics) Decided(s approvals.Status, l level.Level) {
	m.decided.WithLabelValues(l.String(), string(s)).Inc()
}

// Assessed counts a dry run.
func (m *Metrics) Assessed(s approvals.Status, l level.Level) {
	m.assessed.WithLabelValues(l.String(), string(s)).Inc()
}

// Checkpoint counts one try to sign a trail: signed, refused or failed.
func (m *Metrics) Checkpoint(result string) { m.checkpoints.WithLabelValues(result).Inc() }

// Scored counts one reading of an action.
func (m *Metrics) Scored(took time.Duration) { m.scoring.Observe(took.Seconds()) }

// handler writes the metrics in the format that the scraper asks for.
func (m *Metrics) handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorLog: scrapeLog{log}, ErrorHandling: promhttp.ContinueOnError})
}

// scrapeLog hands what promhttp complains about to our log.
type scrapeLog struct{ log *slog.Logger }

// Println is what promhttp calls.
func (l scrapeLog) Println(v ...any) { l.log.Warn("metrics", "error", v) }
