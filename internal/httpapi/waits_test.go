package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestWaitAnswersWhenItIsDecided(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tt := range []struct{ query, want string }{{"?wait=7", "7s"}, {"?wait=60", "50s"}, {"?wait=61", "50s"}, {"?wait=99999999999999999999", "50s"}} {
		done := make(chan reply, 1)
		go func() { done <- s.post(t, "/api/v1/approvals"+tt.query, `{"function":"f"}`) }()
		// What was left of the 50 seconds when the body had been read.
		if got := (<-s.waiting).Round(time.Second).String(); got != tt.want {
			t.Errorf("%s waits %s, want %s", tt.query, got, tt.want)
		}
		if len(done) != 0 {
			t.Error("answered while it was pending")
		}
		s.decide <- struct{}{}
		a := (<-done).approvalOf(t, 201)
		d, _ := a["decision"].(map[string]any)
		if a["status"] != "denied" || d["reason"] != "not on a Friday" || d["grant"] != nil {
			t.Errorf("answered %v", a)
		}
	}
	// One that is final is not waited for.
	if a := s.get(t, "/api/v1/approvals/"+first+"?wait=60").approvalOf(t, 200); a["status"] != "denied" || len(s.waiting) != 0 {
		t.Errorf("answered %v", a)
	}
}

func TestAClientThatGoesAwayEndsTheWait(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "POST", s.url+"/api/v1/approvals?wait=60", strings.NewReader(`{"function":"f"}`))
	req.Header.Set("Authorization", "Bearer csk_acme_one")
	req.Header.Set("Content-Type", "application/json")
	go func() {
		<-s.waiting
		leave()
	}()
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Fatal("answered a client that left")
	}
	if err := <-s.gone; !errors.Is(err, context.Canceled) {
		t.Errorf("the wait ended with %v", err)
	}
}
