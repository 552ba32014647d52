package audit

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/canon"
)

// What signing keys are for.
const (
	UseGrants      = "grants"
	UseCheckpoints = "checkpoints"
)

// SigningKey is the public half of a key of the server, as the trail tells of it.
type SigningKey struct {
	Use    string // UseGrants or UseCheckpoints
	ID     string
	Public string // base64url of 32 bytes for grants, the line that verifies for checkpoints
	// From is when it signs; zero where a key has no such time.
	From time.Time
}

// KeyChanges are the events that a trail lacks which told these events of signing
// keys, for a server that has these keys: a key that nothing was told of is
// published, and one that the server no longer has, though it has a later one of
// that use, is withdrawn. A server with an older copy of the keys changes nothing.
func KeyChanges(told []Event, have []SigningKey) (events []Event) {
	type name struct{ use, id string }
	known, gone := map[name]Event{}, map[name]bool{}
	var order []name
	for _, e := range told {
		n := name{e.Data.Get("use").Text(), e.Data.Get("key").Text()}
		switch e.Kind {
		case SigningKeyPublished:
			if _, twice := known[n]; !twice {
				order = append(order, n)
			}
			known[n] = e
		case SigningKeyWithdrawn:
			gone[n] = true
		}
	}
	tell := func(kind Kind, k SigningKey) {
		members := []canon.Member{{Name: "use", Value: canon.String(k.Use)}, {Name: "key", Value: canon.String(k.ID)}}
		if k.Public != "" {
			members = append(members, canon.Member{Name: "public", Value: canon.String(k.Public)})
		}
		if !k.From.IsZero() {
			members = append(members, canon.Member{Name: "from", Value: canon.String(FormatTime(k.From))})
		}
		events = append(events, Event{Kind: kind, Actor: Actor{Kind: "system"}, Data: canon.Object(members...)})
	}
	latest, here := map[string]string{}, map[name]bool{}
	for _, k := range have {
		here[name{k.Use, k.ID}] = true
		if !k.From.IsZero() {
			latest[k.Use] = max(latest[k.Use], FormatTime(k.From))
		}
	}
	for _, k := range have {
		if _, ok := known[name{k.Use, k.ID}]; !ok {
			tell(SigningKeyPublished, k)
		}
	}
	for _, n := range order {
		// Times of one form compare as texts do; a key without one is the oldest.
		if !gone[n] && !here[n] && known[n].Data.Get("from").Text() < latest[n.use] {
			tell(SigningKeyWithdrawn, SigningKey{Use: n.use, ID: n.id})
		}
	}
	return slices.Clip(events)
}
