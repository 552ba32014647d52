package httpapi

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/tenants"
)

// real is the API on the real service and a real SQLite database, with one
// operator, an agent of each of two tenants, and two more of the first.
type real struct {
	*site
	service  *approvals.Service
	people   *tenants.Service
	heads    *headstest.Heads
	operator auth.Member
	keys     map[string]string // tenant, or "colleague", or "dry" (may also assess) → Authorization
}

func newReal(t *testing.T) *real {
	t.Helper()
	ctx, log := t.Context(), newLog()
	heads := headstest.New()
	db, err := store.Open(ctx, store.Config{Path: sqlitetest.Create(t, filepath.Join(t.TempDir(), "db")), Log: log, Heads: heads})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	secret, err := approvals.NewSigningKey()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := approvals.NewEd25519Signer(secret)
	if err != nil {
		t.Fatal(err)
	}
	people := tenants.NewService(tenants.Config{Store: db.Tenants(), Passwords: authtest.Passwords(1), Log: log})
	r := &real{keys: map[string]string{}, people: people, heads: heads}
	r.service = approvals.NewService(approvals.Config{
		Store: db.Approvals(), Live: live.New(), Signer: signer, Issuer: func() string { return r.url }, Now: time.Now, Log: log,
	})
	r.site = newSiteOn(t, nil, r.service, people, func(c *Config) { c.Trail = headstest.Trail{Store: db, Heads: heads} })
	t.Cleanup(r.service.Stop)
	for _, tenant := range []string{"acme", "other"} {
		if err := people.CreateTenant(ctx, tenant); err != nil {
			t.Fatal(err)
		}
		key, _, err := people.CreateAgent(ctx, tenant, "robot", "")
		if err != nil {
			t.Fatal(err)
		}
		r.keys[tenant] = "Bearer " + key
	}
	key, _, err := people.CreateAgent(ctx, "acme", "colleague", "")
	if err != nil {
		t.Fatal(err)
	}
	r.keys["colleague"] = "Bearer " + key
	if key, _, err = people.CreateAgent(ctx, "acme", "dry", "", auth.Scopes()...); err != nil {
		t.Fatal(err)
	}
	r.keys["dry"] = "Bearer " + key
	ada, err := people.CreatePerson(ctx, "acme", "ada@example.com", "Ada", "", []auth.Role{auth.Operator})
	if err != nil {
		t.Fatal(err)
	}
	if r.operator, err = people.Member(ctx, "acme", ada.ID); err != nil {
		t.Fatal(err)
	}
	return r
}

