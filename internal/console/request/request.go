package request

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/scoring"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/facts"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// Typed is what came with a refused form, so that nothing has to be typed twice.
type Typed struct {
	Fault   *fault.Error // why it was refused; nil when the page is only read
	Verdict approvals.Verdict
	Reason  string
	Target  string
	Ticked  []int // 1-based numbers of consequences
	Also    bool  // for the identical ones too
}

// Reader is who looks at a page.
type Reader struct {
	Member auth.Member
	Locked bool            // deciding is locked for them
	Own    tenants.Reasons // that the forms offer
	// Section of a large act that the address names; 0: none
	Section int
	// Withdraws that they asked for the form that withdraws a yes; Withdrew who did, by the
	// id of the request.
	Withdraws bool
	Withdrew  map[string]string
}

// Page is the page of one approval as one person may see it now.
func Page(say texts.Printer, v approvals.Review, who Reader, t Typed) review.Request {
	r := AroundOf(say, v, who)
	r.Notices, r.Decision = noticesAbove(say, v, t, who), decisionOf(say, v, who.Own, t, who.Locked)
	if r.Decision != nil {
		r.Decision.Reader = who.Member.Person.ID
	}
	if r.Decision != nil && !who.Locked {
		r.Decision.Extend = extendOf(say, v, who.Own, t)
	} else {
		r.Time.May = false
	}
	r.Withdraw = withdrawOf(say, v, who, t)
	if v.Stage == approvals.StageAsking {
		r.Hidden = hiddenParts(say, v)
		return r
	}
	if v.NewerRequest != nil && !v.Status.Final() {
		r.Newer = NewerOf(say, v.Approval, *v.NewerRequest)
	}
	r.Card, r.Reviewed = cardOf(say, v, who), reviewsOf(say, v, who.Member)
	r.Card.Provenance.Trail, r.Card.Talk = chainOf(say, v, who.Withdrew), talkOf(say, v, who, t)
	return r
}

// AroundOf is what stands above and beside the act itself.
func AroundOf(say texts.Printer, v approvals.Review, who Reader) review.Request {
	about := v.Subject()
	r := review.Request{
		ID: v.ID, Level: present.LevelOf(v.Assessment.Level), Left: present.TimeLeft(say, v.Approval, v.Now),
		Time:      TimeOf(say, v.Approval, v.Now, v.MostExtension > 0 && !who.Locked, v.Stage == approvals.StageAsking),
		Submitted: present.SayAt(say, present.MomentForm, texts.Key("submitted %s"), v.CreatedAt), QueueURL: urls.Queue(v.Tenant),
		Rail: railOf(say, v, who),
	}
	r.Final, r.Signed = v.Status.Final(), v.Stage == approvals.StageSigned
	if v.Stage == approvals.StageOverdue {
		r.Left, r.Time.Left = views.TimeLeft{}, views.TimeLeft{}
	}
	if v.Stage == approvals.StageAsking {
		r.Sentence, r.Agent = untrusted.Runs(say.Say("Answer without looking")), v.Agent.Name
		return r
	}
	r.Sentence, r.Agent, r.Function = present.HeadlineOf(say, about.Parts), v.Agent.Name, present.Headline(say, v.Function)
	r.Untargeted = !about.Specific
	r.Consequence = present.ConsequenceOf(say, about.Consequence, about.Reversible)
	if !v.Sealed && v.Assessment.Cause().Kind == scoring.CauseScore {
		r.Score = Score(v.Assessment.Score)
	}
	r.Environment, r.Production = present.Flat(say, about.Environment), present.IsProduction(about.Environment)
	if bound := v.Assessment.Inputs.Environment; bound != "" {
		r.Environment = strings.TrimPrefix(r.Environment+"; ", "; ") + say.Say("the agent is bound to %s", bound)
	}
	return r
}

