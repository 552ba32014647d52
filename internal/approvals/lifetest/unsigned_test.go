package lifetest

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/rollbacktest"
)

// stranger writes rows, events, nodes and heads as a server does, with another key.
type stranger struct{ *headstest.Heads }

func (stranger) Open(note []byte) (audit.Checkpoint, error) { return headstest.New().Open(note) }

// A database writer without the signing key makes no event that anything goes by, even where
// every hash of the trail is right: neither a new one nor an edited one.
func TestUnsignedEventsTellNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		open := h.waiting(confirm, scoring.ChallengeConfirm)
		v := h.show(h.ada, open.ID)
		granted := h.submit(harmless)
		before := rollbacktest.Take(t, h.raw, h.clock != nil)

		h.restartWith(stranger{headstest.With(headstest.NewKey())})
		h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeNone })
		h.restartWith(h.heads)
		refused := func(what string) {
			t.Helper()
			_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm)})
			wantFault(t, what+": a submission", err, fault.GrantUnproven)
			_, err = h.decide(h.ada, open.ID, form(v))
			wantFault(t, what+": a decision", err, fault.GrantUnproven)
			_, err = h.consume(granted, granted.Digest, "")
			wantFault(t, what+": spending", err, fault.GrantUnproven)
			if r, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || r.OK {
				t.Errorf("%s: verified as %v, %v", what, r, err)
			}
			if h.heads.Problem("acme") == "" {
				t.Errorf("%s: nobody was told", what)
			}
		}
		refused("a version that a stranger made as a server does")
		before.PutBack(t)
		h.waiting(confirm, scoring.ChallengeConfirm)

		// An event that is edited with its leaf, and with the head's root, under the head's
		// own signature, that of another organisation, and none.
		for _, table := range []string{"audit_events", "audit_logs", "policies"} {
			h.disarm(table)
		}
		real := h.stored("SELECT policy FROM policies WHERE version = (SELECT max(version) FROM policies)")
		var index int64
		var bytes string
		if err := h.raw.QueryRowContext(t.Context(), "SELECT idx, bytes FROM audit_events WHERE kind = $1 ORDER BY idx DESC LIMIT 1", string(audit.PolicyChanged)).Scan(&index, &bytes); err != nil {
			t.Fatal(err)
		}
		lax := asksNobody(t, real)
		edited := strings.Replace(bytes, sum(real), sum(lax), 1)
		leaf := audit.Leaf([]byte(edited))
		honest := rollbacktest.Take(t, h.raw, h.clock != nil)
		for _, restarted := range []bool{false, true} {
			for what, note := range map[string]string{"its own signature": "", "that of another log": signed(t, h, "beta"), "no signature": "x"} {
				h.exec("UPDATE audit_events SET bytes = $1, leaf = $2 WHERE idx = $3", edited, hex.EncodeToString(leaf[:]), index)
				h.exec("UPDATE policies SET policy = $1 WHERE version = (SELECT max(version) FROM policies)", lax)
				if note != "" {
					h.exec("UPDATE audit_logs SET note = $1", note)
				}
				if restarted {
					h.heads.Forget("acme") // so that nothing but the signature says what the root is
					h.restart()
				}
				_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm)})
				wantFault(t, fmt.Sprintf("an edited event with %s, restarted %t", what, restarted), err, fault.GrantUnproven)
				honest.PutBack(t)
			}
		}
		h.exec("UPDATE audit_logs SET note = $1", signed(t, h, "beta")) // of the same size and root
		h.restart()
		_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, confirm)})
		wantFault(t, "an honest log under the head of another one", err, fault.GrantUnproven)
		honest.PutBack(t)
		h.restart()
		h.waiting(confirm, scoring.ChallengeConfirm)
	})
}

// A log that goes on from an earlier state, longer than the one that was seen and signed with the
// right key, is another one.
func TestAForkIsRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.submit(harmless)
		before := rollbacktest.Take(t, h.raw, h.clock != nil)
		h.submit(harmless)
		ours := h.server()
		before.PutBack(t)
		h.use(h.process(headstest.New())) // which remembers nothing
		for range 3 {
			h.submit(harmless)
		}
		for what, server := range map[string]server{"who saw it": ours, "the next process of its directory": h.process(h.heads)} {
			h.use(server)
			_, _, err := h.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
			wantFault(t, what+" on a fork", err, fault.GrantUnproven)
		}
	})
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// signed is the head of the log under another name, signed with the right key.
func signed(t *testing.T, h *house, tenant string) string {
	t.Helper()
	head, _, err := h.db.Audit().Signed(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	note, err := h.heads.Sign(audit.Checkpoint{Tenant: tenant, Size: head.Size, Root: head.Root, At: time.Now(), Epoch: 1})
	if err != nil {
		t.Fatal(err)
	}
	return string(note)
}

// server is a process on the database.
type server struct {
	db      *store.Store
	service *approvals.Service
}

func (h *house) server() server { return server{h.db, h.Service} }

// use makes a process that which the test acts by.
func (h *house) use(s server) { h.db, h.Service = s.db, s.service }

// process starts another process on the same database.
func (h *house) process(heads store.Heads) server {
	h.t.Helper()
	config := store.Config{URL: h.dsn, Path: h.path, Heads: heads}
	now := time.Now
	if h.clock != nil {
		now = h.clock.Now
		config.Now = now
	}
	db, err := store.Open(h.t.Context(), config)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = db.Close() })
	service := approvals.NewService(approvals.Config{
		Store: db.Approvals(), Live: h.hub, Signer: h.signer, Issuer: func() string { return "https://console.test" },
		Now: now, Log: slog.New(slog.DiscardHandler), Meter: h.meter,
	})
	h.t.Cleanup(service.Stop)
	return server{db, service}
}

