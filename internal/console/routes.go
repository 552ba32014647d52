package console

import (
	"context"
	"errors"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/urls"
)

// Config is what a Console needs, and Route one of its addresses.
type (
	Config = edge.Config
	Route  = edge.Route
)

// Console serves people. It is safe for concurrent use. Close it.
type Console struct {
	*edge.Console
	feeds  *Feed
	policy *policyui.Pages
	checks *checks
}

// Routes is every address of the console, with what it asks of whoever comes.
func Routes() []edge.Route { return on(&edge.Console{}).routes() }

func on(base *edge.Console) *Console {
	return &Console{Console: base, feeds: newFeed(base), policy: &policyui.Pages{Console: base}}
}

// routes is everything that people can ask for, in the order of their way
// through the console.
func (s *Console) routes() []edge.Route {
	return slices.Concat(s.policy.Routes(), []edge.Route{
		edge.Get(edge.StaticPath, edge.Anyone, s.Static).InBackground(),
		edge.Get(edge.WorkerURL, edge.Anyone, s.Worker).InBackground(),

		edge.Get("/", edge.SignedIn, s.home),
		edge.Get("/sign-in", edge.Anyone, s.signInPage),
		edge.Post("/sign-in", edge.Anyone, s.signIn),
		edge.Post("/sign-out", edge.SignedIn, s.signOut),
		edge.Get("/first-run", edge.Anyone, s.firstRunPage),
		edge.Post("/first-run", edge.Anyone, s.firstRun),
		edge.Get(urls.Join, edge.Anyone, s.joinPage),
		edge.Post(urls.Join, edge.Anyone, s.join),
		edge.Get(urls.NewPassword, edge.Anyone, s.passwordPage),
		edge.Post(urls.NewPassword, edge.Anyone, s.choosePassword),
		edge.Get(urls.Account, edge.SignedIn, s.accountPage),
		edge.Post("/account/password", edge.SignedIn, s.changePassword),
		edge.Post(renewURL, edge.SignedIn, s.renewDevice).InBackground(),
		edge.Post("/account/sign-out-everywhere", edge.SignedIn, s.signOutEverywhere),

		edge.Get("/t/:tenant", auth.ReadQueue, s.tenantHome),
		edge.Get("/t/:tenant/queue", auth.ReadQueue, s.queuePage),
		edge.Get("/t/:tenant/queue/rows", auth.ReadQueue, s.queueRows).InBackground(),
		edge.Post("/t/:tenant/queue/filters", auth.ReadQueue, s.saveFilter(savedQueue())),
		edge.Post("/t/:tenant/queue/filters/forget", auth.ReadQueue, s.forgetFilter(savedQueue())),
		edge.Post("/t/:tenant/history/filters", auth.ReadQueue, s.saveFilter(savedHistory())),
		edge.Post("/t/:tenant/history/filters/forget", auth.ReadQueue, s.forgetFilter(savedHistory())),
		edge.Post("/t/:tenant/audit/filters", auth.ReadAudit, s.saveFilter(savedTrail())),
		edge.Post("/t/:tenant/audit/filters/forget", auth.ReadAudit, s.forgetFilter(savedTrail())),
		edge.Post("/t/:tenant/queue/deny", auth.Refuse, s.denyAll),
		edge.Get("/t/:tenant/live", auth.ReadQueue, s.feeds.feed).InBackground(),
		edge.Post("/t/:tenant/guide/sample", auth.ManageAgents, s.sendSample),
		edge.Post("/t/:tenant/guide/close", auth.ReadAgents, s.closeGuide),
		edge.Get("/t/:tenant/session", auth.ReadQueue, s.sessionState).InBackground(),
		edge.Post("/t/:tenant/session", auth.ReadQueue, s.sessionState),

		edge.Get("/t/:tenant/approvals/:id", auth.ReadQueue, s.requestPage),
		edge.Post("/t/:tenant/approvals/:id/acknowledge", auth.Decide, s.acknowledge),
		edge.Post("/t/:tenant/approvals/:id/start", auth.Decide, s.start),
		edge.Post("/t/:tenant/approvals/:id/answer", auth.Decide, s.answer),
		edge.Post("/t/:tenant/approvals/:id/leave", auth.Decide, s.leave),
		edge.Post("/t/:tenant/approvals/:id/decide", auth.Refuse, s.decide),
		edge.Post("/t/:tenant/approvals/:id/withdraw", auth.ReadQueue, s.withdrawYes),
		edge.Post("/t/:tenant/approvals/:id/ask", auth.Decide, s.ask),
		edge.Post("/t/:tenant/approvals/:id/claim", auth.Decide, s.claim),
		edge.Post("/t/:tenant/approvals/:id/assign", auth.Decide, s.assign),
		edge.Post("/t/:tenant/approvals/:id/extend", auth.Decide, s.extend),
		edge.Post("/t/:tenant/approvals/:id/release", auth.Decide, s.release),
		edge.Get(editPath, auth.Decide, s.editPage),
		edge.Post(editPath, auth.Decide, s.edit).UpTo(maxEditForm),

		edge.Get("/t/:tenant/history", auth.ReadQueue, s.historyPage),
		edge.Get(overviewPath, auth.ReadQueue, s.overviewPage),
		edge.Post("/t/:tenant/history.csv", auth.ExportAudit, s.exportHistory),
		edge.Get(sessionPath, auth.ReadQueue, s.sessionPage),
		edge.Get(insightsPath, auth.ReadQueue, s.insightsPage),
		edge.Post(insightsPath+".csv", auth.ExportAudit, s.exportFigure),
		edge.Post(evaluationsPath, auth.ExportAudit, s.exportEvaluations),
		edge.Get(itemsPath, auth.ReadPeople, s.itemsPage),
		edge.Post(itemsPath+".csv", auth.ExportAudit, s.exportQuestions),
		edge.Post("/t/:tenant/insights/operators.csv", auth.ExportAudit, s.exportOperators),
		edge.Get("/t/:tenant/audit", auth.ReadAudit, s.auditPage),
		edge.Post("/t/:tenant/audit.csv", auth.ExportAudit, s.exportCSV),
		edge.Post("/t/:tenant/audit.jsonl", auth.ExportAudit, s.exportLines),
		edge.Get("/t/:tenant/audit/verification", auth.ExportAudit, s.verificationPage),
		edge.Post("/t/:tenant/audit/verification", auth.ExportAudit, s.startVerification),
		edge.Get(checkpointPath, auth.ReadAudit, s.checkpoint),
		edge.Get("/t/:tenant/audit/:index", auth.ReadAudit, s.auditEntryPage),

		edge.Get("/t/:tenant/help", auth.ReadQueue, s.helpPage),
		edge.Get(handbookPath, auth.ReadQueue, s.handbookPage),

		edge.Get(entryPath, auth.ProposePolicy, s.entryPage),
		edge.Post(entryPath, auth.ProposePolicy, s.reviewEntry),

		edge.Get("/t/:tenant/settings/standing-grants", auth.ReadQueue, s.standingPage),
		edge.Post("/t/:tenant/settings/standing-grants", auth.Decide, s.makeStanding),
		edge.Get("/t/:tenant/settings/standing-grants/new", auth.Decide, s.newStandingPage),
		edge.Post("/t/:tenant/settings/standing-grants/preview", auth.Decide, s.previewStanding),
		edge.Get("/t/:tenant/settings/standing-grants/:standing", auth.ReadQueue, s.standingOnePage),
		edge.Post("/t/:tenant/settings/standing-grants/:standing/revoke", auth.Decide, s.revokeStanding),

		edge.Get("/t/:tenant/settings/agents", auth.ReadAgents, s.agentsPage),
		edge.Post("/t/:tenant/settings/agents", auth.ManageAgents, s.createAgent),
		edge.Get("/t/:tenant/settings/agents/new", auth.ManageAgents, s.newAgentPage),
		edge.Post("/t/:tenant/settings/agents/stop-all", auth.StopAgents, s.stopAll),
		edge.Post("/t/:tenant/settings/agents/resume", auth.ManageAgents, s.resumeAll),
		edge.Get("/t/:tenant/settings/agents/:agent", auth.ReadAgents, s.agentPage),
		edge.Get(withoutPath, auth.ReadPolicy, s.withoutPage),
		edge.Post("/t/:tenant/settings/agents/:agent/rotate", auth.ManageAgents, s.rotateKey),
		edge.Post("/t/:tenant/settings/agents/:agent/stop", auth.ManageAgents, s.stopAgent),
		edge.Post("/t/:tenant/settings/agents/:agent/start", auth.ManageAgents, s.startAgent),
		edge.Post("/t/:tenant/settings/agents/:agent/incident", auth.ManageAgents, s.recordIncident),
		edge.Get(toolsPath, auth.ReadAgents, s.toolsPage),
		edge.Post(toolsPath, auth.ManageAgents, s.importTools).TakesTools(),
		edge.Post(toolsPath+"/accept", auth.ManageAgents, s.acceptTools).TakesTools(),
		edge.Post(toolsPath+"/remove", auth.ManageAgents, s.removeTools),
		edge.Post("/t/:tenant/settings/agents/:agent/describe", auth.ManageAgents, s.describeAgent),
		edge.Post("/t/:tenant/settings/agents/:agent/bind", auth.ManageAgents, s.bindAgent),
		edge.Post("/t/:tenant/settings/agents/:agent/bind/preview", auth.ManageAgents, s.previewBinding),
		edge.Post("/t/:tenant/settings/agents/:agent/bind/accept", auth.ChangePolicy, s.acceptBinding),
		edge.Post("/t/:tenant/settings/agents/:agent/bind/drop", auth.ManageAgents, s.dropBinding),
		edge.Post("/t/:tenant/settings/agents/:agent/keys/:key/expiry", auth.ManageAgents, s.setExpiry),
		edge.Post("/t/:tenant/settings/agents/:agent/keys/:key/revoke", auth.ManageAgents, s.revokeKey),

		edge.Get("/t/:tenant/settings/people", auth.ReadPeople, s.peoplePage),
		edge.Post("/t/:tenant/settings/people", auth.ManagePeople, s.invite),
		edge.Get("/t/:tenant/settings/people/new", auth.ManagePeople, s.invitePage),
		edge.Post("/t/:tenant/settings/people/invitations/:ticket/withdraw", auth.ManagePeople, s.withdrawInvitation),
		edge.Get("/t/:tenant/settings/people/:person", auth.ReadPeople, s.personPage),
		edge.Post("/t/:tenant/settings/people/:person/roles", auth.ManagePeople, s.setRoles),
		edge.Post("/t/:tenant/settings/people/:person/remove", auth.ManagePeople, s.removePerson),
		edge.Post("/t/:tenant/settings/people/:person/sign-out", auth.ManagePeople, s.endSessions),
		edge.Post("/t/:tenant/settings/people/:person/password-link", auth.ManagePeople, s.passwordLink),
		edge.Post("/t/:tenant/settings/people/:person/suspend", auth.ManagePeople, s.suspend),
		edge.Post("/t/:tenant/settings/people/:person/reinstate", auth.ManagePeople, s.reinstate),

		edge.Get(reasonsPath, auth.ReadPolicy, s.reasonsPage),
		edge.Post(reasonsPath, auth.ChangePolicy, s.setReasons),
		edge.Get(noticesPath, auth.ReadNotices, s.noticesPage),
		edge.Post(noticesPath, auth.ManageNotices, s.reviewNoticeDetail),
		edge.Get(noticesPath+"/new", auth.ManageNotices, s.newChannelPage),
		edge.Post(noticesPath+"/new", auth.ManageNotices, s.addChannel),
		edge.Post(noticesPath+"/new/preview", auth.ManageNotices, s.previewNewChannel),
		edge.Get(channelPath, auth.ReadNotices, s.channelPage),
		edge.Post(channelPath, auth.ManageNotices, s.changeChannel),
		edge.Post(channelPath+"/preview", auth.ManageNotices, s.previewChannel),
		edge.Post(channelPath+"/test", auth.ManageNotices, s.testChannel),
		edge.Post(channelPath+"/pause", auth.ManageNotices, s.pauseChannel),
		edge.Post(channelPath+"/resume", auth.ManageNotices, s.resumeChannel),
		edge.Post(channelPath+"/rotate", auth.ManageNotices, s.rotateChannel),
		edge.Post(channelPath+"/delete", auth.ManageNotices, s.deleteChannel),

		edge.Get(routingPath, auth.ReadNotices, s.routingPage),
		edge.Get(rulePath, auth.ReadNotices, s.rulePage),
		edge.Post(rulePath, auth.ManageNotices, s.saveRule),
		edge.Post(rulePath+"/move", auth.ManageNotices, s.moveRule),
		edge.Post(rulePath+"/delete", auth.ManageNotices, s.removeRule),
		edge.Get(teamPath, auth.ReadNotices, s.teamPage),
		edge.Post(teamPath, auth.ManageNotices, s.saveTeam),
		edge.Post(teamPath+"/day", auth.ManageNotices, s.takeDay),
		edge.Post(teamPath+"/delete", auth.ManageNotices, s.removeTeam),

		edge.Post(edge.DisplayPath, auth.ReadQueue, s.SetDisplay),
		edge.Get(ownPath, auth.ReadQueue, s.ownNoticesPage),
		edge.Post(ownPath, auth.ReadQueue, s.saveOwnNotices),
		edge.Post(ownPath+"/add", auth.ReadQueue, s.addOwn),
		edge.Post(ownPath+"/devices", auth.ReadQueue, s.addDevice),
		edge.Post(ownPath+"/:channel/test", auth.ReadQueue, s.ownAct("", s.Notices.TestOwn)),
		edge.Post(ownPath+"/:channel/pause", auth.ReadQueue, s.ownAct(edge.DeedPaused, s.Notices.PauseOwn)),
		edge.Post(ownPath+"/:channel/resume", auth.ReadQueue, s.ownAct(edge.DeedResumed, s.Notices.ResumeOwn)),
		edge.Post(ownPath+"/:channel/delete", auth.ReadQueue, s.ownAct(edge.DeedRemoved, s.Notices.RemoveOwn)),

		edge.Get(waitingPath, auth.ReadPolicy, s.waitingPage),
		edge.Post(waitingPath+"/:proposal/accept", auth.ManagePeople, s.acceptPeople),
		edge.Post(waitingPath+"/:proposal/object", auth.ProposePolicy, s.objectPeople),
		edge.Post(waitingPath+"/:proposal/withdraw", auth.ReadPolicy, s.withdrawPeople),
	})
}

// Register adds the console's addresses to e.
func Register(e *echo.Echo, c edge.Config) *Console {
	s := on(edge.New(c))
	s.checks = newChecks(c.Audit, c.Checkpoints, c.Tenants.Tell, c.Log)
	for _, r := range s.routes() {
		e.Add(r.Method, r.Path, s.Guard(r))
	}
	return s
}

// Sockets is how many live pages are open.
func (s *Console) Sockets() int { return s.feeds.sockets.open() }

// Close ends every socket with 1012 (come back soon) and every verification, and
// waits for them.
func (s *Console) Close(ctx context.Context) error {
	return errors.Join(s.feeds.sockets.close(ctx), s.checks.close(ctx))
}