// TitleOf is the name of the page in the browser.
func TitleOf(say texts.Printer, v approvals.Review, withdrew map[string]string) string {
	if v.Stage == approvals.StageAsking {
		return say.Say("Questions about a request")
	}
	about := present.Flat(say, shown.Plain(v.Subject().Row(shown.MaxLine)))
	if v.Status.Final() {
		verdict, _ := present.VerdictOf(say, v.Approval, withdrew)
		return verdict + ": " + about
	}
	return about
}

// IsCritical says that the request is shown in the CRITICAL room.
func IsCritical(v approvals.Review) bool {
	return v.Assessment.Level == level.Critical && !v.Status.Final()
}

// pastIsNoArgument reports whether what was approved before is left out of the page: at HIGH
// and CRITICAL, until the request is decided.
func pastIsNoArgument(v approvals.Review) bool {
	return v.Assessment.Level >= level.High && !v.Status.Final() || v.Sealed
}

func Score(f float64) string {
	t := thousandths(f)
	return fmt.Sprintf("%d.%03d", t/1000, t%1000)
}

// hiddenParts names what is out of sight during a quiz, with counts and without values.
func hiddenParts(say texts.Printer, v approvals.Review) []review.HiddenPart {
	a := v.Action
	parts := []review.HiddenPart{
		{Icon: views.IconAlert, Name: say.Say("What it does"), Count: say.Say("%d effects", len(v.Assessment.Effects))},
		{Icon: views.IconLayers, Name: say.Say("Arguments and differences"), Count: hiddenValues(say, v)},
	}
	if a.Code() != "" || a.Content() != "" {
		parts = append(parts, review.HiddenPart{Icon: views.IconLayers, Name: say.Say("Code and content"), Count: say.Say("%d lines", strings.Count(a.Code()+a.Content(), "\n")+1)})
	}
	held := len(v.Assessment.Patterns.MatchedPatterns) + len(v.Assessment.Rules.TriggeredRules)
	for _, f := range v.Assessment.FiveFactor.Factors {
		held += len(f.Evidence)
	}
	parts = append(parts, review.HiddenPart{Icon: views.IconRule, Name: say.Say("Why it was held"), Count: say.Say("%d findings", held)})
	if claims := claimsOf(say, v); len(claims) > 0 {
		parts = append(parts, review.HiddenPart{Icon: views.IconUser, Name: say.Say("From the agent (unverified)"), Count: say.Say("%d texts", len(claims))})
	}
	return parts
}

// hiddenValues counts the arguments and what of them differs.
func hiddenValues(say texts.Printer, v approvals.Review) string {
	count := say.Say("%d values", len(facts.Leaves(v.Action.Arguments())))
	if d, _ := differenceOf(v); d != nil {
		count += ", " + say.Say("%d of which differ", d.Count())
	}
	return count
}

