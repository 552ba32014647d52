package httpapi

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

const (
	first  = "apr_00000000000000000000000000000001"
	absent = "apr_0000000000000000000000000000ffff"
)

func TestSubmitAnswersTheWholeApproval(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.post(t, "/api/v1/approvals", `{"function":"delete_user","arguments":{"id":7},"expires_in_seconds":60,"revises":"`+absent+`","session_id":null}`)
	want := `{"id":"` + first + `","status":"pending","level":"HIGH","score":0.6875,"headline":HEADLINE,"digest":"` + s.got.Action.Digest() + `","shown_digest":"` + digestB +
		`","challenge":{"kind":"quiz","approvals_required":1,"approvals_given":0},"needs":[],"assessment":ASSESSMENT,"created_at":"2026-03-04T02:06:07.000089Z",` +
		`"expires_at":"2026-03-04T02:07:07.000089Z","extension":null,"questions":[],"decided_at":null,"decision":null,"execution":null,"revises":"` + absent + `","newer":null,"console_url":"` +
		s.url + `/t/acme/approvals/` + first + `"}`
	stored, err := json.Marshal(s.all[0].Assessment)
	if err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal(s.all[0].AgentView().Headline)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(string(r.body)); r.StatusCode != 201 || got != strings.NewReplacer("ASSESSMENT", string(stored), "HEADLINE", string(said)).Replace(want) {
		t.Errorf("%d\n got %s\nwant %s", r.StatusCode, got, want)
	}
	if got := r.Header.Get("Location"); got != "/api/v1/approvals/"+first {
		t.Errorf("Location %q", got)
	}
	if s.got.ExpiresIn != 60 || s.got.Revises != absent || s.got.Action.Function() != "delete_user" {
		t.Errorf("submitted %+v", s.got)
	}
	if !s.got.Action.Tree().Get("expires_in_seconds").IsAbsent() || !s.got.Action.Tree().Get("revises").IsAbsent() {
		t.Error("members of the submission are part of the action")
	}
}

func TestAnAutomaticApprovalCarriesItsGrant(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.post(t, "/api/v1/approvals?wait=60", `{"function":"harmless"}`).approvalOf(t, 201)
	want := map[string]any{
		"verdict": "approve", "reason": "", "effective": nil, "grant": "head.body.signature", "digest": a["digest"],
		"decided_by": []any{map[string]any{"kind": "policy", "id": "1", "name": "policy version 1"}},
	}
	got, _ := json.Marshal(a["decision"])
	if expected, _ := json.Marshal(want); string(got) != string(expected) {
		t.Errorf("decision %s, want %s", got, expected)
	}
	if a["decided_at"] != "2026-03-04T02:06:07.000089Z" || a["revises"] != nil {
		t.Errorf("decided_at %v, revises %v", a["decided_at"], a["revises"])
	}
	if given := a["challenge"].(map[string]any)["approvals_given"]; given != 0.0 {
		t.Errorf("approvals_given = %v for the policy's own decision", given)
	}
}

func TestAnIdempotencyKeyReplays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	body := `{"function":"f","arguments":{"a":1,"b":2}}`
	s.post(t, "/api/v1/approvals", body, "Idempotency-Key", "k-1").approvalOf(t, 201)
	// The quoted spelling is the same key, and other white space the same body.
	r := s.post(t, "/api/v1/approvals", ` {"arguments":{"b":2, "a":1.0}, "function":"f"}`, "Idempotency-Key", `"k-1"`)
	if a := r.approvalOf(t, 200); a["id"] != first || r.Header.Get("Location") != "" {
		t.Errorf("replayed %v, Location %q", a["id"], r.Header.Get("Location"))
	}
	s.post(t, "/api/v1/approvals", `{"function":"g"}`, "Idempotency-Key", "k-1").refused(t, 422, fault.IdempotencyReused, "", "use a new key")
	s.post(t, "/api/v1/approvals", body, "Idempotency-Key", `"k\"\\1"`).approvalOf(t, 201)
	if s.got.IdempotencyKey != `k"\1` {
		t.Errorf("key %q", s.got.IdempotencyKey)
	}
	s.post(t, "/api/v1/approvals", body, "Idempotency-Key", strings.Repeat("k", 255)).approvalOf(t, 201)
}

