package command

import (
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/countersign/countersign/internal/store/postgrestest"
)

// A server whose file can't grow gets an error, and not a signal that ends it.
func init() { signal.Ignore(syscall.SIGXFSZ) }

// TestServerWithAFullDisk: nobody gets half of an act, everybody learns what to do, and all
// goes on by itself when there is room.
func TestServerWithAFullDisk(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		key := crashTenant(t, set)
		p := start(t, set)
		agent := &agentClient{url: p.url, key: key}
		mei, err := newOperator()
		if err != nil {
			t.Fatal(err)
		}
		mei.url = p.url
		if status, _, ok := mei.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); !ok || status != http.StatusOK {
			t.Fatalf("sign-in: %d", status)
		}
		const allowed = `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`
		let, _ := agent.call("POST", "/api/v1/approvals", "", allowed)
		held, _ := agent.call("POST", "/api/v1/approvals", "", `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production."}`)
		if let.Status != "approved" || held.Status != "pending" {
			t.Fatalf("%s %s", let.raw, held.raw)
		}
		fill, empty := withoutRoom(t, set, p)
		fill()
		for n := 0; ; n++ { // there may be room in pages that are used already
			r, ok := agent.call("POST", "/api/v1/approvals", "", allowed)
			if !ok || n > 500 {
				t.Fatalf("after %d submissions: %d %s", n, r.status, r.raw)
			}
			if r.status != http.StatusCreated {
				fullSays(t, "submitting", r)
				break
			}
		}
		ready := func(want int) {
			t.Helper()
			if r, _ := agent.call("GET", "/readyz", "", ""); r.status != want {
				t.Errorf("readiness is answered %d %s, want %d", r.status, r.raw, want)
			}
		}
		ready(http.StatusServiceUnavailable)
		r, _ := agent.call("POST", "/api/v1/approvals/"+let.ID+"/consume", "", `{"digest": "`+let.Digest+`"}`)
		fullSays(t, "spending", r)
		if status, page, _ := mei.get("/t/acme/queue"); status != http.StatusOK || !strings.Contains(page, "Nothing can be stored at the moment") || !strings.Contains(page, "make room on it") {
			t.Errorf("the queue: %d %.2000s", status, page)
		}
		if status, page, _ := mei.get("/t/acme/approvals/" + held.ID); status != http.StatusServiceUnavailable || !strings.Contains(page, "make room on it") { // a first look is stored
			t.Errorf("the request: %d %.2000s", status, page)
		}
		form := url.Values{"verdict": {"deny"}, "reason": {"no"}, "digest": {held.ShownDigest}, "version": {"1"}}
		if status, page, _ := mei.post("/t/acme/approvals/"+held.ID+"/decide", form); status != http.StatusServiceUnavailable || !strings.Contains(page, "make room on it") {
			t.Errorf("deciding: %d %.2000s", status, page)
		}
		empty()
		ready(http.StatusOK)
		if _, page, _ := mei.get("/t/acme/queue"); strings.Contains(page, "Nothing can be stored") {
			t.Error("with room again, the banner stays")
		}
		if r, _ := agent.call("POST", "/api/v1/approvals/"+let.ID+"/consume", "", `{"digest": "`+let.Digest+`"}`); r.status != http.StatusOK {
			t.Errorf("with room again, the grant is not spent: %d %s", r.status, r.raw)
		}
		if r, _ := agent.call("GET", "/api/v1/approvals/"+held.ID, "", ""); r.Status != "pending" {
			t.Errorf("what nobody could decide is %s", r.raw)
		}
		p.kill()
		if code, out, errs := command(t, "", "audit", "verify", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); code != 0 {
			t.Errorf("the trail does not hold: %s %s", out, errs)
		}
	})
}

// fullSays checks that an answer says what to do, and when.
func fullSays(t *testing.T, what string, r reply) {
	t.Helper()
	if r.status != http.StatusServiceUnavailable || r.Type != "urn:countersign:problem:unavailable" || !strings.Contains(r.Detail, "make room on it") {
		t.Errorf("%s: %d %s", what, r.status, r.raw)
	}
}

// withoutRoom leaves the database of a server no room, and gives it back.
func withoutRoom(t *testing.T, set Settings, p *process) (fill, empty func()) {
	t.Helper()
	if set.DatabaseURL == "" {
		limit := func(bytes uint64) {
			if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil); err != nil {
				t.Fatal(err)
			}
		}
		log, err := os.Stat(set.sqlitePath() + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return func() { limit(uint64(log.Size())) }, func() { limit(unix.RLIM_INFINITY) }
	}
	raw := postgrestest.SQL(t, set.DatabaseURL)
	do := func(statement string) {
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	do("CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$")
	return func() {
		for _, table := range []string{"audit_events", "leases", "sessions", "presences"} {
			do("CREATE TRIGGER full_disk BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION full_disk()")
		}
	}, func() { do("DROP FUNCTION full_disk CASCADE") }
}
