package approvals

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// A large act is read in sections. Each operator who approves it has acknowledged
// every one of them, for the version that is approved. Nobody has to read anything
// to say no.

// AcknowledgeInput says which section was read, of what was on the page.
type AcknowledgeInput struct {
	Section int    // 1-based
	Version int64  // of the approval, as the operator saw it
	Digest  string // the shown one, as the operator saw it
}

// Acknowledge writes down that this operator has read a section. The second time
// changes nothing.
func (s *Service) Acknowledge(ctx context.Context, m auth.Member, id string, in AcknowledgeInput) error {
	return s.store.Write(ctx, m.Tenant, func(w Writer) error {
		a, _, err := s.operating(w, m, id)
		if err != nil {
			return err
		}
		if in.Digest != a.ShownDigest || in.Version != a.Version {
			return errChanged(a)
		}
		reading, err := a.reading()
		if err != nil {
			return err
		}
		if in.Section < 1 || in.Section > len(reading.Sections) || !reading.Large() {
			return fault.Member(fault.InvalidForm, "section", "this request has no section %d", in.Section)
		}
		first, err := w.ReadSection(a.ID, m.Person.ID, a.Version, in.Section)
		if err != nil || !first {
			return err
		}
		return w.Append(a.event(audit.SectionRead, personActor(m),
			member("version", canon.Int(a.Version)), member("section", canon.Int(int64(in.Section))), member("of", canon.Int(int64(len(reading.Sections)))),
			member("shown_digest", canon.String(a.ShownDigest)), member("text_sha256", canon.String(reading.SHA256))))
	})
}

func (a Approval) reading() (Reading, error) {
	action, err := a.Parsed()
	if err != nil {
		return Reading{}, err
	}
	return a.Reading(action), nil
}

// unread are the sections of a large act that are not acknowledged, in order.
func (r Reading) unread(read map[int]time.Time) (missing []int) {
	if !r.Large() {
		return nil
	}
	for n := range r.Sections {
		if _, ok := read[n+1]; !ok {
			missing = append(missing, n+1)
		}
	}
	return missing
}

// allRead refuses to go on to an approval while a section is unread.
func (s *Service) allRead(r Reader, m auth.Member, a Approval) error {
	reading, err := a.reading()
	if err != nil || !reading.Large() {
		return err
	}
	read, err := r.SectionsRead(a.ID, m.Person.ID, a.Version)
	if err != nil {
		return err
	}
	if missing := reading.unread(read); len(missing) > 0 {
		return fault.New(fault.Unread, "this act has %d sections, and you haven't acknowledged %s; read and acknowledge each, then approve", len(reading.Sections), sectionList(missing))
	}
	return nil
}

// listed is how many sections a sentence names.
const listed = 5

// sectionList is "section 2", or "sections 2, 3 and 4".
func sectionList(missing []int) fault.Text {
	if len(missing) == 1 {
		return fault.Textf("section %s", strconv.Itoa(missing[0]))
	}
	named := make([]string, 0, listed)
	for _, n := range missing[:min(len(missing)-1, listed)] {
		named = append(named, strconv.Itoa(n))
	}
	last := fault.Verbatim(strconv.Itoa(missing[len(missing)-1]))
	if rest := len(missing) - listed; rest > 1 {
		last = fault.Textf("%d more", rest)
	}
	return fault.Textf("sections %s and %s", strings.Join(named, ", "), last)
}