// TestAKeyThatStillRuns: the second call is told so and has no effect; once the
// first is stored, the key answers it again, even while its client still waits
// for the decision.
func TestAKeyThatStillRuns(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.hold, d.held = make(chan struct{}), make(chan struct{})
	s := newSiteOn(t, d, d, badge{})
	submit := func(query string, headers ...string) reply {
		return s.post(t, "/api/v1/approvals"+query, `{"function":"f"}`, headers...)
	}
	answered := make(chan reply, 1)
	go func() { answered <- submit("?wait=60", "Idempotency-Key", "k") }()
	<-d.held
	r := submit("", "Idempotency-Key", `"k"`)
	r.refused(t, 409, fault.InProgress, "Idempotency-Key", "send it again in a moment")
	if got := r.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
	d.hold <- struct{}{}
	<-s.waiting // the first is stored, and waits
	go func() {
		<-d.held
		d.hold <- struct{}{}
	}()
	if r := submit("", "Idempotency-Key", "k"); r.StatusCode != 200 {
		t.Errorf("the key of a stored one that is waited for: %d %s", r.StatusCode, r.body)
	}
	s.decide <- struct{}{}
	(<-answered).approvalOf(t, 201)
}

func TestOtherKeysAreOtherCalls(t *testing.T) {
	t.Parallel()
	var r running
	one, two := auth.Agent{Tenant: "acme", ID: "agt_1"}, auth.Agent{Tenant: "acme", ID: "agt_2"}
	for _, c := range []struct {
		agent auth.Agent
		key   string
	}{{one, "k"}, {one, "l"}, {two, "k"}, {auth.Agent{Tenant: "other", ID: "agt_1"}, "k"}, {one, ""}, {one, ""}} {
		if _, err := r.enter(c.agent, c.key); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := r.enter(one, "k"); !fault.Is(err, fault.InProgress) {
		t.Errorf("the same again: %v", err)
	}
	leave, err := r.enter(two, "m")
	if err != nil {
		t.Fatal(err)
	}
	leave()
	if _, err := r.enter(two, "m"); err != nil || len(r.keys) != 5 {
		t.Errorf("after the first left: %v, %d keys", err, len(r.keys))
	}
}

// TestEveryRefusal is the table of what agents can do wrong.
func TestEveryRefusal(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.post(t, "/api/v1/approvals", `{"function":"f"}`).approvalOf(t, 201)
	const submit, one = "/api/v1/approvals", "/api/v1/approvals/" + first
	ok, long := `{"function":"f"}`, strings.Repeat("x", 300)
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code                     fault.Code
		member, accepted         string
	}{
		{"no key", "POST", submit, ok, []string{"Authorization", "-"}, 401, fault.Unauthorized, "", "Authorization: Bearer csk_"},
		{"another scheme", "POST", submit, ok, []string{"Authorization", "Basic csk_acme_one"}, 401, fault.Unauthorized, "", "Bearer csk_"},
		{"an unknown key", "POST", submit, ok, []string{"Authorization", "Bearer csk_acme_three"}, 401, fault.Unauthorized, "", "Bearer csk_"},
		{"no key beats every other mistake", "POST", submit + "?x=1", "{", []string{"Authorization", "-", "Content-Type", "text/plain"}, 401, fault.Unauthorized, "", "Bearer"},

		{"text", "POST", submit, ok, []string{"Content-Type", "text/plain"}, 415, fault.UnsupportedMedia, "Content-Type", "application/json"},
		{"a form", "POST", submit, ok, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, fault.UnsupportedMedia, "Content-Type", "application/json"},
		{"no type", "POST", submit, ok, []string{"Content-Type", "-"}, 415, fault.UnsupportedMedia, "Content-Type", "application/json"},
		{"another charset", "POST", submit, ok, []string{"Content-Type", "application/json; charset=latin1"}, 415, fault.UnsupportedMedia, "Content-Type", "utf-8"},
		{"another parameter", "POST", submit, ok, []string{"Content-Type", "application/json; profile=x"}, 415, fault.UnsupportedMedia, "Content-Type", "application/json"},
		{"compressed", "POST", submit, ok, []string{"Content-Encoding", "gzip"}, 415, fault.UnsupportedMedia, "Content-Encoding", "without that header"},
		{"compressed by name only", "POST", one + "/cancel", "{}", []string{"Content-Encoding", "identity"}, 415, fault.UnsupportedMedia, "Content-Encoding", "without that header"},
		{"too large", "POST", submit, action(canon.MaxBytes+1, "x"), nil, 413, fault.BodyTooLarge, "", "at most 262144"},
		{"too large for consume", "POST", one + "/consume", action(canon.MaxBytes+1, "x"), nil, 413, fault.BodyTooLarge, "", "at most 262144"},

		{"nothing", "POST", submit, "", nil, 400, fault.MalformedJSON, "", "send a JSON object"},
		{"white space", "POST", submit, "  ", nil, 400, fault.MalformedJSON, "", "a whole JSON value is expected"},
		{"broken off", "POST", submit, `{"function":"f"`, nil, 400, fault.MalformedJSON, "", "byte 15"},
		{"a number that does not survive", "POST", submit, `{"function":"f","arguments":{"id":0.10000000000000001}}`, nil, 400, fault.MalformedJSON, "/arguments/id", "send it as a string"},
		{"a name twice", "POST", submit, `{"function":"f","function":"g"}`, nil, 400, fault.MalformedJSON, "/function", "send each name once"},
		{"two values", "POST", submit, ok + ok, nil, 400, fault.MalformedJSON, "", "send one value"},
		{"an array", "POST", submit, `[]`, nil, 422, fault.InvalidMember, "", "a JSON object"},
		{"an unknown member", "POST", submit, `{"function":"f","expires":1}`, nil, 422, fault.InvalidMember, "/expires", "expires_in_seconds"},
		{"no function", "POST", submit, `{"arguments":{}}`, nil, 422, fault.InvalidMember, "/function", "non-empty string"},
		{"arguments of the wrong kind", "POST", submit, `{"function":"f","arguments":"x"}`, nil, 422, fault.InvalidMember, "/arguments", "an object or an array"},
		{"an expiry of 0", "POST", submit, `{"function":"f","expires_in_seconds":0}`, nil, 422, fault.InvalidMember, "/expires_in_seconds", "an integer from 1 to 2592000"},
		{"too long an expiry", "POST", submit, `{"function":"f","expires_in_seconds":2592001}`, nil, 422, fault.InvalidMember, "/expires_in_seconds", "an integer from 1 to 2592000"},
		{"an expiry that is not whole", "POST", submit, `{"function":"f","expires_in_seconds":1.5}`, nil, 422, fault.InvalidMember, "/expires_in_seconds", "an integer from 1 to 2592000"},
		{"an expiry as text", "POST", submit, `{"function":"f","expires_in_seconds":"60"}`, nil, 422, fault.InvalidMember, "/expires_in_seconds", "an integer from 1 to 2592000"},
		{"revises nothing", "POST", submit, `{"function":"f","revises":"x"}`, nil, 422, fault.InvalidMember, "/revises", "apr_"},
		{"revises of the wrong kind", "POST", submit, `{"function":"f","revises":7}`, nil, 422, fault.InvalidMember, "/revises", "apr_"},

		{"an empty idempotency key", "POST", submit, ok, []string{"Idempotency-Key", ""}, 422, fault.InvalidParameter, "Idempotency-Key", "1 to 255 visible"},
		{"an empty quoted key", "POST", submit, ok, []string{"Idempotency-Key", `""`}, 422, fault.InvalidParameter, "Idempotency-Key", "1 to 255 visible"},
		{"a key that does not end", "POST", submit, ok, []string{"Idempotency-Key", `"abc`}, 422, fault.InvalidParameter, "Idempotency-Key", "quoted string"},
		{"a key with more behind it", "POST", submit, ok, []string{"Idempotency-Key", `"abc";a=1`}, 422, fault.InvalidParameter, "Idempotency-Key", "quoted string"},
		{"a key with a space", "POST", submit, ok, []string{"Idempotency-Key", "a b"}, 422, fault.InvalidParameter, "Idempotency-Key", "visible ASCII"},
		{"a key in Greek", "POST", submit, ok, []string{"Idempotency-Key", "κλειδί"}, 422, fault.InvalidParameter, "Idempotency-Key", "visible ASCII"},
		{"too long a key", "POST", submit, ok, []string{"Idempotency-Key", long}, 422, fault.InvalidParameter, "Idempotency-Key", "1 to 255 visible"},
		{"two keys", "POST", submit, ok, []string{"Idempotency-Key", "a", "Again", "b"}, 422, fault.InvalidParameter, "Idempotency-Key", "send it once"},
		{"a bad key for consume", "POST", one + "/consume", `{"digest":"` + digestA + `"}`, []string{"Idempotency-Key", `"`}, 422, fault.InvalidParameter, "Idempotency-Key", "quoted string"},

		{"a negative wait", "GET", one + "?wait=-1", "", nil, 422, fault.InvalidParameter, "wait", "whole seconds from 0 to 60"},
		{"a wait in words", "POST", submit + "?wait=long", ok, nil, 422, fault.InvalidParameter, "wait", "whole seconds from 0 to 60"},
		{"half a second", "GET", one + "?wait=0.5", "", nil, 422, fault.InvalidParameter, "wait", "whole seconds from 0 to 60"},
		{"a misspelt parameter", "GET", submit + "?stauts=pending", "", nil, 422, fault.InvalidParameter, "stauts", "status, session_id, cursor, limit"},
		{"a parameter with a very long name", "GET", submit + "?" + long + "=1", "", nil, 422, fault.InvalidParameter, "", "status, session_id, cursor, limit"},
		{"a parameter of another call", "GET", one + "?status=pending", "", nil, 422, fault.InvalidParameter, "status", "wait"},
		{"a parameter where there are none", "POST", one + "/cancel?wait=1", "", nil, 422, fault.InvalidParameter, "wait", "no query parameters"},
		{"a parameter twice", "GET", submit + "?limit=1&limit=2", "", nil, 422, fault.InvalidParameter, "limit", "send it once"},
		{"a broken query", "GET", submit + "?limit=%zz", "", nil, 422, fault.InvalidParameter, "", "status, session_id, cursor, limit"},
		{"a status that is none", "GET", submit + "?status=open", "", nil, 422, fault.InvalidParameter, "status", "pending, approved, blocked"},
		{"a limit of 0", "GET", submit + "?limit=0", "", nil, 422, fault.InvalidParameter, "limit", "1 to 200"},
		{"too high a limit", "GET", submit + "?limit=201", "", nil, 422, fault.InvalidParameter, "limit", "1 to 200"},
		{"a limit in words", "GET", submit + "?limit=all", "", nil, 422, fault.InvalidParameter, "limit", "1 to 200"},
		{"a cursor of somebody else's", "GET", submit + "?cursor=" + first, "", nil, 422, fault.InvalidParameter, "cursor", "next_cursor"},
		{"a session that cannot be", "GET", submit + "?session_id=%00", "", nil, 422, fault.InvalidParameter, "session_id", "UTF-8"},
		{"too long a session", "GET", submit + "?session_id=" + long, "", nil, 422, fault.InvalidParameter, "session_id", "256"},

		{"an absent id", "GET", submit + "/" + absent, "", nil, 404, fault.Missing, "", absent},
		{"no id at all", "GET", submit + "/..%2f..%2fetc", "", nil, 404, fault.Missing, "", "ids look like apr_"},
		{"an id with a NUL", "GET", submit + "/apr_%00", "", nil, 404, fault.Missing, "", "ids look like apr_"},
		{"another agent's", "GET", one, "", []string{"Authorization", "Bearer csk_acme_two"}, 404, fault.Missing, "", first},
		{"another tenant's", "GET", one, "", []string{"Authorization", "Bearer csk_other_one"}, 404, fault.Missing, "", first},
		{"another agent's, to wait", "GET", one + "?wait=1", "", []string{"Authorization", "Bearer csk_acme_two"}, 404, fault.Missing, "", first},
		{"another agent's, to cancel", "POST", one + "/cancel", "", []string{"Authorization", "Bearer csk_acme_two"}, 404, fault.Missing, "", first},
		{"another agent's, to consume", "POST", one + "/consume", `{"digest":"` + digestA + `"}`, []string{"Authorization", "Bearer csk_acme_two"}, 404, fault.Missing, "", first},
		{"another tenant's, to report", "POST", one + "/result", `{"status":"failed"}`, []string{"Authorization", "Bearer csk_other_one"}, 404, fault.Missing, "", first},
		{"another agent's, to answer", "POST", one + "/answers", `{"question":"qst_0123456789abcdef0123456789abcdef","text":"x"}`, []string{"Authorization", "Bearer csk_acme_two"}, 404, fault.Missing, "", first},
		{"another tenant's, to answer", "POST", one + "/answers", `{"question":"qst_0123456789abcdef0123456789abcdef","text":"x"}`, []string{"Authorization", "Bearer csk_other_one"}, 404, fault.Missing, "", first},
		{"an answer to nothing", "POST", one + "/answers", `{"text":"x"}`, nil, 422, fault.InvalidMember, "/question", "one of the approval's questions"},
		{"an answer that is no text", "POST", one + "/answers", `{"question":"qst_0123456789abcdef0123456789abcdef","text":5}`, nil, 422, fault.InvalidMember, "/text", "1 to 4096 bytes"},
		{"an answer with more", "POST", one + "/answers", `{"question":"qst_0123456789abcdef0123456789abcdef","text":"x","level":"LOW"}`, nil, 422, fault.InvalidMember, "/level", "question, text"},
		{"nowhere", "GET", "/api/v1/nowhere", "", nil, 404, fault.Missing, "", "nothing at this address"},
		{"no such method", "DELETE", one, "", nil, 405, fault.MethodNotAllowed, "", "Allow header"},
		{"another host", "GET", one, "", []string{"Host", "evil.example"}, 421, fault.Misdirected, "", "use http://"},

		{"cancel with a member", "POST", one + "/cancel", `{"reason":"x"}`, nil, 422, fault.InvalidMember, "/reason", "no members"},
		{"cancel with a list", "POST", one + "/cancel", `[]`, nil, 422, fault.InvalidMember, "", "an object with no members"},
		{"cancel with half a body", "POST", one + "/cancel", `{`, nil, 400, fault.MalformedJSON, "", "byte 1"},
		{"consume without a body", "POST", one + "/consume", "", nil, 400, fault.MalformedJSON, "", "send a JSON object"},
		{"consume without a digest", "POST", one + "/consume", "{}", nil, 422, fault.InvalidMember, "/digest", "64 lowercase hex"},
		{"consume in capitals", "POST", one + "/consume", `{"digest":"` + strings.ToUpper(digestA) + `"}`, nil, 422, fault.InvalidMember, "/digest", "64 lowercase hex"},
		{"consume of a number", "POST", one + "/consume", `{"digest":1}`, nil, 422, fault.InvalidMember, "/digest", "64 lowercase hex"},
		{"consume of something else", "POST", one + "/consume", `{"digest":"` + digestA + `"}`, nil, 409, fault.DigestMismatch, "/digest", "another digest"},
		{"consume with more", "POST", one + "/consume", `{"digest":"` + digestA + `","a/b~":1}`, nil, 422, fault.InvalidMember, "/a~1b~0", "expected digest"},
		{"a result without status", "POST", one + "/result", "{}", nil, 422, fault.InvalidMember, "/status", `"succeeded" or "failed"`},
		{"a result that is none", "POST", one + "/result", `{"status":"maybe"}`, nil, 422, fault.InvalidMember, "/status", `"succeeded" or "failed"`},
		{"a detail of the wrong kind", "POST", one + "/result", `{"status":"failed","detail":{}}`, nil, 422, fault.InvalidMember, "/detail", "a string"},
		{"a result with more", "POST", one + "/result", `{"status":"failed","code":1}`, nil, 422, fault.InvalidMember, "/code", "status, detail"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.call(t, tt.method, tt.path, bodyOf(tt.method, tt.body), tt.headers...)
			r.refused(t, tt.status, tt.code, tt.member, tt.accepted)
			if challenge := r.Header.Get("WWW-Authenticate"); (challenge == "Bearer") != (tt.status == 401) {
				t.Errorf("WWW-Authenticate %q", challenge)
			}
			if allow := r.Header.Get("Allow"); (allow != "") != (tt.status == 405) {
				t.Errorf("Allow %q", allow)
			}
		})
	}
	if len(s.all) != 1 || s.all[0].Status != approvals.Pending || s.all[0].Execution != nil {
		t.Errorf("a refusal had an effect: %+v", s.all)
	}
	if strings.Contains(s.log.String(), "level=ERROR") || strings.Contains(s.log.String(), "csk_") {
		t.Errorf("the log has an error or a key: %s", s.log)
	}
}

