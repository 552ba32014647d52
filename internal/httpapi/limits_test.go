package httpapi

import (
	"fmt"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
)

const (
	keyOne = "Bearer csk_acme_one"
	keyTwo = "Bearer csk_acme_two"
	wrong  = "Bearer csk_acme_wrong"
)

func rated(perSecond int) func(*Config) { return func(c *Config) { c.AgentRate = perSecond } }

func TestAnAgentIsHeldToItsRate(t *testing.T) {
	t.Parallel()
	s := newSite(t, rated(20))
	list := func(key string) reply { return s.get(t, "/api/v1/approvals", "Authorization", key) }
	for range 20 {
		if r := list(keyOne); r.StatusCode != 200 {
			t.Fatalf("inside the rate: %d %s", r.StatusCode, r.body)
		}
	}
	r := list(keyOne)
	r.refused(t, 429, fault.RateLimited, "", "more than 20 requests a second")
	if got := r.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
	if r := list(keyTwo); r.StatusCode != 200 {
		t.Errorf("another agent of the tenant: %d", r.StatusCode)
	}
	// A refused call has no effect and no body is read.
	s.post(t, "/api/v1/approvals", `{"function":"f"}`).refused(t, 429, fault.RateLimited, "", "wait")
	if len(s.all) != 0 {
		t.Error("a refused call had an effect")
	}
	s.clock.advance(100 * time.Millisecond)
	for i, want := range []int{200, 200, 429} {
		if r := list(keyOne); r.StatusCode != want {
			t.Errorf("after a tenth of a second, call %d: %d, want %d", i+1, r.StatusCode, want)
		}
	}
	if body := string(s.get(t, "/metrics").body); !strings.Contains(body, `countersign_http_requests_limited_total{limit="agent"} 3`+"\n") {
		t.Errorf("the refusals are not counted: %s", body)
	}
}

// TestWaitingUsesUpNothingElse: many waits never keep an agent from spending what
// one of them brought, and the other way round.
func TestWaitingUsesUpNothingElse(t *testing.T) {
	t.Parallel()
	s := newSite(t, rated(10))
	s.post(t, "/api/v1/approvals", `{"function":"harmless"}`).approvalOf(t, 201)
	wait := func() reply { return s.get(t, "/api/v1/approvals/"+first+"?wait=60") }
	for range 10 {
		wait().approvalOf(t, 200) // final, so it answers at once
	}
	wait().refused(t, 429, fault.RateLimited, "", "more than 10 waits a second")
	for range 9 {
		s.get(t, "/api/v1/approvals/"+first+"?wait=0").approvalOf(t, 200) // waits for nothing
	}
	s.get(t, "/api/v1/approvals/"+first).refused(t, 429, fault.RateLimited, "", "more than 10 requests a second")
	s.clock.advance(time.Second)
	wait().approvalOf(t, 200)
}

func TestARateOfOneStillTakesAnActionToItsEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t, rated(1))
	for i := range minBurst + 1 {
		if r := s.get(t, "/api/v1/approvals"); (r.StatusCode == 200) != (i < minBurst) {
			t.Errorf("call %d: %d", i+1, r.StatusCode)
		}
	}
}

