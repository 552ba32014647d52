package tenants

import (
	"context"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// Enrolments: one token that many machines exchange, each once, for a key of its own.
//
// An enrolment is in no table. The trail says that it was opened, for whom and how long, which
// agents came of it, and that it was ended, and whoever reads that believes sealed events only:
// so there is no row that somebody could forge, and nothing to hold against the trail.

const (
	maxEnrolmentLife = 31 * 24 * time.Hour
	maxEnrolmentUses = 100_000
)

// NewEnrolment is what whoever opens one decides.
type NewEnrolment struct {
	Prefix string        // of the agents' names: PREFIX@HOST
	Owner  string        // email address of the agents' owner; may be empty
	Life   time.Duration // of the token
	Uses   int           // how many machines; 0: any number, until the end
}

// OpenEnrolment makes a token on the command line. It is shown once, and kept nowhere.
func (s *Service) OpenEnrolment(ctx context.Context, tenant string, in NewEnrolment) (token string, until time.Time, err error) {
	if err := checkAgentName(in.Prefix + "@host"); err != nil || strings.Contains(in.Prefix, "@") {
		return "", until, fault.Member(fault.InvalidForm, "name", "%.60q can't begin the names of agents; use letters, digits, '.', '_' and '-', starting with a letter or digit", in.Prefix)
	}
	if in.Life <= 0 || in.Life > maxEnrolmentLife {
		return "", until, fault.Member(fault.InvalidForm, "ttl", "a token for enrolment works for at most 31 days")
	}
	if in.Uses < 0 || in.Uses > maxEnrolmentUses {
		return "", until, fault.Member(fault.InvalidForm, "uses", "enter how many machines may use the token, at most %d, or 0 for any number", maxEnrolmentUses)
	}
	if err := s.exists(ctx, tenant); err != nil {
		return "", until, err
	}
	owner, err := s.ownerByEmail(ctx, in.Owner)
	if err != nil {
		return "", until, err
	}
	token, hash := auth.NewEnrolment(tenant)
	err = s.store.Write(ctx, tenant, func(w Writer) error {
		if err := checkOwner(w, tenant, owner); err != nil {
			return err
		}
		until = w.Now().Add(in.Life)
		return w.Append(audit.Event{Tenant: tenant, Kind: audit.EnrolmentOpened, Actor: system, Data: canon.Object(
			member("enrolment", canon.String(auth.NewID("enr"))), member("token_sum", canon.String(sum(hash))), member("name", canon.String(in.Prefix)),
			member("owner", text(owner)), member("expires_at", instant(&until)), member("uses", canon.Int(int64(in.Uses))))})
	})
	return token, until, err
}

// EndEnrolments makes every token for enrolment of the tenant worthless, and returns how many
// worked until now. The agents that came of them stay.
func (s *Service) EndEnrolments(ctx context.Context, tenant string) (ended int, err error) {
	if err := s.exists(ctx, tenant); err != nil {
		return 0, err
	}
	err = s.store.Write(ctx, tenant, func(w Writer) error {
		told, err := w.Told(audit.EnrolmentOpened, audit.EnrolmentEnded)
		if err != nil {
			return err
		}
		open := openEnrolments(told, w.Now())
		ended = len(open)
		for _, e := range open {
			if err := w.Append(audit.Event{Tenant: tenant, Kind: audit.EnrolmentEnded, Actor: system, Data: canon.Object(member("enrolment", canon.String(e.id)))}); err != nil {
				return err
			}
		}
		return nil
	})
	return ended, err
}

// enrolment is one as the trail tells of it.
type enrolment struct {
	id, sum, prefix, owner string
	uses                   int64
}

// openEnrolments are those whose time has not come and that nobody ended.
func openEnrolments(told []audit.Event, now time.Time) (open map[string]enrolment) {
	open = map[string]enrolment{}
	for _, e := range told {
		id := e.Data.Get("enrolment").Text()
		switch uses, _ := e.Data.Get("uses").Int64(); {
		case e.Kind == audit.EnrolmentEnded:
			delete(open, id)
		case e.Kind == audit.EnrolmentOpened && audit.FormatTime(now) < e.Data.Get("expires_at").Text():
			open[id] = enrolment{id, e.Data.Get("token_sum").Text(), e.Data.Get("name").Text(), e.Data.Get("owner").Text(), uses}
		}
	}
	return open
}

// enrolmentGone is the answer to any token that does not work, whatever the reason.
func enrolmentGone() error {
	return fault.New(fault.Unauthorized, "this enrolment token isn't known, has ended or was used up; ask whoever runs the agents for another (countersign agent enroll)")
}

// Enrol exchanges a token for the key of a new agent, which is named after the host. A host
// gets one agent: whoever has the token must not become a machine that is there already.
func (s *Service) Enrol(ctx context.Context, token, host string) (key string, a auth.Agent, err error) {
	tenant, hash, ok := auth.SplitEnrolment(token)
	if !ok {
		return "", a, enrolmentGone()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	var e enrolment
	// A stranger's token takes no lock: the first look is a reader's.
	err = s.store.Read(ctx, tenant, func(r Reader) error {
		told, err := r.Tells(audit.EnrolmentOpened, audit.EnrolmentEnded)
		if err != nil {
			return err
		}
		for _, open := range openEnrolments(told, r.Now()) {
			if open.sum == sum(hash) {
				e = open
				return nil
			}
		}
		return enrolmentGone()
	})
	if fault.Is(err, fault.Missing) { // there is no such tenant
		return "", a, enrolmentGone()
	}
	if err != nil {
		return "", a, err
	}
	in := NewAgent{Name: e.prefix + "@" + host, Owner: e.owner, KeyID: auth.NewID("key"), enrolment: e.id}
	if host == "" || strings.Contains(host, "@") || checkAgentName(in.Name) != nil {
		return "", a, fault.Member(fault.InvalidMember, "/host", "the host name is missing, or with it the agent's name is longer than 64 characters or holds others than letters, digits, '.', '_' and '-'; send the machine's name")
	}
	key, a, err = createAgent(tenant, in, system, func(fn func(w Writer) error) error {
		return s.store.Write(ctx, tenant, func(w Writer) error {
			if err := e.use(w); err != nil {
				return err
			}
			if err := s.held(w, tenant); err != nil {
				return err
			}
			return fn(w)
		})
	})
	if fault.Is(err, fault.AlreadyExists) {
		return "", a, fault.Member(fault.AlreadyExists, "/host", "there already is an agent %s: each machine enrols once. If it's the same machine, an admin gives it a new key on the agent's page", in.Name)
	}
	return key, a, err
}

// use refuses a token that was ended or used up since it was looked for. Nobody else uses one
// until the transaction ends.
func (e enrolment) use(w Writer) error {
	told, err := w.Told(audit.EnrolmentOpened, audit.EnrolmentEnded)
	if err != nil {
		return err
	}
	if _, open := openEnrolments(told, w.Now())[e.id]; !open {
		return enrolmentGone()
	}
	if h, err := w.Halt(); err != nil {
		return err
	} else if h != nil {
		return fault.New(fault.AgentsStopped, "all agents are stopped, so no new one is created; try again when they are resumed")
	}
	if e.uses == 0 {
		return nil
	}
	made, err := w.Told(audit.AgentCreated)
	if err != nil {
		return err
	}
	for _, a := range made {
		if a.Data.Get("enrolment").Text() == e.id {
			e.uses--
		}
	}
	if e.uses <= 0 {
		return enrolmentGone()
	}
	return nil
}