func bodyOf(method, body string) *strings.Reader {
	if method == "GET" {
		return strings.NewReader("")
	}
	return strings.NewReader(body)
}

func TestWhatIsAcceptedBesides(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tt := range []struct {
		body    string
		headers []string
	}{
		{`{"function":"f"}`, []string{"Content-Type", "application/json; charset=UTF-8"}},
		{`{"function":"f"}`, []string{"Content-Type", `Application/JSON;charset="utf-8"`}},
		{`{"function":"f"}`, []string{"Authorization", "bearer csk_acme_one"}},
		{`{"function":"f"}`, []string{"Accept", "text/html"}},
		{`{"function":"f"}`, []string{"Accept", "json"}},
		{`{"function":"f","expires_in_seconds":86400,"revises":null}`, nil},
		{`{"function":"f","expires_in_seconds":9e2}`, nil},
		{`{"function":"f","expires_in_seconds":null}`, nil},
	} {
		r := s.post(t, "/api/v1/approvals", tt.body, tt.headers...)
		r.approvalOf(t, 201)
		if got := r.Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%q: Content-Type %q", tt.headers, got)
		}
	}
	if s.got.ExpiresIn != 0 {
		t.Errorf("an expiry of null became %d", s.got.ExpiresIn)
	}
	for _, query := range []string{"?wait=0", "?wait=", "?wait=000"} {
		s.get(t, "/api/v1/approvals/"+first+query).approvalOf(t, 200)
	}
	for _, body := range []string{"", "{}", " { } "} {
		s.post(t, "/api/v1/approvals/"+first+"/cancel", body).approvalOf(t, 200)
	}
	if r := s.call(t, "POST", "/api/v1/approvals/"+first+"/cancel", nil); r.StatusCode != 200 {
		t.Errorf("cancel without body and type: %d %s", r.StatusCode, r.body)
	}
	if r := s.call(t, "HEAD", "/api/v1/approvals/"+first, nil); r.StatusCode != 200 || len(r.body) != 0 {
		t.Errorf("HEAD: %d %q", r.StatusCode, r.body)
	}
}

