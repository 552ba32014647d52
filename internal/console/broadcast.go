package console

import (
	"bytes"
	"context"
	"iter"
	"strings"
	"sync"

	"github.com/a-h/templ"
	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// broadcast is what a room read about one change. Those who are told the same share its
// frame, drawn and framed once. It is safe for concurrent use.
type broadcast struct {
	ids     []string
	what    approvals.Changes
	members map[tenants.Visitor]auth.Member // who is told
	// involved are the persons who see something else: they look at one of these
	// requests, are on it, or answer questions.
	involved map[string]bool

	// news or mentions, by person, when there are some, are all that the wave tells.
	news     *tenantNews
	mentions map[string][]tenants.Mention

	rows map[string]review.QueueRow // in English, as everybody sees them who is not involved

	drawing sync.Mutex
	others  map[texts.Printer]map[string]review.QueueRow // the same in other languages

	mu     sync.Mutex
	frames map[string]*websocket.PreparedMessage // by language and parts
}

func newBroadcast(ids []string, what approvals.Changes, members map[tenants.Visitor]auth.Member) *broadcast {
	w := &broadcast{
		ids: ids, what: what, members: members, others: map[texts.Printer]map[string]review.QueueRow{}, involved: what.Answering,
		frames: newFrames(),
	}
	for l := range w.lines() {
		at := request.AttentionTo(what.Attention, l.ID, "")
		for person := range what.Attention.Snoozes[l.ID] {
			w.involved[person] = true
		}
		for _, look := range at.Looks {
			w.involved[look.Person] = true
		}
		if at.Claim.Person != "" {
			w.involved[at.Claim.Person], w.involved[at.Claim.By] = true, true
			if a, is := tenants.AbsenceOf(what.Attention.Away, at.Claim.Person); is {
				w.involved[a.Deputy.ID] = true
			}
		}
	}
	w.rows = w.draw(texts.Printer{})
	return w
}

// lines are those that changed, and those whose count of identical ones did.
func (w *broadcast) lines() iter.Seq[approvals.Line] {
	return func(yield func(approvals.Line) bool) {
		for _, l := range w.what.Lines {
			if !yield(l) {
				return
			}
		}
		for _, lines := range w.what.Alike {
			for _, l := range lines {
				if !yield(l) {
					return
				}
			}
		}
	}
}

func newFrames() map[string]*websocket.PreparedMessage {
	return map[string]*websocket.PreparedMessage{}
}

// rowsIn are the rows of the lines in a language, drawn once. They are not to be changed.
func (w *broadcast) rowsIn(say texts.Printer) map[string]review.QueueRow {
	if say == (texts.Printer{}) {
		return w.rows
	}
	w.drawing.Lock()
	defer w.drawing.Unlock()
	if w.others[say] == nil {
		w.others[say] = w.draw(say)
	}
	return w.others[say]
}

func (w *broadcast) draw(say texts.Printer) map[string]review.QueueRow {
	rows := map[string]review.QueueRow{}
	for l := range w.lines() {
		rows[l.ID] = request.AttentionTo(w.what.Attention, l.ID, "").In(say, request.RowOf(say, l, w.what.Now))
	}
	return rows
}

// frame draws parts that were all drawn from the wave, once for all who are told the
// same in the same language; nil for none.
func (w *broadcast) frame(ctx context.Context, parts []part) (*websocket.PreparedMessage, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	var key strings.Builder
	key.WriteString(texts.From(ctx).Language())
	key.WriteByte('\n')
	for _, p := range parts {
		key.WriteString(p.name)
		key.WriteByte('\n')
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if m := w.frames[key.String()]; m != nil {
		return m, nil
	}
	b, err := rendered(context.WithoutCancel(ctx), parts)
	if err != nil {
		return nil, err
	}
	m, err := websocket.NewPreparedMessage(websocket.TextMessage, b)
	if err == nil {
		w.frames[key.String()] = m
	}
	return m, err
}

// part is one thing that a page is told. Of what is drawn from one wave, parts of the
// same name are the same.
type part struct {
	name string
	templ.Component
}

func rendered(ctx context.Context, parts []part) ([]byte, error) {
	var b bytes.Buffer
	for _, p := range parts {
		if err := p.Render(ctx, &b); err != nil {
			return nil, err
		}
	}
	return httpserver.Addresses(ctx, b.Bytes()), nil
}
