package tenants

import (
	"context"
	"slices"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// Display is how the console itself behaves for a person, in each organisation apart.
type Display struct {
	Chosen  bool   // the person chose something
	Advance bool   // go on to the next request after a decision
	Sound   string // from which level on an arrival is heard; one of Sounds
}

// Sounds are from which level on arrivals are heard; the first is the usual one.
func Sounds() []string { return []string{"off", "critical", "high", "all"} }

// Display reads what a member chose.
func (s *Service) Display(ctx context.Context, m auth.Member) (d Display, err error) {
	if err := allow(m, auth.ReadQueue); err != nil {
		return d, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		d, err = r.Display(m.Person.ID)
		return err
	})
	if !d.Chosen {
		d.Sound = Sounds()[0]
	}
	return d, err
}

// SetDisplay keeps what a member chose.
func (s *Service) SetDisplay(ctx context.Context, m auth.Member, d Display) error {
	if !slices.Contains(Sounds(), d.Sound) {
		return fault.Member(fault.InvalidForm, "sound", "is %.20q; expected off, critical, high or all", d.Sound)
	}
	return s.writeFor(ctx, m, auth.ReadQueue, func(w Writer, m auth.Member) error { return w.SetDisplay(m.Person.ID, d) })
}