// noticesAbove stand under the heading: a refusal, a lock, an outcome.
func noticesAbove(say texts.Printer, v approvals.Review, t Typed, who Reader) []views.Notice {
	var all []views.Notice
	if t.Fault != nil && t.Fault.Code != fault.LockedOut { // of that the stage tells
		all = append(all, refusedOrRepeated(say, v, t, who.Member.Person.ID))
	}
	switch v.Stage {
	case approvals.StageFinal:
		all = append(all, OutcomeTo(say, v, who))
		if n, ok := supersededNotice(say, v); ok {
			all = append(all, n)
		}
	case approvals.StageOverdue:
		all = append(all, present.Titled(views.Notice{
			Tone: views.ToneWarn, Icon: views.IconHourglass, Text: untrusted.Runs(say.Say("No one decided in time, so it was denied. The agent can resubmit.")),
		}, present.SayAt(say, present.MomentForm, texts.Key("Expired at %s"), v.ExpiresAt)))
	case approvals.StageLocked:
		all = append(all, views.Notice{
			Tone: views.ToneBad, Icon: views.IconLock, Title: say.Say("You're locked out of approving this"),
			Text: untrusted.Runs(say.Say("Two attempts failed. %s You can still deny it.", WhoCan(say, v.Eligible))),
		})
	case approvals.StageNotEligible:
		all = append(all, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconUser, Title: say.Say("You can't decide this"),
			Text: untrusted.Runs(present.Sentence(say.Phrase(v.Why)) + ". " + WhoCan(say, v.Eligible)),
		})
	case approvals.StageSigned:
		all = append(all, views.Notice{
			Tone: views.ToneAccent, Icon: views.IconCheck, Title: say.Say("You approved this (%s)", given(say, v.Approval)),
			Text: untrusted.Runs(say.Say("It takes effect once %s have approved. %s You can still deny it.", people(say, v.Treatment.ApprovalsRequired), WhoCan(say, v.Eligible))),
		})
	case approvals.StageObserving:
		all = append(all, views.Notice{
			Icon: views.IconInfo, Title: say.Say("View only"),
			Text: untrusted.Runs(present.Sentence(say.Phrase(v.Why)) + ". " + WhoCan(say, v.Eligible)),
		})
	}
	if who.Locked && CanDecide(v.Stage) {
		all = append(all, lockedNotice(say, v))
	}
	if v.SinglePerson && CanDecide(v.Stage) {
		all = append(all, singlePersonNotice(say, v))
	}
	if asksForSignIn(v) {
		all = append(all, signInAgain(say, v))
	}
	if v.Given() > 0 && !v.Status.Final() && v.Stage != approvals.StageSigned {
		all = append(all, noLink(PartlyNotice(say, v.Approval))...)
	}
	if !v.NoOne.Empty() && !v.Status.Final() {
		all = append(all, noOneNotice(say, v.Approval))
	}
	if v.Version > 1 && !v.Status.Final() {
		all = append(all, noLink(versionNotices(say, v.Approval)...)...)
	}
	if v.Denied != nil && v.Stage != approvals.StageAsking {
		all = append(all, deniedNotice(say, v))
	}
	if v.OlderRequest != nil && v.Stage != approvals.StageAsking {
		all = append(all, olderNotice(say, v))
	}
	if n := len(v.Identical); n > 0 && !v.Status.Final() && v.Stage != approvals.StageAsking {
		all = append(all, identicalNotice(say, v))
	}
	if v.Digest != v.ShownDigest {
		all = append(all, views.Notice{
			Icon: views.IconShield, Title: say.Say("Secrets are masked"),
			Text: untrusted.Runs(say.Say("Secrets are replaced by [REDACTED:…]. The approval binds the original bytes; you and the audit trail see only the masked ones.")),
		})
	}
	return all
}

// noLink is what a page says at once of what is pushed to one that is open: there it
// leads to what is new, here that is what one reads.
func noLink(all ...views.Notice) []views.Notice {
	for i := range all {
		all[i].Action = nil
	}
	return all
}

// identicalNotice says that the same act waits more than once.
func identicalNotice(say texts.Printer, v approvals.Review) views.Notice {
	text := say.Say("The agent has sent this exact request more than once. Each is decided on its own: approving two lets it run twice.")
	if len(v.Twins) > 0 && CanDecide(v.Stage) {
		text = say.Say("The agent has sent this exact request more than once. Each is decided on its own unless you include the others, and each approval lets it run once.")
	}
	show := say.Say("Show the other")
	if len(v.Identical) > 1 {
		show = say.Say("Show another")
	}
	return views.Notice{
		Icon: views.IconLayers, Title: say.Say("%d identical pending", len(v.Identical)+1),
		Text:   untrusted.Runs(text),
		Action: &views.Link{Label: show, URL: urls.Request(v.Tenant, v.Identical[0])},
	}
}

// CanDecide says that the reader has buttons at this stage.
func CanDecide(s approvals.Stage) bool {
	switch s {
	case approvals.StageReading, approvals.StageAsking, approvals.StagePassed, approvals.StageLocked, approvals.StageBlinded, approvals.StageSigned:
		return true
	}
	return false
}