func TestConsumeAndReport(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.post(t, "/api/v1/approvals", `{"function":"harmless"}`).approvalOf(t, 201)
	r := s.post(t, "/api/v1/approvals/"+first+"/consume", `{"digest":"`+a["digest"].(string)+`"}`, "Idempotency-Key", "c")
	if want := `{"status":"consumed","consumed_at":"2026-03-04T02:06:07.000089Z","replayed":false}`; r.StatusCode != 200 || strings.TrimSpace(string(r.body)) != want {
		t.Errorf("%d %s, want %s", r.StatusCode, r.body, want)
	}
	r = s.post(t, "/api/v1/approvals/"+first+"/consume", `{"digest":"`+a["digest"].(string)+`"}`, "Idempotency-Key", "c")
	if want := `{"status":"consumed","consumed_at":"2026-03-04T02:06:07.000089Z","replayed":true}`; r.StatusCode != 200 || strings.TrimSpace(string(r.body)) != want {
		t.Errorf("again: %d %s, want %s", r.StatusCode, r.body, want)
	}
	a = s.post(t, "/api/v1/approvals/"+first+"/result", `{"status":"failed","detail":"<disk> full"}`).approvalOf(t, 200)
	if got, _ := json.Marshal(a["execution"]); string(got) != `{"detail":"\u003cdisk\u003e full","state":"reported","status":"failed"}` {
		t.Errorf("execution %s", got)
	}
}

