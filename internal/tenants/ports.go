package tenants

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// Store is the database as this package needs it. The global tables (tenants,
// people, sign-in links) have methods of their own; everything that belongs to a
// tenant goes through the two doors.
type Store interface {
	Now(ctx context.Context) (time.Time, error) // the database's clock, UTC, microseconds
	Read(ctx context.Context, tenant string, fn func(Reader) error) error
	// Write has the tenant's log for itself; Aside is for what no event tells of.
	Write(ctx context.Context, tenant string, fn func(Writer) error) error
	Aside(ctx context.Context, tenant string, fn func(Writer) error) error
	// SayNo is Write that goes on while the log is refused, for a stop of all agents: nothing can
	// be asked of the log then, and nothing else be appended. It comes into the log later.
	SayNo(ctx context.Context, tenant string, fn func(Writer) error) error
	// WriteEach runs fn for each of these tenants, in one transaction.
	WriteEach(ctx context.Context, tenants []string, fn func(w Writer, tenant string) error) error
	// CreateTenant inserts the tenant with its empty audit log and its first
	// policy version, then runs fn in the same transaction. fault.AlreadyExists.
	CreateTenant(ctx context.Context, slug string, p scoring.Policy, fn func(Writer) error) error
	Tenants(ctx context.Context) ([]string, error)

	// AnyPerson reports whether the first person exists.
	AnyPerson(ctx context.Context) (bool, error)
	// PersonByEmail returns the person and their password hash (PHC string, empty
	// when they have none). fault.Missing. The address is compared in lower case.
	PersonByEmail(ctx context.Context, email string) (auth.Person, string, error)
	Person(ctx context.Context, id string) (auth.Person, error)
	// Account is Person with what belongs to no tenant. fault.Missing.
	Account(ctx context.Context, id string) (Account, error)
	// SetPassword and EndAllSessions are Writer's for a person who is a member of nothing.
	SetPassword(ctx context.Context, person, hash string) error
	EndAllSessions(ctx context.Context, person string) error
	// Failures returns how often it failed under each of these names, and until when that
	// counts; nothing of names of which none does. The time is that of the database.
	Failures(ctx context.Context, names ...string) (map[string]Failures, time.Time, error)
	// CountFailures counts one more under each, and returns what Failures does. One that
	// begins counts as long as its limit says.
	CountFailures(ctx context.Context, limits ...auth.Limit) (map[string]Failures, time.Time, error)
	// TakeBackFailures counts one less under each, and forgets those that are forgiving.
	TakeBackFailures(ctx context.Context, limits ...auth.Limit) error
	// CreateLink stores a link; with voidOthers every unused link of that kind is removed first.
	CreateLink(ctx context.Context, l Link, voidOthers bool) error
	// Link returns a link that is neither used nor expired, nor for the first person where
	// there is one. fault.Missing.
	Link(ctx context.Context, hash string) (Link, error)
	// UseLink marks a link as used, once: fault.Missing when it was used, has
	// expired or never was. A demo link is not used up.
	UseLink(ctx context.Context, hash string) (Link, error)
}

// Failures are those to sign in that count until a time.
type Failures struct {
	Count int
	Until time.Time
}