func lockedNotice(say texts.Printer, v approvals.Review) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: say.Say("Sign in again to decide"),
		Text:   untrusted.Runs(say.Say("You've been inactive for a while.")),
		Action: &views.Link{Label: say.Say("Sign in again"), URL: urls.SignIn + "?next=" + urls.Request(v.Tenant, v.ID)},
	}
}

// LockedBanner says the same on a page without a request.
func LockedBanner(say texts.Printer, tenant string) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: say.Say("Sign in again to decide"),
		Text:   untrusted.Runs(say.Say("You've been inactive for a while.")),
		Action: &views.Link{Label: say.Say("Sign in again"), URL: urls.SignIn + "?next=" + urls.Queue(tenant)},
	}
}

func WhoCan(say texts.Printer, names []string) string {
	switch len(names) {
	case 0:
		return say.Say("Ask an admin to add another operator.")
	case 1:
		return say.Say("%s can decide.", names[0])
	default:
		return say.Say("%s or %s can decide.", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
	}
}

// refusals are the titles of what can go wrong with a form; the fault's detail
// explains.
var refusals = map[fault.Code]texts.Key{
	fault.WrongAnswer:       texts.Key("Not quite"),
	fault.StaleSignIn:       texts.Key("Sign in again to approve this"),
	fault.LockedOut:         texts.Key("You're locked out of approving this"),
	fault.NotEligible:       texts.Key("You can't decide this"),
	fault.Denied:            texts.Key("Your roles don't allow this"),
	fault.AlreadyDecided:    texts.Key("Someone else decided first"),
	fault.Changed:           texts.Key("This request changed while you were reading"),
	fault.StricterNow:       texts.Key("Stricter review needed"),
	fault.ChallengeRequired: texts.Key("One step is missing"),
	fault.Expired:           texts.Key("Too late"),
	fault.TooEarly:          texts.Key("Too early"),
	fault.Unread:            texts.Key("Not everything read yet"),
	fault.InvalidForm:       texts.Key("Something's missing"),
	fault.NotEditable:       texts.Key("The arguments can't be edited"),
	fault.Unauthorized:      texts.Key("Sign in again to decide"),
}

func RefusalNotice(say texts.Printer, f *fault.Error) views.Notice {
	title := say.Key(refusals[f.Code])
	if title == "" {
		title = say.Say("Decision not saved")
	}
	text := present.Because(say, f) + "."
	if f.Code == fault.AlreadyDecided || f.Code == fault.Changed || f.Code == fault.Expired {
		text += " " + say.Say("Your decision wasn't counted.")
	}
	return views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: title, Text: untrusted.Runs(text)}
}

// ChangedNotice says that a request is treated more strictly than when it came in.
func ChangedNotice(say texts.Printer, a approvals.Approval) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconSettings, Title: say.Say("Stricter review needed since submission"),
		Text:   untrusted.Runs(nowRequires(say, a) + " " + say.Say("Decisions on the earlier version don't count.")),
		Action: &views.Link{Label: say.Say("Show latest"), URL: urls.Request(a.Tenant, a.ID)},
	}
}

// nowRequires says what it takes to approve, since the policy changed.
func nowRequires(say texts.Printer, a approvals.Approval) string {
	what := say.Key(ChallengeWords[a.Treatment.Challenge])
	if n := a.Treatment.ApprovalsRequired; n > 1 {
		return say.Say("%s, policy version %s: now requires %s from %s.", present.LevelWord(say, a.Assessment.Level), strconv.FormatInt(a.PolicyVersion, 10), what, people(say, n))
	}
	return say.Say("%s, policy version %s: now requires %s.", present.LevelWord(say, a.Assessment.Level), strconv.FormatInt(a.PolicyVersion, 10), what)
}

