package console

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
)

// typed is what came with a refused form, so that nothing has to be typed twice.
type typed struct {
	fault   *fault.Error // why it was refused; nil when the page is only read
	verdict approvals.Verdict
	reason  string
	target  string
	ticked  []int // 1-based numbers of consequences
	also    bool  // for the identical ones too
}

// reader is who looks at a page.
type reader struct {
	member auth.Member
	locked bool            // deciding is locked for them
	asking map[string]bool // requests whose quiz they are answering
	// section of a large act that the address names; 0: none
	section int
}

// requestOf is the page of one approval as one person may see it now.
func requestOf(v approvals.Review, who reader, t typed) views.Request {
	about := subjectOf(v.Approval)
	asking := v.Stage == approvals.StageAsking
	r := views.Request{
		ID: v.ID, Level: levelOf(v.Assessment.Level), Left: timeLeft(v.Approval, v.Now),
		Submitted: "submitted " + v.CreatedAt.Format(momentForm), QueueURL: queueURL(v.Tenant),
		Notices: notices(v, t, who.locked), Decision: decisionOf(v, about, t, who.locked), Rail: railOf(v, who),
		Irreversible: v.Assessment.Irreversible(),
	}
	if v.Stage == approvals.StageOverdue {
		r.Left = views.TimeLeft{}
	}
	if asking {
		r.Sentence, r.Hidden = runs(about.hidden), hiddenParts(v)
		if !approvals.FewToAsk(v.Assessment.Facts) {
			r.Agent = v.Agent.Name
		}
		return r
	}
	r.Sentence, r.Agent, r.Function = headline(about.sentence), v.Agent.Name, headline(v.Function)
	r.Untargeted = !about.specific
	r.Reversible = len(v.Assessment.Rules.TriggeredRules) > 0 && !r.Irreversible
	if !v.Sealed {
		r.Score = score(v.Assessment.Score)
	}
	r.Card, r.Reviewed = cardOf(v, who), reviewsOf(v, who.member)
	r.Card.Provenance.Trail = chainOf(v, who.asking)
	return r
}

// titleOf is the name of the page in the browser.
func titleOf(v approvals.Review) string {
	about := subjectOf(v.Approval)
	if v.Stage == approvals.StageAsking {
		return flat(about.hidden)
	}
	return flat(about.sentence)
}

// isCritical says that the request is shown in the CRITICAL room.
func isCritical(v approvals.Review) bool {
	return v.Assessment.Level == level.Critical && !v.Status.Final()
}

func score(f float64) string {
	t := thousandths(f)
	return fmt.Sprintf("%d.%03d", t/1000, t%1000)
}

// hiddenParts names what is out of sight during a quiz, with counts and without values.
func hiddenParts(v approvals.Review) []views.HiddenPart {
	a := v.Action
	parts := []views.HiddenPart{
		{Icon: views.IconInfo, Name: "Facts", Count: plural(len(v.Assessment.Facts), "fact")},
		{Icon: views.IconLayers, Name: "Arguments and differences", Count: hiddenValues(v)},
	}
	if a.Code() != "" || a.Content() != "" {
		parts = append(parts, views.HiddenPart{Icon: views.IconLayers, Name: "Code and content", Count: plural(strings.Count(a.Code()+a.Content(), "\n")+1, "line")})
	}
	held := len(v.Assessment.Patterns.MatchedPatterns) + len(v.Assessment.Rules.TriggeredRules)
	parts = append(parts, views.HiddenPart{Icon: views.IconRule, Name: "Why it was held", Count: plural(held, "finding")})
	if claims := claimsOf(v); len(claims) > 0 {
		parts = append(parts, views.HiddenPart{Icon: views.IconUser, Name: "Claimed by the agent", Count: plural(len(claims), "text")})
	}
	return parts
}

// hiddenValues counts the arguments and what of them differs.
func hiddenValues(v approvals.Review) string {
	count := plural(len(facts.Leaves(v.Action.Arguments())), "value")
	if d, _ := differenceOf(v); d != nil {
		count += ", " + grouped(int64(d.Count())) + " of which differ"
	}
	return count
}

