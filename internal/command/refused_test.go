package command

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/store/rollbacktest"
)

// While a log is refused people sign in with a password, see, deny and stop, and agents cancel.
// Nothing else works, and whoever signed in so approves nothing later either. After a restore
// from a backup of before, the log says all of it.
func TestRefusedLogToItsRestore(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		key := crashTenant(t, set)
		server := start(t, set)
		agent := &agentClient{url: server.url, key: key}
		submit := func(service string) reply {
			t.Helper()
			r, ok := agent.call("POST", "/api/v1/approvals", "", fmt.Sprintf(`{"function": "deploy_service", "arguments": {"service": %q, "env": "production"}}`, service))
			if !ok || r.status != http.StatusCreated || r.Status != "pending" {
				t.Fatalf("submit: %d %s", r.status, r.raw)
			}
			return r
		}
		status := func(a reply) string {
			r, _ := agent.call("GET", "/api/v1/approvals/"+a.ID, "", "")
			return r.Status
		}
		denied, cancelled, open := submit("a"), submit("b"), submit("c")
		backup := filepath.Join(t.TempDir(), "monday")
		if code, _, errs := command(t, "", "backup", "--to", backup, "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); code != 0 {
			t.Fatal(errs)
		}
		since := submit("d")
		raw := rawDatabase(t, set)
		before := rollbacktest.Take(t, raw, set.DatabaseURL == "")
		submit("e")
		before.PutBack(t, "audit_logs")

		mei, err := newOperator()
		if err != nil {
			t.Fatal(err)
		}
		mei.url = server.url
		if code, page, ok := mei.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); !ok || code != http.StatusOK {
			t.Fatalf("sign-in: %d %s", code, page)
		}
		decide := func(a reply, form url.Values) int {
			t.Helper()
			form.Set("digest", a.ShownDigest)
			form.Set("version", "1")
			code, _, _ := mei.post("/t/acme/approvals/"+a.ID+"/decide", form)
			return code
		}
		code, page, _ := mei.get("/t/acme/approvals/" + denied.ID)
		if code != http.StatusOK || !strings.Contains(page, "You can still deny requests, request changes and stop all agents") || !strings.Contains(page, "so no one can approve this. You can deny it") && !strings.Contains(page, "sign in again once it is. You can deny it") {
			t.Errorf("the request page: %d %s", code, page)
		}
		if code := decide(open, url.Values{"verdict": {"approve"}}); code != http.StatusConflict {
			t.Errorf("a yes: %d", code)
		}
		for _, a := range []reply{denied, since} {
			if code := decide(a, url.Values{"verdict": {"deny"}, "reason": {"not on a Monday"}}); code != http.StatusOK || status(a) != "denied" {
				t.Errorf("a denial: %d, and it is %s", code, status(a))
			}
		}
		if r, _ := agent.call("POST", "/api/v1/approvals/"+cancelled.ID+"/cancel", "", ""); r.status != http.StatusOK || r.Status != "cancelled" {
			t.Errorf("a cancellation: %d %s", r.status, r.raw)
		}
		if code, page, _ := mei.get("/account"); code != http.StatusForbidden {
			t.Errorf("the account of whose password nothing is known: %d %s", code, page)
		}
		if code, page, _ := mei.post("/t/acme/settings/agents/stop-all", url.Values{"slug": {"acme"}, "reason": {"a leak"}}); code != http.StatusOK {
			t.Errorf("a stop: %d %s", code, page)
		}
		if code, _, errs := command(t, "", "agent", "stop-all", "--tenant", "acme", "--data-dir", set.DataDir, "--database-url", set.DatabaseURL); code == 0 || !strings.Contains(errs, "already stopped") {
			t.Errorf("a stop after the stop: %d %s", code, errs)
		}
		server.kill()
		server = start(t, set)
		agent.url, mei.url = server.url, server.url
		if status(denied) != "denied" || decide(denied, url.Values{"verdict": {"approve"}}) == http.StatusOK {
			t.Error("the denial is gone after a restart")
		}
		if code := decide(open, url.Values{"verdict": {"approve"}}); code != http.StatusConflict {
			t.Errorf("a yes after a restart: %d", code)
		}

		server.kill()

		to := Settings{DataDir: filepath.Join(t.TempDir(), "data")}
		if set.DatabaseURL != "" {
			to.DatabaseURL = postgrestest.Open(t)
		}
		if err := os.MkdirAll(to.DataDir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(set.noteDir(), to.noteDir()); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := command(t, "", "restore", "--from", backup, "--data-dir", to.DataDir, "--database-url", to.DatabaseURL); code != 0 || !strings.Contains(errs, "3 requests cancelled") {
			t.Fatalf("restore: %s %s", out, errs)
		}
		if code, out, errs := command(t, "", "audit", "verify", "--data-dir", to.DataDir, "--database-url", to.DatabaseURL); code != 0 {
			t.Errorf("%s %s", out, errs)
		}
		if left, _ := filepath.Glob(saidDir(to.noteDir(), "acme")); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		server = start(t, to)
		agent.url = server.url
		for want, a := range map[string]reply{"denied": denied, "cancelled": cancelled} {
			r, _ := agent.call("GET", "/api/v1/approvals/"+a.ID, "", "")
			if r.Status != want || want == "denied" && r.Decision.Reason != "not on a Monday" {
				t.Errorf("after the restore, what was %s: %s", want, r.raw)
			}
		}
		if r, _ := agent.call("POST", "/api/v1/approvals", "", `{"function": "get_user", "arguments": {}}`); r.status != http.StatusForbidden || !strings.Contains(r.Detail, "a leak") {
			t.Errorf("a submission while all agents are stopped: %d %s", r.status, r.raw)
		}
		_, trail, _ := command(t, "", "audit", "export", "--format", "jsonl", "--tenant", "acme", "--data-dir", to.DataDir, "--database-url", to.DatabaseURL)
		if strings.Count(trail, "not on a Monday") < 2 || !strings.Contains(trail, since.ID) {
			t.Error("the trail doesn't say what was denied since the backup")
		}
	})
}

