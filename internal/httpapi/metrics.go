package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// metricsType is the Prometheus text exposition format.
const metricsType = "text/plain; version=0.0.4; charset=utf-8"

// buckets are the upper bounds of the duration histogram, in seconds: answers
// take milliseconds, waits up to a minute.
var buckets = [...]float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// Metrics counts requests by route pattern, method and status. The number of
// series is bounded by the routes: nothing a stranger writes becomes a label. It
// is safe for concurrent use.
type Metrics struct {
	mu     sync.Mutex
	series map[series]*histogram
}

type series struct {
	route, method string
	status        int
}

type histogram struct {
	counts [len(buckets) + 1]uint64 // the last is +Inf
	sum    float64                  // seconds
}

// NewMetrics returns empty metrics.
func NewMetrics() *Metrics { return &Metrics{series: map[series]*histogram{}} }

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
	at, _ := slices.BinarySearch(buckets[:], took.Seconds())
	m.mu.Lock()
	defer m.mu.Unlock()
	key := series{route, method, status}
	h := m.series[key]
	if h == nil {
		h = &histogram{}
		m.series[key] = h
	}
	h.counts[at]++
	h.sum += took.Seconds()
}

const (
	requestsName = "countersign_http_requests_total"
	durationName = "countersign_http_request_duration_seconds"
)

// text writes the metrics in a stable order.
func (m *Metrics) text() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	keys := slices.SortedFunc(maps.Keys(m.series), func(a, b series) int {
		return cmp.Or(strings.Compare(a.route, b.route), strings.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	})
	var requests, durations []byte
	requests = fmt.Appendf(requests, "# HELP %s Finished HTTP requests by route pattern, method and status.\n# TYPE %[1]s counter\n", requestsName)
	durations = fmt.Appendf(durations, "# HELP %s How long HTTP requests took.\n# TYPE %[1]s histogram\n", durationName)
	for _, k := range keys {
		h, labels := m.series[k], fmt.Sprintf(`route=%q,method=%q,status="%d"`, k.route, k.method, k.status)
		count := uint64(0)
		for i, n := range h.counts {
			count += n
			bound := "+Inf"
			if i < len(buckets) {
				bound = strconv.FormatFloat(buckets[i], 'g', -1, 64)
			}
			durations = fmt.Appendf(durations, "%s_bucket{%s,le=%q} %d\n", durationName, labels, bound, count)
		}
		durations = fmt.Appendf(durations, "%s_sum{%s} %g\n%[1]s_count{%[2]s} %[4]d\n", durationName, labels, h.sum, count)
		requests = fmt.Appendf(requests, "%s{%s} %d\n", requestsName, labels, count)
	}
	return append(requests, durations...)
}
