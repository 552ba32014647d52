package audit

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
)

// Record is an event as it is stored.
type Record struct {
	// Event has the derived columns as they are stored, and Data as the bytes have
	// it (Absent where they cannot be read). Only Verify says whether the columns
	// agree with the bytes.
	Event Event
	Bytes []byte
	Leaf  []byte // as stored
}

// Report is what a verification found.
type Report struct {
	Tenant string
	Size   int64  // how many records were read and hold
	Root   []byte // over those
	OK     bool
	// FirstBroken is the index where the trail stops being true; the size of the
	// log when only what stands beside the events is wrong; −1 when all is well.
	FirstBroken int64
	Problem     string // one sentence; empty when OK
}

// String is one line for a person.
func (r Report) String() string {
	if r.OK {
		return fmt.Sprintf("%s: %d events hold, root %s", r.Tenant, r.Size, hex.EncodeToString(r.Root))
	}
	return fmt.Sprintf("%s: broken at event %d: %s", r.Tenant, r.FirstBroken, r.Problem)
}

// Fail turns a report into one that names this problem. The first problem stays.
func (r Report) Fail(index int64, format string, args ...any) Report {
	if r.Problem == "" {
		r.OK, r.FirstBroken, r.Problem = false, index, fmt.Sprintf(format, args...)
	}
	return r
}

// Verify reads the records of one tenant in the order of their index and says
// whether they are exactly the log that head describes. It stops at the first
// record that does not hold. An error is the iterator's: then nothing is known.
// What was signed before must hold, too: against.
func Verify(tenant string, head Head, records iter.Seq2[Record, error], against ...Checkpoint) (Report, error) {
	return VerifyNodes(tenant, head, records, func(Node, []byte) (string, error) { return "", nil }, against...)
}

// VerifyNodes is Verify that also holds the kept nodes against the events: check
// is told what each must be, and names the problem where it is something else.
func VerifyNodes(tenant string, head Head, records iter.Seq2[Record, error], check func(Node, []byte) (problem string, err error), against ...Checkpoint) (Report, error) {
	var sofar Head
	signed := marks{left: against}
	report := func() Report {
		return Report{Tenant: tenant, Size: sofar.Size, Root: sofar.RootHash(), OK: true, FirstBroken: -1}
	}
	if at, problem := signed.reached(tenant, sofar); problem != "" {
		return report().Fail(at, "%s", problem), nil
	}
	for r, err := range records {
		if err != nil {
			return Report{}, fmt.Errorf("verify %s: %w", tenant, err)
		}
		if problem := r.problem(tenant, sofar.Size); problem != "" {
			return report().Fail(sofar.Size, "%s", problem), nil
		}
		var problem string
		var failed error
		next, err := sofar.Grow(Leaf(r.Bytes), func(n Node, hash []byte) {
			if problem == "" && failed == nil {
				problem, failed = check(n, hash)
			}
		})
		if err := errors.Join(err, failed); err != nil {
			return Report{}, fmt.Errorf("verify %s: %w", tenant, err)
		}
		if problem != "" {
			return report().Fail(sofar.Size, "%s", problem), nil
		}
		sofar = next
		if at, problem := signed.reached(tenant, sofar); problem != "" {
			return report().Fail(at, "%s", problem), nil
		}
	}
	switch r := report(); {
	case sofar.Size != head.Size:
		return r.Fail(min(sofar.Size, head.Size), "the log has %d events, but its head says %d", sofar.Size, head.Size), nil
	case !bytes.Equal(sofar.RootHash(), head.RootHash()):
		return r.Fail(sofar.Size, "the root over the events is %x, but the head says %x", sofar.RootHash(), head.RootHash()), nil
	case !sofar.Equal(head):
		return r.Fail(sofar.Size, "the frontier in the head doesn't match these events"), nil
	case signed.ended(sofar.Size) != "":
		return r.Fail(sofar.Size, "%s", signed.ended(sofar.Size)), nil
	default:
		return r, nil
	}
}

// Problem says what is wrong with a record of a tenant by itself, or "". Whether it is
// part of the log is for Verify.
func (r Record) Problem(tenant string) string { return r.problem(tenant, r.Event.Index) }

// problem says what is wrong with the record that must be number want, or "".
func (r Record) problem(tenant string, want int64) string {
	if r.Event.Index != want {
		return fmt.Sprintf("index %d is in the place of %d", r.Event.Index, want)
	}
	e, err := Parse(r.Bytes)
	if err != nil {
		return fmt.Sprintf("its bytes aren't an event: %v", err)
	}
	if e.Index != want {
		return fmt.Sprintf("its bytes belong to event %d", e.Index)
	}
	if e.Tenant != tenant {
		return fmt.Sprintf("its bytes belong to organisation %.60q", e.Tenant)
	}
	if leaf := Leaf(r.Bytes); !bytes.Equal(leaf[:], r.Leaf) {
		return fmt.Sprintf("the stored leaf hash is %x, but its bytes have %x", r.Leaf, leaf)
	}
	return r.Event.differs(e)
}

// differs names the first derived column of e that is not what the bytes say.
func (e Event) differs(bytes Event) string {
	for _, c := range []struct{ name, column, bytes string }{
		{"tenant", e.Tenant, bytes.Tenant},
		{"time", FormatTime(e.At), FormatTime(bytes.At)},
		{"kind", string(e.Kind), string(bytes.Kind)},
		{"actor kind", e.Actor.Kind, bytes.Actor.Kind},
		{"actor", e.Actor.ID, bytes.Actor.ID},
		{"approval", e.Approval, bytes.Approval},
		{"agent", e.Agent, bytes.Agent},
		{"level", e.Level, bytes.Level},
		{"function", e.Function, bytes.Function},
		{"effect", e.Effect, bytes.Effect},
	} {
		if c.column != c.bytes {
			return fmt.Sprintf("the column %s says %.80q, but its bytes say %.80q", c.name, c.column, c.bytes)
		}
	}
	return ""
}
