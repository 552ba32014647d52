package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// faulty is one way in which a server is not to be believed.
type faulty struct {
	fault  func(w http.ResponseWriter, r *http.Request, call int) bool
	change func(path string, answer map[string]any)
	setUp  func(s *clienttest.Server)
	says   string // in the reason or the error; "" where it is tried again until the time is over
}

// respond answers a path in place of the server.
func respond(path string, f func(w http.ResponseWriter)) func(http.ResponseWriter, *http.Request, int) bool {
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if !strings.HasSuffix(r.URL.Path, path) {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		f(w)
		return true
	}
}

func text(status int, kind, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func set(path, name string, value any) func(string, map[string]any) {
	return func(at string, answer map[string]any) {
		if strings.HasSuffix(at, path) {
			answer[name] = value
		}
	}
}

func decision(name string, value any) func(string, map[string]any) {
	return func(_ string, answer map[string]any) {
		if d, ok := answer["decision"].(map[string]any); ok {
			d[name] = value
		}
	}
}

const other = "sha256:0000000000000000000000000000000000000000000000000000000000000000"

// faults are what a server, or somebody in its place, may do. None is a yes.
func faults() map[string]faulty {
	held := func(s *clienttest.Server) {
		s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
	}
	f := map[string]faulty{
		"answer for another act":      {change: set("/approvals", "digest", other), says: "another act"},
		"decision for another act":    {change: decision("digest", other), says: "another act"},
		"grant that is none":          {change: decision("grant", "x.y.z"), says: "not a grant"},
		"no grant":                    {change: decision("grant", nil), says: ""},
		"grant by another key":        {setUp: func(s *clienttest.Server) { s.Forge = true }, says: "signature"},
		"grant that ended":            {setUp: func(s *clienttest.Server) { s.Life = -time.Minute }, says: "clock"},
		"unknown status":              {change: set("/approvals", "status", "fine"), says: ""},
		"status of another kind":      {change: set("/approvals", "status", true), says: ""},
		"unknown level":               {change: set("/approvals", "level", "NONE"), says: ""},
		"another edit than signed":    {change: decision("effective", map[string]any{"function": "Bash", "arguments": map[string]any{"command": "ls"}}), says: "another act"},
		"another function":            {change: decision("effective", map[string]any{"function": "Write", "arguments": map[string]any{"command": "git push <origin>", "id": json.Number("1234567890123456789012345678901234567891")}}), says: "more than the arguments"},
		"consume replayed":            {setUp: held, change: set("/consume", "replayed", true), says: "spent by another call"},
		"consume does not say":        {setUp: held, change: set("/consume", "replayed", nil), says: ""},
		"consume says no":             {setUp: held, fault: respond("/consume", func(w http.ResponseWriter) { clienttest.Problem(w, 409, "stricter-now", "The policy changed.") }), says: "The policy changed. (stricter-now)"},
		"consume fails":               {setUp: held, fault: respond("/consume", text(500, "text/html", "<h1>no</h1>")), says: ""},
		"consume hangs":               {setUp: held, fault: hang("/consume"), says: ""},
		"waiting answers for another": {setUp: held, fault: respondOther, says: "another approval"},
		"wrong key":                   {fault: respond("", func(w http.ResponseWriter) { clienttest.Problem(w, 401, "unauthenticated", "The key expired.") }), says: "The key expired."},
		"HTML of a proxy":             {fault: respond("", text(403, "text/html", "<h1>no</h1>")), says: "Forbidden (HTTP 403)"},
		"redirect":                    {fault: redirect, says: "not followed"},
		"keys that are none":          {fault: respond("jwks.json", text(200, "application/json", `{"keys":[]}`)), says: "keys"},
		"hangs":                       {fault: hang(""), says: ""},
		"resets":                      {fault: respond("", func(http.ResponseWriter) { panic(http.ErrAbortHandler) }), says: ""},
		"cut answer":                  {fault: respond("", cut), says: ""},
		"rate limit":                  {fault: respond("", text(429, "text/plain", "")), says: ""},
	}
	for name, r := range map[string]struct {
		status     int
		kind, body string
	}{
		"500": {500, "application/json", `{"status":"approved"}`}, "503": {503, "text/html", ""}, "204": {204, "application/json", ""}, "202": {202, "application/json", `{"status":"approved"}`},
		"empty": {200, "application/json", ""}, "{}": {200, "application/json", "{}"}, "null": {200, "application/json", "null"}, "HTML": {200, "text/html", "<h1>approved</h1>"},
		"JSON as text": {200, "text/plain", `{"status":"approved"}`}, "half": {200, "application/json", `{"status":"appro`}, "two": {200, "application/json", `{}{}`}, "yes": {200, "application/json", `{"status":"approved"}`},
	} {
		f[name] = faulty{fault: respond("/approvals", text(r.status, r.kind, r.body)), says: ""}
		f["waiting, "+name] = faulty{setUp: held, fault: func(w http.ResponseWriter, req *http.Request, _ int) bool {
			if !req.URL.Query().Has("wait") {
				return false
			}
			text(r.status, r.kind, r.body)(w)
			return true
		}}
	}
	return f
}

func hang(path string) func(http.ResponseWriter, *http.Request, int) bool {
	return func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if strings.HasSuffix(r.URL.Path, path) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
			return true
		}
		return false
	}
}

