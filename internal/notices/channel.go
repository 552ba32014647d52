package notices

import (
	"slices"
	"time"
)

// Channel is one place that is told.
type Channel struct {
	ID       string // "chn_" + UUIDv7 in hex
	Kind     string // Sender.Kind
	Name     string
	Person   string // whose it is, by id; "" for the organisation's
	Settings Settings
	Tells    []Kind
	State    ChannelState
	Why      string // why it is disabled
	// Version counts the changes: who changes a channel says which one they saw.
	Version              int64
	CreatedAt, ChangedAt time.Time
}

// ChannelState says whether a channel is told.
type ChannelState string

const (
	Active  ChannelState = "active"
	Paused  ChannelState = "paused"   // by an admin
	Off     ChannelState = "disabled" // the receiver said so; an admin can resume it
	Deleted ChannelState = "deleted"  // its name stays for the deliveries that it had
)

// Settings is what a channel needs, as Sender.Form names it.
type Settings struct {
	// Fields are shown to admins as they are.
	Fields map[string]string
	// Secrets are encrypted at rest, and never shown again.
	Secrets map[string]string
}

// Tell reports whether the channel tells of this kind.
func (c Channel) Tell(k Kind) bool { return slices.Contains(c.Tells, k) }

// State is where a delivery is on its way.
type State string

const (
	Waiting   State = "waiting"   // for its first or next attempt
	Delivered State = "delivered" // the receiver took it
	Failed    State = "failed"    // given up
	Skipped   State = "skipped"   // of no use any more; LastError says why
)

// Delivery is one notice on its way to one channel.
type Delivery struct {
	Notice, Channel, Approval string
	State                     State
	Attempts                  int // that began
	Failures                  int // that are known to have failed
	Next                      time.Time
	Last                      *time.Time
	LastError                 string
	DeliveredAt               *time.Time
	Ref                       string // what the receiver calls it
}

// Told is a delivery as pages show it.
type Told struct {
	Delivery
	Kind        Kind
	ChannelKind string
	ChannelName string
	Person      string
}

// Job is what a server needs for one attempt.
type Job struct {
	Delivery Delivery
	Notice   Notice
	Channel  Channel
	// Prior is what the channel calls the calls for the same request, the oldest first.
	Prior []string
	// Over says that the request waits no more.
	Over bool
	// Left says that the channel is one of a person who is no member now, or suspended.
	Left bool
}

// Reach is what became of the calls for a request that waits.
type Reach string

const (
	NoCall    Reach = ""        // nobody is called: the organisation had no channel then
	Calling   Reach = "calling" // the first attempts have not ended yet
	Reached   Reach = "reached" // at least one channel took it
	Unreached Reach = "nobody"  // no channel took it so far, or there was none that tells of it; or every step of its rule had its time, and nobody came
)

// ReachOf sums up the deliveries of the calls for one request. routed says that it is
// known who is told.
func ReachOf(routed bool, calls []Delivery) Reach {
	if !routed {
		return Calling
	}
	reach := Unreached
	for _, d := range calls {
		switch {
		case d.State == Delivered:
			return Reached
		case d.State == Waiting && d.Failures == 0:
			reach = Calling
		}
	}
	return reach
}
