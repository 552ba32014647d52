package store

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// state is what the log of one organisation says now: who may do what, which agents and keys
// there are, what was allowed ahead and denied, and what is open. It is grown from the bytes
// of the events alone, so that no column and no other table says anything in it. Acts are
// held against it (unheld.go), and so is the whole database by Verify, with the same reducers.
//
// Its fields are exported for gob: snapshot.go.
type state struct {
	Head       audit.Head
	Newest     time.Time       // of the newest event
	Snapshot   *audit.Snapshot // the newest one that was made
	Epoch      int64           // how often the log was restored, from 1 on
	Authority  toldAuthority
	Identities map[string]toldPassword // by person
	Tickets    toldTickets
	Agents     toldAgents
	Bindings   map[string]toldBinding
	Tools      map[string]toldTools
	Policy     []byte // the event of the version in force, with what is compared of it
	Proposals  map[string]*toldProposal
	Standing   map[string]*toldStanding
	Denials    map[string]map[string]toldDenial // by agent
	Trust      map[string]*toldTrust            // by agent
	Open       map[string]*openApproval
	Spent      int                     // how many of them are: they are kept until their grants expire
	Few        map[audit.Kind][]fewRef // events of which there are few
}

// fewRef is one of them, of an enrolment or of none.
type fewRef struct {
	Ref       ref
	Enrolment string
	Until     time.Time // zero: it is asked for as long as there is the log
}

// ref names an event by its place, and by what its bytes must be.
type ref struct {
	Index int64
	Leaf  [32]byte
}

// openApproval is one that somebody can still decide, or whose grant can still be spent. What
// is not among them is over.
type openApproval struct {
	Agent string
	Refs  []ref
	Until time.Time // when its grant expires; zero while it is pending
	Spent bool
}

func newState() *state {
	s := &state{}
	s.fill()
	return s
}

// fill makes the maps that are missing: gob leaves out those that are empty.
func (s *state) fill() {
	s.Epoch = max(s.Epoch, 1)
	s.Authority.fill()
	made(&s.Identities)
	s.Tickets.fill()
	made(&s.Agents.Of)
	for _, a := range s.Agents.Of {
		made(&a.Keys)
	}
	made(&s.Bindings)
	made(&s.Tools)
	made(&s.Proposals)
	made(&s.Standing)
	made(&s.Denials)
	made(&s.Trust)
	for _, t := range s.Trust {
		made(&t.Counts)
	}
	made(&s.Open)
	made(&s.Few)
}

func made[K comparable, V any](m *map[K]V) {
	if *m == nil {
		*m = map[K]V{}
	}
}

// clone is a copy that shares nothing.
func (s *state) clone() (*state, error) {
	b, err := s.encode()
	if err != nil {
		return nil, err
	}
	return decodeState(b)
}

func (s *state) encode() ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(s); err != nil {
		return nil, fmt.Errorf("write the state of a log: %w", err)
	}
	return b.Bytes(), nil
}

func decodeState(b []byte) (*state, error) {
	s := &state{}
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(s); err != nil {
		return nil, fmt.Errorf("read the state of a log: %w", err)
	}
	s.fill()
	return s, nil
}

// listeners say what hears which kinds.
var listeners = func() map[audit.Kind][]func(*state, audit.Event) {
	all := map[audit.Kind][]func(*state, audit.Event){}
	on := func(hear func(*state, audit.Event), kinds ...audit.Kind) {
		for _, k := range kinds {
			all[k] = append(all[k], hear)
		}
	}
	on(func(s *state, e audit.Event) { s.Authority.hear(e) }, authorityKinds...)
	on(func(s *state, e audit.Event) { hearIdentity(s.Identities, e) }, identifying...)
	on(func(s *state, e audit.Event) { s.Tickets.hear(e) }, ticketKinds...)
	on(func(s *state, e audit.Event) { s.Agents.hear(e) }, agentKinds...)
	on(func(s *state, e audit.Event) { hearBinding(s.Bindings, e) }, bindingKinds...)
	on(func(s *state, e audit.Event) { hearTools(s.Tools, e) }, toolsKinds...)
	on((*state).hearPolicy, audit.TenantCreated, audit.PolicyChanged)
	on(func(s *state, e audit.Event) { hearPolicyProposal(s.Proposals, e) }, policyProposalKinds...)
	on(func(s *state, e audit.Event) { hearStanding(s.Standing, e) }, standingKinds...)
	on(func(s *state, e audit.Event) { s.Epoch = epochAfter(s.Epoch, e) }, audit.Restored)
	on((*state).hearDenial, audit.Submitted, audit.Denied, audit.Blocked, audit.Approved)
	on((*state).hearTrust, trustKinds()...)
	return all
}()

