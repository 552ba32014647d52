// Package storetest is what a database must do to be one of ours: one suite, run
// on each. What it finds on one and not on the other is a bug.
package storetest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// Database is an open, migrated, empty store, and a way to reach its rows past
// everything that the store checks. Both close with the test.
type Database struct {
	Store *store.Store
	Raw   *sql.DB
	// Disarm takes every trigger away and returns what puts them back, so that an
	// edit can be made that only the comparison with the log finds.
	Disarm func(t *testing.T, raw *sql.DB) (restore func())
}

type part struct {
	name string
	test func(t *testing.T, w world)
}

// parts is the suite; in partsAtOnce several act at once, so that the race detector watches them.
var (
	parts = []part{
		{"Tenants", testTenants},
		{"PoliciesHold", testPoliciesHold},
		{"PoliciesVerify", testPoliciesVerify},
		{"People", testPeople},
		{"Agents", testAgents},
		{"AgentKeys", testAgentKeys},
		{"StoppedAgents", testStoppedAgents},
		{"LastUsed", testLastUsed},
		{"Activity", testActivity},
		{"Unspent", testUnspent},
		{"Memberships", testMemberships},
		{"Entrances", testEntrances},
		{"Sign-ins", testSignIns},
		{"Tickets", testTickets},
		{"Links", testLinks},
		{"FirstRunLink", testFirstRunLink},
		{"Sessions", testSessions},
		{"ApprovalComesBack", testRoundTrip},
		{"Decide", testDecide},
		{"Restate", testRestate},
		{"Filters", testFilters},
		{"Paging", testPaging},
		{"AgentViews", testAgentViews},
		{"AgentViewsAreBounded", testAgentViewsAreBounded},
		{"Lines", testLines},
		{"QueueOrder", testQueueOrder},
		{"Duplicates", testDuplicates},
		{"Newer", testNewer},
		{"Answering", testAnswering},
		{"SavedFilters", testSavedFilters},
		{"RequestTexts", testRequestTexts},
		{"Guide", testGuide},
		{"Display", testDisplay},
		{"Reasons", testReasons},
		{"Grants", testGrants},
		{"Reports", testReports},
		{"CallCountsHold", testCallCountsHold},
		{"Denials", testDenials},
		{"DenialsHold", testDenialsHold},
		{"BindingsHold", testBindingsHold},
		{"FileMemory", testFileMemory},
		{"FullMemory", testFullMemory},
		{"LongPaths", testLongPaths},
		{"Quizzes", testQuizzes},
		{"FirstViews", testFirstViews},
		{"SectionReads", testSectionReads},
		{"Looks", testLooks},
		{"Snoozes", testSnoozes},
		{"Waits", testWaits},
		{"Questions", testQuestions},
		{"Comments", testComments},
		{"Absences", testAbsences},
		{"Claims", testClaims},
		{"NamesThatAreNoText", testNamesThatAreNoText},
		{"Signatures", testSignatures},
		{"SignaturesHold", testSignaturesHold},
		{"Standing", testStanding},
		{"StandingHolds", testStandingHolds},
		{"ImportedTools", testImportedTools},
		{"SessionGrants", testSessionGrants},
		{"HeldCalls", testHeldCalls},
		{"AgentCalls", testAgentCalls},
		{"SessionCalls", testSessionCalls},
		{"Trust", testTrust},
		{"TrustHolds", testTrustHolds},
		{"Edits", testEdits},
		{"EditsHold", testEditsHold},
		{"Revisions", testRevisions},
		{"Isolation", testIsolation},
		{"Rollback", testRollback},
		{"Zones", testZones},
		{"Append", testAppend},
		{"Search", testSearch},
		{"SearchWindow", testSearchWindow},
		{"Proofs", testProofs},
		{"History", testHistory},
		{"Rollups", testRollups},
		{"NarrowedInsights", testNarrowedInsights},
		{"RollupsAreForgotten", testRollupsAreForgotten},
		{"RollupsAreBounded", testRollupsAreBounded},
		{"Evaluations", testEvaluations},
		{"SessionsAbove", testSessionsAbove},
		{"EvaluationsAreForgotten", testEvaluationsAreForgotten},
		{"EventTooLarge", testEventTooLarge},
		{"TriggersRefuse", testTriggers},
		{"VerifyHolds", testVerifyHolds},
		{"VerifyFinds", testVerifyFinds},
		{"SignedBefore", testSignedBefore},
		{"ReviewsHold", testReviewsHold},
		{"Outbox", testOutbox},
		{"Deliveries", testDeliveries},
		{"LaterNotices", testLaterNotices},
		{"Channels", testChannels},
		{"Lease", testLease},
		{"ChannelsOfPeople", testChannelsOfPeople},
		{"NoticePlans", testNoticePlans},
		{"NoticeCalls", testNoticeCalls},
	}
	partsAtOnce = []part{
		{"PolicyVersions", testPolicyVersions},
		{"Proposals", testProposals},
		{"HaltedTenants", testHalts},
		{"TicketUsedOnce", testTicketRace},
		{"LinkUsedOnce", testLinkRace},
		{"FirstPersonRace", testFirstPersonRace},
		{"SignInFailures", testSignInFailures},
		{"CallCounts", testCallCounts},
		{"DenialsMeet", testDenialsMeet},
		{"Challenges", testChallenges},
		{"TwoDeciders", testTwoDeciders},
		{"ParallelConsumes", testParallelConsumes},
		{"AttemptsAreCounted", testAttemptsAreCounted},
		{"LinksVoidEachOther", testLinksVoidEachOther},
		{"EqualKeys", testEqualKeys},
		{"ParallelSignatures", testParallelSignatures},
		{"StandingUses", testStandingUses},
		{"TrustIsLostAtOnce", testTrustIsLostAtOnce},
		{"CancelledContext", testCancelledContext},
		{"RollupRace", testRollupRace},
		{"SessionsAreCountedAtOnce", testSessionsAreCountedAtOnce},
	}
)