// OutcomeOf says how an approval ended: who, when, and what follows.
func OutcomeOf(say texts.Printer, a approvals.Approval) views.Notice {
	n := views.Notice{Tone: present.VerdictTone(a.Status), Icon: views.IconInfo, Title: say.Key(present.VerdictWords[a.Status])}
	if a.Decision == nil {
		return n
	}
	who, at := present.Sentence(present.DecidedBy(say, a)), a.Decision.DecidedAt
	var title []views.Run
	switch a.Status {
	case approvals.Approved:
		n.Icon, title, n.Text = views.IconCheck, present.SayAt(say, present.MomentForm, texts.Key("%s approved this at %s"), who, at), grantText(say, a)
		if note := Quoted(a.Decision.Reason); note != nil {
			n.Text = slices.Concat(note, untrusted.Runs(" "), n.Text)
		}
		if a.Void() {
			n.Tone, n.Icon = views.ToneWarn, views.IconBan
		}
		if id := a.StandingID(); id != "" {
			n.Action = &views.Link{Label: say.Say("Open it"), URL: urls.StandingGrant(a.Tenant, id)}
		}
	case approvals.Denied:
		n.Icon, title, n.Text = views.IconBan, present.SayAt(say, present.MomentForm, texts.Key("%s denied this at %s"), who, at), Quoted(a.Decision.Reason)
	case approvals.ChangesRequested:
		n.Icon, title, n.Text = views.IconAlert, present.SayAt(say, present.MomentForm, texts.Key("%s requested changes at %s"), who, at), Quoted(a.Decision.Reason)
	case approvals.Blocked:
		n.Icon, title, n.Text = views.IconBan, present.SayAt(say, present.MomentForm, texts.Key("The policy blocked this at %s"), at), untrusted.InEnglish(untrusted.Runs(present.Sentence(a.Decision.Reason)))
	case approvals.Expired:
		n.Icon, title = views.IconHourglass, present.SayAt(say, present.MomentForm, texts.Key("Expired at %s"), at)
		n.Text = untrusted.Runs(say.Say("No one decided in time, so it was denied. The agent can resubmit."))
	case approvals.Cancelled:
		if by := a.Decision.DecidedBy; len(by) > 0 && by[0].Kind == approvals.ByPerson {
			n.Icon, title, n.Text = views.IconX, present.SayAt(say, present.MomentForm, texts.Key("%s stopped the agent at %s"), who, at), Quoted(a.Decision.Reason)
			break
		}
		if by := a.Decision.DecidedBy; len(by) > 0 && by[0].Kind == approvals.ByClock { // of a restore
			n.Icon, title, n.Text = views.IconX, present.SayAt(say, present.MomentForm, texts.Key("Cancelled at %s"), at), Quoted(a.Decision.Reason)
			break
		}
		if a.Superseded() {
			n.Icon, title = views.IconLayers, present.SayAt(say, present.MomentForm, texts.Key("Superseded at %s"), at)
			n.Text = untrusted.Runs(say.Say("The agent asked again for the same target with other arguments, and the policy ended this one."))
			if a.Newer != "" {
				n.Action = &views.Link{Label: say.Say("Show the newer request"), URL: urls.Request(a.Tenant, a.Newer)}
			}
			break
		}
		n.Icon, title, n.Text = views.IconX, present.SayAt(say, present.MomentForm, texts.Key("The agent cancelled this at %s"), at), untrusted.Runs(say.Say("Nothing left to decide."))
	}
	if title == nil {
		return n
	}
	return present.Titled(n, title)
}

func Quoted(reason string) []views.Run {
	if reason == "" {
		return nil
	}
	return append(append(untrusted.Runs("“"), untrusted.Runs(reason)...), views.Run{Text: "”"})
}

// reported say what an agent reports of a call.
var reported = map[string]texts.Key{
	"succeeded": texts.Key("The agent reported success at %s."), "failed": texts.Key("The agent reported a failure at %s."),
}

