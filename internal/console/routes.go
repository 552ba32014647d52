package console

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/live"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/web"
)

// Config is what a Console needs; every field but NeverLock is required.
type Config struct {
	Approvals *approvals.Service
	Tenants   *tenants.Service
	Audit     AuditTrail
	// Checkpoints are the newest signed ones.
	Checkpoints Checkpoints
	Live        *live.Hub
	Notices     *notices.Service
	Sessions    SessionStore
	Doors       *auth.Doors
	Assets      *web.Assets
	PublicURL   func() string    // known once the server listens
	Now         func() time.Time // for sessions and for times on pages without data
	Log         *slog.Logger
	// Trouble is why nothing can be stored at the moment; nil: nothing is known. It is quick.
	Trouble func() error
	// NeverLock keeps deciding open however long nobody does anything: the demo's, where
	// nobody has a password to open it again.
	NeverLock bool
}

// SessionStore keeps sign-ins, by their hashed tokens.
type SessionStore interface {
	scs.CtxStore
	// Existing are those of these sessions that have not expired or ended.
	Existing(ctx context.Context, tokens []string) ([]string, error)
}

// AuditTrail reads a tenant's log. It is declared here because the store, which
// has it, stands beside this package and not below it.
type AuditTrail interface {
	// Search returns one page of what a filter chooses.
	Search(ctx context.Context, tenant string, q audit.Query) (audit.Page, error)
	// Walk calls fn for every event below an index that the filter chooses, oldest first.
	Walk(ctx context.Context, tenant string, f audit.Filter, below int64, fn func(audit.Record) error) error
	// Event is one of them. fault.Missing.
	Event(ctx context.Context, tenant string, index int64) (audit.Record, error)
	// Head is the size of the log and the root of its tree.
	Head(ctx context.Context, tenant string) (audit.Head, error)
	// Proof is an event with the way from it to the root of the head of now.
	Proof(ctx context.Context, tenant string, index int64) (audit.Record, audit.Proof, error)
	// VerifyTelling checks the whole trail and says how far it is.
	// What was signed before must hold, too: against.
	VerifyTelling(ctx context.Context, tenant string, progress func(done, of int64), against ...audit.Checkpoint) (audit.Report, error)
}

// Checkpoints has what the server signed. It is declared here because its state
// stands with the keys, outside of the database.
type Checkpoints interface {
	// Newest is that of a tenant's log; without a note where there is none yet.
	Newest(tenant string) audit.SignedCheckpoint
	// Keys are the public keys that verify, the one that signs first.
	Keys() []string
}

// Console serves people. It is safe for concurrent use. Close it.
type Console struct {
	approvals *approvals.Service
	tenants   *tenants.Service
	audit     AuditTrail
	signed    Checkpoints
	hub       *live.Hub
	notices   *notices.Service
	sessions  *sessions
	sockets   *sockets
	rooms     *rooms
	openPages *openPages
	checks    *checks
	assets    *web.Assets
	publicURL func() string
	now       func() time.Time
	trouble   func() error
	log       *slog.Logger
	// match chooses a language by Accept-Language, where there is a choice.
	match  func(accepted string) texts.Printer
	choice bool
}

// route is one address and what answers it.
type route struct {
	method, path string
	handle       func(call) error
}

