package httpapi

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/tenants"
)

// approval is what an agent reads of an approval (docs/api.md).
type approval struct {
	ID          string            `json:"id" pattern:"^apr_[0-9a-f]{32}$"`
	Status      string            `json:"status" enum:"pending,approved,blocked,denied,changes_requested,expired,cancelled" doc:"All but pending are final."`
	Level       string            `json:"level" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Score       float64           `json:"score" minimum:"0" maximum:"1"`
	Headline    headline.Headline `json:"headline" doc:"What the call does, in its own words: text is one line, and by says of each part whether the caller chose it (theirs) or we say it (ours)."`
	Digest      string            `json:"digest" pattern:"^sha256:[0-9a-f]{64}$" doc:"Over the semantic act that you sent; what the grant binds and consume must name, unless an operator edited the arguments of a call: then it is the digest of decision.effective."`
	ShownDigest string            `json:"shown_digest" pattern:"^sha256:[0-9a-f]{64}$" doc:"The same over what people are shown, with secrets masked."`
	Challenge   challenge         `json:"challenge"`
	Needs       []need            `json:"needs" nullable:"false" doc:"Who still has to approve, where the policy names teams or people; empty otherwise, and once it's decided."`
	Assessment  assessment        `json:"assessment"`
	CreatedAt   string            `json:"created_at" format:"date-time"`
	ExpiresAt   string            `json:"expires_at" format:"date-time" doc:"No one can approve after this. An operator can extend it once: see extension."`
	Limited     *expiryLimited    `json:"expiry_limited,omitempty" doc:"Only in the answer that creates a request whose expires_in_seconds is more than the policy allows: expires_at is that of the policy's limit."`
	Extension   *extension        `json:"extension" doc:"Set when an operator gave the request more time."`
	Questions   []question        `json:"questions" nullable:"false" doc:"What people ask about it, oldest first. Answer with POST …/answers: the request stays pending meanwhile."`
	DecidedAt   *string           `json:"decided_at" format:"date-time"`
	Decision    *decision         `json:"decision"`
	Execution   *execution        `json:"execution"`
	Revises     *string           `json:"revises" doc:"Id of the approval whose requested changes this one answers."`
	Newer       *string           `json:"newer" doc:"Id of the newest approval that you asked for since for the same function and target, with other arguments; only while this one is pending, or where the policy ended it for that (cancelled, decided_by policy)."`
	ConsoleURL  string            `json:"console_url" doc:"Where people decide."`
}

// dryRun is what an agent reads of an assessment that it asked for: of an
// approval what there would be at once.
type dryRun struct {
	DryRun        bool              `json:"dry_run" enum:"true" doc:"Nothing was submitted: there is no approval and no grant."`
	Status        string            `json:"status" enum:"pending,approved,blocked" doc:"The status that a submission would have at once."`
	Level         string            `json:"level" enum:"LOW,MEDIUM,HIGH,CRITICAL"`
	Score         float64           `json:"score" minimum:"0" maximum:"1"`
	Headline      headline.Headline `json:"headline" doc:"What the call does, in its own words: text is one line, and by says of each part whether the caller chose it (theirs) or we say it (ours)."`
	Digest        string            `json:"digest" pattern:"^sha256:[0-9a-f]{64}$" doc:"The digest that a submission would have."`
	ShownDigest   string            `json:"shown_digest" pattern:"^sha256:[0-9a-f]{64}$"`
	Challenge     challenge         `json:"challenge" doc:"What an operator would have to pass."`
	Needs         []need            `json:"needs" nullable:"false" doc:"Who would have to be among those who approve, where the policy says so; empty where anyone counts."`
	Assessment    assessment        `json:"assessment"`
	PolicyVersion int64             `json:"policy_version" minimum:"1"`
	CallNumber    int               `json:"call_number" minimum:"1" doc:"Which call of this agent, session and function the next submission would be; asking counts as none."`
}

// sessionScore is what an agent reads of its session. It is not told above which score its
// people are alerted: it could stay just below.
type sessionScore struct {
	SessionID    string         `json:"session_id"`
	NumericScore int            `json:"numeric_score" minimum:"0" maximum:"100" doc:"raw_score, rounded half to even and capped."`
	RawScore     float64        `json:"raw_score" minimum:"0"`
	Matches      severityCounts `json:"matches" doc:"Matches by severity; a pattern counts once in each submission."`
	Evaluations  int64          `json:"evaluations" minimum:"1" doc:"Submissions that were scored, clean ones included."`
	Peak         int            `json:"peak" minimum:"0" maximum:"100" doc:"The highest numeric_score of one submission."`
	Mean         float64        `json:"mean" minimum:"0" maximum:"100" doc:"The mean of the numeric scores."`
	LastAt       string         `json:"last_at" format:"date-time" doc:"When the last submission was scored."`
}

type severityCounts struct {
	Critical int `json:"critical" minimum:"0"`
	High     int `json:"high" minimum:"0"`
	Medium   int `json:"medium" minimum:"0"`
	Low      int `json:"low" minimum:"0"`
}

func wireSession(s approvals.SessionScored) sessionScore {
	w := sessionScore{SessionID: s.Session, Matches: severityCounts(s.Counts), Evaluations: s.Evaluations, Peak: s.Peak, Mean: s.Mean(), LastAt: instant(s.Last)}
	w.RawScore, w.NumericScore = s.Score()
	return w
}

type challenge struct {
	Kind              string `json:"kind" enum:"none,confirm,quiz,explicit_confirmation,deny" doc:"What an operator has to pass: the policy's challenge for the level, or the typed target where one person decides alone and the level has no quiz."`
	ApprovalsRequired int    `json:"approvals_required" minimum:"0"`
	ApprovalsGiven    int    `json:"approvals_given" minimum:"0"`
}

// need is who is missing among those who approve.
type need struct {
	Team    *string  `json:"team" doc:"A team of the policy's deciders; null where people are named, or anyone counts."`
	People  []string `json:"people" nullable:"false" doc:"Names, where the policy names people."`
	Missing int      `json:"missing" minimum:"1" doc:"How many of them."`
	CanSign int      `json:"can_sign" minimum:"0" doc:"How many of them could approve it now. Fewer than missing: it will expire, unless an admin changes that."`
}

func wireNeeds(all []deciders.Needed) []need {
	list := []need{}
	for _, n := range all {
		if n.Missing() < 1 {
			continue
		}
		w := need{People: append([]string{}, n.People...), Missing: n.Missing(), CanSign: len(n.Able)}
		if n.Team != "" {
			w.Team = &n.Team
		}
		list = append(list, w)
	}
	return list
}

type decision struct {
	Verdict   string    `json:"verdict" enum:"approve,deny,request_changes,block,expire,cancel"`
	Reason    string    `json:"reason"`
	Digest    *string   `json:"digest" pattern:"^sha256:[0-9a-f]{64}$" doc:"What consume must name: the digest that the grant binds. Null unless approved."`
	DecidedBy []decider `json:"decided_by" nullable:"false"`
	Effective effective `json:"effective"`
	Grant     *string   `json:"grant" doc:"Compact JWS (EdDSA) to spend once with consume; null unless approved."`
	Voided    *voided   `json:"voided,omitempty" doc:"There when the grant became void before it was used: someone withdrew the approval, or it now needs stricter review. Don't act."`
}

// voided is how a grant ended that was not used.
type voided struct {
	At     string `json:"at" format:"date-time"`
	Reason string `json:"reason" doc:"In the words of whoever withdrew it; empty where it needs stricter review."`
}

// expiryLimited says that the policy gave a request less time than its agent asked for.
type expiryLimited struct {
	Asked   int `json:"asked_seconds" minimum:"1" doc:"Your expires_in_seconds."`
	Seconds int `json:"seconds" minimum:"1" doc:"What the policy gives it at this level."`
}

// limited is that of a request as it is created, whose agent asked for so many seconds; nil where it gets them.
func limited(v approvals.Approval, asked int) *expiryLimited {
	if seconds := int(v.ExpiresAt.Sub(v.CreatedAt) / time.Second); seconds < asked {
		return &expiryLimited{asked, seconds}
	}
	return nil
}

// extension is more time, which a request gets at most once.
type extension struct {
	Reason     string `json:"reason" doc:"Why, in the operator's words."`
	Was        string `json:"was" format:"date-time" doc:"What expires_at said before."`
	ExtendedAt string `json:"extended_at" format:"date-time"`
}

// question is one, and what the agent answered.
type question struct {
	ID         string  `json:"id" pattern:"^qst_[0-9a-f]{32}$"`
	Text       string  `json:"text" doc:"In the words of whoever asks."`
	AskedBy    decider `json:"asked_by"`
	AskedAt    string  `json:"asked_at" format:"date-time"`
	Answer     *string `json:"answer" doc:"As it was recorded, with secrets masked; null until it's answered."`
	AnsweredAt *string `json:"answered_at" format:"date-time"`
}

func wireQuestions(all []approvals.AgentQuestion) []question {
	list := make([]question, len(all))
	for i, q := range all {
		list[i] = question{
			ID: q.ID, Text: q.Text, AskedBy: decider{Kind: string(approvals.ByPerson), ID: q.Person, Name: q.Name},
			AskedAt: instant(q.AskedAt), AnsweredAt: optional(q.AnsweredAt),
		}
		if q.AnsweredAt != nil {
			list[i].Answer = &q.Answer
		}
	}
	return list
}

// person is somebody by the name that they had then.
type person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type decider struct {
	Kind string  `json:"kind" enum:"person,policy,agent,clock"`
	ID   string  `json:"id"`
	Name string  `json:"name"`
	For  *person `json:"for,omitempty" doc:"Who was away, where this person decided in their place: the request was assigned to them, or they were called to it."`
}

type execution struct {
	State  string  `json:"state" enum:"consumed,reported" doc:"consumed: the grant is spent, so the action may have run. reported: the agent said what happened."`
	Status *string `json:"status" enum:"succeeded,failed" doc:"Null until it's reported."`
	Detail string  `json:"detail"`
}

// canary is the answer to a call that must not run.
type canary struct {
	Status   string   `json:"status" enum:"denied"`
	Canary   nonceAt  `json:"canary"`
	Decision decision `json:"decision"`
}

type nonceAt struct {
	Nonce string `json:"nonce"`
	At    string `json:"at" format:"date-time"`
}

func wireCanary(c tenants.Canary) canary {
	return canary{Status: string(approvals.Denied), Canary: nonceAt{c.Nonce, instant(c.At)}, Decision: decision{
		Verdict: string(approvals.VerdictDeny), Reason: "This call only tests the gate: it is always denied.",
		DecidedBy: []decider{{Kind: string(approvals.ByPolicy), ID: "canary", Name: "canary"}},
	}}
}

// self is an agent as it is told of itself.
type self struct {
	Name          string         `json:"name"`
	Tenant        string         `json:"tenant"`
	Scopes        []string       `json:"scopes" nullable:"false" doc:"Of the key that asked."`
	Workspace     *selfWorkspace `json:"workspace" doc:"The folder that an admin bound the agent to, or null."`
	Environment   string         `json:"environment" doc:"The environment that an admin bound the agent to, or empty."`
	ServerVersion string         `json:"server_version"`
	LastHeard     *string        `json:"last_heard" format:"date-time" doc:"When a key of this agent was used last, to the minute."`
	LastCanary    *nonceAt       `json:"last_canary" doc:"The last test of the gate, or null."`
	CanaryFailed  string         `json:"canary_failed" doc:"Why the last canary wasn't refused; empty where it was."`
	SilentSince   *string        `json:"silent_since" format:"date-time" doc:"Since when no call came for a day, or since the gate failed its test; null otherwise."`
}

type enrolled struct {
	Agent string `json:"agent"`
	Key   string `json:"key" doc:"Store it: it's shown only once."`
}

type selfWorkspace struct {
	Folder    string `json:"folder"`
	Sandboxed bool   `json:"sandboxed"`
}

func wireSelf(key auth.Agent, a tenants.Agent, version string) self {
	w := self{Name: a.Name, Tenant: key.Tenant, Scopes: []string{}, Environment: a.Environment, ServerVersion: version}
	for _, scope := range key.Scopes {
		w.Scopes = append(w.Scopes, string(scope))
	}
	if f := a.Workspace; f.Folder != "" {
		w.Workspace = &selfWorkspace{f.Folder, f.Sandboxed}
	}
	w.LastHeard = optional(a.LastUsedAt)
	if c := a.Canary; c != nil {
		w.LastCanary, w.CanaryFailed = &nonceAt{c.Nonce, instant(c.At)}, c.Failed
	}
	w.SilentSince = optional(a.SilentSince(time.Now()))
	return w
}

// toolsReceived counts what became of a list of tools.
type toolsReceived struct {
	New     int `json:"new" minimum:"0" doc:"Tools that this agent didn't have from this server."`
	Changed int `json:"changed" minimum:"0" doc:"Tools that the server describes otherwise than before."`
	Waiting int `json:"waiting" minimum:"0" doc:"Tools of which an admin hasn't accepted an effect. Until then their names and descriptions can raise a level and lower none."`
}

type page struct {
	Approvals  []approval `json:"approvals" nullable:"false" doc:"Newest first."`
	NextCursor *string    `json:"next_cursor" doc:"Send it as cursor for the next page; null on the last."`
}

type consumed struct {
	Status     string `json:"status" enum:"consumed"`
	ConsumedAt string `json:"consumed_at" format:"date-time"`
	Replayed   bool   `json:"replayed" doc:"True: the grant wasn't consumed by this call, which repeats an earlier one with the same Idempotency-Key; the action may already have run."`
}

// effective is the whole action where it was edited or redacted, else null.
type effective json.RawMessage

// MarshalJSON writes it as it is stored.
func (e effective) MarshalJSON() ([]byte, error) {
	if e == nil {
		return []byte("null"), nil
	}
	return e, nil
}

// Schema describes it in the document.
func (effective) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, Nullable: true, AdditionalProperties: true,
		Description: "The whole action to go on with where it was edited or redacted, else null. Of a call it is what an operator made of it before approving: run that, and consume its digest. Of a tool's result, and of a call whose assessment has rewrites, it is the one without secrets; the digest stays that of what was sent.",
	}
}

// assessment is what scoring said, passed through as it is stored.
type assessment json.RawMessage

// MarshalJSON writes it as it is.
func (a assessment) MarshalJSON() ([]byte, error) { return a, nil }

// wire shows an approval to its agent.
func (s *server) wire(v approvals.AgentView) (approval, error) {
	stored, err := json.Marshal(v.Assessment)
	if err != nil {
		return approval{}, err
	}
	w := approval{
		ID: v.ID, Status: string(v.Status), Level: v.Assessment.Level.String(), Score: v.Assessment.Score,
		Headline: v.Headline, Digest: v.Digest, ShownDigest: v.ShownDigest,
		Challenge: challenge{Kind: string(cmp.Or(v.Asks, v.Treatment.Challenge)), ApprovalsRequired: v.Treatment.ApprovalsRequired, ApprovalsGiven: v.Signed},
		Needs:     wireNeeds(v.Needed), Assessment: stored,
		CreatedAt: instant(v.CreatedAt), ExpiresAt: instant(v.ExpiresAt), Questions: wireQuestions(v.Questions),
		ConsoleURL: s.PublicURL() + "/t/" + v.Tenant + "/approvals/" + v.ID,
	}
	if e := v.Extension; e != nil {
		w.Extension = &extension{Reason: e.Reason, Was: instant(e.Was), ExtendedAt: instant(e.At)}
	}
	if v.Revises != "" {
		w.Revises = &v.Revises
	}
	if v.Newer != "" {
		w.Newer = &v.Newer
	}
	if d := v.Decision; d != nil {
		at := instant(d.DecidedAt)
		w.DecidedAt, w.Decision = &at, wireDecision(*d, v.Grant, v.InForce)
		w.Decision.Effective = v.Effective
		if d.Verdict == approvals.VerdictApprove && len(d.DecidedBy) > 0 && d.DecidedBy[0].Kind == approvals.ByPerson {
			w.Challenge.ApprovalsGiven = len(d.DecidedBy)
		}
	}
	if e := v.Execution; e != nil {
		w.Execution = &execution{State: "reported", Status: &e.Status, Detail: e.Detail}
	} else if v.Grant != nil && v.Grant.ConsumedAt != nil {
		w.Execution = &execution{State: "consumed"}
	}
	return w, nil
}

func wireDryRun(d approvals.DryRun) (dryRun, error) {
	made, err := json.Marshal(d.Assessment)
	return dryRun{
		DryRun: true, Status: string(d.Status), Level: d.Assessment.Level.String(), Score: d.Assessment.Score,
		Headline: d.Headline, Digest: d.Digest, ShownDigest: d.ShownDigest,
		Challenge: challenge{Kind: string(cmp.Or(d.Asks, d.Treatment.Challenge)), ApprovalsRequired: d.Treatment.ApprovalsRequired},
		Needs:     wireNeeds(d.Needed), Assessment: made, PolicyVersion: d.PolicyVersion, CallNumber: d.CallNumber,
	}, err
}

func wireDecision(d approvals.Decision, g *approvals.Grant, digest string) *decision {
	w := &decision{Verdict: string(d.Verdict), Reason: d.Reason, DecidedBy: make([]decider, len(d.DecidedBy))}
	for i, by := range d.DecidedBy {
		w.DecidedBy[i] = decider{Kind: string(by.Kind), ID: by.ID, Name: by.Name}
		if by.For != nil {
			w.DecidedBy[i].For = &person{by.For.ID, by.For.Name}
		}
	}
	if g != nil {
		w.Grant, w.Digest = &g.Token, &digest
		if g.VoidedAt != nil {
			w.Voided = &voided{At: instant(*g.VoidedAt), Reason: g.VoidReason}
		}
	}
	return w
}

// optional is an instant that may be missing.
func optional(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := instant(*t)
	return &s
}

// instant is RFC 3339 in UTC with microseconds, which is what databases keep.
func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }
