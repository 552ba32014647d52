package tenants

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// A tenant's policy in versions, each of which is kept. Who may make one alone is
// in weaker.go, what waits for somebody else in proposals.go.

// PolicyVersion is one version of a tenant's policy; versions count from 1 without
// gaps.
type PolicyVersion struct {
	Version      int64
	Policy       scoring.Policy
	Reason       string      // why; empty only for version 1
	Author       auth.Person // zero: the system or the command line; without name where nobody knows the id any more
	Accepted     auth.Person // who accepted a proposal; zero where nobody had to
	SinglePerson bool        // a second person was due, and nobody else could look
	Waited       bool        // a second person was due, and none objected in the waiting time
	CreatedAt    time.Time
}

// Change is a policy that somebody wants to have.
type Change struct {
	Base   int64 // the version that it was made from
	Policy scoring.Policy
	Reason string // 1 to 2,000 characters
	// Typed is the tenant's slug where nobody else could look at a weakening; ignored
	// everywhere else.
	Typed string
}

// maxPolicyReason bounds a reason, in characters.
const maxPolicyReason = 2000

// CurrentPolicy is the version that counts now.
func (s *Service) CurrentPolicy(ctx context.Context, m auth.Member) (PolicyVersion, error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return PolicyVersion{}, err
	}
	return s.policyOf(ctx, m.Tenant)
}

// PolicyOf is CurrentPolicy for the command line, which is asked for no role.
func (s *Service) PolicyOf(ctx context.Context, tenant string) (PolicyVersion, error) {
	if err := s.exists(ctx, tenant); err != nil {
		return PolicyVersion{}, err
	}
	return s.policyOf(ctx, tenant)
}

func (s *Service) policyOf(ctx context.Context, tenant string) (v PolicyVersion, err error) {
	err = s.store.Read(ctx, tenant, func(r Reader) error {
		v, err = current(r)
		return err
	})
	return v, err
}

func current(r Reader) (PolicyVersion, error) {
	_, version, err := r.Policy()
	if err != nil {
		return PolicyVersion{}, err
	}
	return r.PolicyVersion(version)
}

// PolicyVersions lists versions, newest first, below the version before (0: from
// the newest), at most 100.
func (s *Service) PolicyVersions(ctx context.Context, m auth.Member, before int64, limit int) (list []PolicyVersion, err error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		list, err = r.PolicyVersions(before, min(max(limit, 1), 100))
		return err
	})
	return list, err
}

// PolicyVersion is one of them. fault.Missing.
func (s *Service) PolicyVersion(ctx context.Context, m auth.Member, version int64) (v PolicyVersion, err error) {
	if err := allow(m, auth.ReadPolicy); err != nil {
		return v, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		v, err = r.PolicyVersion(version)
		return err
	})
	return v, err
}

// SavePolicy makes the next version, or a proposal: exactly one of the two comes
// back. What masks more does so at once, in a version of its own from which the proposal is
// made (maskAtOnce). It is a version when m may change the policy and the change weakens nothing,
// or when it does and nobody else could look at it: then c.Typed must be the
// tenant's slug, and the version is marked. It takes effect with the next
// submission, decision and consumption.
//
// Faults: Changed when Base is no longer the current version; InvalidMember with a
// JSON pointer into the policy; InvalidForm about "reason", about "typed", or about
// "policy" when nothing would change.
func (s *Service) SavePolicy(ctx context.Context, m auth.Member, c Change) (made *PolicyVersion, proposed *Proposal, err error) {
	if err := allow(m, auth.ProposePolicy); err != nil { // before it is said what is wrong with c
		return nil, nil, err
	}
	d, err := newDraft(c, m.Person)
	if err != nil {
		return nil, nil, err
	}
	err = s.writeFor(ctx, m, auth.ProposePolicy, func(w Writer, m auth.Member) error {
		made, proposed = nil, nil
		if err := d.compare(w); err != nil {
			return err
		}
		alone, err := d.mayAlone(w, m, c.Typed)
		if err != nil {
			return err
		}
		if alone == no {
			if err := s.maskAtOnce(w, m, d); err != nil {
				return err
			}
			p, err := d.propose(w, m)
			proposed = &p
			return err
		}
		if err := s.held(w, m.Tenant); err != nil { // what is compared with it would become true by this
			return err
		}
		v, told, err := d.apply(w, personActor(m), PolicyVersion{Author: m.Person, SinglePerson: alone == nobodyElse}, "")
		if err != nil {
			return err
		}
		made = &v
		return w.Append(told)
	})
	if err != nil {
		return nil, nil, err
	}
	return made, proposed, nil
}

// maskAtOnce makes a version of what a draft that waits for somebody else masks beyond the
// current policy, and bases the draft on it: a leak cannot wait. Nobody can approve what is
// masked by it until the draft is accepted.
func (s *Service) maskAtOnce(w Writer, m auth.Member, d *draft) error {
	now, _, err := w.Policy()
	if err != nil || !m.May(auth.ChangePolicy) {
		return err
	}
	masking := *d
	masking.policy = now.Masking(d.policy)
	if masking.differences = now.Differences(masking.policy); len(masking.differences) == 0 {
		return nil
	}
	masking.weakens = nil
	if err := s.held(w, m.Tenant); err != nil {
		return err
	}
	v, told, err := masking.apply(w, personActor(m), PolicyVersion{Author: m.Person}, "")
	if err != nil {
		return err
	}
	d.base, d.differences = v.Version, masking.policy.Differences(d.policy)
	d.weakens = scoring.Weakened(d.differences)
	return w.Append(told)
}

