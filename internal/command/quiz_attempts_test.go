package command

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/quiz"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// quizzer is an operator who fails quizzes over HTTP, on one server or on two.
type quizzer struct {
	*house
	keys [2]string // of two agents
	me   string
	on   []*browser // one sign-in on each server
}

func newQuizzer(t *testing.T, set Settings) *quizzer {
	t.Helper()
	h := bootOn(t, set)
	q := &quizzer{house: h}
	q.keys[0] = h.organisation("acme", map[string][]auth.Role{"mei": {auth.Operator}})
	p := scoring.DefaultPolicy()
	p.MinReviewSeconds = scoring.PerLevel[int]{}
	p.EditBeforeApprove = scoring.PerLevel[bool]{Low: true, Medium: true, High: true, Critical: true}
	_, err := h.Tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: 1, Policy: p, Reason: "the test reads fast"})
	if err == nil {
		q.keys[1], _, err = h.Tenants.CreateAgent(t.Context(), "acme", "second", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	q.me = personOf(t, h, "acme")
	q.on = []*browser{h.signIn("mei@acme.test")}
	if set.DatabaseURL != "" { // a second server on the same database; the cookies do not know ports
		q.on = append(q.on, &browser{q.on[0].Client, bootOn(t, set)})
	}
	return q
}

// asks submits an act that a quiz is asked about.
func (q *quizzer) asks(agent int, body string) string {
	q.t.Helper()
	a := q.call(q.keys[agent], "POST", "/api/v1/approvals", body)
	if a.status != http.StatusCreated || a.Level != "HIGH" || a.Challenge.Kind != "quiz" {
		q.t.Fatalf("submit: %d %s", a.status, a.raw)
	}
	return a.ID
}

// begins starts the questions; it reports whether there are any, and the set.
func (q *quizzer) begins(b *browser, id string) (bool, approvals.Challenge) {
	q.t.Helper()
	switch status, page := b.post("/t/acme/approvals/"+id+"/start", url.Values{}); {
	case status == http.StatusForbidden && strings.Contains(page, "locked out of approving this"):
		return false, approvals.Challenge{}
	case status != http.StatusOK || !strings.Contains(page, "Question 1 of 3"):
		q.t.Fatalf("start: %d %.3000s", status, page)
	}
	return true, q.questions("acme", id, q.me)
}

// answers gives the three answers to a set, all of them wrong; status is that of the last.
func (q *quizzer) answers(b *browser, c approvals.Challenge) (status int) {
	for n, asked := range c.Questions {
		form := url.Values{"challenge": {c.ID}, "question": {fmt.Sprint(n + 1)}, "typed": {"wrong"}}
		for _, o := range asked.Options {
			if o.ID != asked.Right {
				form.Set("option", o.ID)
			}
		}
		status, _ = b.post("/t/acme/approvals/"+c.Approval+"/answer", form)
	}
	return status
}

// fails does both.
func (q *quizzer) fails(b *browser, id string) {
	q.t.Helper()
	begun, c := q.begins(b, id)
	if !begun {
		q.t.Fatal("locked out too early")
	}
	if status := q.answers(b, c); status != http.StatusForbidden {
		q.t.Fatalf("three wrong answers: %d", status)
	}
}

// wording is what a set asks and offers, in its order.
func wording(c approvals.Challenge) string {
	var b strings.Builder
	for _, asked := range c.Questions {
		fmt.Fprintf(&b, "%s", asked.Prompt)
		for _, o := range asked.Options {
			fmt.Fprintf(&b, " | %s", o.Text)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

// removal is the act of this test, of a user of its own.
func removal(user int, more string) string {
	return fmt.Sprintf(`{"function": "delete_user", "arguments": {"user_id": "usr_%d", "region": "eu-west-1", "recipient": "quentin.q@vossen.example", "count": 48217}, "docstring": "Permanently remove a user account."%s}`, user, more)
}

// Whatever stands around an act, whoever sends it, and wherever the operator answers: two
// failures are two. Each way of asking again is tried after the first of them, and after the
// second nothing asks any more.
func TestTwoAttemptsOverHTTP(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		q := newQuizzer(t, set)
		one, other := q.on[0], q.on[len(q.on)-1]
		user := 94300
		again := map[string]func(first string) string{ // a request for the act of another one
			"the same agent": func(string) string { return q.asks(0, removal(user, "")) },
			"another agent":  func(string) string { return q.asks(1, removal(user, "")) },
			"another session": func(string) string {
				return q.asks(0, removal(user, `, "session_id": "late", "justification": "again", "metadata": {"run": 2}`))
			},
			"an environment": func(string) string { return q.asks(0, removal(user, `, "environment": "production"`)) },
			"another order": func(string) string {
				return q.asks(1, fmt.Sprintf(`{"docstring": "Remove for good.", "arguments": {"count": 48217.0, "recipient": "quentin.q@vossen.example", "region": "eu-west-1", "user_id": "usr_%d"}, "function": "delete_user"}`, user))
			},
			"other spellings": func(string) string {
				return q.asks(0, fmt.Sprintf(`{"function": "delete_\u0075ser", "arguments": {"user_id": "\u0075sr_%d", "region": "eu-west-1", "recipient": "quentin.q@vossen.example", "count": 4.8217e4}, "docstring": "Permanently remove a user account."}`, user))
			},
			"changes that were requested": func(first string) string {
				_, page := one.get("/t/acme/approvals/" + first)
				form := fields(page)
				form.Set("verdict", "request_changes")
				form.Set("reason", "say why")
				if status, page := one.post("/t/acme/approvals/"+first+"/decide", form); status != http.StatusOK {
					t.Fatalf("request changes: %d %.300s", status, page)
				}
				return q.asks(0, removal(user, `, "justification": "since they asked", "revises": "`+first+`"`))
			},
			"an edit of it": func(first string) string { q.edits(one, first, user, 1); return first },
			"an edit of another request": func(string) string {
				id := q.asks(0, removal(user, ""))
				q.edits(one, id, user, 2)
				return id
			},
			"a new sign-in": func(first string) string {
				if status, _ := one.post("/sign-out", url.Values{}); status != http.StatusOK {
					t.Fatalf("sign out: %d", status)
				}
				if status, _ := one.post("/sign-in", url.Values{"email": {"mei@acme.test"}, "password": {testPassword}}); status != http.StatusOK {
					t.Fatalf("sign in: %d", status)
				}
				return first
			},
		}
		for name, ask := range again {
			user++
			first := q.asks(0, removal(user, ""))
			q.fails(one, first)
			second := ask(first)
			q.fails(other, second)
			for _, id := range []string{second, q.asks(0, removal(user, "")), q.asks(1, removal(user, `, "session_id": "last"`))} {
				for _, b := range q.on {
					if begun, _ := q.begins(b, id); begun {
						t.Errorf("%s: a third attempt", name)
						b.post("/t/acme/approvals/"+id+"/leave", url.Values{})
					}
				}
			}
		}
	})
}

// edits changes a note of the arguments, as an operator does on the page.
func (q *quizzer) edits(b *browser, id string, user, note int) {
	q.t.Helper()
	path := "/t/acme/approvals/" + id + "/edit"
	_, page := b.get(path)
	form := fields(page)
	form.Set("arguments", fmt.Sprintf(`{"user_id": "usr_%d", "region": "eu-west-1", "recipient": "quentin.q@vossen.example", "count": 48217, "note": "n%d"}`, user, note))
	if status, page := b.post(path, form); status != http.StatusOK || !strings.Contains(page, "edited") {
		q.t.Fatalf("edit: %d %.300s", status, page)
	}
}

// Identical requests whose questions are all open, answered at once in as many windows, bring
// two failures and no more.
func TestManyWindowsAreTwoAttempts(t *testing.T) {
	t.Parallel()
	long.Race(t)
	onBoth(t, func(t *testing.T, set Settings) {
		q := newQuizzer(t, set)
		var ids []string
		for n := range 6 {
			ids = append(ids, q.asks(n%2, removal(94399, "")))
		}
		for range 3 {
			var sets []approvals.Challenge
			for n, id := range ids {
				if begun, c := q.begins(q.on[n%len(q.on)], id); begun {
					sets = append(sets, c)
				}
			}
			var all sync.WaitGroup
			for n, c := range sets {
				all.Go(func() { q.answers(q.on[n%len(q.on)], c) })
			}
			all.Wait()
			for _, id := range ids { // those that are void by now are open still
				q.on[0].post("/t/acme/approvals/"+id+"/leave", url.Values{})
			}
		}
		told, err := q.Store.Audit().Search(t.Context(), "acme", audit.Query{Filter: audit.Filter{Kinds: []audit.Kind{audit.ChallengeFailed}}, Edge: -1, Limit: 50})
		if err != nil || len(told.Records) != approvals.MaxAttempts {
			t.Errorf("%d sets failed, want %d; %v", len(told.Records), approvals.MaxAttempts, err)
		}
		for _, id := range ids {
			if begun, _ := q.begins(q.on[0], id); begun {
				t.Error("a third attempt")
			}
		}
	})
}

// Until they are answered the questions are the same, in the same order, wherever they are
// asked; after a failure others come first. A set that another window took over counts nothing.
func TestTheSameQuestionsUntilTheyAreAnswered(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, set Settings) {
		q := newQuizzer(t, set)
		b, other := q.on[0], q.on[len(q.on)-1]
		id := q.asks(0, removal(94398, ""))
		leave := func() {
			if status, _ := b.post("/t/acme/approvals/"+id+"/leave", url.Values{}); status != http.StatusOK {
				t.Fatalf("leave: %d", status)
			}
		}
		twin := q.asks(0, removal(94398, ""))
		_, first := q.begins(b, id)
		leave()
		for what, start := range map[string]func() approvals.Challenge{
			"after leaving":       func() approvals.Challenge { _, c := q.begins(b, id); leave(); return c },
			"in a second window":  func() approvals.Challenge { _, c := q.begins(other, id); return c },
			"after a new sign-in": func() approvals.Challenge { _, c := q.begins(q.signIn("mei@acme.test"), id); return c },
			"in an identical one": func() approvals.Challenge {
				_, c := q.begins(b, twin)
				b.post("/t/acme/approvals/"+twin+"/leave", url.Values{})
				return c
			},
			"after a wrong answer of three": func() approvals.Challenge {
				_, c := q.begins(b, id)
				c.Questions = c.Questions[:1]
				q.answers(b, c)
				leave()
				_, c = q.begins(b, id)
				return c
			},
		} {
			if c := start(); wording(c) != wording(first) {
				t.Errorf("%s it is\n%s, not\n%s", what, wording(c), wording(first))
			}
		}
		_, held := q.begins(b, id)
		_, now := q.begins(other, id)
		if status := q.answers(b, held); status != http.StatusConflict {
			t.Errorf("a set that another window took over: %d", status)
		}
		if status := q.answers(other, now); status != http.StatusForbidden {
			t.Errorf("the set that is open: %d", status)
		}
		_, second := q.begins(b, id)
		if second.Attempt != 2 {
			t.Errorf("attempt %d", second.Attempt)
		}
		// Of four values three were asked: the fourth is, and why the call is held, before one of the three again.
		again := 0
		for _, asked := range second.Questions {
			if asked.Kind != "effect" && slices.ContainsFunc(first.Questions, func(f quiz.Question) bool { return f.Prompt == asked.Prompt && f.Typed == asked.Typed }) {
				again++
			}
		}
		if again > 1 {
			t.Errorf("the second set asks %d questions again:\n%s", again, wording(second))
		}
	})
}