// restart ends the process, and starts another one on the same database and data directory.
func (h *house) restart() { h.t.Helper(); h.restartWith(h.heads) }

func (h *house) restartWith(heads store.Heads) {
	h.t.Helper()
	_ = h.db.Close()
	h.use(h.process(heads))
}

// What an earlier program wrote is held against its seals once, and then signed; what it left
// without a seal isn't.
func TestSignFirst(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		a := h.submit(harmless)
		h.disarm("audit_logs")
		h.exec("UPDATE audit_logs SET note = ''") // as a program leaves it that signs no heads
		h.heads = headstest.New()                 // whose directory has no head
		h.restart()
		_, err := h.consume(a, a.Digest, "")
		wantFault(t, "before it is signed", err, fault.GrantUnproven)

		key := audit.SealKey("0123456789abcdef0123456789abcdef")
		first := store.FirstSignature{SealKey: key, Event: headSigned, Progress: func(int64, int64) {}}
		wantFault(t, "with events that nobody sealed", h.db.SignFirst(t.Context(), "acme", first), fault.GrantUnproven)
		h.restart()
		for i, leaf := range h.told("SELECT leaf FROM audit_events ORDER BY idx") {
			b, err := hex.DecodeString(leaf)
			if err != nil {
				t.Fatal(err)
			}
			h.exec("INSERT INTO audit_seals (tenant_id, idx, seal) VALUES ('acme', $1, $2)", i, key.Seal("acme", int64(i), b))
		}
		if err := h.db.SignFirst(t.Context(), "acme", first); err != nil {
			t.Fatal(err)
		}
		if _, err := h.consume(a, a.Digest, ""); err != nil {
			t.Errorf("a grant of before: %v", err)
		}
		if r, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || !strings.Contains(r.Problem, "trigger") { // which this test took away
			t.Errorf("the trail: %v, %v", r, err)
		}
	})
}

// A program that signs no head appends nothing.
func TestAnOldProgramCannotAppend(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.submit(harmless)
		if _, err := h.raw.ExecContext(t.Context(), "UPDATE audit_logs SET size = size + 1"); err == nil || !strings.Contains(err.Error(), "signed when it grows") {
			t.Errorf("a head that moves without a signature: %v", err)
		}
	})
}

// headSigned is what a log tells of its first signature.
func headSigned() audit.Event {
	return audit.Event{Kind: audit.HeadSigned, Actor: audit.Actor{Kind: "system"}}
}

// With a lost key nothing comes between what is verified and what the new key signs.
func TestRecoverIsOneTransaction(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.submit(harmless)
		kept, err := h.heads.Remembered("acme")
		if err != nil {
			t.Fatal(err)
		}
		signed := func() string { return h.stored("SELECT note FROM audit_logs") }
		was := signed()
		h.heads = headstest.With(headstest.NewKey())
		h.restart()
		recover := func(kept audit.Checkpoint, key func() error) error {
			first := store.FirstSignature{Event: headSigned, Progress: func(int64, int64) {}, Kept: &kept}
			return h.db.Recover(t.Context(), map[string]store.FirstSignature{"acme": first}, key)
		}
		no := func() error { t.Error("a key is made for what doesn't hold"); return nil }
		forked := kept.Checkpoint
		forked.Root = bytes.Repeat([]byte{1}, 32)
		wantFault(t, "another past", recover(forked, no), fault.GrantUnproven)
		longer := kept.Checkpoint
		longer.Size++
		wantFault(t, "a longer past", recover(longer, no), fault.GrantUnproven)
		h.exec("UPDATE agents SET name = name || 'x' WHERE agent_id = $1", h.agent.ID)
		wantFault(t, "an edited table", recover(audit.Checkpoint{}, no), fault.GrantUnproven)
		h.exec("UPDATE agents SET name = substr(name, 1, length(name) - 1) WHERE agent_id = $1", h.agent.ID)
		full := errors.New("the disk is full")
		if err := recover(kept.Checkpoint, func() error { return full }); !errors.Is(err, full) || signed() != was {
			t.Errorf("without a key: %v, and the head is another one: %t", err, signed() != was)
		}
		err = recover(kept.Checkpoint, func() error {
			if h.clock == nil {
				_, err := h.raw.ExecContext(t.Context(), "SELECT 1 FROM audit_logs FOR UPDATE NOWAIT")
				if err == nil {
					t.Error("somebody moves the head between")
				}
				return nil
			}
			other, err := sql.Open("sqlite", "file:"+h.path+"?_pragma=busy_timeout(0)")
			if err != nil {
				return err
			}
			defer other.Close()
			if _, err := other.ExecContext(t.Context(), "UPDATE agents SET name = 'x'"); err == nil {
				t.Error("somebody writes between")
			}
			return nil
		})
		if err != nil || signed() == was {
			t.Errorf("it isn't signed: %v", err)
		}
		h.submit(harmless)
		h.wantVerified()
	})
}