// notices stand under the heading: a refusal, a lock, an outcome.
func notices(v approvals.Review, t typed, locked bool) []views.Notice {
	var all []views.Notice
	if t.fault != nil {
		all = append(all, refusalNotice(t.fault))
	}
	switch v.Stage {
	case approvals.StageFinal:
		all = append(all, outcomeOf(v.Approval))
		if n, ok := supersededNotice(v); ok {
			all = append(all, n)
		}
	case approvals.StageOverdue:
		all = append(all, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconHourglass, Title: "Expired at " + v.ExpiresAt.Format(momentForm) + ", so it is denied",
			Text: runs("Nobody decided in time. Silence is never consent. The agent may submit again."),
		})
	case approvals.StageLocked:
		all = append(all, views.Notice{
			Tone: views.ToneBad, Icon: views.IconLock, Title: "You can no longer approve this request",
			Text: runs("Two sets of answers were wrong. " + whoCan(v.Eligible) + " You may still deny it."),
		})
	case approvals.StageNotEligible:
		all = append(all, views.Notice{
			Tone: views.ToneWarn, Icon: views.IconUser, Title: "You may not decide this",
			Text: runs(sentence(v.Why) + ". " + whoCan(v.Eligible)),
		})
	case approvals.StageSigned:
		all = append(all, views.Notice{
			Tone: views.ToneAccent, Icon: views.IconCheck, Title: "You approved this: " + given(v.Approval),
			Text: runs("It takes effect when " + people(v.Treatment.ApprovalsRequired) + " approved it. " + whoCan(v.Eligible) + " You may still deny it."),
		})
	case approvals.StageObserving:
		all = append(all, views.Notice{
			Icon: views.IconInfo, Title: "You are reading along",
			Text: runs(sentence(v.Why) + ". " + whoCan(v.Eligible)),
		})
	}
	if locked && canDecide(v.Stage) {
		all = append(all, lockedNotice(v))
	}
	if v.SinglePerson && canDecide(v.Stage) {
		all = append(all, singlePersonNotice(v))
	}
	if asksForSignIn(v) {
		all = append(all, signInAgain(v))
	}
	if len(v.Signatures) > 0 && !v.Status.Final() && v.Stage != approvals.StageSigned {
		all = append(all, partlyNotice(v.Approval))
	}
	if v.Version > 1 && !v.Status.Final() {
		all = append(all, versionNotices(v.Approval)...)
	}
	if n := len(v.Identical); n > 0 && !v.Status.Final() && v.Stage != approvals.StageAsking {
		all = append(all, identicalNotice(v))
	}
	if v.Digest != v.ShownDigest {
		all = append(all, views.Notice{
			Icon: views.IconShield, Title: "Secrets are masked",
			Text: runs("What matched a secret is replaced by [REDACTED:…]. The grant binds the original bytes; you see, and the trail keeps, the masked ones."),
		})
	}
	return all
}

// identicalNotice says that the same act waits more than once.
func identicalNotice(v approvals.Review) views.Notice {
	text := "The agent asks for exactly this more than once, and each request is decided by itself: approving two lets it happen twice."
	if len(v.Twins) > 0 && canDecide(v.Stage) {
		text = "The agent asks for exactly this more than once, and each request is decided by itself unless you tick the others too: each that is approved lets it happen once more."
	}
	return views.Notice{
		Icon: views.IconLayers, Title: fmt.Sprintf("%d identical pending", len(v.Identical)+1),
		Text:   runs(text),
		Action: &views.Link{Label: "Show the other", URL: requestURL(v.Tenant, v.Identical[0])},
	}
}

// canDecide says that the reader has buttons at this stage.
func canDecide(s approvals.Stage) bool {
	switch s {
	case approvals.StageReading, approvals.StageAsking, approvals.StagePassed, approvals.StageLocked, approvals.StageSigned:
		return true
	}
	return false
}

func lockedNotice(v approvals.Review) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: "Deciding is locked",
		Text:   runs("You were away for more than 15 minutes. The page stays live; sign in again to decide."),
		Action: &views.Link{Label: "Sign in again", URL: signInURL + "?next=" + requestURL(v.Tenant, v.ID)},
	}
}

// lockedBanner says the same on a page without a request.
func lockedBanner(tenant string) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLock, Title: "Deciding is locked",
		Text:   runs("You were away for more than 15 minutes. The page stays live."),
		Action: &views.Link{Label: "Sign in again", URL: signInURL + "?next=" + queueURL(tenant)},
	}
}

func whoCan(names []string) string {
	switch len(names) {
	case 0:
		return "Nobody else can decide yet; an admin can make somebody an operator."
	case 1:
		return names[0] + " can decide."
	default:
		return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1] + " can decide."
	}
}

