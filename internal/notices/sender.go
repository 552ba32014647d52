package notices

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/fault"
)

// Sender is one kind of channel. It is safe for concurrent use and keeps no state.
type Sender interface {
	// About is what never changes about the kind.
	About() About
	// Check refuses what can never work: a fault on the name of a field.
	Check(c Settings) error
	// Shown is where a channel leads, without anything secret: a host, a room, an address.
	Shown(c Settings) string
	// Follows reports whether a channel wants the end of each request whose call it took,
	// whatever it tells of: it changes what it sent then.
	Follows(c Settings) bool
	// Send sends one message once, within a time that ctx bounds. ref is what the receiver
	// calls it, if anything later depends on it. An error that is no Failure is tried again.
	Send(ctx context.Context, c Settings, m Message) (ref string, err error)
}

// About describes a kind of channel.
type About struct {
	// Kind is its name for good: the store keeps it.
	Kind string
	// Label is what people call it.
	Label fault.Text
	// Help says in a sentence what one needs to have.
	Help fault.Text
	// Form lists what the settings of a channel of this kind have.
	Form []Field
	// Tells is what a new channel tells of.
	Tells []Kind
	// Retries are the pauses before the second, third … attempt.
	Retries []time.Duration
	// Late says that a call is sent when the request is over, too: a program wants every
	// notice, people those that they can still act on.
	Late bool
	// Personal kinds are channels of one person, which admins do not add.
	Personal bool
}

// Field is one of the settings of a channel.
type Field struct {
	Name  string
	Label fault.Text
	Help  fault.Text
	// Secret fields are encrypted at rest and shown as set or not.
	Secret bool
	// Made fields are made by the server, see Maker; nobody types them.
	Made     bool
	Required bool
	// Lines is how high the field is; 0 is one line.
	Lines int
	// Example stands in an empty field.
	Example string
}

// Maker is a Sender some of whose secrets the server makes.
type Maker interface {
	// Make adds what a new channel needs, and returns what is shown once; "" for nothing.
	Make(c *Settings) (once string)
	// Rotate replaces it; the one before counts until a time that the Settings keeps.
	Rotate(c *Settings, now time.Time) (once string)
}

// Previewer is a Sender whose message is written by an admin.
type Previewer interface {
	// Preview is what would be sent.
	Preview(c Settings, m Message) (string, error)
}

// Message is what a notice says, before a sender makes it safe for its receiver: texts
// hold whatever agents wrote.
type Message struct {
	ID     string // the notice's: the same at each attempt
	Kind   Kind
	Tenant string
	At     time.Time // when it happened
	Now    time.Time // of this attempt

	Approval string // "" where it is about no request
	Status   string // of the request, as the API has it
	Level    string
	Agent    string // name
	Expires  time.Time
	Link     string // leads to the page, after signing in
	// Title is one line in the words of the console.
	Title string
	// More is what the organisation lets notices say beyond that; nil for nothing.
	More *More

	// Prior are the refs of the calls for the same request on this channel, the oldest first.
	Prior []string
	// Asked says that the channel is set to tell of this kind. It is not where a message
	// only follows (Sender.Follows).
	Asked bool
}

// More is what a notice says only where the organisation lets it. Secrets are masked.
type More struct {
	Sentence string // what would happen
	Target   string
	Reason   string // as the agent claims
	Needs    string // who still has to approve, where the policy says
}

// Failure is why a message was not taken.
type Failure struct {
	// Text says what happened, in English, for the record. It holds no secret.
	Text string
	// Final says that trying again cannot help.
	Final bool
	// Gone says that the receiver wants no more, ever.
	Gone bool
	// Skip says that there is nothing to send.
	Skip bool
	// Taken says that the receiver took it all the same: for some of those it is for.
	Taken bool
	// RetryAfter is what the receiver asks for; 0 for nothing.
	RetryAfter time.Duration
}

// Error is the text.
func (f *Failure) Error() string { return f.Text }
