package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

// What tests of the policy page go through it with.

const policyPath = "/t/acme/settings/policy"

// join makes somebody a member of acme and signs them in.
func (s *site) join(name string, roles ...auth.Role) *browser {
	s.t.Helper()
	_, err := s.tenants.CreatePerson(s.t.Context(), "acme", name+"@example.com", "", "", roles)
	must(s.t, err)
	return s.signedIn(name)
}

// member is somebody of acme as the services know them.
func (s *site) member(name string) auth.Member {
	s.t.Helper()
	m, err := s.tenants.Member(s.t.Context(), "acme", s.personID(name))
	must(s.t, err)
	return m
}

func (s *site) policyNow() tenants.PolicyVersion {
	s.t.Helper()
	v, err := s.tenants.CurrentPolicy(s.t.Context(), s.member("cleo"))
	must(s.t, err)
	return v
}

// fields is what a browser without script sends with the form that holds a field:
// every control that has a value, as it is drawn.
func (a answer) fields(t testing.TB, holding string) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(a.body))
	must(t, err)
	get := func(n *html.Node, name string) (string, bool) {
		for _, at := range n.Attr {
			if at.Key == name {
				return at.Val, true
			}
		}
		return "", false
	}
	for form := range root.Descendants() {
		if form.Data != "form" {
			continue
		}
		v := url.Values{}
		for n := range form.Descendants() {
			name, _ := get(n, "name")
			kind, _ := get(n, "type")
			value, _ := get(n, "value")
			_, checked := get(n, "checked")
			switch {
			case n.Data == "select":
				for o := range n.Descendants() {
					if _, selected := get(o, "selected"); selected {
						value, _ = get(o, "value")
					}
				}
			case n.Data == "textarea":
				if n.FirstChild != nil {
					value = n.FirstChild.Data
				}
			case n.Data != "input", (kind == "radio" || kind == "checkbox") && !checked:
				continue
			}
			v.Add(name, value)
		}
		if v.Has(holding) {
			return v
		}
	}
	t.Fatalf("no form has the field %s in\n%s", holding, a.main())
	return nil
}

// edited is the form of the policy in force with other values.
func (b *browser) edited(changes ...string) url.Values {
	b.t.Helper()
	form := b.get(policyPath).want(b.t, http.StatusOK).fields(b.t, "expiry_seconds")
	for i := 0; i+1 < len(changes); i += 2 {
		if !form.Has(changes[i]) {
			b.t.Fatalf("the form has no field %s", changes[i])
		}
		form.Set(changes[i], changes[i+1])
	}
	return form
}

// saved previews a change and presses the button below.
func (b *browser) saved(changes ...string) answer {
	b.t.Helper()
	preview := b.post(policyPath+"/preview", b.edited(changes...)).want(b.t, http.StatusOK)
	return b.post(policyPath, preview.fields(b.t, "base"))
}

// Without script the server marks a draft: the count, the old values, the sections.
func TestADraftIsMarked(t *testing.T) {
	t.Parallel()
	adam := newSite(t).join("adam", auth.Admin)
	form := adam.edited("thresholds.high", "0.5", "judgement.own_domains", "a.example")
	form.Set("edit", "1")
	adam.post(policyPath+"/preview", form).want(t, http.StatusOK, "2 changes", "was 0.6", "was none", `data-now="0.6"`, "Discard the draft")
}
