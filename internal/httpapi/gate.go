package httpapi

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring"
)

// What every operation does before its handler, in this order.

type (
	principalKey struct{}
	arrivalKey   struct{}
)

// arrival is when the request came, before its body was read.
func arrival(ctx context.Context) time.Time { return ctx.Value(arrivalKey{}).(time.Time) }

// principal is the agent whose key came with the request. Only handlers behind
// authenticate may ask.
func principal(ctx context.Context) auth.Agent { return ctx.Value(principalKey{}).(auth.Agent) }

// authenticate finds the agent; without a valid key nothing else is looked at.
// While all agents of the tenant are stopped it lets reading pass only; an act that
// slips by is refused again where it would be recorded.
func (s *server) authenticate(ctx huma.Context, next func(huma.Context)) {
	arrived := time.Now()
	scheme, key, _ := strings.Cut(ctx.Header("Authorization"), " ")
	if key = strings.TrimSpace(key); !strings.EqualFold(scheme, "Bearer") {
		key = ""
	}
	agent, err := s.identify(ctx.Context(), humaecho.Unwrap(ctx).RealIP(), key)
	if err != nil {
		s.refuse(ctx, err)
		return
	}
	httpserver.NoteTenant(ctx.Context(), agent.Tenant)
	if agent.Halted != "" && ctx.Method() != http.MethodGet {
		s.refuse(ctx, fault.New(fault.AgentsStopped, "%s", agent.Halted))
		return
	}
	next(huma.WithValue(huma.WithValue(ctx, principalKey{}, agent), arrivalKey{}, arrived))
}

// unknown lets those pass who have no key yet, as often as those whose keys don't work.
func (s *server) unknown(ctx huma.Context, next func(huma.Context)) {
	address := networkOf(humaecho.Unwrap(ctx).RealIP())
	if err := s.limits.stranger(address, ""); err != nil {
		s.Metrics.limited(limitAddress)
		s.refuse(ctx, err)
		return
	}
	s.limits.authenticated(address, "", fault.New(fault.Unauthorized, "no key")) // each try counts, whatever comes of it
	next(ctx)
}

// permit refuses an agent whose key lacks the scope.
func (s *server) permit(scope auth.Scope) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if !principal(ctx.Context()).May(scope) {
			s.refuse(ctx, fault.New(fault.Denied, "this key lacks the scope %q; ask an administrator for a key that has it (countersign agent create --scopes %s)", scope, auth.JoinScopes(auth.Scopes())))
			return
		}
		next(ctx)
	}
}

// strict refuses parameters that would be ignored otherwise: a misspelt filter
// must not widen a list, and an empty key must not look like protection.
func (s *server) strict(ctx huma.Context, next func(huma.Context)) {
	var accepted []string
	for _, p := range ctx.Operation().Parameters {
		if p.In == "query" {
			accepted = append(accepted, p.Name)
		}
	}
	if err := checkQuery(ctx.URL().RawQuery, accepted); err != nil {
		s.refuse(ctx, err)
		return
	}
	header := humaecho.Unwrap(ctx).Request().Header
	switch keys := header.Values("Idempotency-Key"); {
	case len(keys) > 1:
		s.refuse(ctx, badKey("is given %d times", len(keys)))
		return
	case len(keys) == 1 && keys[0] == "":
		s.refuse(ctx, badKey("is empty"))
		return
	}
	header.Del("Accept") // whatever it says, the answer is JSON; huma would name it in the words of Accept
	next(ctx)
}

func checkQuery(raw string, accepted []string) error {
	names := "no query parameters"
	if len(accepted) > 0 {
		names = strings.Join(accepted, ", ")
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return fault.New(fault.InvalidParameter, "the query isn't correctly percent-encoded; expected %s", names)
	}
	for name, values := range query {
		switch {
		case !slices.Contains(accepted, name):
			return fault.Member(fault.InvalidParameter, name, "the query parameter %q isn't known; expected %s", cut(name), names)
		case len(values) > 1:
			return fault.Member(fault.InvalidParameter, name, "the query parameter %q is given %d times; send it once", name, len(values))
		}
	}
	return nil
}

// jsonOnly checks what the headers say of the body, before it is read.
func (s *server) jsonOnly(ctx huma.Context, next func(huma.Context)) {
	r := humaecho.Unwrap(ctx).Request()
	if err := checkMedia(r.ContentLength, ctx.Operation().MaxBodyBytes-1, r.Header["Content-Type"], r.Header["Content-Encoding"]); err != nil {
		s.refuse(ctx, err)
		return
	}
	next(ctx)
}

// checkMedia gets -1 for a length that is not known yet.
func checkMedia(length, most int64, types, encodings []string) error {
	if len(encodings) > 0 {
		return fault.Member(fault.UnsupportedMedia, "Content-Encoding", "Content-Encoding isn't accepted; send the plain JSON without that header")
	}
	if length > most {
		return fault.New(fault.BodyTooLarge, "the body has %d bytes; at most %d are accepted", length, most)
	}
	if length == 0 {
		return nil // there is nothing that could have a type
	}
	given := strings.Join(types, ", ")
	media, params, err := mime.ParseMediaType(given)
	charset, other := params["charset"], len(params)
	if charset != "" {
		other--
	}
	if err != nil || media != "application/json" || other > 0 || (charset != "" && !strings.EqualFold(charset, "utf-8")) {
		return fault.Member(fault.UnsupportedMedia, "Content-Type", "the Content-Type is %q; send application/json (charset=utf-8 may follow)", cut(given))
	}
	return nil
}

// cut keeps what a stranger wrote short enough for a message, and takes secrets out of it
// before.
func cut(s string) string {
	s = scoring.MaskText(s)
	n := 0
	for i := range s {
		if n == 60 {
			return s[:i] + "…"
		}
		n++
	}
	return s
}
