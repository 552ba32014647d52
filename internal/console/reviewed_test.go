package console

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// Whatever stands in the evidence is drawn as text of others is everywhere: nothing
// in it can be markup, or hide, or bend what stands around it.
func TestHostileTextInEvidence(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	for _, text := range fragments() {
		said := approvals.Said{Text: text}
		v := requesttest.ReviewOf(t, medium, approvals.StageFinal)
		v.Status = approvals.Denied
		v.Decision = &approvals.Decision{DecidedBy: []approvals.Decider{{Kind: approvals.ByPerson, ID: "per_1", Name: text}}, Evidence: &approvals.Evidence{
			Kind: text, With: text, Target: &said, Consequences: []string{text},
			Quizzes: []approvals.QuizTaken{{Questions: []approvals.QuestionTaken{{Prompt: text, Kind: text, Options: []approvals.Said{said}, Right: 1, Answer: 1}}}},
		}}
		r := request.Page(texts.Printer{}, v, request.Reader{Member: auth.Member{Roles: []auth.Role{auth.Compliance}}}, request.Typed{}).Reviewed[0]
		var page strings.Builder
		entry := trail.AuditEntry{Reviewed: &r, Sealed: "sealed"}
		must(t, trail.AuditEntryPage(views.Page{}, entry).Render(t.Context(), &page))
		root, err := html.Parse(strings.NewReader(page.String()))
		must(t, err)
		found := 0
		for _, n := range elements(root, "class") {
			if n.Data == "bdi" && attr(n, "class") == "text" && undoHTML(t, n) == text && text != "" {
				found++
			}
		}
		if want := 4; text != "" && found < want-1 { // the title is cut where it is long
			t.Errorf("%q stands there %d times", text, found)
		}
	}
}

// The evidence is for readers of the trail, and only of what is decided.
func TestWhoReadsTheEvidence(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK).without(t, "How it was reviewed")
	s.clock.pass(95 * time.Second)
	form := ada.get(path).form(t, `value="deny"`)
	form.Set("reason", "no")
	ada.post(path+"/decide", form).want(t, http.StatusSeeOther)
	s.browser().get("/sign-in").want(t, http.StatusOK, "1 min 12 s after first opening").without(t, "focused")
	s.signedIn("cleo").get(path).want(t, http.StatusOK, "How it was reviewed", "1 min 35 s after first opening", "1 min 35 s later", "data-same").without(t, "Read for")

	v := s.review("ada", a.ID)
	if got := request.Page(texts.Printer{}, v, request.Reader{Member: s.member("ada")}, request.Typed{}).Reviewed; len(got) != 1 || !got[0].Same || got[0].Other {
		t.Errorf("ada reads %+v", got)
	}
	v.Reading.SHA256 = strings.Repeat("0", 64)
	if got := request.Page(texts.Printer{}, v, request.Reader{Member: s.member("ada")}, request.Typed{}).Reviewed; len(got) != 1 || got[0].Same || !got[0].Other {
		t.Errorf("of another text: %+v", got)
	}
	if got := request.Page(texts.Printer{}, v, request.Reader{Member: auth.Member{Tenant: "acme"}}, request.Typed{}).Reviewed; got != nil {
		t.Errorf("without the permission: %+v", got)
	}
}
