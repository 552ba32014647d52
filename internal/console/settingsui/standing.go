package settingsui

import (
	"net/http"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/settings"
)

// What was allowed ahead: the list, one of them, and making a new one from a call.

const standingPerPage = 50

// standingForm is what was typed in a form of these pages, and what was wrong with it.
type standingForm struct {
	in          approvals.NewStanding
	uses, hours string
	fault       *fault.Error
}

// readStanding takes the form. What is no number is refused later, where the draft
// is known.
func readStanding(c edge.Call) (f standingForm) {
	f.uses, f.hours = c.Field("uses"), c.Field("life")
	f.in = approvals.NewStanding{From: present.ApprovalID(c.Field("from")), Reason: c.Field("reason"), Typed: c.Field("typed"), Seen: c.Field("seen")}
	for n := 0; c.Field("rule-"+strconv.Itoa(n)) != "" && n <= maxTermFields; n++ {
		f.in.Terms = append(f.in.Terms, approvals.TermInput{Rule: approvals.Rule(c.Field("rule-" + strconv.Itoa(n))), Text: c.Field("value-" + strconv.Itoa(n))})
	}
	f.in.Uses, _ = strconv.Atoi(f.uses)
	hours, _ := strconv.ParseInt(f.hours, 10, 16)
	f.in.Life = time.Duration(hours) * time.Hour
	return f
}

// maxTermFields is more than any pattern has, so that a longer form is refused and
// not read on.
const maxTermFields = 100

// standingID returns the standing grant of the path; what cannot be one is none.
func standingID(c edge.Call) (string, error) {
	if id := c.Param("standing"); auth.IsID("stg", id) {
		return id, nil
	}
	return "", fault.New(fault.Missing, "there is no standing approval with this ID in this organisation")
}

// standingPage lists them.
func (s *Pages) standingPage(c edge.Call) error {
	ctx := c.Request().Context()
	before := c.QueryParam("before")
	if before != "" && !auth.IsID("stg", before) {
		return edge.GoTo(c, urls.StandingGrants(c.Member.Tenant))
	}
	page, err := s.Approvals.Standing(ctx, c.Member, approvals.StandingQuery{Before: before, Limit: standingPerPage})
	if err != nil {
		return err
	}
	var begin []approvals.Approval
	if c.Member.May(auth.Decide) {
		if begin, err = s.Approvals.Coverable(ctx, c.Member); err != nil {
			return err
		}
	}
	return edge.Show(c, http.StatusOK, settings.StandingGrantsPage(s.Page(c, c.Say.Say("Standing approvals"), views.PlaceSettings), standingsOf(c.Say, c.Member, page, before, begin)))
}

// standingOnePage is one of them.
func (s *Pages) standingOnePage(c edge.Call) error {
	return s.showStanding(c, http.StatusOK, standingForm{})
}

func (s *Pages) showStanding(c edge.Call, status int, f standingForm) error {
	id, err := standingID(c)
	if err != nil {
		return err
	}
	page, used, err := s.Approvals.StandingGrant(c.Request().Context(), c.Member, id)
	if err != nil {
		return err
	}
	p := s.Page(c, c.Say.Say("Standing approval"), views.PlaceSettings)
	return edge.Show(c, status, settings.StandingGrantPage(p, standingOf(c.Say, c.Member, page, used, f)))
}

// revokeStanding ends one.
func (s *Pages) revokeStanding(c edge.Call) error {
	id, err := standingID(c)
	if err != nil {
		return err
	}
	f := readStanding(c)
	if err = c.Awake(); err == nil {
		err = s.Approvals.RevokeStanding(c.Request().Context(), c.Member, id, f.in.Reason)
	}
	if err == nil {
		s.Did(c, edge.DeedRevoked)
		return edge.GoTo(c, urls.StandingGrant(c.Member.Tenant, id))
	}
	return s.standingRefused(c, err, f, s.showStanding)
}

// newStandingPage is the form that begins with a call: ?from= is its id.
func (s *Pages) newStandingPage(c edge.Call) error {
	from := c.QueryParam("from")
	if from == "" {
		return edge.GoTo(c, urls.StandingGrants(c.Member.Tenant))
	}
	f := standingForm{uses: "10", hours: "24"}
	if f.in.From = present.ApprovalID(from); f.in.From == "" {
		return fault.New(fault.Missing, "there is no request with this ID in this organisation")
	}
	return s.showStandingDraft(c, http.StatusOK, f)
}

// showStandingDraft draws the form with what was typed.
func (s *Pages) showStandingDraft(c edge.Call, status int, f standingForm) error {
	d, err := s.Approvals.Draft(c.Request().Context(), c.Member, f.in.From)
	if err != nil {
		return err
	}
	return edge.Show(c, status, settings.StandingDraftPage(s.Page(c, c.Say.Say("New standing approval"), views.PlaceSettings), standingDraftOf(c.Say, c.Member, d, f, nil)))
}

// previewStanding says what the draft would cover. It writes nothing.
func (s *Pages) previewStanding(c edge.Call) error {
	f := readStanding(c)
	if f.in.From == "" {
		return fault.Member(fault.InvalidForm, "from", "standing approvals start from a request; open one first")
	}
	v, err := s.Approvals.PreviewStanding(c.Request().Context(), c.Member, f.in)
	if err != nil {
		return s.standingRefused(c, err, f, s.showStandingDraft)
	}
	return s.showStandingPreview(c, http.StatusOK, f, v)
}

func (s *Pages) showStandingPreview(c edge.Call, status int, f standingForm, v approvals.StandingPreview) error {
	return edge.Show(c, status, settings.StandingDraftPage(s.Page(c, c.Say.Say("New standing approval"), views.PlaceSettings), standingDraftOf(c.Say, c.Member, v.StandingDraft, f, &v)))
}

// makeStanding makes what was previewed.
func (s *Pages) makeStanding(c edge.Call) error {
	f := readStanding(c)
	if f.in.From == "" {
		return fault.Member(fault.InvalidForm, "from", "standing approvals start from a request; open one first")
	}
	err := c.Awake()
	var made approvals.Standing
	if err == nil {
		made, err = s.Approvals.MakeStanding(c.Request().Context(), c.Member, f.in)
	}
	if err == nil {
		return edge.GoTo(c, urls.StandingGrant(c.Member.Tenant, made.ID))
	}
	// With the preview again, where there can be one: it may say something else now.
	return s.standingRefused(c, err, f, func(c edge.Call, status int, f standingForm) error {
		v, err := s.Approvals.PreviewStanding(c.Request().Context(), c.Member, f.in)
		if err != nil {
			return s.showStandingDraft(c, status, f)
		}
		return s.showStandingPreview(c, status, f, v)
	})
}

// standingRefused shows a page again with the message and what was typed.
func (s *Pages) standingRefused(c edge.Call, err error, f standingForm, again func(c edge.Call, status int, f standingForm) error) error {
	refusal := fault.As(err)
	if refusal.Kind() == fault.Internal || refusal.Kind() == fault.NotFound {
		return err
	}
	edge.NoteRefusal(c, refusal)
	f.fault = refusal
	return again(c, httpserver.Status(refusal.Code), f)
}
