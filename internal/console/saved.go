package console

import (
	"net/url"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
)

// Filters of the queue that a person keeps under a name.

// savedFields are the parameters of the queue that a saved filter keeps.
var savedFields = []string{"q", "level", "effect", "agent", "environment", "claim"}

// saveFilter keeps the filter that the form carries.
func (s *Console) saveFilter(c call) error {
	given := url.Values{}
	for _, name := range savedFields {
		if all := c.Request().PostForm[name]; len(all) > 0 {
			given[name] = all
		}
	}
	a := takeAddress(c.say, given, queueOrder...)
	queueFilterOf(a)
	if !a.ok() {
		return fault.New(fault.InvalidForm, "this filter can't be read; open the queue, narrow it and save it again")
	}
	f := approvals.SavedFilter{Name: c.field("name"), Query: strings.TrimPrefix(a.at(""), "?")}
	if err := s.approvals.SaveFilter(c.Request().Context(), c.member, f); err != nil {
		return err
	}
	return goTo(c, a.at(queueURL(c.member.Tenant)))
}

// forgetFilter deletes one by its name.
func (s *Console) forgetFilter(c call) error {
	if err := s.approvals.ForgetFilter(c.Request().Context(), c.member, c.field("name")); err != nil {
		return err
	}
	return goTo(c, queueURL(c.member.Tenant))
}

// saved are the reader's filters beside the list. What is stored is read like any
// other address.
func (q queueOf) saved(all []approvals.SavedFilter) *views.SavedFilters {
	v := &views.SavedFilters{Save: q.here() + "/filters", Forget: q.here() + "/filters/forget", Most: approvals.MaxSavedName}
	now := url.Values{}
	for _, name := range savedFields {
		if all := q.address.clean[name]; len(all) > 0 {
			now[name] = all
			for _, value := range all {
				v.Fields = append(v.Fields, views.HiddenField{Name: name, Value: value})
			}
		}
	}
	for _, f := range all {
		a := readAddress(q.say, f.Query, queueOrder...)
		queueFilterOf(a)
		one := views.SavedFilter{Name: f.Name, URL: a.at(q.here()), Current: a.ok() && now.Encode() == a.clean.Encode() && q.address.ok()}
		if one.Current {
			v.Current = f.Name
		}
		v.Filters = append(v.Filters, one)
	}
	if len(v.Filters) == 0 && len(v.Fields) == 0 || !q.address.ok() {
		return nil
	}
	return v
}
