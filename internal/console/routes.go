package console

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
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

// What addresses outside of a tenant need.
const (
	Anyone   auth.Permission = "anyone"
	SignedIn auth.Permission = "signed-in"
)

// Route is one address: what it asks of whoever comes, and what answers it. Get and post
// make one, so that none is without a permission.
type Route struct {
	Method, Path string
	// Permission is what a role in the tenant must allow. Anyone and SignedIn stand
	// for the addresses outside of tenants.
	Permission auth.Permission
	// Background marks what pages ask for by themselves: it is no sign of a person,
	// and without a session it answers 401 in place of the way to the sign-in page.
	Background bool

	handle func(call) error
	most   int64 // bytes of its form
	files  bool  // its form may hold some
	// typed reports whether a field is read as it was typed, besides those that always are.
	typed func(name string) bool
}

func get(path string, p auth.Permission, handle func(call) error) Route {
	return Route{Method: http.MethodGet, Path: path, Permission: p, handle: handle}
}

func post(path string, p auth.Permission, handle func(call) error) Route {
	return Route{Method: http.MethodPost, Path: path, Permission: p, handle: handle, most: maxForm}
}

func (r Route) inBackground() Route {
	r.Background = true
	return r
}

func (r Route) upTo(bytes int64) Route {
	r.most = bytes
	return r
}

// takesTools is for a form with a list of tools, as a file or pasted.
func (r Route) takesTools() Route {
	r.most, r.files = maxToolsForm, true
	return r
}

// carriesLists is for a form with all lists of a policy, whose patterns and examples
// are read as they were typed.
func (r Route) carriesLists() Route {
	r.most, r.typed = maxListsForm, func(name string) bool { return name == fieldLists || strings.HasPrefix(name, editPrefix) }
	return r
}

// Routes is every address of the console, with what it asks of whoever comes.
func Routes() []Route { return new(Console).routes() }