func cut(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "4000")
	_, _ = io.WriteString(w, `{"status":"approved"`)
}

func redirect(w http.ResponseWriter, r *http.Request, _ int) bool {
	http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	return true
}

// respondOther answers what is waited for with another approval that is approved.
func respondOther(w http.ResponseWriter, r *http.Request, _ int) bool {
	if !r.URL.Query().Has("wait") {
		return false
	}
	text(200, "application/json", `{"id":"apr_00000000000000000000000000000000","status":"approved","level":"LOW","digest":"`+other+`","decision":{"digest":"`+other+`","grant":"x"}}`)(w)
	return true
}

func TestFaultsAreNeverAYes(t *testing.T) {
	t.Parallel()
	for name, c := range faults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			if c.setUp != nil {
				c.setUp(s)
			}
			s.Fault, s.Change = c.fault, c.change
			patience := long
			if c.says == "" {
				patience = 300 * time.Millisecond
			}
			o, err := gate(t, s.URL, patience).Ask(t.Context(), act())
			said := o.Reason
			if err != nil {
				said = err.Error()
			}
			if o.Run || o.Act != nil || said == "" || !strings.Contains(said, c.says) {
				t.Errorf("run %v, act %s: %q", o.Run, o.Act, said)
			}
			if strings.Contains(said, clienttest.Key) || strings.Contains(said, "\n") {
				t.Errorf("it says %q", said)
			}
		})
	}
}

// What gets better in time is a yes after all.
func TestItTriesAgain(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(w http.ResponseWriter, r *http.Request, call int) bool{
		"away": func(http.ResponseWriter, *http.Request, int) bool { panic(http.ErrAbortHandler) },
		"500":  func(w http.ResponseWriter, _ *http.Request, _ int) bool { text(500, "text/html", "")(w); return true },
		"HTML": func(w http.ResponseWriter, _ *http.Request, _ int) bool { text(200, "text/html", "")(w); return true },
		"limit": func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Retry-After", "1")
			text(429, "text/html", "")(w)
			return true
		},
		"same": func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			clienttest.Problem(w, 409, "in-progress", "It still runs.")
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := clienttest.New(t)
			s.Judge = judge(clienttest.Verdict{Status: "pending", Then: "approved"})
			s.Fault = func(w http.ResponseWriter, r *http.Request, call int) bool { return call%2 == 1 && f(w, r, call) }
			begin := time.Now()
			o, err := gate(t, s.URL, long).Ask(t.Context(), act())
			if err != nil || !o.Run {
				t.Errorf("%q, %v", o.Reason, err)
			}
			if name == "limit" && time.Since(begin) < time.Second {
				t.Error("Retry-After was not waited for")
			}
		})
	}
}

// swallow lets the server do what it is asked and loses its first answer on the way.
func swallow(t *testing.T, s *clienttest.Server, path string) string {
	t.Helper()
	lost := false
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !lost && strings.HasSuffix(r.URL.Path, path) {
			lost = true
			s.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// An answer that got lost is asked for again and counts: the same process made both.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	for path, v := range map[string]clienttest.Verdict{
		"/approvals": {Status: "approved"},
		"/consume":   {Status: "pending", Then: "approved"},
	} {
		s := clienttest.New(t)
		s.Judge = judge(v)
		if o, err := gate(t, swallow(t, s, path), long).Ask(t.Context(), act()); err != nil || !o.Run {
			t.Errorf("%s: %q, %v", path, o.Reason, err)
		}
		if spent, _, _ := s.State(); spent != 1 {
			t.Errorf("%s: %d grants were spent", path, spent)
		}
	}
}

// What somebody else spent while an answer was lost is not ours: the call gets its own.
func TestLostAnswerAndSomebodyElse(t *testing.T) {
	t.Parallel()
	s := clienttest.New(t)
	submitted := 0
	s.Fault = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/approvals") {
			if submitted++; submitted == 2 {
				s.Steal()
			}
		}
		return false
	}
	o, err := gate(t, swallow(t, s, "/approvals"), long).Ask(t.Context(), act())
	if spent, _, _ := s.State(); err != nil || !o.Run || spent != 2 || submitted != 3 {
		t.Errorf("run %v, %q, %v: %d spent after %d submissions", o.Run, o.Reason, err, spent, submitted)
	}
}

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
