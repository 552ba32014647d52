package audit

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/countersign/countersign/internal/canon"
)

// The form of an export: JSON lines. Line n is the bytes of event n exactly as
// they were hashed (canonical JSON has no line break in it), so its leaf hash is
// SHA-256(0x00 ‖ line without the line break). The last line is the head:
//
//	{"root":"64 hex digits","size":N,"tenant":"acme","v":1}

// Export writes a tenant's log. It does not verify: a broken log can be exported
// as evidence.
func Export(w io.Writer, tenant string, head Head, records iter.Seq2[Record, error]) error {
	buf := bufio.NewWriter(w)
	for r, err := range records {
		if err != nil {
			return fmt.Errorf("export %s: %w", tenant, err)
		}
		// A bufio.Writer keeps its first error and returns it from Flush.
		_, _ = buf.Write(r.Bytes)
		_ = buf.WriteByte('\n')
	}
	_, _ = buf.Write(headLine(tenant, head))
	_ = buf.WriteByte('\n')
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("export %s: %w", tenant, err)
	}
	return nil
}

func headLine(tenant string, head Head) []byte {
	return canon.Object(
		canon.Member{Name: "v", Value: canon.Int(format)},
		canon.Member{Name: "tenant", Value: canon.String(tenant)},
		canon.Member{Name: "size", Value: canon.Int(head.Size)},
		canon.Member{Name: "root", Value: canon.String(hex.EncodeToString(head.RootHash()))},
	).Canonical()
}

// VerifyExport reads what Export wrote and checks the events against the head in
// its last line, and against what was signed before. An error is the reader's; everything else is in the report.
func VerifyExport(r io.Reader, against ...Checkpoint) (Report, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), MaxBytes+2)
	var sofar Head
	var tenant string
	signed := marks{left: against}
	report := func() Report {
		return Report{Tenant: tenant, Size: sofar.Size, Root: sofar.RootHash(), OK: true, FirstBroken: -1}
	}
	for lines.Scan() {
		line := lines.Bytes()
		if tree, err := canon.ParseStored(line); err == nil && tree.Get("kind").IsAbsent() {
			return endOfExport(report(), sofar, line, lines, signed)
		}
		e, err := Parse(line)
		switch {
		case err != nil:
			return report().Fail(sofar.Size, "its line isn't an event: %v", err), nil
		case sofar.Size == 0:
			tenant = e.Tenant
		case e.Tenant != tenant:
			return report().Fail(sofar.Size, "its line is of tenant %.60q", e.Tenant), nil
		}
		if e.Index != sofar.Size {
			return report().Fail(sofar.Size, "its line is that of event %d", e.Index), nil
		}
		if sofar, err = sofar.Append(Leaf(line)); err != nil {
			return Report{}, fmt.Errorf("verify export: %w", err)
		}
		if at, problem := signed.reached(tenant, sofar); problem != "" {
			return report().Fail(at, "%s", problem), nil
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return Report{}, fmt.Errorf("verify export: %w", err)
	} else if err != nil {
		return report().Fail(sofar.Size, "its line has more than %d bytes", MaxBytes), nil
	}
	return report().Fail(sofar.Size, "the export ends without its head"), nil
}

// endOfExport checks the head line and that nothing follows it.
func endOfExport(r Report, sofar Head, line []byte, lines *bufio.Scanner, signed marks) (Report, error) {
	tree, _ := canon.ParseStored(line)
	if sofar.Size == 0 {
		r.Tenant = tree.Get("tenant").Text()
	}
	if want := headLine(r.Tenant, sofar); string(want) != string(line) {
		return r.Fail(sofar.Size, "the head of the export is %.200q, its events make %s", line, want), nil
	}
	if lines.Scan() {
		return r.Fail(sofar.Size, "something follows the head"), nil
	}
	if err := lines.Err(); err != nil {
		return Report{}, fmt.Errorf("verify export: %w", err)
	}
	if at, problem := signed.reached(r.Tenant, sofar); problem != "" {
		return r.Fail(at, "%s", problem), nil
	}
	if problem := signed.ended(sofar.Size); problem != "" {
		return r.Fail(sofar.Size, "%s", problem), nil
	}
	return r, nil
}
