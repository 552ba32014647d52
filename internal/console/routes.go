package console

import (
	"context"
	"errors"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/settingsui"
	"github.com/countersign/countersign/internal/console/trailui"
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
	feeds    *Feed
	policy   *policyui.Pages
	settings *settingsui.Pages
	trail    *trailui.Pages
	checks   *checks
}

// Routes is every address of the console, with what it asks of whoever comes.
func Routes() []edge.Route { return on(&edge.Console{}).routes() }

func on(base *edge.Console) *Console {
	policy := &policyui.Pages{Console: base}
	return &Console{Console: base, feeds: newFeed(base), policy: policy, settings: &settingsui.Pages{Console: base, Policy: policy}, trail: &trailui.Pages{Console: base}}
}

// routes is everything that people can ask for, in the order of their way
// through the console.
func (s *Console) routes() []edge.Route {
	return slices.Concat(s.policy.Routes(), s.settings.Routes(), s.trail.Routes(), []edge.Route{
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
		edge.Post("/account/sign-out-everywhere", edge.SignedIn, s.signOutEverywhere),

		edge.Get("/t/:tenant", auth.ReadQueue, s.tenantHome),
		edge.Get("/t/:tenant/queue", auth.ReadQueue, s.queuePage),
		edge.Get("/t/:tenant/queue/rows", auth.ReadQueue, s.queueRows).InBackground(),
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
		edge.Post("/t/:tenant/approvals/:id/comment", auth.Comment, s.comment),
		edge.Post("/t/:tenant/approvals/:id/claim", auth.Decide, s.claim),
		edge.Post("/t/:tenant/approvals/:id/assign", auth.Decide, s.assign),
		edge.Post("/t/:tenant/approvals/:id/snooze", auth.ReadQueue, s.snooze),
		edge.Post("/t/:tenant/approvals/:id/wake", auth.ReadQueue, s.wake),
		edge.Post("/t/:tenant/approvals/:id/extend", auth.Decide, s.extend),
		edge.Post("/t/:tenant/approvals/:id/release", auth.Decide, s.release),
		edge.Get(editPath, auth.Decide, s.editPage),
		edge.Post(editPath, auth.Decide, s.edit).UpTo(maxEditForm),

		edge.Get("/t/:tenant/audit/verification", auth.ExportAudit, s.verificationPage),
		edge.Post("/t/:tenant/audit/verification", auth.ExportAudit, s.startVerification),

		edge.Get("/t/:tenant/help", auth.ReadQueue, s.helpPage),
		edge.Get(handbookPath, auth.ReadQueue, s.handbookPage),

		edge.Post(edge.DisplayPath, auth.ReadQueue, s.SetDisplay),
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