// settled are the kinds that change what an act later in the same transaction may be held
// against.
var settled = func() map[audit.Kind]bool {
	all := map[audit.Kind]bool{audit.TenantCreated: true, audit.PolicyChanged: true}
	for _, kinds := range [][]audit.Kind{authorityKinds, ticketKinds, agentKinds, bindingKinds, toolsKinds, policyProposalKinds, standingKinds} {
		for _, k := range kinds {
			all[k] = true
		}
	}
	return all
}()

// fewKinds are those of which the events themselves are asked for again.
var fewKinds = map[audit.Kind]bool{
	audit.SigningKeyPublished: true, audit.SigningKeyWithdrawn: true, audit.TenantCreated: true, audit.ModeStated: true, audit.SinglePersonEnded: true,
	audit.EnrolmentOpened: true, audit.EnrolmentEnded: true, audit.AgentCreated: true,
}

// aboutApprovals are the kinds that tell how an approval was asked for, read and decided.
var aboutApprovals = func() map[audit.Kind]bool {
	all := map[audit.Kind]bool{}
	for _, k := range slices.Concat(telling, reviewKinds) {
		all[k] = true
	}
	return all
}()

// forgetEvery is after how many events a state lets go what nobody can use any more.
const forgetEvery = 1024

// hear adds the next event of the log, whose leaf hash is leaf.
func (s *state) hear(e audit.Event, leaf [32]byte) {
	for _, hear := range listeners[e.Kind] {
		hear(s, e)
	}
	r := ref{e.Index, leaf}
	if fewKinds[e.Kind] {
		s.hearFew(e, r)
	}
	if e.Approval != "" && aboutApprovals[e.Kind] {
		s.hearApproval(e, r)
	}
	if e.At.After(s.Newest) {
		s.Newest = e.At
	}
	if (e.Index+1)%forgetEvery == 0 {
		s.forget(s.Newest)
	}
}

// hearFew keeps where an event is that somebody asks for again: of agents only those that came of
// an enrolment which is open, and which can be counted.
func (s *state) hearFew(e audit.Event, r ref) {
	few := fewRef{Ref: r, Enrolment: e.Data.Get("enrolment").Text()}
	switch e.Kind {
	case audit.EnrolmentOpened:
		few.Until, _ = time.Parse(time.RFC3339Nano, e.Data.Get("expires_at").Text())
	case audit.AgentCreated:
		of := func(o fewRef) bool { return o.Enrolment == few.Enrolment }
		if few.Enrolment == "" || !slices.ContainsFunc(s.Few[audit.EnrolmentOpened], of) {
			return
		}
	case audit.EnrolmentEnded:
		s.dropFew(few.Enrolment)
		return
	default:
	}
	s.Few[e.Kind] = append(s.Few[e.Kind], few)
}

// dropFew lets go what is about an enrolment.
func (s *state) dropFew(enrolment string) {
	if enrolment == "" {
		return
	}
	for kind, all := range s.Few {
		s.Few[kind] = slices.DeleteFunc(all, func(o fewRef) bool { return o.Enrolment == enrolment })
	}
}

// epochAfter is the epoch that a restore begins: a new one also where an epoch was lost.
func epochAfter(was int64, restored audit.Event) int64 {
	told, _ := restored.Data.Get("epoch").Int64()
	return max(was+1, told)
}

func (s *state) hearApproval(e audit.Event, r ref) {
	a := s.Open[e.Approval]
	if e.Kind == audit.Submitted && a == nil {
		a = &openApproval{Agent: e.Agent}
		s.Open[e.Approval] = a
	}
	if a == nil {
		return // it is over
	}
	a.Refs = append(a.Refs, r)
	switch _, final := finals[e.Kind]; {
	case e.Kind == audit.GrantConsumed && !a.Spent:
		a.Spent = true
		s.Spent++
	case e.Kind == audit.Approved:
		a.Until, _ = time.Parse(time.RFC3339Nano, e.Data.Get("grant").Get("expires_at").Text())
	case final, e.Kind == audit.GrantVoided:
		s.close(e.Approval, a)
	}
}

func (s *state) close(id string, a *openApproval) {
	delete(s.Open, id)
	if a.Spent {
		s.Spent--
	}
}

func (s *state) hearPolicy(e audit.Event) {
	var kept []canon.Member
	for _, name := range []string{"version", "policy_version", "policy_sha256", "reason", "author", "accepted_by", "single_person"} {
		kept = append(kept, canon.Member{Name: name, Value: e.Data.Get(name)})
	}
	e.Data = canon.Object(kept...)
	s.Policy, _ = e.Bytes() // an event that was read can be written
}

func (s *state) hearDenial(e audit.Event) {
	if e.Kind == audit.Approved && e.Actor.Kind != "person" {
		return
	}
	told := s.Denials[e.Agent]
	if told == nil {
		if _, ok := e.DenialKept(); !ok {
			return
		}
		told = map[string]toldDenial{}
		s.Denials[e.Agent] = told
	}
	hearDenial(told, e)
}

