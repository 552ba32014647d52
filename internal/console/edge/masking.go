package edge

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring"
)

// What a person types holds secrets at times. They are masked at the door, before a handler
// or a page sees them, so that no form shows one again and no address leads on with one.
// What has to be as it was typed refuses the mask (tenants, approvals).

// secretFields are secrets by themselves: never shown, and kept as a hash.
var secretFields = []string{"password", "current"}

// SecretPrefix begins the names of fields that are secrets of channels: encrypted at rest.
const SecretPrefix = "secret:"

// asTyped reports whether a field is read as it was typed. What is tried out is, since it is
// tried whether a pattern finds it; its panel masks what it shows.
func asTyped(name string) bool {
	return slices.Contains(secretFields, name) || strings.HasPrefix(name, TryPrefix) || strings.HasPrefix(name, SecretPrefix)
}

// maskRequest masks what came with a request, but for the fields that are left as they are.
func maskRequest(r *http.Request, mask func(string) string, left func(name string) bool) {
	if query, changed := maskValues(r.URL.Query(), mask, left); changed {
		r.URL.RawQuery = query.Encode()
	}
	if form, changed := maskValues(r.PostForm, mask, left); changed {
		r.PostForm = form
		r.Form, _ = maskValues(r.Form, mask, left)
	}
}

// maskValues is values without secrets, in names too.
func maskValues(values url.Values, mask func(string) string, left func(name string) bool) (masked url.Values, changed bool) {
	masked = make(url.Values, len(values))
	for name, all := range values {
		shown := mask(name)
		changed = changed || shown != name
		for _, value := range all {
			if !left(name) {
				text := mask(value)
				changed = changed || text != value
				value = text
			}
			masked[shown] = append(masked[shown], value)
		}
	}
	return masked, changed
}

// maskOwn masks what the organisation's own patterns find, too; but where these patterns
// themselves are written, with examples of what they find.
func (s *Console) maskOwn(ctx context.Context, c Call, n Route) error {
	if len(c.Request().PostForm)+len(c.Request().URL.RawQuery) == 0 {
		return nil
	}
	mask, err := s.Approvals.OwnMask(ctx, c.Member.Tenant)
	if err != nil || mask == nil {
		return err
	}
	maskRequest(c.Request(), mask, func(name string) bool {
		return asTyped(name) || n.typed != nil && n.typed(name)
	})
	return nil
}

// MaskTry is a field of the try-out as the page shows it.
func MaskTry(policy *scoring.Compiled, typed string) string {
	if policy != nil {
		typed = policy.MaskText(typed)
	}
	return scoring.MaskText(typed)
}

const TryPrefix = "try-"
