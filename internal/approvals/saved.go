package approvals

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// List names a list that can be narrowed, and what it is narrowed by saved.
type List string

const (
	QueueList   List = "queue"
	HistoryList List = "history"
	AuditList   List = "audit"
)

// SavedFilter is what a person narrows a list by again and again.
type SavedFilter struct {
	List  List
	Name  string
	Query string // of the list's address; whoever reads it checks it like any other
}

const (
	// MaxSaved is how many filters a person has at most of one list.
	MaxSaved = 20
	// MaxSavedName bounds a name, in characters, and maxSavedQuery an address.
	MaxSavedName  = 40
	maxSavedQuery = 2000
)

// SavedFilters lists those that this person has of a list, by name.
func (s *Service) SavedFilters(ctx context.Context, m auth.Member, of List) (all []SavedFilter, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		all, err = r.SavedFilters(m.Person.ID, of)
		return err
	})
	return all, err
}

// SaveFilter keeps a filter for this person, in place of the one of that name.
func (s *Service) SaveFilter(ctx context.Context, m auth.Member, f SavedFilter) error {
	if err := may(m, auth.ReadQueue); err != nil {
		return err
	}
	f.Name, f.Query = reasonOf(f.Name), scoring.MaskText(f.Query)
	if n := utf8.RuneCountInString(f.Name); n == 0 || n > MaxSavedName || strings.ContainsFunc(f.Name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return fault.Member(fault.InvalidForm, "name", "enter a name of 1 to %d ordinary characters", MaxSavedName)
	}
	if f.Query == "" || len(f.Query) > maxSavedQuery {
		return fault.Member(fault.InvalidForm, "name", "filter the list first; a filter that is saved has at most %d characters", maxSavedQuery)
	}
	return s.writeFor(ctx, m, auth.ReadQueue, func(w Writer) error {
		all, err := w.SavedFilters(m.Person.ID, f.List)
		if err != nil {
			return err
		}
		if len(all) >= MaxSaved && !slices.ContainsFunc(all, func(o SavedFilter) bool { return o.Name == f.Name }) {
			return fault.Member(fault.InvalidForm, "name", "you have %d saved filters, which is the limit; delete one first", MaxSaved)
		}
		return w.SaveFilter(m.Person.ID, f)
	})
}

// ForgetFilter deletes one of this person by its name; where there is none, nothing
// happens.
func (s *Service) ForgetFilter(ctx context.Context, m auth.Member, of List, name string) error {
	return s.writeFor(ctx, m, auth.ReadQueue, func(w Writer) error { return w.ForgetFilter(m.Person.ID, of, name) })
}