// policy changes acme's.
func (r *real) policy(t *testing.T, change func(*scoring.Policy)) {
	t.Helper()
	now, err := r.people.PolicyOf(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	p := scoring.DefaultPolicy()
	change(&p)
	if _, err := r.people.ImportPolicy(t.Context(), "acme", tenants.Change{Base: now.Version, Policy: p, Reason: "a test"}); err != nil {
		t.Fatal(err)
	}
}

// as makes a call with the key of a tenant's agent; "" is a GET.
func (r *real) as(t *testing.T, tenant, path, body string, headers ...string) reply {
	t.Helper()
	headers = append([]string{"Authorization", r.keys[tenant]}, headers...)
	if body == "" {
		return r.get(t, path, headers...)
	}
	return r.post(t, path, body, headers...)
}

const (
	harmless = `{"function":"get_weather","arguments":{"city":"Oslo"},"session_id":"s"}`
	risky    = `{"function":"delete_user","arguments":{"user_id":"usr_123"},"environment":"production"}`
)

func TestAnAgentsGrantIsSpentOnce(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	a := r.as(t, "acme", "/api/v1/approvals", harmless).approvalOf(t, 201)
	path, digest := "/api/v1/approvals/"+a["id"].(string), `{"digest":"`+a["digest"].(string)+`"}`
	if read := r.as(t, "acme", path, "").approvalOf(t, 200); !reflect.DeepEqual(read, a) {
		t.Errorf("the submission was answered %v, and reads %v", a, read)
	}
	d, _ := a["decision"].(map[string]any)
	if grant, _ := d["grant"].(string); a["status"] != "approved" || strings.Count(grant, ".") != 2 {
		t.Errorf("status %v, decision %v, want approved with a JWS", a["status"], d)
	}

	r.as(t, "acme", path+"/result", `{"status":"succeeded"}`).refused(t, 409, fault.NotConsumed, "", "consume it first")
	r.as(t, "acme", path+"/consume", `{"digest":"`+digestA+`"}`).refused(t, 409, fault.DigestMismatch, "/digest", a["digest"].(string))
	r.as(t, "other", path+"/consume", digest).refused(t, 404, fault.Missing, "", "apr_")

	once := r.as(t, "acme", path+"/consume", digest, "Idempotency-Key", "c")
	again := r.as(t, "acme", path+"/consume", digest, "Idempotency-Key", `"c"`)
	if once.StatusCode != 200 || again.StatusCode != 200 || strings.Replace(string(once.body), `"replayed":false`, `"replayed":true`, 1) != string(again.body) || string(once.body) == string(again.body) {
		t.Errorf("consumed %d %s, replayed %d %s", once.StatusCode, once.body, again.StatusCode, again.body)
	}
	r.as(t, "acme", path+"/consume", digest).refused(t, 409, fault.AlreadyConsumed, "", "submit the action again")

	for range 2 { // the same report twice is one
		a = r.as(t, "acme", path+"/result", `{"status":"failed","detail":"no route"}`).approvalOf(t, 200)
	}
	if got, _ := json.Marshal(a["execution"]); string(got) != `{"detail":"no route","state":"reported","status":"failed"}` {
		t.Errorf("execution %s", got)
	}
	r.as(t, "acme", path+"/result", `{"status":"succeeded"}`).refused(t, 409, fault.AlreadyReported, "", "failed was reported")
}

func TestAWaitingAgentHearsTheDecision(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	a := r.as(t, "acme", "/api/v1/approvals", risky, "Idempotency-Key", "one").approvalOf(t, 201)
	if a["status"] != "pending" || a["decision"] != nil || a["console_url"] != r.url+"/t/acme/approvals/"+a["id"].(string) {
		t.Fatalf("%v", a)
	}
	path := "/api/v1/approvals/" + a["id"].(string)
	r.as(t, "other", path, "").refused(t, 404, fault.Missing, "", "apr_")
	r.as(t, "acme", "/api/v1/approvals", harmless, "Idempotency-Key", "one").refused(t, 422, fault.IdempotencyReused, "", "use a new key")
	if same := r.as(t, "acme", "/api/v1/approvals", risky, "Idempotency-Key", "one").approvalOf(t, 200); same["id"] != a["id"] {
		t.Errorf("the key made %v after %v", same["id"], a["id"])
	}

	answered := make(chan reply, 1)
	go func() { answered <- r.as(t, "acme", path+"?wait=60", "") }()
	review, err := r.service.Show(t.Context(), r.operator, a["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.service.Decide(t.Context(), r.operator, review.ID, approvals.DecideInput{
		Verdict: approvals.VerdictDeny, Reason: "wrong user", Digest: review.ShownDigest, Version: review.Version,
	})
	if err != nil {
		t.Fatal(err)
	}
	a = (<-answered).approvalOf(t, 200)
	d, _ := a["decision"].(map[string]any)
	if a["status"] != "denied" || d["reason"] != "wrong user" || d["grant"] != nil || d["decided_by"].([]any)[0].(map[string]any)["kind"] != "person" {
		t.Errorf("the agent heard %v", a)
	}
	r.as(t, "acme", path+"/consume", `{"digest":"`+a["digest"].(string)+`"}`).refused(t, 409, fault.NotApproved, "", "denied")
	r.as(t, "acme", path+"/cancel", "{}").refused(t, 409, fault.AlreadyDecided, "", "Ada")
}

// TestForeignIDsAreAllAlike: whether an id exists for somebody else must not show.
func TestForeignIDsAreAllAlike(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	theirs := r.as(t, "other", "/api/v1/approvals", harmless).approvalOf(t, 201)["id"].(string)
	colleagues := r.as(t, "acme", "/api/v1/approvals", harmless, "Authorization", r.keys["colleague"]).approvalOf(t, 201)["id"].(string)
	for call, body := range map[string]string{"": "", "?wait=1": "", "/cancel": "{}", "/consume": `{"digest":"` + digestA + `"}`, "/result": `{"status":"failed"}`} {
		want := ""
		for _, id := range []string{absent, theirs, colleagues, "apr_x"} {
			res := r.as(t, "acme", "/api/v1/approvals/"+id+call, body)
			res.refused(t, 404, fault.Missing, "", "ids look like apr_")
			got := strings.NewReplacer(id, "ID", res.Header.Get("X-Request-Id"), "").Replace(string(res.body))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s%s: %s, want %s", id, call, got, want)
			}
		}
	}
}