// Reader sees one tenant.
type Reader interface {
	Now() time.Time
	Policy() (scoring.Policy, int64, error)
	// AgentByKeyHash returns the agent of an unexpired, unrevoked key. fault.Missing.
	AgentByKeyHash(hash string) (auth.Agent, error)
	Agents() ([]Agent, error)
	// Agent returns one of them; who writes holds it until the commit. fault.Missing.
	Agent(id string) (Agent, error)
	// Keys lists an agent's keys, newest first; AllKeys those of every agent.
	Keys(agent string) ([]Key, error)
	AllKeys() ([]Key, error)
	// Activity counts what an agent submitted since then, up to limit.
	Activity(agent string, since time.Time, limit int) (Activity, error)
	// Halt says whether all agents are stopped; nil when they are not.
	Halt() (*Halt, error)
	// ImportedTools lists those of an agent, by name.
	ImportedTools(agent string) ([]Tool, error)
	// PolicyVersion returns one version. fault.Missing.
	PolicyVersion(version int64) (PolicyVersion, error)
	// PolicyVersions lists newest first, below before (0: from the newest).
	PolicyVersions(before int64, limit int) ([]PolicyVersion, error)
	// Proposal returns one, open or not. fault.Missing.
	Proposal(id string) (Proposal, error)
	// Proposals lists the open ones, oldest first, at most MaxProposals.
	Proposals() ([]Proposal, error)
	// Membership returns what this person may do here. fault.Missing.
	Membership(person string) (Membership, error)
	Members() ([]Membership, error)
	// Entrances says of every member, by person, what Enter asks.
	Entrances() (map[string]Entrance, error)
	// Ticket returns one that is neither used, withdrawn nor expired. fault.Missing.
	Ticket(hash string) (Ticket, error)
	// Invitations lists the tickets to join that still can be used, newest first.
	Invitations() ([]Ticket, error)
	// Authority is what it depends on who may do what alone. Where one that was read before
	// an event was written is another one by then, the transaction runs again.
	Authority() (authority.State, error)
	// PasswordHash is the stored hash of the password of a member; who writes keeps it as it
	// is until the commit. fault.Missing.
	PasswordHash(person string) (string, error)
	// Entering reads at once what is asked of somebody who comes in.
	Entering(person string) error
	// OpenChanges counts what others proposed and nobody closed: of the policy, of people, of
	// bindings.
	OpenChanges(person string) (int, error)
	// Guide says how far the tenant is, for this person.
	Guide(person string) (Guide, error)
	// Mentions are those in comments on requests that these people haven't opened since, by person, the
	// newest first; older than MentionKept none.
	Mentions(people ...string) (map[string][]Mention, error)
	// Absences lists who is away and who will be, by name.
	Absences() ([]Absence, error)
	// Display is what this person chose for the console; the zero value for nothing.
	Display(person string) (Display, error)
	// Reasons are what forms offer, empty where an act has none of its own.
	Reasons() (Reasons, error)
	// Single reports whether the tenant is in single-person mode.
	Single() (bool, error)
	// Tells returns the events of these kinds, oldest first.
	Tells(kinds ...audit.Kind) ([]audit.Event, error)
	// OpenRequests are what waits for signatures: each sort once.
	OpenRequests() ([]authority.Request, error)
	// PeopleProposal returns one, open or not. fault.Missing.
	PeopleProposal(id string) (PeopleProposal, error)
	// PeopleProposals lists the open ones, oldest first, at most MaxProposals.
	PeopleProposals() ([]PeopleProposal, error)
	// Openings are the first looks at what waits, by what it is.
	Openings(subjects []string) (map[string][]authority.Opening, error)
}

