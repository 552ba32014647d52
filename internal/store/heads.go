package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
)

// Every transaction that appends begins by locking the head of its log, and by reading what is
// new in it. What it finds must be what a server signed, and must go on from what was seen
// before: by this process, or by another one through Heads. So whoever can write to the
// database can neither add an event nor put back the rows of an earlier moment.

// Heads signs the heads of logs, and remembers the newest of each where nobody can reach who
// can only write to the database.
type Heads interface {
	// Sign returns c as a signed note.
	Sign(c audit.Checkpoint) (note []byte, err error)
	// Open reads a note. It takes only keys that may sign today.
	Open(note []byte) (audit.Checkpoint, error)
	// Newest is the newest that was kept of a log, whichever key signed it; without a note
	// where there is none.
	Remembered(tenant string) (audit.SignedCheckpoint, error)
	// Keep remembers a head that was committed.
	Keep(c audit.SignedCheckpoint)
	// Say keeps an event until Appended is told that its log has it; Said are those that wait,
	// oldest first.
	Say(tenant string, event []byte) error
	Said(tenant string) ([]Said, error)
	Appended(tenant string, names []string)
	// Refuse is told why nothing is accepted of a log from now on; "" takes it back.
	Refuse(ctx context.Context, tenant, problem string)
}

// SignWith makes the store sign what it appends. It comes before anything is written.
func (s *Store) SignWith(h Heads) { s.heads = h }

var errNotHeld = errors.New("this transaction doesn't hold the log, so it goes by nothing and appends nothing")

// trail is what this process knows of one log.
type trail struct {
	mu    sync.Mutex
	state *logstate.State  // as of the last time; nil before the first, or where the rest was refused
	seen  audit.Head       // the newest head that held
	heard audit.Checkpoint // the newest that another server or an agent told of

	// Who reads asks for these, and waits for nobody who writes.
	rights atomic.Pointer[logstate.Rights] // as of the last time that the log held
	newest atomic.Int64                    // the size of the newest head that was seen or heard
}

// appended is an event that a transaction appended and has not committed.
type appended struct {
	event audit.Event
	leaf  [32]byte
}

func (s *Store) trail(tenant string) *trail {
	k, _ := s.trails.LoadOrStore(tenant, &trail{})
	return k.(*trail)
}

// hold gives the log to an act until it gives it back. The first of a group locks its head until
// the transaction ends, and reads what is new; those after it find what it left.
// What the act asks for is read with the head. fault.GrantUnproven: the log is not what a server
// signed, or an earlier one.
func (t *tx) hold(asks ...tables.Wanted) error {
	if h := t.group.held[t.Tenant]; h != nil {
		t.At, t.Known = h.now, h.known
		t.lock(h.trail)
		h.grow()
		t.goBy(h.trail.state)
		return nil
	}
	logs := tables.Want[tables.LogRow](t.Tx, "", nil, "audit_logs", t.store.dialect.Locks())
	t.Holds = true // what is read with the head is as true as the head
	err := t.Fetch(append(asks, logs)...)
	if t.Holds = false; err != nil {
		return err
	}
	if len(logs.Found) == 0 {
		return t.missing(fault.New(fault.Missing, "no such audit log"))
	}
	row := logs.Found[0]
	if t.At, err = t.store.now(t.DB); err != nil {
		return err
	}
	if t.store.heads == nil {
		return errors.New("nothing is written before the store has a key to sign with")
	}
	k := t.store.trail(t.Tenant)
	t.lock(k)
	problem, err := k.follow(t, row)
	if err != nil {
		return err
	}
	t.store.heads.Refuse(t.DB.Statement.Context, t.Tenant, problem)
	if problem != "" {
		return t.refused()
	}
	t.goBy(k.state)
	h := &held{trail: k, now: t.At, was: t.head.Size, first: t}
	if err := t.appendSaid(); err != nil {
		return err
	}
	if err := t.steady(); err != nil {
		return err
	}
	h.said = t.said
	t.group.held[t.Tenant] = h
	return nil
}

// lock keeps the state as it is until giveBack: it must not grow under a transaction whose
// connection was cut, whose lock another one has by now.
func (t *tx) lock(k *trail) {
	k.mu.Lock()
	t.unlock = k.mu.Unlock
}

// goBy is what the log says from now on.
func (t *tx) goBy(s *logstate.State) { t.state, t.head, t.Holds = s, s.Head, true }

// refused is the answer to every act on a log that isn't what was signed.
func (t *tx) refused() error {
	return fault.New(fault.GrantUnproven, "the audit trail of %s isn't what was signed, so nothing is accepted or spent; don't act, and tell whoever runs this server: “countersign audit verify” says what's wrong", t.Tenant)
}