// Run runs the suite. open is called once for each test, in parallel.
func Run(t *testing.T, open func(t *testing.T) Database) {
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			long.NotUnderRace(t, "one call follows the other")
			part.test(t, newWorld(t, open))
		})
	}
	for _, part := range partsAtOnce {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			long.Race(t)
			part.test(t, newWorld(t, open))
		})
	}
}

// world is a database with the tenant acme, its agent and two people; and a
// second tenant, beta, with the same.
type world struct {
	Database
	open       func(t *testing.T) Database
	acme, beta place
}

// place is one tenant.
type place struct {
	db     Database
	tenant string
	agent  auth.Agent
	key    string // hash of the agent's key
	ada    auth.Person
	ben    auth.Person
}

func newWorld(t *testing.T, open func(t *testing.T) Database) world {
	t.Helper()
	db := open(t)
	return world{Database: db, open: open, acme: newPlace(t, db, "acme"), beta: newPlace(t, db, "beta")}
}

func newPlace(t *testing.T, db Database, slug string) place {
	t.Helper()
	p := place{
		db: db, tenant: slug, key: auth.HashToken("key of " + slug),
		agent: auth.Agent{Tenant: slug, ID: auth.NewID("agt"), Name: "bot", KeyID: auth.NewID("key"), Scopes: []auth.Scope{auth.ScopeSubmit, auth.ScopeAssess}},
		ada:   auth.Person{ID: auth.NewID("per"), Email: "ada@" + slug + ".example", Name: "Ada"},
		ben:   auth.Person{ID: auth.NewID("per"), Email: "ben@" + slug + ".example", Name: "Ben"},
	}
	p.agent.Owner = p.ben.ID
	err := db.Store.Tenants().CreateTenant(t.Context(), slug, scoring.DefaultPolicy(), func(w tenants.Writer) error {
		for _, step := range []func() error{
			func() error { return w.Append(tenantCreated()) },
			func() error { return w.CreatePerson(p.ada, "$argon2id$") },
			func() error { return w.CreatePerson(p.ben, "") },
			func() error { return w.Grant(p.ada.ID, []auth.Role{auth.Operator, auth.Admin}) },
			func() error { return w.Grant(p.ben.ID, []auth.Role{auth.Compliance}) },
			func() error { return newAgent(w, p.agent, p.key) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// newAgent stores an agent with the key that its principal names.
func newAgent(w tenants.Writer, a auth.Agent, keyHash string) error {
	if err := w.CreateAgent(tenants.Agent{Agent: a}); err != nil {
		return err
	}
	if err := w.AddKey(tenants.Key{ID: a.KeyID, Agent: a.ID, Scopes: a.Scopes}, keyHash); err != nil {
		return err
	}
	created := happened(audit.AgentCreated)
	created.Agent, created.Data = a.ID, canon.Object(
		canon.Member{Name: "name", Value: canon.String(a.Name)}, canon.Member{Name: "owner", Value: canon.String(a.Owner)},
		canon.Member{Name: "key", Value: canon.String(a.KeyID)}, canon.Member{Name: "scopes", Value: canon.String(auth.JoinScopes(a.Scopes))},
		canon.Member{Name: "key_sum", Value: canon.String(tenants.KeySum(keyHash))})
	return w.Append(created)
}

func happened(k audit.Kind) audit.Event {
	return audit.Event{Kind: k, Actor: audit.Actor{Kind: "system"}}
}

// happen writes n events, a hundred in a transaction: each one is a version of the
// log's row, which Postgres keeps to the end of the transaction.
func (p place) happen(t *testing.T, n int, event func(i int) audit.Event) {
	t.Helper()
	for first := 0; first < n; first += 100 {
		p.write(t, func(w approvals.Writer) error {
			var events []audit.Event
			for i := first; i < min(first+100, n); i++ {
				events = append(events, event(i))
			}
			return w.Append(events...)
		})
	}
}

// read and write are the two doors, for steps that must succeed.
func (p place) read(t *testing.T, fn func(r approvals.Reader) error) {
	t.Helper()
	if err := p.db.Store.Approvals().Read(t.Context(), p.tenant, fn); err != nil {
		t.Fatalf("read: %v", err)
	}
}

func (p place) write(t *testing.T, fn func(w approvals.Writer) error) {
	t.Helper()
	if err := p.try(t.Context(), fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

func (p place) try(ctx context.Context, fn func(w approvals.Writer) error) error {
	return p.db.Store.Approvals().Write(ctx, p.tenant, fn)
}

func parse(t *testing.T, body string) scoring.Action {
	t.Helper()
	tree, err := canon.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	return action
}

// submit stores a pending approval with its event. edit may be nil.
func (p place) submit(t *testing.T, edit func(a *approvals.Approval)) (a approvals.Approval) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		a = p.propose(t, w.Now())
		if edit != nil {
			edit(&a)
		}
		if err := w.Create(a, "", ""); err != nil {
			return err
		}
		return w.Append(submitted(a))
	})
	return a
}

func submitted(a approvals.Approval) audit.Event {
	sum := sha256.Sum256(a.Action)
	return about(a, audit.Submitted,
		canon.Member{Name: "action_sha256", Value: canon.String(hex.EncodeToString(sum[:]))},
		canon.Member{Name: "digest", Value: canon.String(a.Digest)},
		canon.Member{Name: "shown_digest", Value: canon.String(a.ShownDigest)},
		canon.Member{Name: "agent_name", Value: canon.String(a.Agent.Name)},
		canon.Member{Name: "agent_owner", Value: canon.String(a.Agent.Owner)},
		canon.Member{Name: "assessment_sha256", Value: kept(a.Assessment)},
		canon.Member{Name: "treatment_sha256", Value: kept(a.Treatment)})
}

func kept(v any) canon.Value {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	digest := sha256.Sum256(b)
	return canon.String(hex.EncodeToString(digest[:]))
}

// evidenceSum is what an event says of e beside it.
func evidenceSum(e approvals.Evidence) canon.Member {
	b, _ := json.Marshal(e) // our own types can always be written
	sum := sha256.Sum256(b)
	return canon.Member{Name: "evidence_sha256", Value: canon.String(hex.EncodeToString(sum[:]))}
}

// about is an event as the service writes it: an end is told by its decider, and
// names the grant.
func about(a approvals.Approval, k audit.Kind, data ...canon.Member) audit.Event {
	actor := audit.Actor{Kind: "agent", ID: a.Agent.ID}
	if a.Decision != nil && (k == audit.Approved || k == audit.Denied || k == audit.ChangesRequested) {
		by := a.Decision.DecidedBy[0]
		actor = audit.Actor{Kind: string(by.Kind), ID: by.ID}
		if a.Decision.Reason != "" && len(data) == 0 {
			data = append(data, canon.Member{Name: "reason", Value: canon.String(a.Decision.Reason)})
		}
		if e := a.Decision.Evidence; e != nil {
			data = append(data, evidenceSum(*e))
		}
	}
	if a.Grant != nil && k == audit.Approved {
		data = append(data, canon.Member{Name: "grant", Value: canon.Object(
			canon.Member{Name: "jti", Value: canon.String(a.Grant.ID)},
			canon.Member{Name: "expires_at", Value: canon.String(audit.FormatTime(a.Grant.ExpiresAt))})})
	}
	if k == audit.Reported {
		data = append(data, canon.Member{Name: "status", Value: canon.String("succeeded")})
	}
	return audit.Event{
		Kind: k, Actor: actor, Approval: a.ID, Agent: a.Agent.ID,
		Level: a.Assessment.Level.String(), Function: a.Function, Effect: string(a.Effect()), Data: canon.Object(data...),
	}
}

// approved is a with a decision and a grant.
func (p place) approved(a approvals.Approval, now time.Time) approvals.Approval {
	viewed := now.Add(-20 * time.Second)
	a.Status = approvals.Approved
	a.Decision = &approvals.Decision{
		Verdict: approvals.VerdictApprove, DecidedAt: now, DecidedBy: []approvals.Decider{{Kind: approvals.ByPerson, ID: p.ada.ID, Name: "Ada"}},
		Evidence: &approvals.Evidence{Kind: "quiz", Attempt: 1, FirstViewedAt: &viewed, ReviewSeconds: 20, Consequences: []string{"irreversible"}},
	}
	a.Grant = &approvals.Grant{ID: auth.NewID("grt"), Token: "e30.e30.c2ln", ExpiresAt: now.Add(5 * time.Minute).Truncate(time.Second)}
	return a
}

func (p place) denied(a approvals.Approval, reason string, now time.Time) approvals.Approval {
	a.Status = approvals.Denied
	a.Decision = &approvals.Decision{
		Verdict: approvals.VerdictDeny, Reason: reason, DecidedAt: now,
		DecidedBy: []approvals.Decider{{Kind: approvals.ByPerson, ID: p.ada.ID, Name: "Ada"}},
	}
	return a
}

// approve decides a with a grant.
func (p place) approve(t *testing.T, a approvals.Approval) (done approvals.Approval) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		done = p.approved(a, w.Now())
		if err := w.Decide(done, a.Version); err != nil {
			return err
		}
		return w.Append(about(done, audit.Approved))
	})
	return done
}

func (p place) deny(t *testing.T, a approvals.Approval, reason string) (done approvals.Approval) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		done = p.denied(a, reason, w.Now())
		if err := w.Decide(done, a.Version); err != nil {
			return err
		}
		return w.Append(about(done, audit.Denied, canon.Member{Name: "reason", Value: canon.String(reason)}))
	})
	return done
}

func (p place) get(t *testing.T, id string) (a approvals.Approval) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		a, err = r.Approval(id)
		return err
	})
	return a
}

// size is how many events the log has.
func (p place) size(t *testing.T) int64 {
	t.Helper()
	head, err := p.db.Store.Audit().Head(t.Context(), p.tenant)
	if err != nil {
		t.Fatal(err)
	}
	return head.Size
}

// same compares by JSON: times print their instant and zone, and nil lists and
// empty ones of a scorer are told apart.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := dump(t, got), dump(t, want); g != w {
		t.Errorf("%s is\n%s\nwant\n%s", what, g, w)
	}
}

func dump(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func wantFault(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// raw runs a statement past the store and says what the database answered.
func (d Database) raw(t *testing.T, statement string) error {
	t.Helper()
	_, err := d.Raw.ExecContext(t.Context(), statement)
	return err
}

func (d Database) mustRaw(t *testing.T, format string, args ...any) {
	t.Helper()
	statement := fmt.Sprintf(format, args...)
	if err := d.raw(t, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}
