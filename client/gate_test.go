package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/client/clienttest"
)

// gate is a gate with its settings in a folder of the test.
func gate(t *testing.T, url string, patience time.Duration) *client.Gate {
	t.Helper()
	return gateIn(t, url, t.TempDir(), patience)
}

func gateIn(t *testing.T, url, dir string, patience time.Duration) *client.Gate {
	t.Helper()
	c, err := client.New(client.Settings{URL: url, Key: clienttest.Key, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return &client.Gate{Client: c, Patience: patience, Expires: time.Hour, Program: client.Program{Name: "test", Version: "1"}}
}

// act is a call whose integer no double holds.
func act() client.Call {
	return client.Call{
		Act:       json.RawMessage(`{"function":"Bash","arguments":{"command":"git push <origin>","id":1234567890123456789012345678901234567891}}`),
		SessionID: "s 1", ToolCallID: "t1", Subagent: "explore",
	}
}

const long = 20 * time.Second // of calls that end before it

func judge(v clienttest.Verdict) func(map[string]any) clienttest.Verdict {
	return func(map[string]any) clienttest.Verdict { return v }
}

func TestAsk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		judge  clienttest.Verdict
		runs   bool
		act    string // part of what is to run
		reason string
	}{
		"approved at once":           {clienttest.Verdict{Status: "approved"}, true, `"command":"git push <origin>"`, ""},
		"held, approved":             {clienttest.Verdict{Status: "pending", Then: "approved"}, true, `"id":1234567890123456789012345678901234567891`, ""},
		"held, edited":               {clienttest.Verdict{Status: "pending", Then: "approved", Arguments: map[string]any{"command": "git fetch"}}, true, `{"command":"git fetch"}`, ""},
		"its secrets are taken out":  {clienttest.Verdict{Status: "approved", Rewrites: map[string]any{"command": "git push [REDACTED:x]", "id": json.Number("1234567890123456789012345678901234567891")}}, true, `[REDACTED:x]`, ""},
		"more than secrets is taken": {clienttest.Verdict{Status: "approved", Rewrites: map[string]any{"command": "git fetch [REDACTED:x]", "id": json.Number("1234567890123456789012345678901234567891")}}, false, "", "more than secrets"},
		"denied":                     {clienttest.Verdict{Status: "pending", Then: "denied", Reason: "Not during\nthe freeze."}, false, "", "denied. Not during the freeze."},
		"changes requested":          {clienttest.Verdict{Status: "pending", Then: "changes_requested", Reason: "Use a branch."}, false, "", "changes were requested: change the call and try again. Use a branch."},
		"blocked":                    {clienttest.Verdict{Status: "blocked", Reason: "It reads keys."}, false, "", "blocked by the policy. It reads keys."},
		"expired":                    {clienttest.Verdict{Status: "pending", Then: "expired"}, false, "", "nobody decided in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			s.Judge = judge(c.judge)
			o, err := gate(t, s.URL, long).Ask(t.Context(), act())
			if err != nil || o.Run != c.runs || !strings.Contains(string(o.Act), c.act) || !strings.Contains(o.Reason, c.reason) {
				t.Errorf("%v %s %q, %v", o.Run, o.Act, o.Reason, err)
			}
			if spent, _, _ := s.State(); (spent == 1) != c.runs && !strings.HasPrefix(name, "more") {
				t.Errorf("%d grants were spent", spent)
			}
			sent := s.Sent()[0]
			if sent["attach"] != true || sent["session_id"] != "s 1" || sent["tool_call_id"] != "t1" || sent["expires_in_seconds"] != json.Number("3600") ||
				sent["client"].(map[string]any)["subagent"] != "explore" {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

// A harmless call is one request once the keys are pinned, also in the next process.
func TestHarmlessCallIsOneRequest(t *testing.T) {
	t.Parallel()
	s, dir := clienttest.New(t), t.TempDir()
	for range 2 {
		if o, err := gateIn(t, s.URL, dir, long).Ask(t.Context(), act()); err != nil || !o.Run {
			t.Fatal(o, err)
		}
	}
	if got := strings.Join(s.Paths(), ", "); got != "POST /api/v1/approvals, GET /.well-known/jwks.json, POST /api/v1/approvals" {
		t.Error(got)
	}
	files, err := filepath.Glob(filepath.Join(dir, "pinned-*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

const other = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// A call that the server takes is not made larger on its way.
func TestNothingIsEscaped(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	size := 0
	s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, "/approvals") {
			size = int(r.ContentLength)
		}
		return false
	}
	o, err := gate(t, s.URL, long).Ask(t.Context(), client.Call{Act: json.RawMessage(`{"function":"write","arguments":{"content":"` + strings.Repeat("<&>", 80<<10) + `"}}`)})
	if err != nil || !o.Run || size > 256<<10 {
		t.Errorf("%d bytes, %q, %v", size, o.Reason, err)
	}
}

// An approval that another process spent serves nobody else: the call gets its own.
func TestAttachedToWhatIsSpent(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
	first := gate(t, s.URL, long)
	second := gate(t, s.URL, long)
	second.Held = func(client.Approval) {
		// Between its submission and its consumption the other one is faster.
		if o, err := first.Ask(context.Background(), act()); err != nil || !o.Run {
			t.Errorf("first: %q, %v", o.Reason, err)
		}
		second.Held = nil
	}
	o, err := second.Ask(t.Context(), act())
	if err != nil || !o.Run {
		t.Fatalf("second: %q, %v", o.Reason, err)
	}
	if spent, _, _ := s.State(); spent != 2 || len(s.Sent()) != 3 || s.Sent()[2]["attach"] != nil {
		t.Errorf("%d spent, %v", spent, s.Sent())
	}
}

// An old approval that a submission is answered with, spent, is no yes: somebody else
// acted on it.
func TestSpentByWhom(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	g := gate(t, s.URL, time.Second)
	if o, err := g.Ask(t.Context(), act()); err != nil || !o.Run {
		t.Fatal(o.Reason, err)
	}
	// A server that attaches to what is spent.
	id := ""
	s.Change = func(_ string, answer map[string]any) { id, _ = answer["id"].(string) }
	_, _ = g.Client.Submit(t.Context(), client.Submission{Act: act().Act, Consume: true, Key: "k"})
	s.Change = nil
	s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/approvals") {
			r.Method, r.URL.Path = http.MethodGet, "/api/v1/approvals/"+id
		}
		return false
	}
	if o, err := g.Ask(t.Context(), act()); err != nil || o.Run {
		t.Errorf("run %v: %q, %v", o.Run, o.Reason, err)
	}
}

// Nothing is spent once the program says that nobody needs it.
func TestReady(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	for _, v := range []clienttest.Verdict{{Status: "approved"}, {Status: "pending", Then: "approved"}} {
		s := clienttest.New(t)
		s.Judge = judge(v)
		g, asked := gate(t, s.URL, long), 0
		g.Ready = func() error {
			if asked++; asked == 2 || v.Status == "approved" {
				return gone
			}
			return nil
		}
		o, err := g.Ask(t.Context(), act())
		if spent, _, _ := s.State(); !errors.Is(err, gone) || o.Run || spent != 0 {
			t.Errorf("run %v, %v, %d spent", o.Run, err, spent)
		}
	}
}

// When nobody decides, the outcome says where people can.
func TestPatienceEnds(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	s.Judge = judge(clienttest.Verdict{Status: "pending"})
	o, err := gate(t, s.URL, 2*time.Second).Ask(t.Context(), act())
	if err != nil || o.Run || o.Approval.Status != client.Pending || !strings.Contains(o.Approval.ConsoleURL, o.Approval.ID) || o.Reason == "" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, cancelled, _ := s.State(); cancelled != 0 {
		t.Error("it was cancelled: a retry could not attach")
	}
}

func TestPinnedKeys(t *testing.T) {
	t.Parallel()
	s, dir := clienttest.New(t), t.TempDir()
	if o, err := gateIn(t, s.URL, dir, long).Ask(t.Context(), act()); err != nil || !o.Run {
		t.Fatal(o.Reason, err)
	}
	s.Rotate(t)
	o, err := gateIn(t, s.URL, dir, long).Ask(t.Context(), act())
	if err != nil || o.Run || !strings.Contains(o.Reason, "all keys of") {
		t.Errorf("another key: run %v, %q, %v", o.Run, o.Reason, err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "pinned-*.json"))
	if err := os.WriteFile(files[0], []byte(`{"url"`), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err = gateIn(t, s.URL, dir, long).Ask(t.Context(), act())
	if err != nil || o.Run || !strings.Contains(o.Reason, "remove the file") {
		t.Errorf("a broken file: run %v, %q, %v", o.Run, o.Reason, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if o, err := gateIn(t, s.URL, dir, long).Ask(t.Context(), act()); err != nil || !o.Run {
		t.Errorf("afterwards: %q, %v", o.Reason, err)
	}
}

func TestActsThatCannotBeSent(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	for _, bad := range []string{``, `[]`, `{}`, `{"function":"f","function":"g"}`, `{"function":"f","docstring":"d"}`, "{\"function\":\"\xff\"}", `{"function":"f","arguments":{"x":1e999}}`} {
		if o, err := gate(t, s.URL, long).Ask(t.Context(), client.Call{Act: json.RawMessage(bad)}); err != nil || o.Run || !strings.Contains(o.Reason, "can't be sent") {
			t.Errorf("%s: %+v, %v", bad, o, err)
		}
	}
	if len(s.Paths()) != 0 {
		t.Error(s.Paths())
	}
}

func TestOperations(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	c := gate(t, s.URL, long).Client
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	agent, err := c.Agent(ctx)
	if err != nil || agent.Name != "tester" || agent.Tenant != "acme" {
		t.Error(agent, err)
	}
	tools, err := c.Tools(ctx, "fs", json.RawMessage(`[{"name":"read"}]`))
	if err != nil || *tools.New != 1 || *tools.Waiting != 1 {
		t.Error(tools, err)
	}
	assessed, err := c.Assess(ctx, act().Act)
	if err != nil || assessed.Status != "approved" {
		t.Error(assessed, err)
	}
	if err := c.Canary(ctx, "n1", ""); err != nil || s.Canaries()[0] != "n1" {
		t.Error(s.Canaries(), err)
	}
	o, err := gate(t, s.URL, long).Ask(ctx, act())
	if err != nil || !o.Run {
		t.Fatal(o.Reason, err)
	}
	if err := c.Report(ctx, o.Approval.ID, false, "exit 1"); err != nil {
		t.Error(err)
	}
	if _, _, reports := s.State(); len(reports) != 1 || reports[0]["status"] != "failed" || reports[0]["detail"] != "exit 1" {
		t.Error(reports)
	}
	if a, err := c.Get(ctx, o.Approval.ID); err != nil || a.Execution.State != "reported" {
		t.Error(a, err)
	}
	var p *client.Problem
	if err := c.Cancel(ctx, "apr_none"); !errors.As(err, &p) || p.Code != "not-found" {
		t.Error(err)
	}
}

// An answer that says yes and lacks what proves it is asked for again.
func TestIncompleteAnswers(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(string, map[string]any){
		"no grant": decision("grant", nil), "no digest": decision("digest", nil), "no decision": set("/approvals", "decision", nil), "no id": set("/approvals", "id", "apr_1"),
	} {
		s := clienttest.New(t)
		s.Change = change
		if o, err := gate(t, s.URL, 300*time.Millisecond).Ask(t.Context(), act()); o.Run || !errors.Is(err, client.ErrNoAnswer) {
			t.Errorf("%s: run %v, %q, %v", name, o.Run, o.Reason, err)
		}
	}
}

// A whole yes counts only as JSON, and with a status that promises one.
func TestUnwantedAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		kind   string
	}{{http.StatusAccepted, "application/json"}, {http.StatusOK, "text/html"}, {http.StatusOK, ""}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
			inside := false
			s.Fault = func(w http.ResponseWriter, r *http.Request, _ int) bool {
				if !r.URL.Query().Has("wait") || inside {
					return false
				}
				inside = true
				answer := httptest.NewRecorder()
				s.ServeHTTP(answer, r)
				inside = false
				text(c.status, c.kind, answer.Body.String())(w)
				return true
			}
			if o, err := gate(t, s.URL, 2*time.Second).Ask(t.Context(), act()); o.Run || o.Approval.Status != client.Pending {
				t.Errorf("run %v, %q, %v", o.Run, o.Reason, err)
			}
		})
	}
}

// A good grant of another approval of the same act is not this one's.
func TestGrantOfAnotherApproval(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	grants := []any{}
	s.Change = func(_ string, answer map[string]any) {
		d := answer["decision"].(map[string]any)
		grants = append(grants, d["grant"])
		d["grant"] = grants[0]
	}
	if o, err := gate(t, s.URL, long).Ask(t.Context(), act()); err != nil || !o.Run {
		t.Fatal(o.Reason, err)
	}
	o, err := gate(t, s.URL, long).Ask(t.Context(), client.Call{Act: act().Act, SessionID: "another"})
	if err != nil || o.Run || !strings.Contains(o.Reason, "another approval") {
		t.Errorf("run %v, %q, %v", o.Run, o.Reason, err)
	}
}

// Who waits for one approval does not take the decision on another, though that is good.
func TestWaitForAnother(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
	c := gate(t, s.URL, long).Client
	var first, second client.Submitted
	for i, into := range []*client.Submitted{&first, &second} {
		var err error
		if *into, err = c.Submit(t.Context(), client.Submission{Act: act().Act, SessionID: []string{"a", "b"}[i], Key: []string{"a", "b"}[i]}); err != nil {
			t.Fatal(err)
		}
	}
	s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		r.URL.Path = strings.Replace(r.URL.Path, first.ID, second.ID, 1)
		return false
	}
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	if a, err := c.Wait(ctx, first.Approval); err == nil || a.Status != client.Pending {
		t.Errorf("%s, %v", a.Status, err)
	}
}