func TestARateOfZeroIsUnlimited(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine asks")
	s := newSite(t, rated(0))
	for range 200 {
		if r := s.get(t, "/api/v1/approvals"); r.StatusCode != 200 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
}

// TestAFloodOfWrongKeysCostsLittle: past the burst the key check is not asked any
// more, and agents that share the address go on.
func TestAFloodOfWrongKeysCostsLittle(t *testing.T) {
	t.Parallel()
	d, asked := newDesk(), &askedBadge{}
	s := newSiteOn(t, d, d, asked)
	list := func(key string) reply { return s.get(t, "/api/v1/approvals", "Authorization", key) }
	if r := list(keyOne); r.StatusCode != 200 {
		t.Fatal(r.StatusCode)
	}
	for i := range strangerBurst {
		key := wrong + strconv.Itoa(i)
		if i%2 == 0 {
			key = "-" // none at all counts too
		}
		list(key).refused(t, 401, fault.Unauthorized, "", "csk_")
	}
	before := asked.times()
	for range 20 {
		r := list(wrong)
		r.refused(t, 429, fault.RateLimited, "", "check the key")
		if got := r.Header.Get("Retry-After"); got != "1" {
			t.Errorf("Retry-After %q", got)
		}
	}
	if n := asked.times() - before; n != 0 {
		t.Errorf("the key check was asked %d times in a flood", n)
	}
	// One that worked lately still does, and is still checked.
	if r := list(keyOne); r.StatusCode != 200 || asked.times() != before+1 {
		t.Errorf("a known key in a flood: %d, asked %d times", r.StatusCode, asked.times()-before)
	}
	list(keyTwo).refused(t, 429, fault.RateLimited, "", "wait")
	s.clock.advance(time.Second)
	if r := list(keyTwo); r.StatusCode != 200 {
		t.Errorf("a second later: %d", r.StatusCode)
	}
	// A key that stops working is no way around the limit.
	asked.revoke("csk_acme_one")
	for range strangerRate {
		list(keyOne).refused(t, 401, fault.Unauthorized, "", "csk_")
	}
	list(wrong).refused(t, 429, fault.RateLimited, "", "wait")
	if body := string(s.get(t, "/metrics").body); !strings.Contains(body, `limit="address"} 22`+"\n") {
		t.Error("the refusals are not counted")
	}
}

// TestTheAddressThatIsLimited takes the connection's, whatever a header says.
func TestTheAddressThatIsLimited(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ask := func(peer string) int {
		req := httptest.NewRequest("GET", "/api/v1/approvals", nil)
		req.Host, req.RemoteAddr = strings.TrimPrefix(s.url, "http://"), peer
		req.Header.Set("X-Forwarded-For", fmt.Sprintf("192.0.2.%d", len(peer)))
		res := httptest.NewRecorder()
		s.echo.ServeHTTP(res, req)
		return res.Code
	}
	for range strangerBurst {
		ask("[2001:db8:1:2::3]:1")
		ask("203.0.113.9:1")
	}
	for peer, want := range map[string]int{
		"[2001:db8:1:2::3]:2": 429, "[2001:db8:1:2:ffff::9]:1": 429, "[2001:db8:1:3::3]:1": 401,
		"203.0.113.9:2": 429, "[::ffff:203.0.113.9]:2": 429, "203.0.113.8:1": 401, "@": 401,
	} {
		if got := ask(peer); got != want {
			t.Errorf("%s: %d, want %d", peer, got, want)
		}
	}
}

// TestLimitsAreBounded: a stranger with many addresses fills no memory, and what
// is in use is not forgotten for it.
func TestLimitsAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBuckets(1, 2)
	for i := range 5 * maxNames {
		b.take(fmt.Sprint(i), now)
		if wait := b.take("busy", now); (wait == 0) != (i < 2) {
			t.Fatalf("after %d other names the busy one waits %v", i, wait)
		}
	}
	if n := b.names.len(); n > maxNames {
		t.Errorf("%d names are kept, more than %d", n, maxNames)
	}
	if wait := b.peek("busy", now); wait != time.Second {
		t.Errorf("the busy one waits %v, want a second", wait)
	}
	if wait := b.peek("nobody", now); wait != 0 {
		t.Errorf("a name that never came waits %v", wait)
	}
}

// TestOpenWaitsAreBounded: one more is refused, a submission is answered without
// its wait, and other agents wait on.
func TestOpenWaitsAreBounded(t *testing.T) {
	t.Parallel()
	var w waiting
	one, two := auth.Agent{Tenant: "acme", ID: "agt_1"}, auth.Agent{Tenant: "acme", ID: "agt_2"}
	var leave func()
	for range maxWaiting {
		var err error
		if leave, err = w.enter(one); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.enter(one); !fault.Is(err, fault.RateLimited) || fault.As(err).RetryAfter != time.Second {
		t.Errorf("one more: %v", err)
	}
	of, err := w.enter(two)
	if err != nil {
		t.Errorf("another agent: %v", err)
	}
	of()
	leave()
	if _, err := w.enter(one); err != nil || len(w.open) != 1 {
		t.Errorf("after one has left: %v, %d agents", err, len(w.open))
	}
}

func TestAnAgentThatWaitsTooOften(t *testing.T) {
	t.Parallel()
	d := newDesk()
	s := newSiteOn(t, d, d, badge{})
	open := func(n int) (before int) {
		w, k := &s.server.waiting, runningKey{tenant: "acme", agent: "agt_1"}
		w.mu.Lock()
		defer w.mu.Unlock()
		before, w.open = w.open[k], map[runningKey]int{k: n}
		return before
	}
	open(maxWaiting)
	s.post(t, "/api/v1/approvals?wait=60", `{"function":"f"}`).approvalOf(t, 201)
	s.get(t, "/api/v1/approvals/"+first+"?wait=60").refused(t, 429, fault.RateLimited, "", "ask without wait")
	s.get(t, "/api/v1/approvals/"+first).approvalOf(t, 200)
	if strings.Contains(s.log.String(), "wait after submission") {
		t.Error("the submission's missed wait is logged as a failure")
	}
	open(1)
	answered := make(chan reply)
	go func() { answered <- s.get(t, "/api/v1/approvals/"+first+"?wait=60") }()
	<-s.waiting
	s.decide <- struct{}{}
	(<-answered).approvalOf(t, 200)
	if n := open(0); n != 1 {
		t.Errorf("a wait that is over is still counted: %d", n)
	}
}
