package command

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/tenants"
)

// hurried gives a new tenant a policy that asks for no reading time, and unhurried one
// that asks for an hour, which no machine is slow enough for.
func (h *house) hurried(tenant string) { h.reading(tenant, scoring.PerLevel[int]{}) }

func (h *house) unhurried(tenant string) {
	h.reading(tenant, scoring.PerLevel[int]{Medium: 3600, High: 3600, Critical: 3600})
}

func (h *house) reading(tenant string, seconds scoring.PerLevel[int]) {
	h.t.Helper()
	p := scoring.DefaultPolicy()
	p.MinReviewSeconds = seconds
	if _, err := h.Tenants.ImportPolicy(h.t.Context(), tenant, tenants.Change{Base: 1, Policy: p, Reason: "the test reads fast"}); err != nil {
		h.t.Fatal(err)
	}
}

// confirm approves a MEDIUM as a person does: by the form of its page.
func (b *browser) confirm(path string) (status int, page string) {
	_, page = b.get(path)
	form := fields(page)
	form.Set("verdict", "approve")
	return b.post(path+"/decide", form)
}

// On Postgres the clock of the machine that serves decides nothing, however wrong.
func TestServersWithWrongClocks(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			t.Parallel()
			set := Settings{DataDir: dataDir(t), DatabaseURL: postgrestest.Migrated(t)}
			right := bootOn(t, set)
			set.now = func() time.Time { return time.Now().Add(off) }
			h := bootOn(t, set)
			key := h.organisation("acme", map[string][]auth.Role{"mei": {auth.Operator}})
			h.hurried("acme")
			mei := h.signIn("mei@acme.test")
			const act = `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production.", "expires_in_seconds": %d}`

			a := h.call(key, "POST", "/api/v1/approvals", fmt.Sprintf(act, 60))
			if status, page := mei.confirm("/t/acme/approvals/" + a.ID); status != http.StatusOK {
				t.Errorf("in time, it was answered %d %.300s", status, page)
			}
			if r := h.call(key, "POST", "/api/v1/approvals/"+a.ID+"/consume", `{"digest": "`+a.Digest+`"}`); r.status != http.StatusOK {
				t.Errorf("the grant was not spent: %d %s", r.status, r.raw)
			}

			// Nor is she away for long because a server's clock is ahead of another one's.
			b := h.call(key, "POST", "/api/v1/approvals", fmt.Sprintf(act, 60))
			if status, page := (&browser{mei.Client, right}).confirm("/t/acme/approvals/" + b.ID); status != http.StatusOK {
				t.Errorf("on a server whose clock is right, it was answered %d %.300s", status, page)
			}

			late := h.call(key, "POST", "/api/v1/approvals", fmt.Sprintf(act, 1))
			path := "/t/acme/approvals/" + late.ID
			_, page := mei.get(path)
			if r := h.call(key, "GET", "/api/v1/approvals/"+late.ID+"?wait=60", ""); r.Status != "expired" {
				t.Fatalf("nobody decided: %d %s", r.status, r.raw)
			}
			form := fields(page)
			form.Set("verdict", "approve")
			form.Set("digest", late.ShownDigest) // the page has no form where its time was over on a slow machine
			form.Set("version", "1")
			if status, _ := mei.post(path+"/decide", form); status != http.StatusGone {
				t.Errorf("too late, it was answered %d, want 410", status)
			}
		})
	}
}