// Writer also changes.
type Writer interface {
	Reader
	// PasswordMismatch says that the log tells of another password of a member than is stored;
	// "" where it does not.
	PasswordMismatch(person string) (problem string, err error)
	// AuthorityMismatch says what the tables have otherwise than the log of people and their
	// rights, of what waits, and of who asked for it; "" where they agree.
	AuthorityMismatch() (problem string, err error)
	// CreateAgent stores an agent. fault.AlreadyExists when the name is taken.
	CreateAgent(a Agent) error
	// AddKey stores a key of an agent. fault.AlreadyExists when its id is taken.
	AddKey(k Key, hash string) error
	// SetKey writes ExpiresAt and RevokedAt of a key that was not revoked before;
	// otherwise fault.Missing.
	SetKey(k Key) error
	// BindAgent binds an agent to this, in place of what it is bound to, and ends what was
	// asked.
	BindAgent(id string, to Bound) error
	// SetCanary writes the newest canary of an agent. fault.Missing.
	SetCanary(id string, c Canary) error
	// SetSilent writes Now as when people were told that an agent is silent, if they were
	// not told since its last use; otherwise fault.Changed.
	SetSilent(id string) error
	// DescribeAgent writes what an admin says of an agent. fault.Missing.
	DescribeAgent(id string, d Description) error
	// AskBinding keeps what is asked for an agent; the zero Binding is nothing.
	AskBinding(id string, b Binding) error
	// StopAgent writes StoppedAt = Now, StoppedBy and StopReason of an agent that is
	// not stopped, and revokes its keys; StartAgent clears them of one that is.
	// Otherwise fault.Changed.
	StopAgent(id, by, reason string) error
	StartAgent(id string) error
	// LoseTrust forgets what is known of an agent's calls, and keeps why. It returns
	// when: at Now or later.
	LoseTrust(agent string, l trust.Loss) (at time.Time, err error)
	// SetTools makes these the tools of an agent's server, in place of those it had.
	SetTools(agent, server string, tools []Tool) error
	// HaltAgents stops all agents, Resume ends that. fault.Changed when they are, or
	// are not, stopped already.
	HaltAgents(by, reason string) error
	Resume() error
	// Used writes when an agent and its key were last used, if what stands there is
	// at least UsageStep older.
	Used(agent, key string, at time.Time) error
	// CreatePolicy stores a version. fault.Changed when there is one of that number.
	CreatePolicy(v PolicyVersion) error
	// CreateProposal stores an open proposal.
	CreateProposal(p Proposal) error
	// CloseProposal writes State, ClosedBy, Answer and ClosedAt = Now of a proposal
	// that is open; otherwise fault.Changed.
	CloseProposal(p Proposal) error
	// CreatePerson stores a person. fault.AlreadyExists when the address is taken.
	CreatePerson(p auth.Person, passwordHash string) error
	// Grant sets the roles of a person in this tenant.
	Grant(person string, roles []auth.Role) error
	// RemoveMember ends a membership. fault.Missing.
	RemoveMember(person string) error
	// EndSessions ends what a member has signed in, in this tenant; EndAllSessions in
	// every tenant. SignedIn remembers Now as the last sign-in.
	EndSessions(person string) error
	EndAllSessions(person string) error
	SignedIn(person string) error
	// SetPassword replaces a person's password and ends all their sessions.
	SetPassword(person, hash string) error
	// AddTicket stores a ticket and withdraws those of the same kind for the same
	// address. fault.AlreadyExists when its id is taken.
	AddTicket(t Ticket, hash string) error
	// UseTicket marks a ticket as used, once: fault.Missing as Ticket.
	UseTicket(hash string) (Ticket, error)
	// AcceptTicket lets a ticket that waits be used, until then. fault.Changed when it
	// was withdrawn.
	AcceptTicket(id string, until time.Time) error
	// CreatePeopleProposal stores an open proposal; ClosePeopleProposal ends one, as
	// CloseProposal does.
	CreatePeopleProposal(p PeopleProposal) error
	ClosePeopleProposal(p PeopleProposal) error
	// Opened remembers Now as the first look of somebody at something that waits.
	// fault.AlreadyExists.
	Opened(subject, person string) error
	// Tie remembers Now as when by made a person what they are: TieInvited, TiePassword.
	Tie(person, by, how string) error
	// EndSinglePerson ends single-person mode; person is the second one. fault.AlreadyExists.
	EndSinglePerson(person string) error
	// Suspend takes every role from a member until Reinstate, and ends their sessions.
	// fault.Changed when they are, or are not, suspended already.
	Suspend(person, by, reason string) error
	Reinstate(person string) error
	// WithdrawPasswordLinks makes the links worthless that choose a password for somebody
	// else and wait for nobody, and returns their ids.
	WithdrawPasswordLinks() ([]string, error)
	// WithdrawTicket makes one worthless. fault.Changed when it is already,
	// fault.Missing when there is none.
	WithdrawTicket(id string) error
	// UseLink is Store.UseLink inside this transaction.
	UseLink(hash string) (Link, error)
	Append(events ...audit.Event) error
	// Told returns the events of these kinds, oldest first. Nobody else appends to the
	// log until this transaction ends, so what is missing there can be told once.
	Told(kinds ...audit.Kind) ([]audit.Event, error)
	// CloseGuide notes that a person needs no guide any more; again changes nothing.
	CloseGuide(person string) error
	// KeepAbsence writes one in place of the person's one before; EndAbsence deletes it.
	KeepAbsence(a Absence) error
	EndAbsence(person string) error
	// SetDisplay writes what this person chose in place of what there was.
	SetDisplay(person string, d Display) error
	// SetReasons writes all reasons in place of what there was.
	SetReasons(all Reasons) error
}
