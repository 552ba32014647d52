package tenants

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// Named is an id with the name that people know.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Names are who the ids in a tenant's records stand for, each by name. No address
// and no role is in it, so whoever may read the records may read it.
type Names struct {
	People, Agents []Named
	byID           map[string]string
}

// Of is the name of a person or an agent; the id itself where nobody has it any
// more. Other kinds of actors have no names.
func (n Names) Of(kind, id string) string {
	if name := n.byID[kind+" "+id]; name != "" {
		return name
	}
	return id
}

// ReadNames reads them in a transaction.
func ReadNames(r Reader) (Names, error) {
	n := Names{byID: map[string]string{}}
	members, err := r.Members()
	if err != nil {
		return n, err
	}
	for _, m := range members {
		n.People = append(n.People, Named{m.Person.ID, m.Person.Name})
		n.byID["person "+m.Person.ID] = m.Person.Name
	}
	agents, err := r.Agents()
	if err != nil {
		return n, err
	}
	for _, a := range agents {
		n.Agents = append(n.Agents, Named{a.ID, a.Name})
		n.byID["agent "+a.ID] = a.Name
	}
	return n, nil
}

// Former adds the names of people who left the tenant: their acts stand in its
// records for ever. ids must come from records of this tenant, never from a request;
// those that are known already cost nothing.
func (n Names) Former(ctx context.Context, store Store, ids ...string) error {
	for _, id := range ids {
		if n.byID["person "+id] != "" {
			continue
		}
		p, err := store.Person(ctx, id)
		switch {
		case err == nil:
			n.byID["person "+id] = p.Name + " (former member)"
		case fault.Is(err, fault.Missing):
			n.byID["person "+id] = id // erased
		default:
			return err
		}
	}
	return nil
}

// FormerNames is Former for pages.
func (s *Service) FormerNames(ctx context.Context, n Names, ids ...string) error {
	return n.Former(ctx, s.store, ids...)
}

// Names reads who the ids stand for, for members who may read records.
func (s *Service) Names(ctx context.Context, m auth.Member) (n Names, err error) {
	if !m.May(auth.ReadQueue) && !m.May(auth.ReadAudit) {
		return n, fault.New(fault.Denied, "your roles in %s don't allow this; an admin can change them", m.Tenant)
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		n, err = ReadNames(r)
		return err
	})
	return n, err
}
