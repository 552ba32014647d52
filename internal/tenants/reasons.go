package tenants

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Reasons are the texts that forms offer, in their order, by what somebody does. Where an
// act has none, the console offers its own. They decide nothing: what is offered only
// fills a text.
type Reasons struct{ Deny, RequestChanges, Extend []string }

const (
	// MaxReasons bounds how many an act has, MaxOffered one of them in characters: it is a
	// button.
	MaxReasons = 12
	MaxOffered = 80
)

// Reasons reads them.
func (s *Service) Reasons(ctx context.Context, m auth.Member) (all Reasons, err error) {
	if err := allow(m, auth.ReadQueue); err != nil {
		return all, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		all, err = r.Reasons()
		return err
	})
	return all, err
}

// SetReasons writes them all. Empty lines are left out.
func (s *Service) SetReasons(ctx context.Context, m auth.Member, all Reasons) (err error) {
	for _, one := range []struct {
		member string
		list   *[]string
	}{{"deny", &all.Deny}, {"request_changes", &all.RequestChanges}, {"extend", &all.Extend}} {
		if *one.list, err = offered(one.member, *one.list); err != nil {
			return err
		}
	}
	return s.writeFor(ctx, m, auth.ChangePolicy, func(w Writer, m auth.Member) error {
		was, err := w.Reasons()
		if err != nil || was.equal(all) {
			return err
		}
		if err := w.SetReasons(all); err != nil {
			return err
		}
		return w.Append(audit.Event{Tenant: m.Tenant, Kind: audit.ReasonsChanged, Actor: personActor(m), Data: canon.Object(
			member("deny", textsOf(all.Deny)), member("request_changes", textsOf(all.RequestChanges)), member("extend", textsOf(all.Extend)))})
	})
}

// offered is a list as it is kept: masked, without empty lines and doubled spaces. A secret
// may be several lines, so all are masked at once.
func offered(name string, list []string) (kept []string, err error) {
	for one := range strings.SplitSeq(scoring.MaskText(strings.Join(list, "\n")), "\n") {
		one = strings.Join(strings.Fields(one), " ")
		switch {
		case one == "":
		case slices.Contains(kept, one):
			return nil, fault.Member(fault.InvalidForm, name, "“%s” is in the list twice; delete one", one)
		case utf8.RuneCountInString(one) > MaxOffered || strings.ContainsFunc(one, func(r rune) bool { return !unicode.IsGraphic(r) }):
			return nil, fault.Member(fault.InvalidForm, name, "a reason has at most %d ordinary characters; shorten “%s”", MaxOffered, trimmed(one))
		default:
			kept = append(kept, one)
		}
	}
	if len(kept) > MaxReasons {
		return nil, fault.Member(fault.InvalidForm, name, "that's %d reasons; enter at most %d", len(kept), MaxReasons)
	}
	return kept, nil
}

// trimmed is the beginning of a text that is too long to be said again.
func trimmed(s string) string {
	if r := []rune(s); len(r) > 20 {
		return string(r[:20]) + "…"
	}
	return s
}

func (r Reasons) equal(o Reasons) bool {
	return slices.Equal(r.Deny, o.Deny) && slices.Equal(r.RequestChanges, o.RequestChanges) && slices.Equal(r.Extend, o.Extend)
}

func textsOf(all []string) canon.Value {
	values := make([]canon.Value, len(all))
	for i, one := range all {
		values[i] = canon.String(one)
	}
	return canon.Array(values...)
}
