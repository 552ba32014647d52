package command

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/store/postgrestest"
)

// benchServer is a server as a process of its own, and a client of it for many at once.
func benchServer(b *testing.B, set Settings) (*process, *agentClient) {
	b.Helper()
	key := crashTenant(b, set)
	p := start(b, set)
	return p, &agentClient{http: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: waitingAgents, MaxConnsPerHost: 2 * waitingAgents}}, url: p.url, key: key}
}

// BenchmarkOverHTTP has clients submit calls that are let through, and spend the grants, over
// HTTP. The limit is what 99 of 100 take at most with 64 clients.
func BenchmarkOverHTTP(b *testing.B) {
	const n, limit = 1000, 250.0
	for _, clients := range []int{1, 8, 64} {
		for name, url := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return postgrestest.Migrated(b) }} {
			_, c := benchServer(b, Settings{DataDir: dataDir(b), DatabaseURL: url()})
			submitted := make([]reply, n)
			for _, act := range []struct {
				name string
				do   func(i int) bool
			}{
				{"submit", func(i int) (ok bool) {
					submitted[i], ok = c.call("POST", "/api/v1/approvals", "", fmt.Sprintf(`{"function":"get_user","arguments":{"user_id":"u%d"}}`, i))
					return ok && submitted[i].Status == "approved"
				}},
				{"consume", func(i int) bool {
					r, ok := c.call("POST", "/api/v1/approvals/"+submitted[i].ID+"/consume", "", `{"digest":"`+submitted[i].Digest+`"}`)
					return ok && r.status == http.StatusOK
				}},
			} {
				b.Run(fmt.Sprintf("%s/%s/%d_clients", name, act.name, clients), func(b *testing.B) {
					for b.Loop() {
						took, begun := make([]time.Duration, n), time.Now()
						var next atomic.Int64
						var running sync.WaitGroup
						for range clients {
							running.Go(func() {
								for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
									at := time.Now()
									if !act.do(i) {
										b.Errorf("the %d. %s failed", i, act.name)
									}
									took[i] = time.Since(at)
								}
							})
						}
						running.Wait()
						b.ReportMetric(n/time.Since(begun).Seconds(), "acts/s")
						slices.Sort(took)
						p99 := float64(took[n*99/100].Microseconds()) / 1000
						b.ReportMetric(p99, "ms/99-of-100")
						b.ReportMetric(limit, "limit")
						b.ReportMetric(p99/limit, "ratio")
					}
				})
			}
		}
	}
}

const waitingAgents = 4000

// BenchmarkWaiting is what a server needs for 4,000 agents that wait for a decision: processor
// time while nothing happens, and memory.
func BenchmarkWaiting(b *testing.B) {
	const looked, maxCore, maxKiB = 10 * time.Second, 5.0, 20.0
	set := Settings{DataDir: dataDir(b)}
	p, first := benchServer(b, set)
	clients := []*agentClient{first}
	for i := range waitingAgents/500 - 1 { // one agent waits 500 times at once at most
		_, key, _ := command(b, "", "agent", "create", "--tenant", "acme", "--data-dir", set.DataDir, fmt.Sprint("worker-", i))
		clients = append(clients, &agentClient{http: first.http, url: p.url, key: strings.TrimSpace(key)})
	}
	of := func(i int) *agentClient { return clients[i%len(clients)] }
	ids := make([]string, waitingAgents)
	each := func(do func(i int)) *sync.WaitGroup {
		var running sync.WaitGroup
		for i := range ids {
			running.Go(func() { do(i) })
		}
		return &running
	}
	turn := make(chan struct{}, 64)
	each(func(i int) {
		turn <- struct{}{}
		defer func() { <-turn }()
		r, ok := of(i).call("POST", "/api/v1/approvals", "", fmt.Sprintf(`{"function":"deploy_service","arguments":{"env":"production","version":"v%d"}}`, i))
		if !ok || r.Status != "pending" {
			b.Errorf("submitted: %d", r.status)
		}
		ids[i] = r.ID
	}).Wait()
	each(func(i int) { of(i).call("GET", "/api/v1/approvals/"+ids[i], "", "") }).Wait() // each has a connection
	for b.Loop() {
		before := p.memory(b)
		waiting := each(func(i int) {
			if r, ok := of(i).call("GET", "/api/v1/approvals/"+ids[i]+"?wait=50", "", ""); !ok || r.Status != "pending" {
				b.Errorf("waited: %d", r.status)
			}
		})
		time.Sleep(looked) // by then all have come in
		from, began := p.processor(b), time.Now()
		time.Sleep(looked)
		core := 100 * (p.processor(b) - from).Seconds() / time.Since(began).Seconds()
		kib := (p.memory(b) - before) / 1024 / waitingAgents
		waiting.Wait()
		b.ReportMetric(core, "%-of-a-core")
		b.ReportMetric(maxCore, "limit")
		b.ReportMetric(core/maxCore, "ratio")
		b.ReportMetric(kib, "KiB/agent")
		b.ReportMetric(kib/maxKiB, "ratio-of-memory")
	}
}

// processor is the time that the process had a processor for.
func (p *process) processor(b *testing.B) time.Duration {
	b.Helper()
	fields := strings.Fields(p.proc(b, "stat"))
	const user, kernel, perSecond = 13, 14, 100 // proc(5); USER_HZ
	var ticks int
	for _, at := range []int{user, kernel} {
		n, err := strconv.Atoi(fields[at])
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / perSecond
}

// memory is what the process holds in memory, in bytes.
func (p *process) memory(b *testing.B) float64 {
	b.Helper()
	pages, err := strconv.ParseFloat(strings.Fields(p.proc(b, "statm"))[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return pages * float64(os.Getpagesize())
}

func (p *process) proc(b *testing.B, file string) string {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.cmd.Process.Pid, file))
	if err != nil {
		b.Skip("this machine has no /proc: ", err)
	}
	return string(text)
}
