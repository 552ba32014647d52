package logstate

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// Fits is a no as it is logged; ok is false where nothing is left to say no to.
func (s *State) Fits(e audit.Event) (_ audit.Event, ok bool) {
	if e.Kind == audit.AgentsStopped {
		return e, s.Agents.Halt == ""
	}
	a := s.Open[e.Approval]
	if a != nil && !a.Until.IsZero() { // it was approved, and the row didn't say so
		e.Kind, e.Data = audit.GrantVoided, canon.Object(canon.Member{Name: "reason", Value: e.Data.Get("reason")})
	}
	return e, a != nil
}

// State is what the log of one organisation says now: who may do what, which agents and keys
// there are, what was allowed ahead and denied, and what is open. It is grown from the bytes
// of the events alone, so that no column and no other table says anything in it. Acts are
// held against it, and so is the whole database by Verify, with the same reducers.
//
// Its fields are exported for gob: snapshot.go.
type State struct {
	Head       audit.Head
	Newest     time.Time       // of the newest event
	Snapshot   *audit.Snapshot // the newest one that was made
	Epoch      int64           // how often the log was restored, from 1 on
	Authority  Authority
	Identities map[string]Sum // by person
	Tickets    Tickets
	Agents     Agents
	Bindings   map[string]Binding
	Tools      map[string]Tools
	Policy     []byte // the event of the version in force, with what is compared of it
	Proposals  map[string]*Proposal
	Standing   map[string]*Standing
	Denials    map[string]map[string]Denial // by agent
	Trust      map[string]*Trust            // by agent
	Open       map[string]*Approval
	Spent      int                     // how many of them are: they are kept until their grants expire
	Few        map[audit.Kind][]fewRef // events of which there are few
}

// fewRef is one of them, of an enrolment or of none.
type fewRef struct {
	Ref       Ref
	Enrolment string
	Until     time.Time // zero: it is asked for as long as there is the log
}

// Ref names an event by its place, and by what its bytes must be.
type Ref struct {
	Index int64
	Leaf  [32]byte
}

// Approval is one that somebody can still decide, or whose grant can still be spent. What
// is not among them is over.
type Approval struct {
	Agent string
	Refs  []Ref
	Until time.Time // when its grant expires; zero while it is pending
	Spent bool
}

// New is the state of an empty log.
func New() *State {
	s := &State{}
	s.fill()
	return s
}