// grantText is what became of the permission.
func grantText(say texts.Printer, a approvals.Approval) []views.Run {
	g := a.Grant
	switch {
	case a.Execution != nil:
		text := present.SayAt(say, present.MomentForm, reported[a.Execution.Status], a.Execution.ReportedAt)
		if a.Execution.Detail != "" {
			text = append(append(text, views.Run{Text: " " + say.Say("It says:") + " "}), Quoted(a.Execution.Detail)...)
		}
		return text
	case g == nil:
		return nil
	case g.ConsumedAt != nil:
		return present.SayAt(say, present.MomentForm, texts.Key("Used at %s. The agent hasn't reported the outcome yet."), *g.ConsumedAt)
	case g.VoidedAt != nil && g.VoidReason != "":
		return present.SayAt(say, present.MomentForm, texts.Key("Void since %s: %s. The agent must resubmit."), *g.VoidedAt, g.VoidReason)
	case g.VoidedAt != nil:
		return present.SayAt(say, present.MomentForm, texts.Key("Void since %s: the policy became stricter. The agent must resubmit."), *g.VoidedAt)
	default:
		return present.SayAt(say, present.MomentForm, texts.Key("Valid once, for this exact action, until %s. Not used yet."), g.ExpiresAt)
	}
}

// railOf is the context beside the request.
func railOf(say texts.Printer, v approvals.Review, who Reader) review.Rail {
	asking := v.Stage == approvals.StageAsking
	r := review.Rail{
		Looking: []views.Onlooker{OnlookerMe(say, who.Member.Person, asking)},
	}
	r.Approvals = SignaturePairs(say, v.Approval)
	if v.Coverable && !asking {
		r.Ahead = &views.Link{Label: say.Say("New standing approval"), URL: urls.NewStandingGrant(v.Tenant, v.ID)}
	}
	if v.Lowerable && !asking && who.Member.May(auth.ProposePolicy) {
		r.Always = &views.Link{Label: say.Say("Always approve calls like this"), URL: urls.Entry(v.Tenant, v.ID)}
	}
	if !asking && who.Member.May(auth.ReadPolicy) {
		r.Without = &views.Link{Label: say.Say("What runs without asking"), URL: urls.WithoutAsking(v.Tenant, v.Agent.ID)}
	}
	switch {
	case pastIsNoArgument(v):
		r.PastSealed = say.Say("Hidden at %s: past approvals aren't a reason to approve.", present.LevelWord(say, v.Assessment.Level))
	case v.LastApproved != nil:
		r.Past = []views.Pair{{Label: say.Say("Last approved"), Value: present.SayAt(say, present.MomentForm, texts.Key("%s, by %s"), v.LastApproved.Decision.DecidedAt, present.DecidedBy(say, *v.LastApproved)), URL: urls.Request(v.Tenant, v.LastApproved.ID)}}
	}
	switch {
	case v.Stage == approvals.StageLocked:
		r.WhoMay = say.Say("%s You can still deny it.", WhoCan(say, v.Eligible))
	case v.Stage == approvals.StageBlinded: // nobody may approve it
	case CanDecide(v.Stage) && v.Stage != approvals.StageSigned:
		r.WhoMay = say.Say("You")
		if len(v.Eligible) > 0 {
			r.WhoMay = say.Say("You and %s", v.Eligible[0])
			if last := len(v.Eligible) - 1; last > 0 {
				r.WhoMay = say.Say("You, %s and %s", strings.Join(v.Eligible[:last], ", "), v.Eligible[last])
			}
		}
	case !v.Status.Final():
		r.WhoMay = WhoCan(say, v.Eligible)
	}
	if !asking && len(v.SessionTrail) > 0 {
		r.Session = sessionOf(say, v, who.Withdrew)
	}
	return r
}

func shortDigest(d string) string {
	if d = strings.TrimPrefix(d, "sha256:"); len(d) > 12 {
		return d[:6] + "…" + d[len(d)-6:]
	}
	return d
}
