package console

import (
	"net/http"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
)

// change rewrites this operator's open quiz in the database.
func (s *site) change(id, name string, edit func(c *approvals.Challenge)) {
	s.t.Helper()
	must(s.t, s.store.Approvals().Write(s.t.Context(), "acme", func(w approvals.Writer) error {
		c, err := w.LatestChallenge(id, s.personID(name))
		if err != nil {
			return err
		}
		edit(&c)
		return w.Progress(c, approvals.ChallengeOpen)
	}))
}

var fresh = regexp.MustCompile(`nonce="[^"]*"|nonce-[A-Za-z0-9_+/=-]+`)

// TestNoByteTells: which option is right changes no byte of what this operator gets,
// neither of the pages with the questions nor of the answers to an answer.
func TestNoByteTells(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	b := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	s.clock.pass(11 * time.Second)
	b.post(path+"/start", b.get(path).form(t, "Start questions")).want(t, http.StatusSeeOther)
	for n := range 2 { // the third is graded, and says at most that not all are right
		var pages, headers []string
		form := b.get(path).form(t, `name="question"`)
		for right := range 4 {
			s.change(a.ID, "ada", func(c *approvals.Challenge) {
				q := &c.Questions[n]
				q.Answer, q.Right = "", q.Options[right].ID
				form.Set("option", q.Options[0].ID)
			})
			page := b.get(path).want(t, http.StatusOK, `id="quiz"`)
			told := b.post(path+"/answer", form).want(t, http.StatusSeeOther)
			next := b.get(path).want(t, http.StatusOK, `id="quiz"`)
			pages = append(pages, fresh.ReplaceAllString(page.body+"\n"+told.body+"\n"+next.body, ""))
			headers = append(headers, told.header.Get("Location")+" "+told.header.Get("Set-Cookie")+" "+told.header.Get("Content-Length"))
		}
		if len(slices.Compact(pages)) != 1 {
			t.Errorf("question %d: the pages tell which option is right", n+1)
		}
		if len(slices.Compact(headers)) != 1 {
			t.Errorf("question %d: the headers tell which option is right: %q", n+1, headers)
		}
	}
}
