// Package urls says where each page of the console is.
package urls

import (
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
)

// Addresses outside of a tenant.
const (
	SignIn      = "/sign-in"
	SignOut     = "/sign-out"
	FirstRun    = "/first-run"
	Join        = "/join"
	NewPassword = "/new-password"
	Account     = "/account"
)

// The pages of the settings, by the last part of their address.
const (
	PlacePolicy    = "policy"
	PlaceRules     = "rules"
	PlacePatterns  = "patterns"
	PlaceFunctions = "functions"
	PlaceDeciders  = "deciders"
	PlaceStanding  = "standing-grants"
	PlaceAgents    = "agents"
	PlacePeople    = "people"
	PlaceNotices   = "notices"
	PlaceReasons   = "reasons"
	PlaceWaiting   = "waiting"
)

func Queue(tenant string) string { return "/t/" + tenant + "/queue" }

// Select is the queue with a box at each row.
func Select(tenant string) string { return Queue(tenant) + "?select=1" }

func Request(tenant, id string) string { return "/t/" + tenant + "/approvals/" + id }

func Edit(tenant, id string) string { return Request(tenant, id) + "/edit" }

// Questions is the page with the questions; the first one where several requests ask some.
func Questions(tenant string, asking approvals.Asked) string {
	return Request(tenant, slices.Min(slices.Collect(maps.Keys(asking))))
}

// Session leads to a session of an agent.
func Session(tenant, agent, session string) string {
	return "/t/" + tenant + "/sessions/" + agent + "?session=" + url.QueryEscape(session)
}

// Overview is what an agent did.
func Overview(tenant, agent string) string { return "/t/" + tenant + "/agents/" + agent }

func Insights(tenant string) string { return "/t/" + tenant + "/insights" }

// Items is how well the questions work.
func Items(tenant string) string { return Insights(tenant) + "/questions" }

func Help(tenant string) string { return "/t/" + tenant + "/help" }

// Handbook is a page of docs/.
func Handbook(tenant, page string) string { return Help(tenant) + "/" + page }

// OwnNotices is what its reader is notified of.
func OwnNotices(tenant string) string { return "/t/" + tenant + "/account/notices" }

// Settings is a page of the settings.
func Settings(tenant, page string) string { return "/t/" + tenant + "/settings/" + page }

func Policy(tenant string) string { return Settings(tenant, PlacePolicy) }

func Version(tenant string, version int64) string {
	return Policy(tenant) + "/versions/" + strconv.FormatInt(version, 10)
}

func Proposal(tenant, id string) string { return Policy(tenant) + "/proposals/" + id }

// Entry allows what a call did by an entry of the registry.
func Entry(tenant, approval string) string {
	return Settings(tenant, PlaceFunctions) + "/allow?from=" + url.QueryEscape(approval)
}

func Agents(tenant string) string { return Settings(tenant, PlaceAgents) }

func Agent(tenant, agent string) string { return Agents(tenant) + "/" + agent }

func Tools(tenant, agent string) string { return Agent(tenant, agent) + "/tools" }

// WithoutAsking is what an agent does without asking.
func WithoutAsking(tenant, agent string) string { return Agent(tenant, agent) + "/without-asking" }

func StandingGrants(tenant string) string { return Settings(tenant, PlaceStanding) }

func StandingGrant(tenant, id string) string { return StandingGrants(tenant) + "/" + id }

// NewStandingGrant begins with a call.
func NewStandingGrant(tenant, approval string) string {
	return StandingGrants(tenant) + "/new?from=" + url.QueryEscape(approval)
}

func People(tenant string) string { return Settings(tenant, PlacePeople) }

func Person(tenant, person string) string { return People(tenant) + "/" + person }

// Waiting is which changes wait for a second person.
func Waiting(tenant string) string { return Settings(tenant, PlaceWaiting) }

func Notices(tenant string) string { return Settings(tenant, PlaceNotices) }

func Channel(tenant, id string) string { return Notices(tenant) + "/channels/" + id }

func Routing(tenant string) string { return Notices(tenant) + "/routing" }

func Rule(tenant, id string) string { return Routing(tenant) + "/rules/" + id }

func Team(tenant, id string) string { return Routing(tenant) + "/teams/" + id }