// routes is everything that people can ask for, in the order of their way
// through the console.
func (s *Console) routes() []route {
	get := func(path string, h func(call) error) route { return route{http.MethodGet, path, h} }
	post := func(path string, h func(call) error) route { return route{http.MethodPost, path, h} }
	return []route{
		get(staticPath, s.static),
		get(workerURL, s.worker),

		get("/", s.home),
		get("/sign-in", s.signInPage),
		post("/sign-in", s.signIn),
		post("/sign-out", s.signOut),
		get("/first-run", s.firstRunPage),
		post("/first-run", s.firstRun),
		get(joinURL, s.joinPage),
		post(joinURL, s.join),
		get(passwordURL, s.passwordPage),
		post(passwordURL, s.choosePassword),
		get(accountURL, s.accountPage),
		post("/account/password", s.changePassword),
		post(renewURL, s.renewDevice),
		post("/account/sign-out-everywhere", s.signOutEverywhere),

		get("/t/:tenant", s.tenantHome),
		get("/t/:tenant/queue", s.queuePage),
		get("/t/:tenant/queue/rows", s.queueRows),
		post("/t/:tenant/queue/filters", s.saveFilter(savedQueue())),
		post("/t/:tenant/queue/filters/forget", s.forgetFilter(savedQueue())),
		post("/t/:tenant/history/filters", s.saveFilter(savedHistory())),
		post("/t/:tenant/history/filters/forget", s.forgetFilter(savedHistory())),
		post("/t/:tenant/audit/filters", s.saveFilter(savedTrail())),
		post("/t/:tenant/audit/filters/forget", s.forgetFilter(savedTrail())),
		post("/t/:tenant/queue/deny", s.denyAll),
		get("/t/:tenant/live", s.feed),
		post("/t/:tenant/guide/sample", s.sendSample),
		post("/t/:tenant/guide/close", s.closeGuide),
		get("/t/:tenant/session", s.sessionState),
		post("/t/:tenant/session", s.sessionState),

		get("/t/:tenant/approvals/:id", s.requestPage),
		post("/t/:tenant/approvals/:id/acknowledge", s.acknowledge),
		post("/t/:tenant/approvals/:id/start", s.start),
		post("/t/:tenant/approvals/:id/answer", s.answer),
		post("/t/:tenant/approvals/:id/leave", s.leave),
		post("/t/:tenant/approvals/:id/decide", s.decide),
		post("/t/:tenant/approvals/:id/withdraw", s.withdrawYes),
		post("/t/:tenant/approvals/:id/claim", s.claim),
		post("/t/:tenant/approvals/:id/assign", s.assign),
		post("/t/:tenant/approvals/:id/extend", s.extend),
		post("/t/:tenant/approvals/:id/release", s.release),
		get(editPath, s.editPage),
		post(editPath, s.edit),

		get("/t/:tenant/history", s.historyPage),
		get(overviewPath, s.overviewPage),
		post("/t/:tenant/history.csv", s.exportHistory),
		get(sessionPath, s.sessionPage),
		get(insightsPath, s.insightsPage),
		post(insightsPath+".csv", s.exportFigure),
		post(evaluationsPath, s.exportEvaluations),
		get(itemsPath, s.itemsPage),
		post(itemsPath+".csv", s.exportQuestions),
		post("/t/:tenant/insights/operators.csv", s.exportOperators),
		get("/t/:tenant/audit", s.auditPage),
		post("/t/:tenant/audit.csv", s.exportCSV),
		post("/t/:tenant/audit.jsonl", s.exportLines),
		get("/t/:tenant/audit/verification", s.verificationPage),
		post("/t/:tenant/audit/verification", s.startVerification),
		get(checkpointPath, s.checkpoint),
		get("/t/:tenant/audit/:index", s.auditEntryPage),

		get("/t/:tenant/help", s.helpPage),
		get(handbookPath, s.handbookPage),
		get("/t/:tenant/settings", s.settingsHome),
		get("/t/:tenant/settings/policy", s.policyPage),
		post("/t/:tenant/settings/policy", s.policySave),
		post("/t/:tenant/settings/policy/preview", s.policyPreview),
		get("/t/:tenant/settings/policy/versions", s.policyVersions),
		get("/t/:tenant/settings/policy/versions/:version", s.policyVersion),
		get("/t/:tenant/settings/policy/proposals/:proposal", s.proposalPage),
		post("/t/:tenant/settings/policy/proposals/:proposal/accept", s.acceptProposal),
		post("/t/:tenant/settings/policy/proposals/:proposal/reject", s.rejectProposal),
		post("/t/:tenant/settings/policy/proposals/:proposal/withdraw", s.withdrawProposal),
		get("/t/:tenant/settings/policy.yaml", s.policyFile),
		get("/t/:tenant/settings/policy.schema.json", s.policySchema),

		get(rulesPath, s.listPage(settingsRules)),
		post(rulesPath, s.editList(settingsRules)),
		get(patternsPath, s.listPage(settingsPatterns)),
		post(patternsPath, s.editList(settingsPatterns)),
		get(functionsPath, s.listPage(settingsFunctions)),
		post(functionsPath, s.editList(settingsFunctions)),
		get(entryPath, s.entryPage),
		post(entryPath, s.reviewEntry),

		get("/t/:tenant/settings/standing-grants", s.standingPage),
		post("/t/:tenant/settings/standing-grants", s.makeStanding),
		get("/t/:tenant/settings/standing-grants/new", s.newStandingPage),
		post("/t/:tenant/settings/standing-grants/preview", s.previewStanding),
		get("/t/:tenant/settings/standing-grants/:standing", s.standingOnePage),
		post("/t/:tenant/settings/standing-grants/:standing/revoke", s.revokeStanding),

		get("/t/:tenant/settings/agents", s.agentsPage),
		post("/t/:tenant/settings/agents", s.createAgent),
		get("/t/:tenant/settings/agents/new", s.newAgentPage),
		post("/t/:tenant/settings/agents/stop-all", s.stopAll),
		post("/t/:tenant/settings/agents/resume", s.resumeAll),
		get("/t/:tenant/settings/agents/:agent", s.agentPage),
		get(withoutPath, s.withoutPage),
		post("/t/:tenant/settings/agents/:agent/rotate", s.rotateKey),
		post("/t/:tenant/settings/agents/:agent/stop", s.stopAgent),
		post("/t/:tenant/settings/agents/:agent/start", s.startAgent),
		post("/t/:tenant/settings/agents/:agent/incident", s.recordIncident),
		get(toolsPath, s.toolsPage),
		post(toolsPath, s.importTools),
		post(toolsPath+"/accept", s.acceptTools),
		post(toolsPath+"/remove", s.removeTools),
		post("/t/:tenant/settings/agents/:agent/describe", s.describeAgent),
		post("/t/:tenant/settings/agents/:agent/bind", s.bindAgent),
		post("/t/:tenant/settings/agents/:agent/bind/preview", s.previewBinding),
		post("/t/:tenant/settings/agents/:agent/bind/accept", s.acceptBinding),
		post("/t/:tenant/settings/agents/:agent/bind/drop", s.dropBinding),
		post("/t/:tenant/settings/agents/:agent/keys/:key/expiry", s.setExpiry),
		post("/t/:tenant/settings/agents/:agent/keys/:key/revoke", s.revokeKey),

		get("/t/:tenant/settings/people", s.peoplePage),
		post("/t/:tenant/settings/people", s.invite),
		get("/t/:tenant/settings/people/new", s.invitePage),
		post("/t/:tenant/settings/people/invitations/:ticket/withdraw", s.withdrawInvitation),
		get("/t/:tenant/settings/people/:person", s.personPage),
		post("/t/:tenant/settings/people/:person/roles", s.setRoles),
		post("/t/:tenant/settings/people/:person/remove", s.removePerson),
		post("/t/:tenant/settings/people/:person/sign-out", s.endSessions),
		post("/t/:tenant/settings/people/:person/password-link", s.passwordLink),
		post("/t/:tenant/settings/people/:person/suspend", s.suspend),
		post("/t/:tenant/settings/people/:person/reinstate", s.reinstate),

		get(reasonsPath, s.reasonsPage),
		post(reasonsPath, s.setReasons),
		get(noticesPath, s.noticesPage),
		post(noticesPath, s.reviewNoticeDetail),
		get(noticesPath+"/new", s.newChannelPage),
		post(noticesPath+"/new", s.addChannel),
		post(noticesPath+"/new/preview", s.previewNewChannel),
		get(channelPath, s.channelPage),
		post(channelPath, s.changeChannel),
		post(channelPath+"/preview", s.previewChannel),
		post(channelPath+"/test", s.testChannel),
		post(channelPath+"/pause", s.pauseChannel),
		post(channelPath+"/resume", s.resumeChannel),
		post(channelPath+"/rotate", s.rotateChannel),
		post(channelPath+"/delete", s.deleteChannel),

		get(routingPath, s.routingPage),
		get(rulePath, s.rulePage),
		post(rulePath, s.saveRule),
		post(rulePath+"/move", s.moveRule),
		post(rulePath+"/delete", s.removeRule),
		get(teamPath, s.teamPage),
		post(teamPath, s.saveTeam),
		post(teamPath+"/day", s.takeDay),
		post(teamPath+"/delete", s.removeTeam),

		post(displayPath, s.setDisplay),
		get(ownPath, s.ownNoticesPage),
		post(ownPath, s.saveOwnNotices),
		post(ownPath+"/add", s.addOwn),
		post(ownPath+"/devices", s.addDevice),
		post(ownPath+"/:channel/test", s.ownAct("", s.notices.TestOwn)),
		post(ownPath+"/:channel/pause", s.ownAct(deedPaused, s.notices.PauseOwn)),
		post(ownPath+"/:channel/resume", s.ownAct(deedResumed, s.notices.ResumeOwn)),
		post(ownPath+"/:channel/delete", s.ownAct(deedRemoved, s.notices.RemoveOwn)),

		get(waitingPath, s.waitingPage),
		post(waitingPath+"/:proposal/accept", s.acceptPeople),
		post(waitingPath+"/:proposal/object", s.objectPeople),
		post(waitingPath+"/:proposal/withdraw", s.withdrawPeople),
	}
}

