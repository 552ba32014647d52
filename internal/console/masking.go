package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
)

// What a person types holds secrets at times. They are masked at the door, before a handler
// or a page sees them, so that no form shows one again and no address leads on with one.
// What has to be as it was typed refuses the mask (tenants, approvals).

// secretFields are secrets by themselves: never shown, and kept as a hash.
var secretFields = []string{"password", "current"}

// maskRequest masks what came with a request.
func maskRequest(r *http.Request, mask func(string) string) {
	if query, changed := maskValues(r.URL.Query(), mask); changed {
		r.URL.RawQuery = query.Encode()
	}
	if form, changed := maskValues(r.PostForm, mask); changed {
		r.PostForm = form
		r.Form, _ = maskValues(r.Form, mask)
	}
}

// maskValues is values without secrets, in names too.
func maskValues(values url.Values, mask func(string) string) (masked url.Values, changed bool) {
	masked = make(url.Values, len(values))
	for name, all := range values {
		shown := mask(name)
		changed = changed || shown != name
		for _, value := range all {
			if !slices.Contains(secretFields, name) {
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
func (s *Console) maskOwn(ctx context.Context, c call, n Need) error {
	if carriesLists(n.Path) || len(c.Request().PostForm)+len(c.Request().URL.RawQuery) == 0 {
		return nil
	}
	mask, err := s.approvals.OwnMask(ctx, c.member.Tenant)
	if err == nil && mask != nil {
		maskRequest(c.Request(), mask)
	}
	return err
}