// refusals are the titles of what can go wrong with a form; the fault's detail
// explains.
var refusals = map[fault.Code]string{
	fault.WrongAnswer:       "Not right",
	fault.StaleSignIn:       "Sign in again to approve this",
	fault.LockedOut:         "You can no longer approve this request",
	fault.NotEligible:       "You may not decide this",
	fault.Denied:            "Your roles do not allow this",
	fault.AlreadyDecided:    "Somebody else was faster",
	fault.Changed:           "It changed while you were reading",
	fault.StricterNow:       "The policy is stricter now",
	fault.ChallengeRequired: "One step is missing",
	fault.Expired:           "Too late",
	fault.TooEarly:          "Too early",
	fault.Unread:            "Not everything is read",
	fault.InvalidForm:       "Something is missing",
	fault.NotEditable:       "The arguments cannot be edited",
	fault.Unauthorized:      "Deciding is locked",
}

func refusalNotice(f *fault.Error) views.Notice {
	title, ok := refusals[f.Code]
	if !ok {
		title = "The decision was not saved"
	}
	text := sentence(f.Detail) + "."
	if f.Code == fault.AlreadyDecided || f.Code == fault.Changed || f.Code == fault.Expired {
		text += " Your decision was not counted."
	}
	return views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: title, Text: runs(text)}
}

// changedNotice says that a request is treated more strictly than when it came in.
func changedNotice(a approvals.Approval) views.Notice {
	return views.Notice{
		Tone: views.ToneWarn, Icon: views.IconSettings, Title: "Treated more strictly since it came in",
		Text:   runs(fmt.Sprintf("Policy version %d treats it as %s. This is version %d of the request; a decision on an earlier one does not count.", a.PolicyVersion, a.Assessment.Level, a.Version)),
		Action: &views.Link{Label: "Show it as it is now", URL: requestURL(a.Tenant, a.ID)},
	}
}

// outcomeOf says how an approval ended: who, when, and what follows.
func outcomeOf(a approvals.Approval) views.Notice {
	n := views.Notice{Tone: verdictTone(a.Status), Icon: views.IconInfo, Title: verdictWords[a.Status]}
	if a.Decision == nil {
		return n
	}
	who, at := sentence(decidedBy(a)), a.Decision.DecidedAt.Format(momentForm)
	switch a.Status {
	case approvals.Approved:
		n.Icon, n.Title, n.Text = views.IconCheck, who+" approved this at "+at, grantText(a)
		if id := a.StandingID(); id != "" {
			n.Action = &views.Link{Label: "Open it", URL: standingOneURL(a.Tenant, id)}
		}
	case approvals.Denied:
		n.Icon, n.Title, n.Text = views.IconBan, who+" denied this at "+at, quoted(a.Decision.Reason)
	case approvals.ChangesRequested:
		n.Icon, n.Title, n.Text = views.IconAlert, who+" asked for changes at "+at, quoted(a.Decision.Reason)
	case approvals.Blocked:
		n.Icon, n.Title, n.Text = views.IconBan, "The policy blocked this at "+at, runs(sentence(a.Decision.Reason))
	case approvals.Expired:
		n.Icon, n.Title = views.IconHourglass, "Expired at "+at+", so it was denied"
		n.Text = runs("Nobody decided in time. Silence is never consent. The agent has been told and may submit again.")
	case approvals.Cancelled:
		if by := a.Decision.DecidedBy; len(by) > 0 && by[0].Kind == approvals.ByPerson {
			n.Icon, n.Title, n.Text = views.IconX, who+" stopped the agent at "+at, quoted(a.Decision.Reason)
			return n
		}
		n.Icon, n.Title, n.Text = views.IconX, "The agent took it back at "+at, runs("There is nothing left to decide.")
	}
	return n
}

func quoted(reason string) []views.Run {
	if reason == "" {
		return nil
	}
	return append(append(runs("“"), runs(reason)...), views.Run{Text: "”"})
}

// grantText is what became of the permission.
func grantText(a approvals.Approval) []views.Run {
	g := a.Grant
	switch {
	case a.Execution != nil:
		text := runs("The agent reports that it " + a.Execution.Status + " at " + a.Execution.ReportedAt.Format(momentForm) + ".")
		if a.Execution.Detail != "" {
			text = append(append(text, views.Run{Text: " It says: "}), quoted(a.Execution.Detail)...)
		}
		return text
	case g == nil:
		return nil
	case g.ConsumedAt != nil:
		return runs("The grant was spent at " + g.ConsumedAt.Format(momentForm) + ". The agent has not reported the outcome yet.")
	case g.VoidedAt != nil && g.VoidReason != "":
		return runs("The grant is void since " + g.VoidedAt.Format(momentForm) + ": " + g.VoidReason + ". The agent must submit again.")
	case g.VoidedAt != nil:
		return runs("The grant is void since " + g.VoidedAt.Format(momentForm) + ": the policy became stricter, and the agent must submit again.")
	default:
		return runs("The grant is for these exact bytes, once, until " + g.ExpiresAt.Format(momentForm) + ". It has not been spent yet.")
	}
}