// missing says of a log without a head whether there ever was one; err is what is said where there wasn't.
func (t *tx) missing(err error) error {
	if t.store.heads == nil {
		return err
	}
	kept, unread := t.store.heads.Remembered(t.Tenant)
	problem := fmt.Sprintf("the head of the log is missing, but its newest signed head has %d events", kept.Size)
	switch {
	case unread != nil:
		problem = unread.Error()
	case kept.Note == nil:
		return err
	}
	t.store.heads.Refuse(t.DB.Statement.Context, t.Tenant, problem)
	return t.refused()
}

// giveBack ends hold.
func (t *tx) giveBack() {
	if t.unlock != nil {
		t.unlock()
		t.unlock = nil
	}
}

// follow brings the state up to the head in row, or says why it doesn't.
func (k *trail) follow(t *tx, row tables.LogRow) (problem string, err error) {
	kept, err := t.remembered()
	if err != nil { // a note that can't be read proves nothing, and somebody has to put it back
		return err.Error(), nil
	}
	head, err := row.Head()
	if err != nil {
		return err.Error(), nil
	}
	switch {
	case head.Size < k.seen.Size:
		problem = fmt.Sprintf("the log has %d events, but this server has seen %d: it's an earlier state", head.Size, k.seen.Size)
	case head.Size < k.heard.Size && !t.restoredSince(row, k.heard):
		problem = fmt.Sprintf("the log has %d events, but another server signed %d, which it or an agent told of: it's an earlier state", head.Size, k.heard.Size)
	case head.Size < kept.Size:
		problem = fmt.Sprintf("the log has %d events, but its newest signed head has %d: it's an earlier state", head.Size, kept.Size)
	case k.state != nil && k.state.Head.Equal(head) && k.passes(kept) == "":
		k.holds()
		return "", nil
	default:
		problem, err = k.grow(t, row, head, kept)
	}
	if err != nil || problem != "" {
		k.state = nil // what was read may be half of it, and nothing was held against what was signed
		return problem, err
	}
	k.seen = head
	k.holds()
	return "", nil
}

// holds notes who may read, as of a state that is what was signed.
func (k *trail) holds() {
	if k.state == nil {
		return
	}
	size, now := k.state.Head.Size, &k.state.Authority
	switch r := k.rights.Load(); {
	case r == nil || r.Told != now.Told:
		k.rights.Store(now.MembersOnly().Rights(size))
	case r.Size != size:
		k.rights.Store(&logstate.Rights{Size: size, Told: r.Told, Members: r.Members})
	}
	k.newest.Store(max(size, k.newest.Load()))
}

