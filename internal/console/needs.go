package console

import (
	"net/http"

	"github.com/countersign/countersign/internal/auth"
)

// Need is what an address asks of whoever comes.
type Need struct {
	Method, Path string
	// Permission is what a role in the tenant must allow. Anyone and SignedIn stand
	// for the addresses outside of tenants.
	Permission auth.Permission
	// Background marks what pages ask for by themselves: it is no sign of a person,
	// and without a session it answers 401 in place of the way to the sign-in page.
	Background bool
}

// What addresses outside of a tenant need.
const (
	Anyone   auth.Permission = "anyone"
	SignedIn auth.Permission = "signed-in"
)

// Needs is the one table of address × permission. Register refuses a route
// without a row and a row without a route.
func Needs() []Need {
	const get, post = http.MethodGet, http.MethodPost
	return []Need{
		{get, staticPath, Anyone, true},
		{get, workerURL, Anyone, true},

		{get, "/", SignedIn, false},
		{get, "/sign-in", Anyone, false},
		{post, "/sign-in", Anyone, false},
		{post, "/sign-out", SignedIn, false},
		{get, "/first-run", Anyone, false},
		{post, "/first-run", Anyone, false},
		{get, joinURL, Anyone, false},
		{post, joinURL, Anyone, false},
		{get, passwordURL, Anyone, false},
		{post, passwordURL, Anyone, false},
		{get, accountURL, SignedIn, false},
		{post, "/account/password", SignedIn, false},
		{post, renewURL, SignedIn, true},
		{post, "/account/sign-out-everywhere", SignedIn, false},

		{get, "/t/:tenant", auth.ReadQueue, false},
		{get, "/t/:tenant/queue", auth.ReadQueue, false},
		{get, "/t/:tenant/queue/rows", auth.ReadQueue, true},
		{post, "/t/:tenant/queue/filters", auth.ReadQueue, false},
		{post, "/t/:tenant/queue/filters/forget", auth.ReadQueue, false},
		{post, "/t/:tenant/queue/deny", auth.Refuse, false},
		{get, "/t/:tenant/live", auth.ReadQueue, true},
		{post, "/t/:tenant/guide/sample", auth.ManageAgents, false},
		{post, "/t/:tenant/guide/close", auth.ReadAgents, false},
		{get, "/t/:tenant/session", auth.ReadQueue, true},
		{post, "/t/:tenant/session", auth.ReadQueue, false},

		{get, "/t/:tenant/approvals/:id", auth.ReadQueue, false},
		{post, "/t/:tenant/approvals/:id/acknowledge", auth.Decide, false},
		{post, "/t/:tenant/approvals/:id/start", auth.Decide, false},
		{post, "/t/:tenant/approvals/:id/answer", auth.Decide, false},
		{post, "/t/:tenant/approvals/:id/leave", auth.Decide, false},
		{post, "/t/:tenant/approvals/:id/decide", auth.Refuse, false},
		{post, "/t/:tenant/approvals/:id/withdraw", auth.ReadQueue, false},
		{post, "/t/:tenant/approvals/:id/claim", auth.Decide, false},
		{post, "/t/:tenant/approvals/:id/assign", auth.Decide, false},
		{post, "/t/:tenant/approvals/:id/extend", auth.Decide, false},
		{post, "/t/:tenant/approvals/:id/release", auth.Decide, false},
		{get, editPath, auth.Decide, false},
		{post, editPath, auth.Decide, false},

		{get, "/t/:tenant/history", auth.ReadQueue, false},
		{get, overviewPath, auth.ReadQueue, false},
		{post, "/t/:tenant/history.csv", auth.ExportAudit, false},
		{post, "/t/:tenant/history/filters", auth.ReadQueue, false},
		{post, "/t/:tenant/history/filters/forget", auth.ReadQueue, false},
		{get, sessionPath, auth.ReadQueue, false},
		{get, insightsPath, auth.ReadQueue, false},
		{post, insightsPath + ".csv", auth.ExportAudit, false},
		{post, evaluationsPath, auth.ExportAudit, false},
		{get, itemsPath, auth.ReadPeople, false},
		{post, itemsPath + ".csv", auth.ExportAudit, false},
		{post, "/t/:tenant/insights/operators.csv", auth.ExportAudit, false},
		{get, "/t/:tenant/audit", auth.ReadAudit, false},
		{post, "/t/:tenant/audit/filters", auth.ReadAudit, false},
		{post, "/t/:tenant/audit/filters/forget", auth.ReadAudit, false},
		{post, "/t/:tenant/audit.csv", auth.ExportAudit, false},
		{post, "/t/:tenant/audit.jsonl", auth.ExportAudit, false},
		{get, "/t/:tenant/audit/verification", auth.ExportAudit, false},
		{post, "/t/:tenant/audit/verification", auth.ExportAudit, false},
		{get, checkpointPath, auth.ReadAudit, false},
		{get, "/t/:tenant/audit/:index", auth.ReadAudit, false},

		{get, "/t/:tenant/help", auth.ReadQueue, false},
		{get, handbookPath, auth.ReadQueue, false},
		{get, "/t/:tenant/settings", auth.ReadQueue, false},
		{get, "/t/:tenant/settings/policy", auth.ReadPolicy, false},
		{post, "/t/:tenant/settings/policy", auth.ProposePolicy, false},
		{post, "/t/:tenant/settings/policy/preview", auth.ProposePolicy, false},
		{get, "/t/:tenant/settings/policy/versions", auth.ReadPolicy, false},
		{get, "/t/:tenant/settings/policy/versions/:version", auth.ReadPolicy, false},
		{get, "/t/:tenant/settings/policy/proposals/:proposal", auth.ReadPolicy, false},
		{post, "/t/:tenant/settings/policy/proposals/:proposal/accept", auth.ChangePolicy, false},
		{post, "/t/:tenant/settings/policy/proposals/:proposal/reject", auth.ProposePolicy, false},
		{post, "/t/:tenant/settings/policy/proposals/:proposal/withdraw", auth.ProposePolicy, false},
		{get, "/t/:tenant/settings/policy.yaml", auth.ReadPolicy, false},
		{get, "/t/:tenant/settings/policy.schema.json", auth.ReadPolicy, false},

		{get, rulesPath, auth.ReadPolicy, false},
		{post, rulesPath, auth.ProposePolicy, false},
		{get, patternsPath, auth.ReadPolicy, false},
		{post, patternsPath, auth.ProposePolicy, false},
		{get, functionsPath, auth.ReadPolicy, false},
		{post, functionsPath, auth.ProposePolicy, false},
		{get, entryPath, auth.ProposePolicy, false},
		{post, entryPath, auth.ProposePolicy, false},

		{get, "/t/:tenant/settings/standing-grants", auth.ReadQueue, false},
		{post, "/t/:tenant/settings/standing-grants", auth.Decide, false},
		{get, "/t/:tenant/settings/standing-grants/new", auth.Decide, false},
		{post, "/t/:tenant/settings/standing-grants/preview", auth.Decide, false},
		{get, "/t/:tenant/settings/standing-grants/:standing", auth.ReadQueue, false},
		{post, "/t/:tenant/settings/standing-grants/:standing/revoke", auth.Decide, false},

		{get, reasonsPath, auth.ReadPolicy, false},
		{post, reasonsPath, auth.ChangePolicy, false},

		{get, "/t/:tenant/settings/agents", auth.ReadAgents, false},
		{post, "/t/:tenant/settings/agents", auth.ManageAgents, false},
		{get, "/t/:tenant/settings/agents/new", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/stop-all", auth.StopAgents, false},
		{post, "/t/:tenant/settings/agents/resume", auth.ManageAgents, false},
		{get, "/t/:tenant/settings/agents/:agent", auth.ReadAgents, false},
		{get, withoutPath, auth.ReadPolicy, false},
		{post, "/t/:tenant/settings/agents/:agent/rotate", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/stop", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/start", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/incident", auth.ManageAgents, false},
		{get, toolsPath, auth.ReadAgents, false},
		{post, toolsPath, auth.ManageAgents, false},
		{post, toolsPath + "/accept", auth.ManageAgents, false},
		{post, toolsPath + "/remove", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/describe", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/bind", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/bind/preview", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/bind/accept", auth.ChangePolicy, false},
		{post, "/t/:tenant/settings/agents/:agent/bind/drop", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/keys/:key/expiry", auth.ManageAgents, false},
		{post, "/t/:tenant/settings/agents/:agent/keys/:key/revoke", auth.ManageAgents, false},

		{get, "/t/:tenant/settings/people", auth.ReadPeople, false},
		{post, "/t/:tenant/settings/people", auth.ManagePeople, false},
		{get, "/t/:tenant/settings/people/new", auth.ManagePeople, false},
		{post, "/t/:tenant/settings/people/invitations/:ticket/withdraw", auth.ManagePeople, false},
		{get, "/t/:tenant/settings/people/:person", auth.ReadPeople, false},
		{post, "/t/:tenant/settings/people/:person/roles", auth.ManagePeople, false},
		{post, "/t/:tenant/settings/people/:person/remove", auth.ManagePeople, false},
		{post, "/t/:tenant/settings/people/:person/sign-out", auth.ManagePeople, false},
		{post, "/t/:tenant/settings/people/:person/password-link", auth.ManagePeople, false},
		{post, "/t/:tenant/settings/people/:person/suspend", auth.ManagePeople, false},
		{post, "/t/:tenant/settings/people/:person/reinstate", auth.ManagePeople, false},

		{get, noticesPath, auth.ReadNotices, false},
		{post, noticesPath, auth.ManageNotices, false},
		{get, noticesPath + "/new", auth.ManageNotices, false},
		{post, noticesPath + "/new", auth.ManageNotices, false},
		{post, noticesPath + "/new/preview", auth.ManageNotices, false},
		{get, channelPath, auth.ReadNotices, false},
		{post, channelPath, auth.ManageNotices, false},
		{post, channelPath + "/preview", auth.ManageNotices, false},
		{post, channelPath + "/test", auth.ManageNotices, false},
		{post, channelPath + "/pause", auth.ManageNotices, false},
		{post, channelPath + "/resume", auth.ManageNotices, false},
		{post, channelPath + "/rotate", auth.ManageNotices, false},
		{post, channelPath + "/delete", auth.ManageNotices, false},

		{get, routingPath, auth.ReadNotices, false},
		{get, rulePath, auth.ReadNotices, false},
		{post, rulePath, auth.ManageNotices, false},
		{post, rulePath + "/move", auth.ManageNotices, false},
		{post, rulePath + "/delete", auth.ManageNotices, false},
		{get, teamPath, auth.ReadNotices, false},
		{post, teamPath, auth.ManageNotices, false},
		{post, teamPath + "/day", auth.ManageNotices, false},
		{post, teamPath + "/delete", auth.ManageNotices, false},

		{post, displayPath, auth.ReadQueue, false},
		{get, ownPath, auth.ReadQueue, false},
		{post, ownPath, auth.ReadQueue, false},
		{post, ownPath + "/add", auth.ReadQueue, false},
		{post, ownPath + "/devices", auth.ReadQueue, false},
		{post, ownPath + "/:channel/test", auth.ReadQueue, false},
		{post, ownPath + "/:channel/pause", auth.ReadQueue, false},
		{post, ownPath + "/:channel/resume", auth.ReadQueue, false},
		{post, ownPath + "/:channel/delete", auth.ReadQueue, false},

		{get, waitingPath, auth.ReadPolicy, false},
		{post, waitingPath + "/:proposal/accept", auth.ManagePeople, false},
		{post, waitingPath + "/:proposal/object", auth.ProposePolicy, false},
		{post, waitingPath + "/:proposal/withdraw", auth.ReadPolicy, false},
	}
}