// Register adds the console's addresses to e. The error names an address that is
// missing in one of the two tables above.
func Register(e *echo.Echo, c Config) (*Console, error) {
	s := &Console{
		approvals: c.Approvals, tenants: c.Tenants, audit: c.Audit, signed: c.Checkpoints, hub: c.Live, notices: c.Notices, assets: c.Assets,
		publicURL: c.PublicURL, now: c.Now, trouble: c.Trouble, log: c.Log,
		match: texts.Match, choice: len(texts.Languages()) > 1,
		sessions: newSessions(provenSessions{c.Sessions, c.Doors}, c.PublicURL, c.Tenants.Now, c.NeverLock), sockets: newSockets(), rooms: newRooms(), openPages: newOpenPages(), checks: newChecks(c.Audit, c.Checkpoints, c.Tenants.Tell, c.Log),
	}
	return s, s.register(e, s.routes(), Needs())
}

func (s *Console) register(e *echo.Echo, routes []route, needs []Need) error {
	table := make(map[string]Need, len(needs))
	for _, n := range needs {
		table[n.Method+" "+n.Path] = n
	}
	for _, r := range routes {
		n, ok := table[r.method+" "+r.path]
		if !ok {
			return fmt.Errorf("console: %s %s has no row in the table of permissions", r.method, r.path)
		}
		delete(table, r.method+" "+r.path)
		e.Add(r.method, r.path, s.guard(n, r.handle))
	}
	for name := range table {
		return fmt.Errorf("console: the table of permissions has a row for %s, which nobody serves", name)
	}
	return nil
}

// Sockets is how many live pages are open.
func (s *Console) Sockets() int { return s.sockets.open() }

// Close ends every socket with 1012 (come back soon) and every verification, and
// waits for them.
func (s *Console) Close(ctx context.Context) error {
	return errors.Join(s.sockets.close(ctx), s.checks.close(ctx))
}