// Hear is told by another server, or by an agent, how far a log went. What no key signed that may
// sign says nothing, nor what was signed before the log was last restored.
func (s *Store) Hear(tenant string, note []byte) {
	k := s.trail(tenant)
	if audit.NoteSize(note) <= k.newest.Load() {
		return
	}
	c, err := s.heads.Open(note)
	if err != nil || c.Tenant != tenant {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if c.Size > k.heard.Size && (k.state == nil || c.Epoch >= k.state.Epoch) {
		k.heard = c
		k.newest.Store(max(c.Size, k.newest.Load()))
	}
}

// restoredSince says whether the head in row was signed after a restore that what was heard of is
// older than.
func (t *tx) restoredSince(row tables.LogRow, heard audit.Checkpoint) bool {
	now, err := t.store.heads.Open([]byte(row.Note))
	return err == nil && now.Tenant == t.Tenant && now.Epoch > heard.Epoch
}

// hears refuses while this server doesn't hear how far logs went.
func (s *Store) hears() error {
	if !s.deaf.Load() {
		return nil
	}
	f := fault.New(fault.NotReady, "this server's connection to the others was cut, so it does nothing for agents until it's back; try again in a moment")
	f.RetryAfter = time.Second
	return f
}

// grow reads the events up to head, and holds them against what was signed.
func (k *trail) grow(t *tx, row tables.LogRow, head audit.Head, kept audit.SignedCheckpoint) (problem string, err error) {
	signed, problem := t.signedHead(row, head)
	if problem != "" {
		return problem, nil
	}
	if k.state == nil {
		if k.state, err = t.restoreState(signed.Snapshot); err != nil {
			return "", err
		}
	}
	k.state.Snapshot = signed.Snapshot
	if k.heard.Epoch < signed.Epoch {
		k.heard = audit.Checkpoint{} // what came after the copy that was restored is no more
		k.newest.Store(0)
	}
	if problem = k.passes(kept); problem != "" {
		return problem, nil
	}
	for from := k.state.Head.Size; from < head.Size; from = k.state.Head.Size {
		var rows []tables.EventRow
		if err := t.Of("audit_events").Select("idx, bytes, seal").Where("idx >= ? AND idx < ?", from, head.Size).Order("idx").Limit(tables.Batch).Find(&rows).Error; err != nil {
			return "", err
		}
		if len(rows) == 0 {
			return fmt.Sprintf("the events from %d to %d are missing", from, head.Size-1), nil
		}
		if problem, err = t.sealsHold(rows); err != nil || problem != "" {
			return problem, err
		}
		for _, r := range rows {
			if problem := k.state.Append(r.Idx, []byte(r.Bytes)); problem != "" {
				return problem, nil
			}
			if problem = k.passes(kept); problem != "" {
				return problem, nil
			}
		}
		if t.anew != nil {
			t.anew.Progress(k.state.Head.Size, head.Size)
		}
	}
	if !k.state.Head.Equal(head) {
		return fmt.Sprintf("the root over its %d events isn't the one that was signed", head.Size), nil
	}
	return "", nil
}

// passes says what is wrong where the state has come to the size of something that was seen.
func (k *trail) passes(kept audit.SignedCheckpoint) (problem string) {
	at := k.state.Head
	for _, m := range []audit.Head{k.seen, {Size: k.heard.Size, Root: k.heard.Root}, {Size: kept.Size, Root: kept.Root}} {
		if m.Size == at.Size && !bytes.Equal(m.RootHash(), at.RootHash()) {
			return fmt.Sprintf("its first %d events aren't those that were signed", m.Size)
		}
	}
	return ""
}

// signedHead is what a server signed of a head; problem says that none did.
func (t *tx) signedHead(row tables.LogRow, head audit.Head) (signed audit.Checkpoint, problem string) {
	if t.anew != nil || row.Note == "" && head.Size == 0 && len(head.Frontier) == 0 {
		return signed, ""
	}
	signed, err := t.store.heads.Open([]byte(row.Note))
	if err != nil {
		return signed, fmt.Sprintf("the head of %d events isn't signed by a key of this data directory that may sign: %v", row.Size, err)
	}
	if signed.Tenant != t.Tenant || signed.Size != head.Size || !bytes.Equal(signed.Root, head.RootHash()) {
		return signed, fmt.Sprintf("the head of %d events has the signature of another one (%s, %d events)", row.Size, signed.Tenant, signed.Size)
	}
	return signed, ""
}

// sign writes the head that the log moved to from one size, with its signature.
func (t *tx) sign(was int64) (audit.SignedCheckpoint, error) {
	c := audit.Checkpoint{Tenant: t.Tenant, Size: t.head.Size, Root: t.head.RootHash(), At: t.At, Epoch: t.epoch(), Snapshot: t.snapshot}
	note, err := t.store.heads.Sign(c)
	if err != nil {
		return audit.SignedCheckpoint{}, err
	}
	r := tables.NewLogRow(t.Tenant, t.head)
	grown := t.Of("audit_logs").Where("size = ?", was).Updates(map[string]any{"size": r.Size, "root": r.Root, "frontier": r.Frontier, "note": string(note)})
	return audit.SignedCheckpoint{Checkpoint: c, Note: note}, tables.Changed(grown, fmt.Errorf("the audit log is no longer of size %d", was))
}

// epoch is how often the log was restored, this transaction included.
func (t *tx) epoch() int64 {
	n := t.state.Epoch
	for _, p := range t.appended {
		if p.event.Kind == audit.Restored {
			n = logstate.EpochAfter(n, p.event)
		}
	}
	return n
}

// LookAtHeads reads what is new in every log, and so finds one that isn't what was signed, of
// which nobody asks anything.
func (s *Store) LookAtHeads(ctx context.Context) error {
	all, err := s.tenants(ctx)
	for _, tenant := range all {
		one := s.write(ctx, tenant, (*tx).endsThere)
		if !fault.Is(one, fault.GrantUnproven) { // which was told of
			err = errors.Join(err, one)
		}
	}
	return err
}

// endsThere says whether there are events behind the signed end, which keep others from being
// appended.
func (t *tx) endsThere() error {
	var behind []int64
	if err := t.Of("audit_events").Where("idx >= ?", t.head.Size).Limit(1).Pluck("idx", &behind).Error; err != nil || len(behind) == 0 {
		return err
	}
	t.store.heads.Refuse(t.DB.Statement.Context, t.Tenant, fmt.Sprintf("event %d is behind the signed end of the log", behind[0]))
	return t.refused()
}

// Sign appends an event to a log, so that the newest key signs it.
func (s *Store) Sign(ctx context.Context, tenant string, e audit.Event) error {
	return s.write(ctx, tenant, func(t *tx) error {
		if t.head.Size == 0 {
			return nil // nothing was signed
		}
		return t.Append(e)
	})
}