// railOf is the context beside the request.
func railOf(v approvals.Review, who reader) views.Rail {
	asking := v.Stage == approvals.StageAsking
	r := views.Rail{
		Looking:  []views.Onlooker{onlookerMe(who.member.Person, asking)},
		Recorded: []views.Pair{{Label: "Card digest", Value: runs(shortDigest(v.ShownDigest)), Mono: true}},
	}
	r.Approvals = signaturePairs(v.Approval)
	if v.Coverable && !asking {
		r.Ahead = &views.Link{Label: "Allow ones like this ahead", URL: newStandingURL(v.Tenant, v.ID)}
	}
	if v.Kind != "" {
		r.Recorded = append(r.Recorded, views.Pair{Label: "Challenge", Value: runs(challengeWords[v.Kind])})
	}
	switch {
	case v.Sealed:
		r.PastSealed = "Sealed until all questions are answered."
	case isCritical(v):
		r.PastSealed = "Sealed: at CRITICAL, what was approved before is no argument."
	case v.LastApproved != nil:
		r.Past = []views.Pair{{Label: "Last approved", Value: runs(v.LastApproved.CreatedAt.Format(dayForm) + ", by " + decidedBy(*v.LastApproved)), URL: requestURL(v.Tenant, v.LastApproved.ID)}}
	}
	if canDecide(v.Stage) && v.Stage != approvals.StageSigned {
		r.WhoMay = "You."
		if len(v.Eligible) > 0 {
			r.WhoMay = "You and " + strings.Join(v.Eligible, ", ") + "."
		}
	} else if !v.Status.Final() {
		r.WhoMay = whoCan(v.Eligible)
	}
	if !asking && len(v.SessionTrail) > 1 {
		r.Session = sessionOf(v, who.asking)
	}
	return r
}

func shortDigest(d string) string {
	if d = strings.TrimPrefix(d, "sha256:"); len(d) > 12 {
		return d[:6] + "…" + d[len(d)-6:]
	}
	return d
}

// factsOf is the grid: target, environment, count and money always, then the rest.
// Where there is a last approved call, each says how it differs from that one's,
// and what that one had and this one has not stands at the end.
func factsOf(v approvals.Review, d *facts.Difference) []views.Fact {
	grid := []views.Fact{
		{Label: "Target", Value: runs("None found"), Note: runs("the function is the target")},
		{Label: "Environment", Value: runs("None named")},
		{Label: "Count", Value: runs("None"), Note: runs("no count in the call")},
		{Label: "Money", Value: runs("None"), Note: runs("no amount in the call")},
	}
	first := map[facts.Kind]int{facts.Environment: 1, facts.Count: 2, facts.Amount: 3}
	filled := [4]bool{}
	for i, f := range v.Assessment.Facts {
		cell := factCell(f)
		if d != nil {
			cell.Change = changeOf(d.Facts[i])
		}
		n, four := first[f.Kind]
		if !four && f.Value == v.Confirmation.Target && v.Confirmation.Specific {
			n, four = 0, true
			cell.Note = append(runs(f.Label+", "), cell.Note...)
			if !filled[0] {
				cell.Label = "Target"
			}
		}
		if four && !filled[n] {
			grid[n], filled[n] = cell, true
			continue
		}
		grid = append(grid, cell)
	}
	if d != nil {
		for _, change := range d.Facts[len(v.Assessment.Facts):] {
			cell := factCell(change.Was)
			cell.Value, cell.Note, cell.Mono = runs("Not there"), nil, false
			cell.Change = changeOf(change)
			grid = append(grid, cell)
		}
	}
	return grid
}

// changeOf says how a fact differs from the last approved call; nothing where it
// is the same.
func changeOf(change facts.FactChange) []views.Run {
	switch change.How {
	case facts.Added:
		return runs("not in the last approved call")
	case facts.Changed, facts.Removed:
		return append(runs("was "), append(runs(change.Was.Value), runs(" in the last approved call")...)...)
	}
	return nil
}

// shortFact is how many characters fit into a cell of the grid.
const shortFact = 36

func factCell(f facts.Fact) views.Fact {
	label := flat(sentence(f.Label)) // it can be a word of the agent's
	if label == "" {
		label = sentence(string(f.Kind))
	}
	return views.Fact{
		Label: label, Value: runs(f.Value), Note: runs("in " + strings.TrimPrefix(f.Pointer, "/")),
		Mono: utf8.RuneCountInString(f.Value) > shortFact, // a row of its own
	}
}