// ImportPolicy makes the next version on the command line. Whoever can run it
// reaches the database anyway, so nobody else has to look; the trail says that it
// was the system.
func (s *Service) ImportPolicy(ctx context.Context, tenant string, c Change) (v PolicyVersion, err error) {
	if err := s.exists(ctx, tenant); err != nil {
		return v, err
	}
	d, err := newDraft(c, auth.Person{})
	if err != nil {
		return v, err
	}
	err = s.store.Write(ctx, tenant, func(w Writer) error {
		if err := d.compare(w); err != nil {
			return err
		}
		var told audit.Event
		if v, told, err = d.apply(w, system, PolicyVersion{}, ""); err != nil {
			return err
		}
		return w.Append(told)
	})
	return v, err
}

// draft is a change on its way to become a version or a proposal.
type draft struct {
	base        int64
	policy      scoring.Policy
	reason      string
	author      auth.Person
	differences []scoring.Difference
	weakens     []string
}

// newDraft refuses what can never become a version, before anything is read.
func newDraft(c Change, author auth.Person) (*draft, error) {
	reason, err := checkReason(c.Reason)
	if err != nil {
		return nil, err
	}
	if err := c.Policy.Validate(); err != nil {
		return nil, err
	}
	return &draft{base: c.Base, policy: c.Policy.Tidy(), reason: reason, author: author}, nil
}

func checkReason(reason string) (string, error) {
	r := strings.TrimSpace(reason)
	if r == "" || !utf8.ValidString(r) || utf8.RuneCountInString(r) > maxPolicyReason {
		return "", fault.Member(fault.InvalidForm, "reason", "enter a reason of 1 to %d characters; it's kept with the version", maxPolicyReason)
	}
	return scoring.MaskText(canon.String(r).Text()), nil // as the trail has it
}

// compare holds the draft against the current version, which must be its base.
func (d *draft) compare(r Reader) error {
	now, version, err := r.Policy()
	if err != nil {
		return err
	}
	if version != d.base {
		return fault.New(fault.Changed, "the policy is now at version %s, and this change was based on version %s; review what changed and make it again", strconv.FormatInt(version, 10), strconv.FormatInt(d.base, 10))
	}
	if d.policy, err = addressed(r, d.policy); err != nil {
		return err
	}
	if err := d.policy.NoSecrets(now); err != nil {
		return err
	}
	if d.differences = now.Differences(d.policy); len(d.differences) == 0 {
		return fault.Member(fault.InvalidForm, "policy", "nothing would change: this is version %s", strconv.FormatInt(version, 10))
	}
	d.weakens = scoring.Weakened(d.differences)
	return nil
}

// apply writes the next version, and returns the event that tells of it. v says
// who, and proposal from what.
func (d *draft) apply(w Writer, by audit.Actor, v PolicyVersion, proposal string, more ...canon.Member) (PolicyVersion, audit.Event, error) {
	v.Version, v.Policy, v.Reason, v.CreatedAt = d.base+1, d.policy, d.reason, w.Now()
	if err := w.CreatePolicy(v); err != nil {
		return v, audit.Event{}, err
	}
	sum, err := d.policy.SHA256()
	return v, audit.Event{Kind: audit.PolicyChanged, Actor: by, Data: canon.Object(append(append(d.data(), more...),
		member("version", canon.Int(v.Version)), member("policy_sha256", canon.String(sum)), member("proposal", text(proposal)),
		member("author", text(v.Author.ID)), member("accepted_by", text(v.Accepted.ID)), member("single_person", canon.Bool(v.SinglePerson)))...)}, err
}

const (
	toldDifferences = 200 // how many an event lists; the versions are kept, so all can be found
	toldBytes       = 300 // of a setting; a longer one is cut
)

// data is what every event about the draft tells.
func (d *draft) data() []canon.Member {
	var differences, weakens []canon.Value
	for _, one := range d.differences[:min(len(d.differences), toldDifferences)] {
		differences = append(differences, canon.Object(
			member("member", canon.String(one.Member)), member("old", setting(one.Old)), member("new", setting(one.New)), member("weaker", canon.Bool(one.Weaker))))
	}
	for _, name := range d.weakens[:min(len(d.weakens), toldDifferences)] {
		weakens = append(weakens, canon.String(name))
	}
	return []canon.Member{
		member("base", canon.Int(d.base)), member("reason", canon.String(d.reason)),
		member("changed", canon.Int(int64(len(d.differences)))), member("differences", canon.Array(differences...)), member("weakens", canon.Array(weakens...)),
	}
}

// setting is a value's JSON as an event has it; Absent for none.
func setting(json string) canon.Value {
	if len(json) > toldBytes {
		json = strings.ToValidUTF8(json[:toldBytes], "") + "…"
	}
	return text(json)
}