// A clock that jumps ahead by hours ends nothing by itself: nothing is written by it, what is
// read is as of the time that it should be, and everybody is told. It ends when the clock is
// right again, or by a start.
func TestAClockThatJumpsAhead(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		var off atomic.Int64
		begun := time.Now()
		if set.DatabaseURL == "" {
			set.now = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
			set.uptime = func() time.Duration { return time.Since(begun) }
		} else { // whose clock nobody sets here: all else is behind it then
			set.uptime = func() time.Duration { return time.Since(begun) - time.Duration(off.Load()) }
		}
		h := bootOn(t, set)
		key := h.organisation("acme", map[string][]auth.Role{"mei": {auth.Operator}})
		h.hurried("acme")
		mei := h.signIn("mei@acme.test")
		held := h.call(key, "POST", "/api/v1/approvals", `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production."}`)
		let := h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
		path, at := "/t/acme/approvals/"+held.ID, "/api/v1/approvals/"
		if status, _ := mei.get(path); status != http.StatusOK {
			t.Fatalf("the page was answered %d", status)
		}

		off.Store(int64(20 * time.Hour))
		for what, r := range map[string]reply{
			"spending":   h.call(key, "POST", at+let.ID+"/consume", `{"digest": "`+let.Digest+`"}`),
			"submitting": h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user"}`),
		} {
			if r.status != http.StatusServiceUnavailable || r.Type != "urn:countersign:problem:clock-set-ahead" || !strings.Contains(r.Detail, "restarted") {
				t.Errorf("%s was answered %d %s", what, r.status, r.raw)
			}
		}
		if status, page := mei.confirm(path); status != http.StatusServiceUnavailable || !strings.Contains(page, "jumped ahead") {
			t.Errorf("a decision was answered %d %.300s", status, page)
		}
		if r := h.call("", "GET", "/readyz", ""); r.status != http.StatusServiceUnavailable {
			t.Errorf("it says that it is ready: %d %s", r.status, r.raw)
		}
		if r := h.call(key, "GET", at+held.ID, ""); r.Status != "pending" {
			t.Errorf("reading was answered %d %s", r.status, r.raw)
		}
		if status, page := mei.get("/t/acme/queue"); status != http.StatusOK || !strings.Contains(page, "Nothing can be stored at the moment") || !strings.Contains(page, "jumped ahead") {
			t.Errorf("the queue was answered %d %.300s", status, page)
		}

		off.Store(0)
		if status, page := mei.confirm(path); status != http.StatusOK {
			t.Errorf("with the clock right again, a decision was answered %d %.300s", status, page)
		}
		if r := h.call(key, "POST", at+let.ID+"/consume", `{"digest": "`+let.Digest+`"}`); r.status != http.StatusOK {
			t.Errorf("with the clock right again, the grant was not spent: %d %s", r.status, r.raw)
		}
		if r := h.call("", "GET", "/readyz", ""); r.status != http.StatusOK {
			t.Errorf("with the clock right again, it is not ready: %d %s", r.status, r.raw)
		}

		off.Store(int64(20 * time.Hour))
		again := bootOn(t, set)
		if r := again.call(key, "POST", "/api/v1/approvals", `{"function": "get_user"}`); r.status != http.StatusCreated {
			t.Errorf("after a start, submitting was answered %d %s", r.status, r.raw)
		}
	})
}

// On SQLite the clock is this machine's. Set back, it would bring back what has
// expired: nothing is decided or spent until it is right again, by a server that
// was started since either.
func TestAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	set := Settings{DataDir: dataDir(t)}
	var off atomic.Int64
	set.now = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	h := bootOn(t, set)
	key := h.organisation("acme", map[string][]auth.Role{"mei": {auth.Operator}})
	h.hurried("acme")
	mei := h.signIn("mei@acme.test")
	held := h.call(key, "POST", "/api/v1/approvals", `{"function": "deploy_service", "arguments": {"env": "staging"}, "docstring": "Deploy to production."}`)
	let := h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user", "arguments": {"user_id": "usr_1"}}`)
	path, at := "/t/acme/approvals/"+held.ID, "/api/v1/approvals/"
	if status, _ := mei.get(path); status != http.StatusOK {
		t.Fatalf("the page was answered %d", status)
	}

	stopped := func(t *testing.T, h *house, mei *browser) {
		t.Helper()
		if status, page := mei.confirm(path); status != http.StatusServiceUnavailable || !strings.Contains(page, "clock") {
			t.Errorf("a decision was answered %d %.300s", status, page)
		}
		for what, r := range map[string]reply{
			"spending":    h.call(key, "POST", at+let.ID+"/consume", `{"digest": "`+let.Digest+`"}`),
			"taking back": h.call(key, "POST", at+held.ID+"/cancel", ""),
			"submitting":  h.call(key, "POST", "/api/v1/approvals", `{"function": "get_user"}`),
		} {
			if r.status != http.StatusServiceUnavailable || r.Type != "urn:countersign:problem:clock-set-back" {
				t.Errorf("%s was answered %d %s", what, r.status, r.raw)
			}
		}
		if r := h.call("", "GET", "/readyz", ""); r.status != http.StatusServiceUnavailable {
			t.Errorf("it says that it is ready: %d %s", r.status, r.raw)
		}
		if r := h.call(key, "GET", at+held.ID, ""); r.Status != "pending" {
			t.Errorf("reading was answered %d %s", r.status, r.raw)
		}
		if status, _ := mei.get("/t/acme/queue"); status != http.StatusOK {
			t.Errorf("the queue was answered %d", status)
		}
	}
	off.Store(int64(-2 * time.Hour))
	stopped(t, h, mei)
	again := bootOn(t, set)
	stopped(t, again, &browser{mei.Client, again}) // cookies do not know ports

	off.Store(0)
	if status, page := mei.confirm(path); status != http.StatusOK {
		t.Errorf("with the clock right again, it was answered %d %.300s", status, page)
	}
	if r := h.call(key, "POST", at+let.ID+"/consume", `{"digest": "`+let.Digest+`"}`); r.status != http.StatusOK {
		t.Errorf("with the clock right again, the grant was not spent: %d %s", r.status, r.raw)
	}
	if r := h.call("", "GET", "/readyz", ""); r.status != http.StatusOK {
		t.Errorf("with the clock right again, it is not ready: %d %s", r.status, r.raw)
	}
}
