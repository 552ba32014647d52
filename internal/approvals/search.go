package approvals

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// Requests are found by what they say: a text that stands anywhere in the sentence, the
// target, the function or the value of an argument, in capital or small letters. What is
// masked is not stored and so not found.

const (
	// MaxSearchText bounds what a request is searched by, in bytes: of a longer call the
	// beginning is.
	MaxSearchText = 2000
	// SearchReach is how many requests a search looks at, the newest ones, and SearchMost
	// how many it finds.
	SearchReach = 250_000
	SearchMost  = 2000
	// drawnAtOnce is how many texts of older requests are drawn in one transaction.
	drawnAtOnce = 200
	// lastID sorts after the id of every request.
	lastID = "apr_g"
)

// TextQuery chooses requests by their text.
type TextQuery struct {
	Text   string // as folded writes it
	Before string // only requests whose id sorts before it; "" for all
}

// TextFound is a request that a search found, with the text that it was found in.
type TextFound struct{ ID, Text string }

// folded is a text as it is stored and looked for.
func folded(s string) string { return strings.ToLower(s) }

// SearchText is what a, which is about that, is searched by.
func (a Approval) SearchText(about Subject) string {
	var b strings.Builder
	add := func(s string) {
		if s = strings.TrimSpace(patterns.WithoutMasks(s, " ")); s == "" || b.Len() >= MaxSearchText {
			return
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(folded(s))
	}
	add(about.Text)
	add(a.Function)
	for i, bytes := range [][]byte{a.Action, a.Proposal().Action} {
		this := a
		this.Action = bytes
		action, err := this.Parsed()
		if err != nil { // an edited row; audit verify says so
			continue
		}
		target, ok := about.Target, about.Specific
		if i > 0 {
			target, ok = action.Target(a.Assessment)
		}
		if ok {
			add(target)
		}
		eachValue(action.Arguments(), add)
		add(action.Code())
		if a.Proposed == nil {
			break
		}
	}
	text := b.String()
	if len(text) > MaxSearchText {
		text = strings.ToValidUTF8(text[:MaxSearchText], "")
	}
	return text
}

// eachValue calls add for every text and number in v.
func eachValue(v canon.Value, add func(string)) {
	switch v.Kind() {
	case canon.KindString:
		add(v.Text())
	case canon.KindNumber:
		add(v.Digits())
	case canon.KindArray:
		for _, e := range v.Elements() {
			eachValue(e, add)
		}
	case canon.KindObject:
		for _, e := range v.Members() {
			eachValue(e, add)
		}
	}
}

// Matching are the requests that hold a text, newest first, at most SearchMost, of those
// that came in before a time (zero: of all). whole says that there are no others: neither
// more that hold it, nor requests that were not looked at.
func (s *Service) Matching(ctx context.Context, m auth.Member, text string, before time.Time) (ids []string, whole bool, err error) {
	if !m.May(auth.ReadQueue) && !m.May(auth.ReadAudit) {
		return nil, false, may(m, auth.ReadQueue)
	}
	q := TextQuery{Text: folded(strings.TrimSpace(text))}
	if utf8.RuneCountInString(q.Text) == 0 {
		return nil, false, fault.New(fault.InvalidParameter, "enter what to search for")
	}
	if !before.IsZero() {
		q.Before = auth.FirstID("apr", before)
	}
	var found []TextFound
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		found, whole, err = r.Holding(q)
		return err
	})
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	return ids, whole, err
}

// DrawTexts draws the text of requests that have none: those that came in before there
// were any. It returns when nothing is left.
func (s *Service) DrawTexts(ctx context.Context) error {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("draw the texts of requests: %w", err)
	}
	var failed []error
	for _, t := range tenants {
		for before, err := lastID, error(nil); before != ""; {
			err = s.store.Aside(ctx, t, func(w Writer) (err error) {
				before, err = w.DrawTexts(before, drawnAtOnce)
				return err
			})
			if err != nil {
				failed = append(failed, fmt.Errorf("draw the texts of requests of %s: %w", t, err))
				break
			}
		}
	}
	return errors.Join(failed...)
}
