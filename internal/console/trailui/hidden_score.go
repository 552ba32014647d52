package trailui

import (
	"context"
	"slices"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
)

// The trail holds what a request keeps sealed until its quiz is passed: the score and
// its explanation, and what other operators were asked and answered. Whoever could
// still decide it reads those entries without; the stored bytes stay as they are, and
// everybody else, and everybody after the end, reads them whole.

// scored reports whether an event holds something that can be sealed.
func scored(e audit.Event) bool {
	return e.Approval != "" && !(e.Data.Get("treatment").IsAbsent() && e.Data.Get("evidence").IsAbsent() && e.Data.Get("session_score").IsAbsent())
}

// hiddenAmong says by their approvals which of these records m reads without the score.
func (s *Pages) hiddenAmong(ctx context.Context, m auth.Member, records []audit.Record) (map[string]bool, error) {
	var ids []string
	asked := map[string]bool{}
	for _, r := range records {
		if id := r.Event.Approval; scored(r.Event) && !asked[id] {
			asked[id] = true
			ids = append(ids, id)
		}
	}
	return s.Approvals.Sealed(ctx, m, ids)
}

// sealedMembers are what is sealed, and the sums that a guess of it could be held against.
var sealedMembers = []string{"treatment", "evidence", "session_score", "assessment_sha256", "treatment_sha256", "evidence_sha256"}

// withoutScore is an event without what is sealed.
func withoutScore(e audit.Event) audit.Event {
	var kept []canon.Member
	for name, v := range e.Data.Members() {
		if !slices.Contains(sealedMembers, name) {
			kept = append(kept, canon.Member{Name: name, Value: v})
		}
	}
	e.Data = canon.Object(kept...)
	return e
}

// hideScores takes the score out of the records that m reads without it. Those that a
// search found only by what is sealed are left out: whether a text is found would
// tell the score digit by digit.
func (s *Pages) hideScores(ctx context.Context, m auth.Member, records []audit.Record, search string) ([]audit.Record, error) {
	sealed, err := s.hiddenAmong(ctx, m, records)
	if err != nil {
		return nil, err
	}
	kept := records[:0:0]
	for _, r := range records {
		r, found, err := withoutScores(r, sealed, search)
		if err != nil {
			return nil, err
		}
		if found {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

// withoutScores is seal for one record. One that is sealed has neither bytes nor leaf,
// which a guess of the score could be held against.
func withoutScores(r audit.Record, sealed map[string]bool, search string) (audit.Record, bool, error) {
	if !scored(r.Event) || !sealed[r.Event.Approval] {
		return r, true, nil
	}
	r = audit.Record{Event: withoutScore(r.Event)}
	left, err := r.Event.Bytes()
	if err != nil {
		return r, false, err
	}
	return r, audit.Filter{Text: search}.HoldsText(string(left)), nil
}
