package httpapi

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
)

// What hooks, gateways and clients ask for beside approvals.

func TestSelf(t *testing.T) {
	t.Parallel()
	r := newSite(t).get(t, "/api/v1/agent")
	want := `{"name":"one","tenant":"acme","scopes":["submit","assess"],"workspace":{"folder":"/srv/shop","sandboxed":false},"environment":"staging","server_version":"v1.2.3",` +
		`"last_heard":"2026-03-04T05:06:00.000000Z","last_canary":{"nonce":"n-1","at":"2026-03-04T04:00:00.000000Z"},"canary_failed":"it ran","silent_since":"2026-03-04T04:00:00.000000Z"}`
	if r.StatusCode != 200 || strings.TrimSpace(string(r.body)) != want {
		t.Errorf("%d %s, want %s", r.StatusCode, r.body, want)
	}
}

func TestCanary(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.post(t, "/api/v1/approvals?consume=true", `{"lifecycle_point":"canary","nonce":"n-2"}`)
	want := `{"status":"denied","canary":{"nonce":"n-2","at":"2026-03-04T04:00:00.000000Z"},"decision":{"verdict":"deny","reason":"This call only tests the gate: it is always denied.",` +
		`"digest":null,"decided_by":[{"kind":"policy","id":"canary","name":"canary"}],"effective":null,"grant":null}}`
	if r.StatusCode != 200 || strings.TrimSpace(string(r.body)) != want {
		t.Errorf("%d %s, want %s", r.StatusCode, r.body, want)
	}
	if len(s.all) != 0 {
		t.Errorf("it made %d approvals", len(s.all))
	}
	s.post(t, "/api/v1/approvals", `{"lifecycle_point":"canary"}`).refused(t, 422, fault.InvalidMember, "/nonce", "nonce")
	s.post(t, "/api/v1/approvals", `{"lifecycle_point":"canary","nonce":7}`).refused(t, 422, fault.InvalidMember, "/nonce", "expected a string")
	s.post(t, "/api/v1/approvals", `{"lifecycle_point":"canary","nonce":"n","function":"rm"}`).refused(t, 422, fault.InvalidMember, "/function", "lifecycle_point, nonce, failed")
	s.post(t, "/api/v1/assessments", `{"lifecycle_point":"canary","nonce":"n"}`).refused(t, 422, fault.InvalidMember, "/nonce", "isn't known")
}

func TestTools(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	put := func(body string) reply {
		return s.call(t, "PUT", "/api/v1/tools", strings.NewReader(body), "Content-Type", "application/json")
	}
	if r := put(`{"server":"fs","tools":[{"name":"read"}]}`); r.StatusCode != 200 || strings.TrimSpace(string(r.body)) != `{"new":2,"changed":1,"waiting":3}` {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	for name, body := range map[string]string{"no server": `{"tools":[]}`, "no tools": `{"server":"fs"}`, "an object": `{"server":"fs","tools":{}}`, "another member": `{"server":"fs","tools":[],"x":1}`} {
		if r := put(body); r.StatusCode != 422 {
			t.Errorf("%s: %d %s", name, r.StatusCode, r.body)
		}
	}
	if r := put(`{"server":"fs","tools":[{"name":"` + strings.Repeat("x", 300_000) + `"}]}`); r.StatusCode != 200 {
		t.Errorf("a list of 300 KB: %d", r.StatusCode)
	}
	if r := put(`{"server":"fs","tools":["` + strings.Repeat("x", 1<<20) + `"]}`); r.StatusCode != 413 {
		t.Errorf("a list of more than 1 MiB: %d", r.StatusCode)
	}
}

func TestAttachAndConsumeAreHandedOn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.post(t, "/api/v1/approvals?consume=true", `{"function":"f","attach":true,"client":{"name":"claude-code","version":"2.1.332"}}`).approvalOf(t, 201)
	if program, _ := s.got.Action.Client(); !s.got.Attach || !s.got.Consume || program != "claude-code 2.1.332" {
		t.Errorf("handed on: %+v, client %q", s.got, program)
	}
	s.post(t, "/api/v1/approvals?consume=false", `{"function":"f","attach":false}`).approvalOf(t, 201)
	if s.got.Attach || s.got.Consume {
		t.Errorf("handed on: %+v", s.got)
	}
	s.post(t, "/api/v1/approvals?consume=1", `{"function":"f"}`).refused(t, 422, fault.InvalidParameter, "consume", "send true or false")
	s.post(t, "/api/v1/approvals", `{"function":"f","attach":"yes"}`).refused(t, 422, fault.InvalidMember, "/attach", "true or false")
	for _, client := range []string{`"x"`, `{"name":7}`, `{"home":"x"}`, `{"name":"` + strings.Repeat("x", 129) + `"}`} {
		s.post(t, "/api/v1/approvals", `{"function":"f","client":`+client+`}`).refused(t, 422, fault.InvalidMember, "/client", "subagent")
	}
	with, without := s.post(t, "/api/v1/approvals", `{"function":"g","client":{"subagent":"a"}}`).approvalOf(t, 201), s.post(t, "/api/v1/approvals", `{"function":"g"}`).approvalOf(t, 201)
	if with["digest"] != without["digest"] {
		t.Error("the client is part of the digest")
	}
}

func TestEnrol(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	enrol := func(body string) reply {
		return s.call(t, "POST", "/api/v1/enrolments", strings.NewReader(body), "Authorization", "-", "Content-Type", "application/json")
	}
	if r := enrol(`{"token":"cse_acme_good","host":"web-1"}`); r.StatusCode != 201 || strings.TrimSpace(string(r.body)) != `{"agent":"hook@web-1","key":"csk_acme_new"}` {
		t.Errorf("%d %s", r.StatusCode, r.body)
	}
	enrol(`{"token":"cse_acme_good","host":"there"}`).refused(t, 409, fault.AlreadyExists, "/host", "already is an agent")
	enrol(`{"token":"cse_acme_good"}`).refused(t, 422, fault.InvalidMember, "/host", "expected a string")
	enrol(`{"token":7,"host":"web-1"}`).refused(t, 422, fault.InvalidMember, "/token", "expected a string")
	enrol(`{"token":"cse_acme_good","host":"web-1","name":"root"}`).refused(t, 422, fault.InvalidMember, "/name", "token, host")

	// Tokens that don't work count as keys that don't.
	for range strangerBurst - 5 { // each try counts
		enrol(`{"token":"cse_acme_bad","host":"web-1"}`).refused(t, 401, fault.Unauthorized, "", "doesn't work")
	}
	enrol(`{"token":"cse_acme_good","host":"web-2"}`).refused(t, 429, fault.RateLimited, "", "without a key")
}
