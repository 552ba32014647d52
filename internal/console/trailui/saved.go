package trailui

import (
	"net/url"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
)

// Filters of the lists that a person keeps under a name.

// savedList is a list whose filters can be kept.
type savedList struct {
	name   approvals.List
	fields []string // the parameters that a saved filter keeps, of order
	order  []string
	check  func(*filter.Address)
}

func SavedQueue() savedList {
	return savedList{approvals.QueueList, request.QueueOrder[:6], request.QueueOrder, func(a *filter.Address) { request.FilterOf(a) }}
}

func savedHistory() savedList {
	return savedList{approvals.HistoryList, historyOrder[:len(historyOrder)-2], historyOrder, func(a *filter.Address) { historyQuery(a) }}
}

func savedTrail() savedList {
	return savedList{approvals.AuditList, trailOrder[:len(trailOrder)-2], trailOrder, func(a *filter.Address) { trailQuery(a) }}
}

func (l savedList) url(tenant string) string { return "/t/" + tenant + "/" + string(l.name) }

// kept is what of the values a saved filter keeps.
func (l savedList) kept(from url.Values) url.Values {
	kept := url.Values{}
	for _, name := range l.fields {
		if all := from[name]; len(all) > 0 {
			kept[name] = all
		}
	}
	return kept
}

// saveFilter keeps the filter that the form carries.
func (s *Pages) saveFilter(l savedList) func(edge.Call) error {
	return func(c edge.Call) error {
		a := filter.Take(c.Say, l.kept(c.Request().PostForm), l.order...)
		if l.check(a); !a.OK() {
			return fault.New(fault.InvalidForm, "this filter can't be read; open the list, narrow it and save it again")
		}
		f := approvals.SavedFilter{List: l.name, Name: c.Field("name"), Query: strings.TrimPrefix(a.At(""), "?")}
		if err := s.Approvals.SaveFilter(c.Request().Context(), c.Member, f); err != nil {
			return err
		}
		return edge.GoTo(c, a.At(l.url(c.Member.Tenant)))
	}
}

// forgetFilter deletes one by its name.
func (s *Pages) forgetFilter(l savedList) func(edge.Call) error {
	return func(c edge.Call) error {
		if err := s.Approvals.ForgetFilter(c.Request().Context(), c.Member, l.name, c.Field("name")); err != nil {
			return err
		}
		return edge.GoTo(c, l.url(c.Member.Tenant))
	}
}

// Saved are the reader's filters beside a list, which is narrowed by address.
func (s *Pages) Saved(c edge.Call, l savedList, address *filter.Address) (*views.SavedFilters, error) {
	all, err := s.Approvals.SavedFilters(c.Request().Context(), c.Member, l.name)
	if err != nil {
		return nil, err
	}
	return l.view(c.Member.Tenant, address, all), nil
}

// view draws them. What is stored is read like any other address.
func (l savedList) view(tenant string, address *filter.Address, all []approvals.SavedFilter) *views.SavedFilters {
	here := l.url(tenant)
	v := &views.SavedFilters{Save: here + "/filters", Forget: here + "/filters/forget", Most: approvals.MaxSavedName}
	now := l.kept(address.Clean)
	for _, name := range l.fields {
		for _, value := range now[name] {
			v.Fields = append(v.Fields, views.HiddenField{Name: name, Value: value})
		}
	}
	for _, f := range all {
		a := filter.Read(address.Say, f.Query, l.order...)
		l.check(a)
		one := views.SavedFilter{Name: f.Name, URL: a.At(here), Current: a.OK() && now.Encode() == a.Clean.Encode() && address.OK()}
		if one.Current {
			v.Current = f.Name
		}
		v.Filters = append(v.Filters, one)
	}
	if len(v.Filters) == 0 && len(v.Fields) == 0 || !address.OK() {
		return nil
	}
	return v
}
