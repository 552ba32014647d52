package settingsui

import (
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
)

// Pages are the pages of agents, people, notices and what was approved ahead.
type Pages struct {
	*edge.Console
	Policy *policyui.Pages
}

// Routes are their addresses.
func (s *Pages) Routes() []edge.Route {
	return append(s.awayRoutes(), []edge.Route{
		edge.Post(renewURL, edge.SignedIn, s.renewDevice).InBackground(),
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
	}...)
}
