// Package httpapi is what agents call: JSON over HTTP under /api/v1, and what
// machines ask without a key (health, readiness, metrics, the public keys and
// the OpenAPI document).
//
// A handler says who, what, call, show: the agent comes from the key, the body
// passes the one gate of package canon, one call goes to the approvals, and one
// struct of wire.go goes back. huma serves routes, parameters and the OpenAPI
// document; it never touches a body, because it would parse it a second time and
// refuse it in its own words. Every refusal is a problem document that names the
// member or parameter, what was wrong and what would be accepted.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// Approvals is what agents may do with approvals. Every method sees only the
// agent's own: any other id is fault.Missing.
type Approvals interface {
	Submit(ctx context.Context, agent auth.Agent, sub approvals.Submission) (a approvals.Approval, created bool, err error)
	Get(ctx context.Context, agent auth.Agent, id string) (approvals.Approval, error)
	// Wait returns when the approval is final or when d has passed.
	Wait(ctx context.Context, agent auth.Agent, id string, d time.Duration) (approvals.Approval, error)
	// List returns one page and the Filter.Before of the next; "" on the last.
	List(ctx context.Context, agent auth.Agent, f approvals.Filter) (page []approvals.AgentView, next string, err error)
	Cancel(ctx context.Context, agent auth.Agent, id string) (approvals.Approval, error)
	Consume(ctx context.Context, agent auth.Agent, id, digest, idempotencyKey string) (approvals.Spent, error)
	Report(ctx context.Context, agent auth.Agent, id, status, detail string) (approvals.Approval, error)
	// AnswerQuestion is what the agent says to a question about its own request.
	AnswerQuestion(ctx context.Context, agent auth.Agent, id, question, answer string) (approvals.Approval, error)
	// SessionScore is what the evaluations of a session come to; fault.Missing where there
	// are none.
	SessionScore(ctx context.Context, agent auth.Agent, session string) (approvals.SessionScored, error)
	// Assess is a dry run: what Submit would make of the action now.
	Assess(ctx context.Context, agent auth.Agent, action scoring.Action) (approvals.DryRun, error)
}

// Agents knows whose key it is, fault.Unauthorized when nobody's, and what an agent tells of
// itself.
type Agents interface {
	AuthenticateAgent(ctx context.Context, key string) (auth.Agent, error)
	// Self is an agent as it is told of itself.
	Self(ctx context.Context, agent auth.Agent) (tenants.Agent, error)
	// TryGate records a call that must not run, or why it was not refused.
	TryGate(ctx context.Context, agent auth.Agent, nonce, failed string) (tenants.Canary, error)
	// ImportOwnTools keeps what a server of the agent says of its tools.
	ImportOwnTools(ctx context.Context, agent auth.Agent, in tenants.ToolImport) (tenants.ToolsReceived, error)
	// Enrol exchanges a token for the key of a new agent, fault.Unauthorized when it works no more.
	Enrol(ctx context.Context, token, host string) (key string, a auth.Agent, err error)
}

// Config is what the API needs; every field but MetricsToken and AgentRate is required.
type Config struct {
	Approvals Approvals
	Agents    Agents
	Trail     Trail
	JWKS      func() []byte                   // the public keys that verify grants now (RFC 7517)
	Ready     func(ctx context.Context) error // nil when database and signer answer
	PublicURL func() string
	Version   string
	Metrics   *Metrics // give its Observe to httpserver.Config
	// MetricsToken lets others than loopback peers read the metrics; empty: nobody.
	MetricsToken string
	// AgentRate is how many requests a second one agent may send; 0 is unlimited.
	AgentRate int
	Now       func() time.Time // by which the rates are measured
	Log       *slog.Logger
}

// server is the API of one Register.
type server struct {
	Config
	api     huma.API
	limits  *limits
	running running
	waiting waiting
	scrape  http.Handler // of /metrics
}

// Register adds every route to e.
func Register(e *echo.Echo, cfg Config) { register(e, cfg) }

// register also returns what the tests look into.
func register(e *echo.Echo, cfg Config) *server {
	adoptProblems()
	s := &server{Config: cfg, limits: newLimits(cfg.AgentRate, cfg.Now), scrape: cfg.Metrics.handler(cfg.Log)}
	s.api = humaecho.New(e, huma.Config{
		OpenAPI:       newDocument(),
		Formats:       map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat: "application/json",
	})

	huma.Register(s.api, s.operation(http.MethodPost, "/approvals", submitText), answer(s.submit))
	huma.Register(s.api, s.operation(http.MethodGet, "/approvals", listText), answer(s.list))
	huma.Register(s.api, s.operation(http.MethodGet, "/approvals/{id}", getText), answer(s.get))
	huma.Register(s.api, s.operation(http.MethodPost, "/approvals/{id}/cancel", cancelText), answer(s.cancel))
	huma.Register(s.api, s.operation(http.MethodPost, "/approvals/{id}/consume", consumeText), answer(s.consume))
	huma.Register(s.api, s.operation(http.MethodPost, "/approvals/{id}/result", resultText), answer(s.report))
	huma.Register(s.api, s.operation(http.MethodPost, "/approvals/{id}/answers", answerText), answer(s.answerQuestion))
	huma.Register(s.api, s.operation(http.MethodGet, "/agent", selfText), answer(s.self))
	huma.Register(s.api, s.operation(http.MethodPut, "/tools", toolsText), answer(s.tools))
	huma.Register(s.api, s.operation(http.MethodGet, "/session-score", sessionText), answer(s.sessionScore))
	huma.Register(s.api, s.operation(http.MethodPost, "/assessments", assessText), answer(s.assess))
	huma.Register(s.api, s.enrolment(), answer(s.enrol))
	complete(s.api.OpenAPI())

	e.GET("/api/v1/openapi.json", s.openapi())
	e.GET("/.well-known/jwks.json", s.jwks)
	e.GET("/api/v1/.well-known/jwks.json", s.jwks)
	e.GET("/healthz", s.healthz)
	e.GET("/readyz", s.readyz)
	e.GET("/metrics", s.metrics)
	return s
}
