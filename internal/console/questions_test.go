package console

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
)

// answered asks as bob and has the agent answer.
func (s *site) answered(a approvals.Approval, question, answer string) {
	s.t.Helper()
	path := "/t/acme/approvals/" + a.ID
	s.signedIn("bob").post(path+"/ask", url.Values{"question": {question}}).want(s.t, http.StatusSeeOther)
	got, err := s.approvals.Get(s.t.Context(), s.agent, a.ID)
	if err == nil {
		_, err = s.approvals.AnswerQuestion(s.t.Context(), s.agent, a.ID, got.Questions[0].ID, answer)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// The form is on the page of who may refuse; what was typed stays after a refusal. Question and
// answer are on everybody's page and in the trail, as text.
func TestAskingTheAgent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK, "Ask the agent", `action="`+path+`/ask"`)
	ada.post(path+"/ask", url.Values{"question": {"\u200b"}}).want(t, http.StatusUnprocessableEntity, "Enter a question of 1 to 2,000 characters", "details class=\"ask\" open")
	s.answered(a, "Which <b>ticket</b>?", "OPS-41 <script>\u202eevil")
	ada.get(path).want(t, http.StatusOK, "Bob asked at", "Which &lt;b&gt;ticket&lt;/b&gt;?", "OPS-41 &lt;script&gt;", "RLO", "from the agent (unverified)").without(t, "No answer yet", "\u202e")
	ada.get("/t/acme/audit?show=any").want(t, http.StatusOK, "Asked the agent about", "Answered a question about")
}

// An answer can say what a quiz asks: it is out of sight meanwhile.
func TestAnswersAreHiddenFromAQuiz(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	s.answered(a, "Is it about zebra-7?", "yes, zebra-7")
	ada.get(path).want(t, http.StatusOK, "yes, zebra-7")
	ada.post(path+"/start", ada.get(path).form(t, "Start questions")).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Question 1 of 3").without(t, "zebra-7", "Ask the agent")
}

// A comment is on everybody's page as text, in the trail, and out of sight while its reader is asked.
// Whom it mentions is told on every page until they open the request.
func TestComments(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	ada, bob, cleo := s.signedIn("ada"), s.signedIn("bob"), s.signedIn("cleo")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK, "Only people of this organisation read it", `<span>Bob</span>`)
	ada.post(path+"/comment", url.Values{"comment": {"\u200b"}}).want(t, http.StatusUnprocessableEntity, "Enter a comment of 1 to 2,000 characters")
	cleo.post(path+"/comment", url.Values{"comment": {"@bob is zebra-7 <b>ours</b>\u202e?"}}).want(t, http.StatusSeeOther)
	bob.get("/t/acme/history").want(t, http.StatusOK, "Cleo mentioned you in a comment", `href="`+path+`"`).without(t, "zebra-7")
	ada.get("/t/acme/history").without(t, "mentioned you")
	bob.get(path).want(t, http.StatusOK, "@Bob is zebra-7 &lt;b&gt;ours&lt;/b&gt;", "only colleagues").without(t, "mentioned you", "\u202e")
	bob.get("/t/acme/history").without(t, "mentioned you")
	cleo.get("/t/acme/audit?show=any").want(t, http.StatusOK, "Commented on", "@Bob is zebra-7")
	ada.post(path+"/start", ada.get(path).form(t, "Start questions")).want(t, http.StatusSeeOther)
	ada.get(path).want(t, http.StatusOK, "Question 1 of 3").without(t, "zebra-7", "only colleagues", "Send comment")
}
