package notices

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/tenants"
)

// Store is the database as this package needs it. The outbox itself is written by the
// store, with the events that Of reads.
type Store interface {
	Read(ctx context.Context, tenant string, fn func(Reader) error) error
	// Write has the tenant's log for itself; Aside is for what no event tells of.
	Write(ctx context.Context, tenant string, fn func(Writer) error) error
	Aside(ctx context.Context, tenant string, fn func(Writer) error) error
	Tenants(ctx context.Context) ([]string, error)
	// Lease makes holder the one in charge of a work until life from now, unless somebody
	// else is; held says whether it is.
	Lease(ctx context.Context, work, holder string, life time.Duration) (held bool, err error)
	// EndLease gives it back.
	EndLease(ctx context.Context, work, holder string) error
}

// Reader sees one tenant. Channels come with their secrets sealed, see Sealer.
type Reader interface {
	// Channels lists those that are not deleted, the oldest first.
	NoticeChannels() ([]SealedChannel, error)
	// NoticeChannel is one that is not deleted; who writes holds it. fault.Missing.
	NoticeChannel(id string) (SealedChannel, error)
	// UnroutedNotices lists notices of which it is not known yet who is told, oldest first.
	UnroutedNotices(limit int) ([]Notice, error)
	// DueDeliveries are those that may be tried now, the first due of each channel only;
	// those whose channel is not active, too.
	DueDeliveries() ([]SealedJob, error)
	// NewestDelivery is that of the newest notice that was tried on a channel. fault.Missing.
	NewestDelivery(channel string) (Told, error)
	// TestDelivery is the newest delivery of a Test to a channel. fault.Missing.
	TestDelivery(channel string) (Told, error)
	// DeliveriesOf lists those about a request, in the order of the notices and channels.
	// calls is how many notices called somebody; routed says that of all of them it is known
	// who is told.
	DeliveriesOf(approval string) (all []Told, calls int, routed bool, err error)
	// Unreached are the requests that wait, of which Reach is Unreached, at most 2,000.
	Unreached() ([]string, error)
	approvals.Deciding // with the policy in force, and its version
	Approval(id string) (approvals.Approval, error)
	// Membership returns what this person may do here. fault.Missing.
	Membership(person string) (tenants.Membership, error)
	// Members lists everybody of the tenant by name.
	Members() ([]tenants.Membership, error)
	Agents() ([]tenants.Agent, error)
	// Claims lists the claims on pending approvals that hold, oldest first, at most 2,000.
	Claims() ([]approvals.Claim, error)
	// Snoozes lists what people put aside on pending approvals, at most 2,000.
	Snoozes() ([]approvals.Snooze, error)
	// NoticePlan is who is called; the zero Plan where nobody made one. Who writes holds it.
	NoticePlan() (Plan, error)
	// Absences lists who is away and who will be.
	Absences() ([]tenants.Absence, error)
	// NoticeOwn is what a person set; the zero Own of theirs where that is nothing.
	NoticeOwn(person string) (Own, error)
	// NoticeOwns lists what people set.
	NoticeOwns() ([]Own, error)
	// NoticeCall is how far the call to a request is. fault.Missing.
	NoticeCall(approval string) (Call, error)
	// DueNoticeCalls are those whose next step is due, the longest due first.
	DueNoticeCalls(limit int) ([]Call, error)
}

// Writer also changes.
type Writer interface {
	Reader
	// KeepNoticeChannel writes a new channel, or one whose stored version is was; else
	// fault.Changed.
	KeepNoticeChannel(c SealedChannel, was int64) error
	// PostNotice adds to the outbox; it is routed from its At on, where that is later.
	PostNotice(n Notice) error
	// RouteNotice writes who is told, once; else fault.Changed.
	RouteNotice(n Notice, channels []string) error
	// TakeDelivery counts an attempt and puts the next one off, if the delivery waits and
	// nobody took it since; else fault.Changed.
	TakeDelivery(d Delivery, next time.Time) error
	// MarkDelivery writes what became of the attempt that d counts; else fault.Changed.
	MarkDelivery(d Delivery) error
	// ForgetNotices deletes notices from before that time, with their deliveries, at most
	// so many, and says how many.
	ForgetNotices(before time.Time, limit int) (int, error)
	// KeepNoticePlan writes the plan whose stored version is was; else fault.Changed.
	KeepNoticePlan(p Plan, was int64) error
	// KeepNoticeOwn writes what a person set whose stored version is was; else fault.Changed.
	KeepNoticeOwn(o Own, was int64) error
	// StandIn notes that a deputy was called to a request in the place of a person who is away.
	StandIn(approval, person, deputy string) error
	// KeepNoticeCall writes a new call (was is -1), or one that is open and at the step was;
	// else fault.Changed.
	KeepNoticeCall(c Call, was int) error
	Append(events ...audit.Event) error
}

// SealedChannel is a channel as the store keeps it.
type SealedChannel struct {
	Channel        // without Settings.Secrets
	Sealed  string // they, encrypted
}

// SealedJob is a Job as the store has it.
type SealedJob struct {
	Job
	Sealed string
}
