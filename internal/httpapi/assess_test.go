package httpapi

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

const assessments = "/api/v1/assessments"

func TestAssessAnswersTheDryRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.post(t, assessments, `{"function":"delete_user","arguments":{"user_id":"usr_1"},"justification":null}`)
	var got map[string]any
	if err := json.Unmarshal(r.body, &got); err != nil || r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	challenge, _ := json.Marshal(got["challenge"])
	if got["dry_run"] != true || got["status"] != "pending" || got["digest"] != s.got.Action.Digest() || got["shown_digest"] != digestB ||
		got["policy_version"] != 3.0 || got["call_number"] != 7.0 || got["level"] == "" || got["assessment"] == nil || got["id"] != nil ||
		string(challenge) != `{"approvals_given":0,"approvals_required":2,"kind":"quiz"}` {
		t.Errorf("answered %s", r.body)
	}
	if len(s.all) != 0 {
		t.Error("an approval came of it")
	}
}

func TestAssessRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ok := `{"function":"f"}`
	s.post(t, assessments, ok, "Authorization", keyTwo).refused(t, 403, fault.Denied, "", "agent create --scopes submit,assess")
	s.post(t, assessments, ok, "Authorization", "-").refused(t, 401, fault.Unauthorized, "", "csk_")
	s.post(t, assessments+"?wait=5", ok).refused(t, 422, fault.InvalidParameter, "wait", "no query parameters")
	s.post(t, assessments, `{"function":"f","expires_in_seconds":60}`).refused(t, 422, fault.InvalidMember, "/expires_in_seconds", "expected function")
	s.post(t, assessments, `{"function":"f","revises":"`+absent+`"}`).refused(t, 422, fault.InvalidMember, "/revises", "expected function")
	s.post(t, assessments, `{"arguments":{}}`).refused(t, 422, fault.InvalidMember, "/function", "non-empty")
	s.post(t, assessments, `{`).refused(t, 400, fault.MalformedJSON, "", "byte 1")
	s.post(t, assessments, ok, "Content-Type", "text/plain").refused(t, 415, fault.UnsupportedMedia, "Content-Type", "application/json")
	s.post(t, assessments, action(300_000, "x")).refused(t, 413, fault.BodyTooLarge, "", "at most 262144")
	s.get(t, assessments).refused(t, 405, fault.MethodNotAllowed, "", "Allow header")
	s.post(t, assessments, ok, "Origin", "https://evil.example").refused(t, 403, fault.CrossSite, "", s.url)
	s.post(t, assessments, ok, "Host", "evil.example").refused(t, 421, fault.Misdirected, "", s.url)
	// And a key that may only assess submits, reads and lists nothing.
	dry := "Bearer csk_acme_dry"
	if r := s.post(t, assessments, ok, "Authorization", dry); r.StatusCode != 200 {
		t.Errorf("a key with the scope: %d %s", r.StatusCode, r.body)
	}
	for _, path := range []string{"", "/" + first + "/cancel", "/" + first + "/consume", "/" + first + "/result"} {
		s.post(t, "/api/v1/approvals"+path, ok, "Authorization", dry).refused(t, 403, fault.Denied, "", `the scope "submit"`)
	}
	for _, path := range []string{"", "/" + first} {
		s.get(t, "/api/v1/approvals"+path, "Authorization", dry).refused(t, 403, fault.Denied, "", `the scope "submit"`)
	}
}

// TestAssessOnTheRealService: the answer and the trail show no secret, and the
// answer is what the submission then gets.
func TestAssessOnTheRealService(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	r.as(t, "acme", assessments, risky).refused(t, 403, fault.Denied, "", "assess")
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	body := `{"function":"call_api","arguments":{"token":"` + secret + `"},"environment":"production","session_id":"s"}`
	told := r.as(t, "dry", assessments, body)
	if told.StatusCode != 200 || strings.Contains(string(told.body), secret) {
		t.Fatalf("%d %s", told.StatusCode, told.body)
	}
	var d struct {
		Status, Level, Digest string
		Shown                 string  `json:"shown_digest"`
		Score                 float64 `json:"score"`
		Call                  int     `json:"call_number"`
	}
	if err := json.Unmarshal(told.body, &d); err != nil {
		t.Fatal(err)
	}
	a := r.as(t, "dry", "/api/v1/approvals", body).approvalOf(t, 201)
	if a["status"] != d.Status || a["level"] != d.Level || a["digest"] != d.Digest || a["shown_digest"] != d.Shown || a["score"] != d.Score || d.Call != 1 || d.Digest == d.Shown {
		t.Errorf("told %s\ngot %v", told.body, a)
	}
	if auth.ScopeAssess != "assess" {
		t.Error("the scope's name is part of the contract")
	}
}
