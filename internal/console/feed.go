package console

import (
	"bytes"
	"context"
	"slices"

	"github.com/a-h/templ"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
)

// What a live page is told. A hint carries an id only; everything is read here,
// with the rights of whoever is looking.

// rowsPerFrame bounds one push.
const rowsPerFrame = 200

// seen is what a page was told of a pending approval.
type seen struct {
	version    int64
	signatures int
}

func seenOf(a approvals.Approval) seen { return seen{a.Version, len(a.Signatures)} }

// begin learns what is pending. The page itself reloads its list when the
// connection stands, so nothing is sent, except when the open request was decided
// while the page was on its way.
func (k *socket) begin(ctx context.Context) error {
	pending, _, err := k.approvals.Queue(ctx, k.member)
	if err != nil {
		return err
	}
	at, err := k.approvals.Attention(ctx, k.member, "")
	if err != nil {
		return err
	}
	k.known, k.told = make(map[string]seen, len(pending)), make(map[string]string, len(pending))
	for _, a := range pending {
		k.known[a.ID] = seenOf(a)
		k.told[a.ID] = attentionTo(at, a.ID, k.member.Person.ID).print()
	}
	if _, waits := k.known[k.open]; k.open == "" || waits {
		k.told[k.open] = "" // it reloads its list only, so that its people are told if there are any
		return nil
	}
	k.known[k.open] = seen{}
	frame, err := k.frame(ctx, []string{k.open})
	if err != nil {
		return err
	}
	return k.send(frame)
}

// frame draws what became of these approvals.
func (k *socket) frame(ctx context.Context, ids []string) ([]byte, error) {
	var b bytes.Buffer
	before := len(k.known)
	secrets, err := k.secrets(ctx)
	if err != nil {
		return nil, err
	}
	at, err := k.approvals.Attention(ctx, k.member, k.open)
	if err != nil {
		return nil, err
	}
	queue := slices.Clone(ids)
	for i := 0; i < len(queue); i++ {
		id := queue[i]
		a, asking, err := k.approvals.Peek(ctx, k.member, id)
		if fault.Is(err, fault.Missing) {
			delete(k.known, id)
			continue
		}
		if err != nil {
			return nil, err
		}
		same, err := k.approvals.Identical(ctx, k.member, a)
		if err != nil {
			return nil, err
		}
		if _, known := k.known[id]; known == a.Status.Final() && len(queue) < rowsPerFrame { // it comes or goes, so the others' count changes
			for _, other := range same {
				if _, shown := k.known[other]; shown && !slices.Contains(queue, other) {
					queue = append(queue, other)
				}
			}
		}
		who := attentionTo(at, id, k.member.Person.ID)
		parts := k.changed(a, who.in(discreet(rowOf(a, k.now(), asking, len(same)), a, secrets)))
		if k.told[id] = who.print(); a.Status.Final() {
			delete(k.told, id)
		} else if id == k.open {
			parts = append(parts, views.PushLooking(id, who.people(onlookerMe(k.member.Person, asking))), views.PushClaim(who.box(a.Tenant, id, at.MayClaim)))
		}
		for _, part := range parts {
			if err := part.Render(ctx, &b); err != nil {
				return nil, err
			}
		}
	}
	if len(k.known) != before {
		if err := views.PushCount(len(k.known)).Render(ctx, &b); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// secrets are the values that the quiz of the open request may ask for, while this
// reader answers it: a request that comes in meanwhile must not name them.
func (k *socket) secrets(ctx context.Context) ([]string, error) {
	if k.open == "" {
		return nil, nil
	}
	opened, asking, err := k.approvals.Peek(ctx, k.member, k.open)
	if fault.Is(err, fault.Missing) || err == nil && !asking {
		return nil, nil
	}
	return queueOf{opened: &opened}.secrets(), err
}

// changed is what a page must be told about one approval, given what it knows.
func (k *socket) changed(a approvals.Approval, row views.QueueRow) []templ.Component {
	before, known := k.known[a.ID]
	switch {
	case a.Status.Final() && !known:
		return nil // it never waited, or its end was told already
	case a.Status.Final():
		delete(k.known, a.ID)
		return []templ.Component{views.PushRow(row), views.PushOutcome(a.ID, outcomeOf(a))}
	case !known:
		k.known[a.ID] = seenOf(a)
		return []templ.Component{views.PushArrival(row)}
	case len(a.Signatures) > before.signatures && a.Version == before.version:
		k.known[a.ID] = seenOf(a)
		return []templ.Component{views.PushRow(row), views.PushOutcome(a.ID, partlyNotice(a))}
	case a.Version != before.version:
		k.known[a.ID] = seenOf(a)
		return []templ.Component{views.PushRow(row), views.PushOutcome(a.ID, changedNotice(a))}
	default:
		return []templ.Component{views.PushRow(row)}
	}
}
