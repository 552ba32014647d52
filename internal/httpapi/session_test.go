package httpapi

import (
	"testing"

	"github.com/countersign/countersign/internal/fault"
)

const sessionScores = "/api/v1/session-score"

func TestSessionScore(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.get(t, sessionScores+"?session_id=s1")
	const want = `{"session_id":"s1","numeric_score":87,"raw_score":87,"matches":{"critical":1,"high":2,"medium":1,"low":1},"evaluations":4,"peak":48,"mean":22.5,"last_at":"2026-03-01T12:00:00.000000Z"}` + "\n"
	if r.StatusCode != 200 || string(r.body) != want {
		t.Errorf("%d %s, want %s", r.StatusCode, r.body, want)
	}
}

func TestSessionScoreRefusals(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get(t, sessionScores+"?session_id=s2").refused(t, 404, fault.Missing, "", "session_id")
	s.get(t, sessionScores).refused(t, 422, fault.InvalidParameter, "session_id", "send the session_id of an action")
	s.get(t, sessionScores+"?session_id=%ff").refused(t, 422, fault.InvalidParameter, "session_id", "UTF-8")
	s.get(t, sessionScores+"?session_id=s1&wait=5").refused(t, 422, fault.InvalidParameter, "wait", "session_id")
	s.get(t, sessionScores+"?session_id=s1", "Authorization", "-").refused(t, 401, fault.Unauthorized, "", "csk_")
	s.get(t, sessionScores+"?session_id=s1", "Authorization", "Bearer csk_acme_dry").refused(t, 403, fault.Denied, "", `the scope "submit"`)
}