// Whoever signed in while the log was refused approves nothing, also where the log is what was
// signed again: the password may be one that somebody wrote into the table.
func TestASignInWhileTheLogIsRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		key := crashTenant(t, set)
		server := start(t, set)
		agent := &agentClient{url: server.url, key: key}
		submit := func() reply {
			t.Helper()
			a, ok := agent.call("POST", "/api/v1/approvals", "", `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production."}`)
			if !ok || a.Status != "pending" {
				t.Fatal(string(a.raw))
			}
			return a
		}
		raw := rawDatabase(t, set)
		before := rollbacktest.Take(t, raw, set.DatabaseURL == "")
		a := submit()
		right := rollbacktest.Take(t, raw, set.DatabaseURL == "")
		before.PutBack(t, "audit_logs")
		mei, err := newOperator()
		if err != nil {
			t.Fatal(err)
		}
		mei.url = server.url
		signIn := func() {
			t.Helper()
			if code, page, ok := mei.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); !ok || code != http.StatusOK {
				t.Fatalf("sign-in: %d %s", code, page)
			}
		}
		approve := func() int {
			_, page, _ := mei.get("/t/acme/approvals/" + a.ID)
			form := fields(page)
			form.Set("verdict", "approve")
			code, _, _ := mei.post("/t/acme/approvals/"+a.ID+"/decide", form)
			return code
		}
		signIn()
		right.PutBack(t, "audit_logs")
		for range 2 { // the first act finds out that the log is what was signed again
			if code := approve(); code == http.StatusOK {
				t.Error("it is approved with a password of which nothing is known")
			}
			submit()
		}
		signIn()
		if code := approve(); code != http.StatusOK {
			t.Errorf("a yes after another sign-in: %d", code)
		}
	})
}
