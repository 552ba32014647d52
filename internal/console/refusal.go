package console

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
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
func refusalOf(c call, id string) string {
	sum := sha256.Sum256([]byte("refusal " + c.member.Tenant + " " + id + " " + c.visit.token))
	return "refusal." + hex.EncodeToString(sum[:])
}

// keepRefusal answers a script. What a sign-in would mend is for the script itself: it asks for
// the password on the page, and sends the form again.
func (s *Console) keepRefusal(c call, t typed) error {
	if t.fault.Code == fault.Unauthorized || t.fault.Code == fault.StaleSignIn {
		return c.NoContent(http.StatusUnauthorized)
	}
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	data, err := json.Marshal(keptRefusal{
		Code: t.fault.Code, Member: t.fault.Member, Detail: c.say.Phrase(t.fault),
		Verdict: t.verdict, Reason: t.reason, Target: t.target, Ticked: t.ticked, Also: t.also,
	})
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	now, err := s.sessions.now(ctx)
	if err != nil {
		return err
	}
	if err := s.sessions.store.CommitCtx(ctx, refusalOf(c, id), data, now.Add(refusalKept)); err != nil {
		return err
	}
	return goTo(c, requestURL(c.member.Tenant, id)+"?"+refusedQuery)
}

// takeRefusal is what was kept for this page; it is drawn once.
func (s *Console) takeRefusal(c call) (t typed, err error) {
	id, err := s.requestID(c)
	if err != nil || !c.QueryParams().Has(refusedQuery) {
		return t, err
	}
	ctx, key := c.Request().Context(), refusalOf(c, id)
	data, found, err := s.sessions.store.FindCtx(ctx, key)
	if err != nil || !found {
		return t, err
	}
	var kept keptRefusal
	if err := json.Unmarshal(data, &kept); err != nil {
		return t, err
	}
	t = typed{
		fault:   &fault.Error{Code: kept.Code, Member: kept.Member},
		verdict: kept.Verdict, reason: kept.Reason, target: kept.Target, ticked: kept.Ticked, also: kept.Also,
	}
	t.fault.Detail = kept.Detail // said already
	return t, s.sessions.store.DeleteCtx(ctx, key)
}

// repeats reports whether somebody sent once more what they decided already, and it counted.
func repeats(v approvals.Review, t typed, person string) bool {
	verdict, _, counted := v.CountedOf(person)
	return counted && verdict == t.verdict && (t.fault.Code == fault.AlreadyDecided || t.fault.Code == fault.NotEligible)
}

// countedWords say of each verdict that it counted.
var countedWords = map[approvals.Verdict]texts.Key{
	approvals.VerdictApprove: texts.Key("Your approval counted at %s"), approvals.VerdictDeny: texts.Key("Your denial counted at %s"),
	approvals.VerdictRequestChanges: texts.Key("Your request for changes counted at %s"),
}

// refusedOrRepeated says why a form was refused. Who decided already hears that that counted,
// whatever they sent now.
func refusedOrRepeated(say texts.Printer, v approvals.Review, t typed, person string) views.Notice {
	verdict, at, counted := v.CountedOf(person)
	if !counted || t.fault.Code != fault.AlreadyDecided && !repeats(v, t, person) {
		return refusalNotice(say, t.fault)
	}
	n := views.Notice{Tone: views.ToneAccent, Icon: views.IconCheck}
	if verdict != t.verdict {
		n.Tone, n.Icon, n.Text = views.ToneBad, views.IconAlert, untrusted.Runs(say.Say("What you sent now came after it and wasn't counted."))
	}
	return titled(n, sayAt(say, clockForm, countedWords[verdict], at))
}