func (s *state) hearTrust(e audit.Event) {
	if s.Trust[e.Agent] == nil {
		s.Trust[e.Agent] = &toldTrust{Last: -1, Counts: map[trustKey]trustCounts{}}
	}
	s.Trust[e.Agent].hear(e)
}

// What a policy can at most look back to, and a day for what is told about midnight.
const (
	denialsKept = 31 * 24 * time.Hour
	overKept    = 24 * time.Hour         // what has expired: by a clock that goes back it hasn't
	trustKept   = trust.HalfLives*90 + 1 // days
)

// forget lets go what nobody can use any more at a time.
func (s *state) forget(now time.Time) {
	for id, a := range s.Open {
		if !a.Until.IsZero() && a.Until.Before(now) {
			s.close(id, a)
		}
	}
	before := now.Add(-overKept)
	s.Tickets.forget(before)
	closed := func(_ string, p *toldProposal) bool { return p.Closed != "" }
	maps.DeleteFunc(s.Proposals, closed)
	maps.DeleteFunc(s.Authority.Proposals, closed)
	for id, g := range s.Standing {
		g.For = slices.DeleteFunc(g.For, func(approval string) bool { return s.Open[approval] == nil })
		if len(g.For) == 0 && g.over(before) {
			delete(s.Standing, id)
		}
	}
	for _, o := range slices.Clone(s.Few[audit.EnrolmentOpened]) {
		if o.Until.Before(before) {
			s.dropFew(o.Enrolment)
		}
	}
	for agent, told := range s.Denials {
		maps.DeleteFunc(told, func(_ string, d toldDenial) bool { return d.When.Before(now.Add(-denialsKept)) })
		if len(told) == 0 {
			delete(s.Denials, agent)
		}
	}
	first := now.AddDate(0, 0, -trustKept).Format(time.DateOnly)
	for _, told := range s.Trust {
		maps.DeleteFunc(told.Counts, func(k trustKey, _ trustCounts) bool { return k.Day < first })
	}
}

// says is the state with what this transaction appended to it, as far as a later check of
// the same transaction asks for it.
func (t *tx) says() (*state, error) {
	if t.state == nil {
		return nil, t.unheldLog()
	}
	if !slices.ContainsFunc(t.appended, func(p appended) bool { return settled[p.event.Kind] }) {
		return t.state, nil
	}
	s, err := t.state.clone()
	if err != nil {
		return nil, err
	}
	for _, p := range t.appended {
		s.hear(p.event, p.leaf)
	}
	return s, nil
}

// StillOpen are the approvals that somebody can still decide, or whose grant may be unspent.
func (t *tx) StillOpen() ([]string, error) {
	if t.state == nil {
		return nil, t.unheldLog()
	}
	return slices.Sorted(maps.Keys(t.state.Open)), nil
}

// Open is how many of them aren't spent.
func (t *tx) Open() (int, error) {
	if t.state == nil {
		return 0, t.unheldLog()
	}
	return len(t.state.Open) - t.state.Spent, nil
}

// refs are the events of an open approval; none where it is over.
func (t *tx) refs(approval string) (all []ref) {
	if t.state == nil {
		return nil
	}
	if a := t.state.Open[approval]; a != nil {
		all = slices.Clone(a.Refs)
	}
	for _, p := range t.appended {
		if p.event.Approval == approval && aboutApprovals[p.event.Kind] {
			all = append(all, ref{p.event.Index, p.leaf})
		}
	}
	return all
}

// kept reads these events. Their places are in no column that somebody could change to hide
// one, and their bytes are what the log has.
func (t *tx) kept(refs []ref) ([]audit.Event, error) {
	events := make([]audit.Event, 0, len(refs))
	for some := range slices.Chunk(refs, verifyBatch) {
		places, leaves := make([]int64, len(some)), make(map[int64][32]byte, len(some))
		for i, r := range some {
			places[i], leaves[r.Index] = r.Index, r.Leaf
		}
		var rows []auditEventRow
		if err := t.of("audit_events").Select("idx, bytes").Where("idx IN ?", places).Order("idx").Find(&rows).Error; err != nil {
			return nil, err
		}
		if len(rows) != len(some) {
			return nil, brokenEvent{places[0], fmt.Sprintf("of %d events that were there, %d are left", len(some), len(rows))}
		}
		for _, r := range rows {
			e, err := audit.Parse([]byte(r.Bytes))
			if err != nil || audit.Leaf([]byte(r.Bytes)) != leaves[r.Idx] {
				return nil, brokenEvent{r.Idx, "its bytes aren't those that were signed"}
			}
			events = append(events, e)
		}
	}
	return events, nil
}
