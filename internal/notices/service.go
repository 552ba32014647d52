package notices

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
)

// KeepFor is for how long notices and what became of them are kept.
const KeepFor = 90 * 24 * time.Hour

// forgetBatch bounds one transaction of ForgetOld.
const forgetBatch = 500

// Service keeps channels and delivers notices. It is safe for concurrent use. Close it.
type Service struct {
	store   Store
	senders map[string]Sender
	kinds   []string // of senders, in their order
	sealer  *Sealer
	base    func() string
	live    *live.Hub
	now     func() time.Time
	log     *slog.Logger
	holder  string

	ctx     context.Context // of the attempts
	stop    context.CancelFunc
	sending sync.WaitGroup

	mu      sync.Mutex
	busy    map[string]bool // channels that are tried now
	held    bool            // the lease, until renewAt at least
	renewAt time.Time
}

// Config is what a Service needs; every field is required.
type Config struct {
	Store   Store
	Senders []Sender // the kinds of channels, in the order in which they are offered
	Sealer  *Sealer
	Base    func() string // the public URL, known once the server listens
	Live    *live.Hub
	Now     func() time.Time // only for saying in time that this server is there
	Log     *slog.Logger
}

// NewService returns a service over a store.
func NewService(c Config) *Service {
	s := &Service{
		store: c.Store, senders: map[string]Sender{}, sealer: c.Sealer, base: c.Base, live: c.Live, now: c.Now, log: c.Log,
		holder: auth.NewID("srv"), busy: map[string]bool{},
	}
	for _, sender := range c.Senders {
		s.senders[sender.About().Kind] = sender
		s.kinds = append(s.kinds, sender.About().Kind)
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// ForgetOld deletes notices that are older than KeepFor.
func (s *Service) ForgetOld(ctx context.Context) error {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("forget old notices: %w", err)
	}
	var failed []error
	for _, t := range tenants {
		for n := forgetBatch; n == forgetBatch; {
			err := s.store.Aside(ctx, t, func(w Writer) (err error) {
				n, err = w.ForgetNotices(w.Now().Add(-KeepFor), forgetBatch)
				return err
			})
			if err != nil {
				failed = append(failed, fmt.Errorf("forget old notices of %s: %w", t, err))
				break
			}
		}
	}
	return errors.Join(failed...)
}

// About lists the kinds of channels that an admin can add, in the order of the settings.
func (s *Service) About() (all []About) {
	for _, k := range s.kinds {
		if a := s.senders[k].About(); !a.Personal {
			all = append(all, a)
		}
	}
	return all
}

// Deliveries is what became of the notices about one request.
type Deliveries struct {
	All    []Told
	People map[string]string // names of those whose own channels are among them, by id
	Reach  Reach
	Now    time.Time
}

// Deliveries says what became of the notices about a request. Who may read the request may
// read this.
func (s *Service) Deliveries(ctx context.Context, m auth.Member, approval string) (d Deliveries, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return d, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		all, calls, routed, err := r.DeliveriesOf(approval)
		if err != nil {
			return err
		}
		d.All, d.Now = all, r.Now()
		if d.People, err = namesOf(r, all); err != nil {
			return err
		}
		if calls > 0 {
			d.Reach = ReachOf(routed, callsOf(all))
		}
		call, err := r.NoticeCall(approval)
		if fault.Is(err, fault.Missing) {
			return nil
		}
		if err != nil || call.State != CallEmpty {
			return err
		}
		claims, err := r.Claims()
		if _, on := claimed(claims, approval); !on {
			d.Reach = Unreached
		}
		return err
	})
	return d, err
}

// namesOf are those of the people whose own channels were called.
func namesOf(r Reader, all []Told) (map[string]string, error) {
	if !slices.ContainsFunc(all, func(t Told) bool { return t.Person != "" }) {
		return nil, nil
	}
	members, err := r.Members()
	names := make(map[string]string, len(members))
	for _, m := range members {
		names[m.Person.ID] = m.Person.Name
	}
	return names, err
}

// callsOf are the deliveries of calls.
func callsOf(all []Told) (calls []Delivery) {
	for _, t := range all {
		if t.Kind.Calls() {
			calls = append(calls, t.Delivery)
		}
	}
	return calls
}

// event is about a channel.
func (c Channel) event(k audit.Kind, by audit.Actor, more ...canon.Member) audit.Event {
	return audit.Event{Kind: k, Actor: by, Data: canon.Object(append([]canon.Member{
		{Name: "channel", Value: canon.String(c.ID)}, {Name: "kind", Value: canon.String(c.Kind)}, {Name: "name", Value: canon.String(c.Name)},
	}, more...)...)}
}

// tellsData is what a channel tells of.
func (c Channel) tellsData() canon.Member {
	all := make([]canon.Value, len(c.Tells))
	for i, k := range slices.Clone(c.Tells) {
		all[i] = canon.String(string(k))
	}
	return canon.Member{Name: "tells", Value: canon.Array(all...)}
}
