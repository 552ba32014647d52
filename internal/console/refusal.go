package console

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
)

// A refused form of a request. A browser without script gets the page with the message as the
// answer. A script whose page stays until the answer is here cannot put another page in its place
// (the policy of content forbids it), so the refusal is kept beside the session for the page that
// it loads next. Any replica can draw that.

const (
	// refusedQuery marks the address of that page.
	refusedQuery = "refused"
	// refusalKept is how long it waits for it.
	refusalKept = time.Minute
)

// keptRefusal is a refusal on its way, in the reader's language.
type keptRefusal struct {
	Code           fault.Code
	Member, Detail string
	Verdict        approvals.Verdict
	Reason, Target string
	Ticked         []int
	Also           bool
}

// refusalOf names the record. The token itself is never stored.
func refusalOf(c edge.Call, id string) string {
	sum := sha256.Sum256([]byte("refusal " + c.Member.Tenant + " " + id + " " + c.Visit.Token))
	return "refusal." + hex.EncodeToString(sum[:])
}

// keepRefusal answers a script. What a sign-in would mend is for the script itself: it asks for
// the password on the page, and sends the form again.
func (s *Console) keepRefusal(c edge.Call, t request.Typed) error {
	if t.Fault.Code == fault.Unauthorized || t.Fault.Code == fault.StaleSignIn {
		return c.NoContent(http.StatusUnauthorized)
	}
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	data, err := json.Marshal(keptRefusal{
		Code: t.Fault.Code, Member: t.Fault.Member, Detail: c.Say.Phrase(t.Fault),
		Verdict: t.Verdict, Reason: t.Reason, Target: t.Target, Ticked: t.Ticked, Also: t.Also,
	})
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	now, err := s.Visits.Now(ctx)
	if err != nil {
		return err
	}
	if err := s.Visits.Store.CommitCtx(ctx, refusalOf(c, id), data, now.Add(refusalKept)); err != nil {
		return err
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id)+"?"+refusedQuery)
}

// takeRefusal is what was kept for this page; it is drawn once.
func (s *Console) takeRefusal(c edge.Call) (t request.Typed, err error) {
	id, err := s.RequestID(c)
	if err != nil || !c.QueryParams().Has(refusedQuery) {
		return t, err
	}
	ctx, key := c.Request().Context(), refusalOf(c, id)
	data, found, err := s.Visits.Store.FindCtx(ctx, key)
	if err != nil || !found {
		return t, err
	}
	var kept keptRefusal
	if err := json.Unmarshal(data, &kept); err != nil {
		return t, err
	}
	t = request.Typed{
		Fault:   &fault.Error{Code: kept.Code, Member: kept.Member},
		Verdict: kept.Verdict, Reason: kept.Reason, Target: kept.Target, Ticked: kept.Ticked, Also: kept.Also,
	}
	t.Fault.Detail = kept.Detail // said already
	return t, s.Visits.Store.DeleteCtx(ctx, key)
}
