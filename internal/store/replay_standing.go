package store

import (
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/audit"
)

// standingBatch is how many events or rows are read at once.
const standingBatch = 200

var standingKinds = []audit.Kind{audit.StandingCreated, audit.StandingUsed, audit.StandingRevoked}

// toldStanding is what the events say about one standing grant.
type toldStanding struct {
	At                   int64 // of the last event
	Made, Revoked, Usage string
	Used, Uses           int64
	Ends                 time.Time
	For                  []string // the approvals that it gave
}

// over reports whether nobody can use it any more.
func (g *toldStanding) over(now time.Time) bool {
	return g.Revoked != "" || g.Used >= g.Uses || g.Ends.Before(now)
}

// replayStanding holds every standing grant against its events: its terms, how
// often it was used and when last, and how it ended. People make them, so one short
// text for each fits in memory.
func (t *tx) replayStanding(size int64) (at int64, problem string, err error) {
	told, err := t.toldStanding()
	if err != nil {
		return 0, "", err
	}
	last := ""
	for {
		var rows []standingRow
		if err := t.of("standing_grants").Where("standing_id > ?", last).Order("standing_id").Limit(standingBatch).Find(&rows).Error; err != nil {
			return 0, "", err
		}
		for _, r := range rows {
			last = r.StandingID
			e, ok := told[r.StandingID]
			if !ok {
				return size, fmt.Sprintf("the standing grant %s is in the database, but no event says that it was created", r.StandingID), nil
			}
			delete(told, r.StandingID)
			if problem := r.contradicts(e); problem != "" {
				return e.At, fmt.Sprintf("the standing grant %s: %s", r.StandingID, problem), nil
			}
		}
		if len(rows) < standingBatch {
			break
		}
	}
	for id, e := range told {
		return e.At, fmt.Sprintf("the standing grant %s was created but is missing from the database", id), nil
	}
	return 0, "", nil
}

func (t *tx) toldStanding() (map[string]*toldStanding, error) {
	told, last := map[string]*toldStanding{}, int64(-1)
	for {
		events, err := t.eventsAfter(last, standingBatch, standingKinds...)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			last = e.Index
			hearStanding(told, e)
		}
		if len(events) < standingBatch {
			return told, nil
		}
	}
}

// hearStanding adds one event.
func hearStanding(told map[string]*toldStanding, e audit.Event) {
	id, d := e.Data.Get("standing").Text(), e.Data
	g := told[id]
	switch {
	case e.Kind == audit.StandingCreated:
		uses, _ := d.Get("uses").Int64()
		ends, _ := time.Parse(time.RFC3339Nano, d.Get("ends_at").Text())
		told[id] = &toldStanding{At: e.Index, Uses: uses, Ends: ends, Made: joined(
			e.Agent, d.Get("agent_name").Text(), d.Get("agent_owner").Text(), e.Function, d.Get("pattern_sha256").Text(), d.Get("uses").Number(),
			d.Get("ends_at").Text(), d.Get("from").Text(), e.Actor.ID, audit.FormatTime(e.At), fmt.Sprint(d.Get("single_person").Bool()), d.Get("reason").Text(), d.Get("session").Text(), d.Get("effects").Text(), d.Get("scope").Text())}
	case g == nil:
	case e.Kind == audit.StandingUsed:
		g.At, g.Used, g.Usage, g.For = e.Index, g.Used+1, audit.FormatTime(e.At), append(g.For, e.Approval)
	default:
		g.At, g.Revoked = e.Index, joined(e.Actor.ID, audit.FormatTime(e.At), d.Get("reason").Text())
	}
}

// contradicts names the first thing that the row has otherwise than its events.
func (r standingRow) contradicts(e *toldStanding) string {
	made := joined(r.AgentID, r.AgentName, r.AgentOwner, r.Function, sha256Hex(r.Pattern), fmt.Sprint(r.Uses),
		instant(&r.EndsAt), r.MadeFrom, r.MadeBy, instant(&r.CreatedAt), fmt.Sprint(r.SinglePerson), r.Reason, r.SessionID, r.Effects, r.Scope)
	revoked := ""
	if r.RevokedAt != nil {
		revoked = joined(r.RevokedBy, instant(r.RevokedAt), r.RevokeReason)
	}
	return firstDifference([]said{
		{"beginning", made, e.Made},
		{"number of uses", fmt.Sprint(r.Uses - r.UsesLeft), fmt.Sprint(e.Used)},
		{"last use", instant(r.LastUsedAt), e.Usage},
		{"end", revoked, e.Revoked},
	})
}