func TestAnAgentTakesItBackAndListsItsOwn(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	var ids []string
	for range 3 {
		ids = append(ids, r.as(t, "acme", "/api/v1/approvals", risky).approvalOf(t, 201)["id"].(string))
	}
	theirs := r.as(t, "other", "/api/v1/approvals", harmless).approvalOf(t, 201)["id"].(string)
	r.as(t, "acme", "/api/v1/approvals/"+theirs+"/cancel", "{}").refused(t, 404, fault.Missing, "", "apr_")
	if a := r.as(t, "acme", "/api/v1/approvals/"+ids[1]+"/cancel", "{}").approvalOf(t, 200); a["status"] != "cancelled" {
		t.Errorf("cancelled: %v", a)
	}
	r.as(t, "acme", "/api/v1/approvals", `{"function":"f","revises":"`+theirs+`"}`).refused(t, 422, fault.InvalidMember, "/revises", "leave it out")

	var l struct {
		Approvals []struct{ ID string }
		Next      string `json:"next_cursor"`
	}
	var seen []string
	for query := "?limit=2"; query != ""; {
		l.Next = ""
		if err := json.Unmarshal(r.as(t, "acme", "/api/v1/approvals"+query, "").body, &l); err != nil {
			t.Fatal(err)
		}
		for _, a := range l.Approvals {
			seen = append(seen, a.ID)
		}
		query = ""
		if l.Next != "" {
			query = "?limit=2&cursor=" + l.Next
		}
	}
	if want := ids[2] + ids[1] + ids[0]; strings.Join(seen, "") != want {
		t.Errorf("listed %v, want the three newest first and nobody else's", seen)
	}
	if body := r.as(t, "acme", "/api/v1/approvals?status=cancelled", "").body; strings.Count(string(body), `"id":"apr_`) != 1 {
		t.Errorf("cancelled: %s", body)
	}
}

// A tool's result comes back without its secrets; before a call the agent runs
// what it sent, so nothing is handed back unless the policy rewrites calls.
func TestEffectiveIsTheRedactedResult(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	const key = "AKIAIOSFODNN7EXAMPLQ"
	effective := func(body string) any {
		a := r.as(t, "acme", "/api/v1/approvals", body).approvalOf(t, 201)
		if a["status"] != "approved" || a["digest"] == a["shown_digest"] {
			t.Fatalf("%v: want an approval with a masked secret", a)
		}
		return a["decision"].(map[string]any)["effective"]
	}
	result, _ := effective(`{"lifecycle_point":"post-tool-result","content":"the key is ` + key + ` here"}`).(map[string]any)
	if c, _ := result["content"].(string); strings.Contains(c, key) || !strings.Contains(c, "[REDACTED:") || result["lifecycle_point"] != "post-tool-result" {
		t.Errorf("effective is %v, want the whole action without the key", result)
	}
	a := approvals.Approval{Status: approvals.Approved, Digest: "original", ShownDigest: "masked", Action: []byte(`{}`)}
	a.Assessment.Patterns.LifecyclePoint = scoring.PreToolCall
	if e := a.Effective(); e != nil {
		t.Errorf("before a call effective is %s, want none", e)
	}
	a.Assessment.Rewrites = true
	if e := a.Effective(); string(e) != "{}" {
		t.Errorf("before a call that the policy rewrites effective is %s", e)
	}
	if a.ShownDigest = a.Digest; a.Effective() != nil {
		t.Error("a call in which nothing is masked is handed back")
	}
}