// routes is everything that people can ask for, in the order of their way
// through the console.
func (s *Console) routes() []Route {
	return []Route{
		get(staticPath, Anyone, s.static).inBackground(),
		get(workerURL, Anyone, s.worker).inBackground(),

		get("/", SignedIn, s.home),
		get("/sign-in", Anyone, s.signInPage),
		post("/sign-in", Anyone, s.signIn),
		post("/sign-out", SignedIn, s.signOut),
		get("/first-run", Anyone, s.firstRunPage),
		post("/first-run", Anyone, s.firstRun),
		get(urls.Join, Anyone, s.joinPage),
		post(urls.Join, Anyone, s.join),
		get(urls.NewPassword, Anyone, s.passwordPage),
		post(urls.NewPassword, Anyone, s.choosePassword),
		get(urls.Account, SignedIn, s.accountPage),
		post("/account/password", SignedIn, s.changePassword),
		post(renewURL, SignedIn, s.renewDevice).inBackground(),
		post("/account/sign-out-everywhere", SignedIn, s.signOutEverywhere),

		get("/t/:tenant", auth.ReadQueue, s.tenantHome),
		get("/t/:tenant/queue", auth.ReadQueue, s.queuePage),
		get("/t/:tenant/queue/rows", auth.ReadQueue, s.queueRows).inBackground(),
		post("/t/:tenant/queue/filters", auth.ReadQueue, s.saveFilter(savedQueue())),
		post("/t/:tenant/queue/filters/forget", auth.ReadQueue, s.forgetFilter(savedQueue())),
		post("/t/:tenant/history/filters", auth.ReadQueue, s.saveFilter(savedHistory())),
		post("/t/:tenant/history/filters/forget", auth.ReadQueue, s.forgetFilter(savedHistory())),
		post("/t/:tenant/audit/filters", auth.ReadAudit, s.saveFilter(savedTrail())),
		post("/t/:tenant/audit/filters/forget", auth.ReadAudit, s.forgetFilter(savedTrail())),
		post("/t/:tenant/queue/deny", auth.Refuse, s.denyAll),
		get("/t/:tenant/live", auth.ReadQueue, s.feed).inBackground(),
		post("/t/:tenant/guide/sample", auth.ManageAgents, s.sendSample),
		post("/t/:tenant/guide/close", auth.ReadAgents, s.closeGuide),
		get("/t/:tenant/session", auth.ReadQueue, s.sessionState).inBackground(),
		post("/t/:tenant/session", auth.ReadQueue, s.sessionState),

		get("/t/:tenant/approvals/:id", auth.ReadQueue, s.requestPage),
		post("/t/:tenant/approvals/:id/acknowledge", auth.Decide, s.acknowledge),
		post("/t/:tenant/approvals/:id/start", auth.Decide, s.start),
		post("/t/:tenant/approvals/:id/answer", auth.Decide, s.answer),
		post("/t/:tenant/approvals/:id/leave", auth.Decide, s.leave),
		post("/t/:tenant/approvals/:id/decide", auth.Refuse, s.decide),
		post("/t/:tenant/approvals/:id/withdraw", auth.ReadQueue, s.withdrawYes),
		post("/t/:tenant/approvals/:id/claim", auth.Decide, s.claim),
		post("/t/:tenant/approvals/:id/assign", auth.Decide, s.assign),
		post("/t/:tenant/approvals/:id/extend", auth.Decide, s.extend),
		post("/t/:tenant/approvals/:id/ask", auth.Decide, s.ask),
		post("/t/:tenant/approvals/:id/release", auth.Decide, s.release),
		get(editPath, auth.Decide, s.editPage),
		post(editPath, auth.Decide, s.edit).upTo(maxEditForm),

		get("/t/:tenant/history", auth.ReadQueue, s.historyPage),
		get(overviewPath, auth.ReadQueue, s.overviewPage),
		post("/t/:tenant/history.csv", auth.ExportAudit, s.exportHistory),
		get(sessionPath, auth.ReadQueue, s.sessionPage),
		get(insightsPath, auth.ReadQueue, s.insightsPage),
		post(insightsPath+".csv", auth.ExportAudit, s.exportFigure),
		post(evaluationsPath, auth.ExportAudit, s.exportEvaluations),
		get(itemsPath, auth.ReadPeople, s.itemsPage),
		post(itemsPath+".csv", auth.ExportAudit, s.exportQuestions),
		post("/t/:tenant/insights/operators.csv", auth.ExportAudit, s.exportOperators),
		get("/t/:tenant/audit", auth.ReadAudit, s.auditPage),
		post("/t/:tenant/audit.csv", auth.ExportAudit, s.exportCSV),
		post("/t/:tenant/audit.jsonl", auth.ExportAudit, s.exportLines),
		get("/t/:tenant/audit/verification", auth.ExportAudit, s.verificationPage),
		post("/t/:tenant/audit/verification", auth.ExportAudit, s.startVerification),
		get(checkpointPath, auth.ReadAudit, s.checkpoint),
		get("/t/:tenant/audit/:index", auth.ReadAudit, s.auditEntryPage),

		get("/t/:tenant/help", auth.ReadQueue, s.helpPage),
		get(handbookPath, auth.ReadQueue, s.handbookPage),
		get("/t/:tenant/settings", auth.ReadQueue, s.settingsHome),
		get("/t/:tenant/settings/policy", auth.ReadPolicy, s.policyPage),
		post("/t/:tenant/settings/policy", auth.ProposePolicy, s.policySave).carriesLists(),
		post("/t/:tenant/settings/policy/preview", auth.ProposePolicy, s.policyPreview).carriesLists(),
		get("/t/:tenant/settings/policy/versions", auth.ReadPolicy, s.policyVersions),
		get("/t/:tenant/settings/policy/versions/:version", auth.ReadPolicy, s.policyVersion),
		get("/t/:tenant/settings/policy/proposals/:proposal", auth.ReadPolicy, s.proposalPage),
		post("/t/:tenant/settings/policy/proposals/:proposal/accept", auth.ChangePolicy, s.acceptProposal),
		post("/t/:tenant/settings/policy/proposals/:proposal/reject", auth.ProposePolicy, s.rejectProposal),
		post("/t/:tenant/settings/policy/proposals/:proposal/withdraw", auth.ProposePolicy, s.withdrawProposal),
		get("/t/:tenant/settings/policy.yaml", auth.ReadPolicy, s.policyFile),
		get("/t/:tenant/settings/policy.schema.json", auth.ReadPolicy, s.policySchema),

		get(rulesPath, auth.ReadPolicy, s.listPage(urls.PlaceRules)),
		post(rulesPath, auth.ProposePolicy, s.editList(urls.PlaceRules)).carriesLists(),
		get(patternsPath, auth.ReadPolicy, s.listPage(urls.PlacePatterns)),
		post(patternsPath, auth.ProposePolicy, s.editList(urls.PlacePatterns)).carriesLists(),
		get(functionsPath, auth.ReadPolicy, s.listPage(urls.PlaceFunctions)),
		post(functionsPath, auth.ProposePolicy, s.editList(urls.PlaceFunctions)).carriesLists(),
		get(entryPath, auth.ProposePolicy, s.entryPage),
		post(entryPath, auth.ProposePolicy, s.reviewEntry),

		get("/t/:tenant/settings/standing-grants", auth.ReadQueue, s.standingPage),
		post("/t/:tenant/settings/standing-grants", auth.Decide, s.makeStanding),
		get("/t/:tenant/settings/standing-grants/new", auth.Decide, s.newStandingPage),
		post("/t/:tenant/settings/standing-grants/preview", auth.Decide, s.previewStanding),
		get("/t/:tenant/settings/standing-grants/:standing", auth.ReadQueue, s.standingOnePage),
		post("/t/:tenant/settings/standing-grants/:standing/revoke", auth.Decide, s.revokeStanding),

		get("/t/:tenant/settings/agents", auth.ReadAgents, s.agentsPage),
		post("/t/:tenant/settings/agents", auth.ManageAgents, s.createAgent),
		get("/t/:tenant/settings/agents/new", auth.ManageAgents, s.newAgentPage),
		post("/t/:tenant/settings/agents/stop-all", auth.StopAgents, s.stopAll),
		post("/t/:tenant/settings/agents/resume", auth.ManageAgents, s.resumeAll),
		get("/t/:tenant/settings/agents/:agent", auth.ReadAgents, s.agentPage),
		get(withoutPath, auth.ReadPolicy, s.withoutPage),
		post("/t/:tenant/settings/agents/:agent/rotate", auth.ManageAgents, s.rotateKey),
		post("/t/:tenant/settings/agents/:agent/stop", auth.ManageAgents, s.stopAgent),
		post("/t/:tenant/settings/agents/:agent/start", auth.ManageAgents, s.startAgent),
		post("/t/:tenant/settings/agents/:agent/incident", auth.ManageAgents, s.recordIncident),
		get(toolsPath, auth.ReadAgents, s.toolsPage),
		post(toolsPath, auth.ManageAgents, s.importTools).takesTools(),
		post(toolsPath+"/accept", auth.ManageAgents, s.acceptTools).takesTools(),
		post(toolsPath+"/remove", auth.ManageAgents, s.removeTools),
		post("/t/:tenant/settings/agents/:agent/describe", auth.ManageAgents, s.describeAgent),
		post("/t/:tenant/settings/agents/:agent/bind", auth.ManageAgents, s.bindAgent),
		post("/t/:tenant/settings/agents/:agent/bind/preview", auth.ManageAgents, s.previewBinding),
		post("/t/:tenant/settings/agents/:agent/bind/accept", auth.ChangePolicy, s.acceptBinding),
		post("/t/:tenant/settings/agents/:agent/bind/drop", auth.ManageAgents, s.dropBinding),
		post("/t/:tenant/settings/agents/:agent/keys/:key/expiry", auth.ManageAgents, s.setExpiry),
		post("/t/:tenant/settings/agents/:agent/keys/:key/revoke", auth.ManageAgents, s.revokeKey),

		get("/t/:tenant/settings/people", auth.ReadPeople, s.peoplePage),
		post("/t/:tenant/settings/people", auth.ManagePeople, s.invite),
		get("/t/:tenant/settings/people/new", auth.ManagePeople, s.invitePage),
		post("/t/:tenant/settings/people/invitations/:ticket/withdraw", auth.ManagePeople, s.withdrawInvitation),
		get("/t/:tenant/settings/people/:person", auth.ReadPeople, s.personPage),
		post("/t/:tenant/settings/people/:person/roles", auth.ManagePeople, s.setRoles),
		post("/t/:tenant/settings/people/:person/remove", auth.ManagePeople, s.removePerson),
		post("/t/:tenant/settings/people/:person/sign-out", auth.ManagePeople, s.endSessions),
		post("/t/:tenant/settings/people/:person/password-link", auth.ManagePeople, s.passwordLink),
		post("/t/:tenant/settings/people/:person/suspend", auth.ManagePeople, s.suspend),
		post("/t/:tenant/settings/people/:person/reinstate", auth.ManagePeople, s.reinstate),

		get(reasonsPath, auth.ReadPolicy, s.reasonsPage),
		post(reasonsPath, auth.ChangePolicy, s.setReasons),
		get(noticesPath, auth.ReadNotices, s.noticesPage),
		post(noticesPath, auth.ManageNotices, s.reviewNoticeDetail),
		get(noticesPath+"/new", auth.ManageNotices, s.newChannelPage),
		post(noticesPath+"/new", auth.ManageNotices, s.addChannel),
		post(noticesPath+"/new/preview", auth.ManageNotices, s.previewNewChannel),
		get(channelPath, auth.ReadNotices, s.channelPage),
		post(channelPath, auth.ManageNotices, s.changeChannel),
		post(channelPath+"/preview", auth.ManageNotices, s.previewChannel),
		post(channelPath+"/test", auth.ManageNotices, s.testChannel),
		post(channelPath+"/pause", auth.ManageNotices, s.pauseChannel),
		post(channelPath+"/resume", auth.ManageNotices, s.resumeChannel),
		post(channelPath+"/rotate", auth.ManageNotices, s.rotateChannel),
		post(channelPath+"/delete", auth.ManageNotices, s.deleteChannel),

		get(routingPath, auth.ReadNotices, s.routingPage),
		get(rulePath, auth.ReadNotices, s.rulePage),
		post(rulePath, auth.ManageNotices, s.saveRule),
		post(rulePath+"/move", auth.ManageNotices, s.moveRule),
		post(rulePath+"/delete", auth.ManageNotices, s.removeRule),
		get(teamPath, auth.ReadNotices, s.teamPage),
		post(teamPath, auth.ManageNotices, s.saveTeam),
		post(teamPath+"/day", auth.ManageNotices, s.takeDay),
		post(teamPath+"/delete", auth.ManageNotices, s.removeTeam),

		post(displayPath, auth.ReadQueue, s.setDisplay),
		get(ownPath, auth.ReadQueue, s.ownNoticesPage),
		post(ownPath, auth.ReadQueue, s.saveOwnNotices),
		post(ownPath+"/add", auth.ReadQueue, s.addOwn),
		post(ownPath+"/devices", auth.ReadQueue, s.addDevice),
		post(ownPath+"/:channel/test", auth.ReadQueue, s.ownAct("", s.notices.TestOwn)),
		post(ownPath+"/:channel/pause", auth.ReadQueue, s.ownAct(deedPaused, s.notices.PauseOwn)),
		post(ownPath+"/:channel/resume", auth.ReadQueue, s.ownAct(deedResumed, s.notices.ResumeOwn)),
		post(ownPath+"/:channel/delete", auth.ReadQueue, s.ownAct(deedRemoved, s.notices.RemoveOwn)),

		get(waitingPath, auth.ReadPolicy, s.waitingPage),
		post(waitingPath+"/:proposal/accept", auth.ManagePeople, s.acceptPeople),
		post(waitingPath+"/:proposal/object", auth.ProposePolicy, s.objectPeople),
		post(waitingPath+"/:proposal/withdraw", auth.ReadPolicy, s.withdrawPeople),
	}
}

// Register adds the console's addresses to e.
func Register(e *echo.Echo, c Config) *Console {
	s := &Console{
		approvals: c.Approvals, tenants: c.Tenants, audit: c.Audit, signed: c.Checkpoints, hub: c.Live, notices: c.Notices, assets: c.Assets,
		publicURL: c.PublicURL, now: c.Now, trouble: c.Trouble, log: c.Log,
		match: texts.Match, choice: len(texts.Languages()) > 1,
		sessions: newSessions(provenSessions{c.Sessions, c.Doors}, c.PublicURL, c.Tenants.Now, c.NeverLock), sockets: newSockets(), rooms: newRooms(), openPages: newOpenPages(), checks: newChecks(c.Audit, c.Checkpoints, c.Tenants.Tell, c.Log),
	}
	for _, r := range s.routes() {
		e.Add(r.Method, r.Path, s.guard(r))
	}
	return s
}

// Sockets is how many live pages are open.
func (s *Console) Sockets() int { return s.sockets.open() }

// Close ends every socket with 1012 (come back soon) and every verification, and
// waits for them.
func (s *Console) Close(ctx context.Context) error {
	return errors.Join(s.sockets.close(ctx), s.checks.close(ctx))
}