// fill makes the maps that are missing: gob leaves out those that are empty.
func (s *State) fill() {
	s.Epoch = max(s.Epoch, 1)
	s.Authority.Fill()
	made(&s.Identities)
	s.Tickets.Fill()
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

// Clone is a copy that shares nothing.
func (s *State) Clone() (*State, error) {
	b, err := s.encode()
	if err != nil {
		return nil, err
	}
	return decodeState(b)
}

// reducers are those of each kind.
var reducers = func() map[audit.Kind][]func(*State, audit.Event) {
	all := map[audit.Kind][]func(*State, audit.Event){}
	on := func(apply func(*State, audit.Event), kinds ...audit.Kind) {
		for _, k := range kinds {
			all[k] = append(all[k], apply)
		}
	}
	on(func(s *State, e audit.Event) { s.Authority.Apply(e) }, AuthorityKinds...)
	on(func(s *State, e audit.Event) { ApplyIdentity(s.Identities, e) }, IdentityKinds...)
	on(func(s *State, e audit.Event) { s.Tickets.Apply(e) }, TicketKinds...)
	on(func(s *State, e audit.Event) { s.Agents.Apply(e) }, AgentKinds...)
	on(func(s *State, e audit.Event) { ApplyBinding(s.Bindings, e) }, BindingKinds...)
	on(func(s *State, e audit.Event) { ApplyTools(s.Tools, e) }, ToolsKinds...)
	on((*State).applyPolicy, audit.TenantCreated, audit.PolicyChanged)
	on(func(s *State, e audit.Event) { ApplyProposal(s.Proposals, e) }, PolicyProposalKinds...)
	on(func(s *State, e audit.Event) { ApplyStanding(s.Standing, e) }, StandingKinds...)
	on(func(s *State, e audit.Event) { s.Epoch = EpochAfter(s.Epoch, e) }, audit.Restored)
	on((*State).applyDenial, audit.Submitted, audit.Denied, audit.Blocked, audit.Approved)
	on((*State).applyTrust, TrustKinds()...)
	return all
}()

// Settled are the kinds that change what an act later in the same transaction may be held
// against.
var Settled = func() map[audit.Kind]bool {
	all := map[audit.Kind]bool{audit.TenantCreated: true, audit.PolicyChanged: true}
	for _, kinds := range [][]audit.Kind{AuthorityKinds, TicketKinds, AgentKinds, BindingKinds, ToolsKinds, PolicyProposalKinds, StandingKinds} {
		for _, k := range kinds {
			all[k] = true
		}
	}
	return all
}()

// FewKinds are those of which the events themselves are asked for again.
var FewKinds = map[audit.Kind]bool{
	audit.SigningKeyPublished: true, audit.SigningKeyWithdrawn: true, audit.TenantCreated: true, audit.ModeStated: true, audit.SinglePersonEnded: true,
	audit.EnrolmentOpened: true, audit.EnrolmentEnded: true, audit.AgentCreated: true,
}

// AboutApprovals are the kinds that tell how an approval was asked for, read and decided.
var AboutApprovals = func() map[audit.Kind]bool {
	all := map[audit.Kind]bool{}
	for _, k := range slices.Concat(ApprovalKinds, ReviewKinds, QuestionKinds) {
		all[k] = true
	}
	return all
}()

// forgetEvery is after how many events a state lets go what nobody can use any more.
const forgetEvery = 1024

// Apply adds the next event of the log, whose leaf hash is leaf.
func (s *State) Apply(e audit.Event, leaf [32]byte) {
	for _, apply := range reducers[e.Kind] {
		apply(s, e)
	}
	r := Ref{e.Index, leaf}
	if FewKinds[e.Kind] {
		s.applyFew(e, r)
	}
	if e.Approval != "" && AboutApprovals[e.Kind] {
		s.applyApproval(e, r)
	}
	if e.At.After(s.Newest) {
		s.Newest = e.At
	}
	if (e.Index+1)%forgetEvery == 0 {
		s.forget(s.Newest)
	}
}

// applyFew keeps where an event is that somebody asks for again: of agents only those that came of
// an enrolment which is open, and which can be counted.
func (s *State) applyFew(e audit.Event, r Ref) {
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
func (s *State) dropFew(enrolment string) {
	if enrolment == "" {
		return
	}
	for kind, all := range s.Few {
		s.Few[kind] = slices.DeleteFunc(all, func(o fewRef) bool { return o.Enrolment == enrolment })
	}
}

// EpochAfter is the epoch that a restore begins: a new one also where an epoch was lost.
func EpochAfter(was int64, restored audit.Event) int64 {
	logged, _ := restored.Data.Get("epoch").Int64()
	return max(was+1, logged)
}

func (s *State) applyApproval(e audit.Event, r Ref) {
	a := s.Open[e.Approval]
	if e.Kind == audit.Submitted && a == nil {
		a = &Approval{Agent: e.Agent}
		s.Open[e.Approval] = a
	}
	if a == nil {
		return // it is over
	}
	a.Refs = append(a.Refs, r)
	switch _, final := Finals[e.Kind]; {
	case e.Kind == audit.GrantConsumed && !a.Spent:
		a.Spent = true
		s.Spent++
	case e.Kind == audit.Approved:
		a.Until, _ = time.Parse(time.RFC3339Nano, e.Data.Get("grant").Get("expires_at").Text())
	case final, e.Kind == audit.GrantVoided:
		s.close(e.Approval, a)
	}
}

func (s *State) close(id string, a *Approval) {
	delete(s.Open, id)
	if a.Spent {
		s.Spent--
	}
}

func (s *State) applyPolicy(e audit.Event) {
	var kept []canon.Member
	for _, name := range []string{"version", "policy_version", "policy_sha256", "reason", "author", "accepted_by", "single_person"} {
		kept = append(kept, canon.Member{Name: name, Value: e.Data.Get(name)})
	}
	e.Data = canon.Object(kept...)
	s.Policy, _ = e.Bytes() // an event that was read can be written
}

func (s *State) applyDenial(e audit.Event) {
	if e.Kind == audit.Approved && e.Actor.Kind != "person" {
		return
	}
	logged := s.Denials[e.Agent]
	if logged == nil {
		if _, ok := e.DenialKept(); !ok {
			return
		}
		logged = map[string]Denial{}
		s.Denials[e.Agent] = logged
	}
	ApplyDenial(logged, e)
}

func (s *State) applyTrust(e audit.Event) {
	if s.Trust[e.Agent] == nil {
		s.Trust[e.Agent] = &Trust{Last: -1, Counts: map[TrustKey]TrustCounts{}}
	}
	s.Trust[e.Agent].Apply(e)
}

// What a policy can at most look back to, and a day for what is logged about midnight.
const (
	denialsKept = 31 * 24 * time.Hour
	overKept    = 24 * time.Hour         // what has expired: by a clock that goes back it hasn't
	trustKept   = trust.HalfLives*90 + 1 // days
)

// forget lets go what nobody can use any more at a time.
func (s *State) forget(now time.Time) {
	for id, a := range s.Open {
		if !a.Until.IsZero() && a.Until.Before(now) {
			s.close(id, a)
		}
	}
	before := now.Add(-overKept)
	s.Tickets.forget(before)
	closed := func(_ string, p *Proposal) bool { return p.Closed != "" }
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
	for agent, logged := range s.Denials {
		maps.DeleteFunc(logged, func(_ string, d Denial) bool { return d.When.Before(now.Add(-denialsKept)) })
		if len(logged) == 0 {
			delete(s.Denials, agent)
		}
	}
	first := now.AddDate(0, 0, -trustKept).Format(time.DateOnly)
	for _, logged := range s.Trust {
		maps.DeleteFunc(logged.Counts, func(k TrustKey, _ TrustCounts) bool { return k.Day < first })
	}
}

// Append adds the next event of the log by its bytes, or says why it isn't the next one.
func (s *State) Append(index int64, b []byte) (problem string) {
	if index != s.Head.Size {
		return fmt.Sprintf("event %d is missing", s.Head.Size)
	}
	e, err := audit.Parse(b)
	if err != nil {
		return fmt.Sprintf("event %d: its bytes aren't an event: %v", index, err)
	}
	leaf := audit.Leaf(b)
	next, err := s.Head.Append(leaf)
	if err != nil {
		return err.Error()
	}
	s.Apply(e, leaf)
	s.Head = next
	return ""
}

// Finals says which status an event leaves.
var Finals = map[audit.Kind]approvals.Status{
	audit.Approved: approvals.Approved, audit.Blocked: approvals.Blocked, audit.Denied: approvals.Denied,
	audit.ChangesRequested: approvals.ChangesRequested, audit.Expired: approvals.Expired, audit.Cancelled: approvals.Cancelled,
}

// ApprovalKinds are the kinds that say how an approval was asked for and decided: a handful for each.
var ApprovalKinds = append(slices.Collect(maps.Keys(Finals)), audit.Submitted, audit.Restated, audit.Edited, audit.Extended, audit.Signed, audit.GrantConsumed, audit.GrantVoided, audit.Reported)

// QuestionKinds are the kinds that say what was asked and answered about it.
var QuestionKinds = []audit.Kind{audit.QuestionAsked, audit.QuestionAnswered}

// ReviewKinds are the kinds that say how it was read.
var ReviewKinds = []audit.Kind{audit.Viewed, audit.SectionRead, audit.ChallengeIssued, audit.ChallengePassed, audit.ChallengeFailed, audit.Signed, audit.Approved}