// An agent answers what it is asked about its own request; its other answers say what was asked.
func TestAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.post(t, "/api/v1/approvals", `{"function":"delete_user"}`).approvalOf(t, 201)
	if got, _ := json.Marshal(a["questions"]); string(got) != "[]" {
		t.Errorf("before anybody asks: %s", got)
	}
	const id = "qst_0123456789abcdef0123456789abcdef"
	a = s.post(t, "/api/v1/approvals/"+first+"/answers", `{"question":"`+id+`","text":"HR asked"}`).approvalOf(t, 200)
	by := `"asked_at":"2026-03-04T02:06:07.000089Z","asked_by":{"id":"usr_1","kind":"person","name":"Ada"},"id":"` + id + `","text":`
	want := `[{"answer":"HR asked","answered_at":"2026-03-04T02:06:07.000089Z",` + by + `"Why?"},{"answer":null,"answered_at":null,` + by + `"When?"}]`
	if got, _ := json.Marshal(a["questions"]); string(got) != want {
		t.Errorf("questions %s, want %s", got, want)
	}
}

func TestListPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if r := s.get(t, "/api/v1/approvals"); strings.TrimSpace(string(r.body)) != `{"approvals":[],"next_cursor":null}` {
		t.Errorf("an empty list is %s", r.body)
	}
	for _, body := range []string{`{"function":"a","session_id":"s 1"}`, `{"function":"harmless"}`, `{"function":"c"}`} {
		s.post(t, "/api/v1/approvals", body).approvalOf(t, 201)
	}
	s.post(t, "/api/v1/approvals", `{"function":"d"}`, "Authorization", "Bearer csk_acme_two")
	type list struct {
		Approvals []struct{ ID string }
		Next      *string `json:"next_cursor"`
	}
	ids := func(query string) (got string, next *string) {
		var l list
		r := s.get(t, "/api/v1/approvals"+query)
		if err := json.Unmarshal(r.body, &l); err != nil {
			t.Fatal(err)
		}
		for _, a := range l.Approvals {
			got += a.ID[len(a.ID)-1:]
		}
		return got, l.Next
	}
	got, next := ids("?limit=2&status=&session_id=&cursor=")
	if got != "32" || next == nil || strings.Contains(*next, "apr_") {
		t.Fatalf("first page %q, next %v", got, next)
	}
	if got, next = ids("?limit=2&cursor=" + *next); got != "1" || next != nil {
		t.Errorf("last page %q, next %v", got, next)
	}
	if got, _ = ids("?status=approved"); got != "2" {
		t.Errorf("approved: %q, want 2", got)
	}
	if got, _ = ids("?session_id=s%201"); got != "1" {
		t.Errorf("session: %q, want 1", got)
	}
	if got, _ = ids("?limit=200"); got != "321" {
		t.Errorf("all: %q, want 321: another agent's is not in the list", got)
	}
}

func TestFaultsOfTheServiceKeepTheirHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tt := range []struct {
		fail   error
		status int
		code   fault.Code
		after  string
	}{
		{&fault.Error{Code: fault.RateLimited, Detail: "too many; wait", RetryAfter: 2500 * time.Millisecond}, 429, fault.RateLimited, "3"},
		{fault.New(fault.NotReady, "too busy; wait"), 503, fault.NotReady, "1"},
		{fault.New(fault.InProgress, "running; wait"), 409, fault.InProgress, ""},
	} {
		s.fail = tt.fail
		r := s.post(t, "/api/v1/approvals", `{"function":"f"}`)
		r.refused(t, tt.status, tt.code, "", "wait")
		if got := r.Header.Get("Retry-After"); got != tt.after {
			t.Errorf("%s: Retry-After %q, want %q", tt.code, got, tt.after)
		}
	}
	s.fail = errors.New("secret inside")
	r := s.get(t, "/api/v1/approvals")
	r.refused(t, 500, fault.Unexpected, "", "request id")
	s.fail = nil
	p := s.post(t, "/api/v1/approvals", `{"function":"panic"}`)
	p.refused(t, 500, fault.Unexpected, "", "request id")
	if strings.Contains(string(r.body)+string(p.body), "secret") {
		t.Errorf("the cause was shown: %s %s", r.body, p.body)
	}
	if n := strings.Count(s.log.String(), "secret inside"); n != 2 {
		t.Errorf("the causes are in the log %d times, want once each: %s", n, s.log)
	}
}

func TestFullSizeBodiesInEveryScript(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine asks")
	s := newSite(t)
	for name, filler := range map[string]string{
		"Arabic": "مرحبا بالعالم ", "emoji": "👩‍👩‍👧‍👦🏳️‍🌈", "right-to-left marks": "\u202eabc\u202c\u200f\u061c", "Chinese": "核准", "escapes": `\u0041\n\"`,
	} {
		body := action(canon.MaxBytes, filler)
		if len(body) != canon.MaxBytes {
			t.Fatalf("%s: the body has %d bytes", name, len(body))
		}
		s.post(t, "/api/v1/approvals", body).approvalOf(t, 201)
		tree, err := canon.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		want, err := scoring.NewAction(tree)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.got.Action; !got.Tree().Equal(want.Tree()) {
			t.Errorf("%s: another action arrived than was sent", name)
		}
	}
	s.post(t, "/api/v1/approvals", `{"function":"f","arguments":{"`+strings.Repeat("\u202e", 80_000)+`":1}}`).approvalOf(t, 201)
}
