package requests

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/tables"
)

// ChallengeRow is a row of challenges.
type ChallengeRow struct {
	TenantID, ChallengeID, ApprovalID, PersonID string
	Version                                     int64
	ShownDigest, Core, Kind, State              string
	Attempt                                     int64
	Questions, Salt                             string // Questions: JSON
	IssuedAt, ExpiresAt                         time.Time
}

// FirstViewRow is a row of first_views.
type FirstViewRow struct {
	TenantID, ApprovalID, PersonID string
	Version                        int64
	ViewedAt                       time.Time
}

func (ChallengeRow) TableName() string { return "challenges" }
func (FirstViewRow) TableName() string { return "first_views" }

// Challenge is the row as approvals has it.
func (r ChallengeRow) Challenge() (approvals.Challenge, error) {
	c := approvals.Challenge{
		ID: r.ChallengeID, Approval: r.ApprovalID, Person: r.PersonID, Version: r.Version, Digest: r.ShownDigest, Core: r.Core,
		Kind: scoring.ChallengeKind(r.Kind), State: approvals.ChallengeState(r.State), Attempt: int(r.Attempt), Salt: r.Salt,
		IssuedAt: tables.Stamp(r.IssuedAt), ExpiresAt: tables.Stamp(r.ExpiresAt),
	}
	if err := json.Unmarshal([]byte(r.Questions), &c.Questions); err != nil {
		return c, fmt.Errorf("stored challenge %s: %w", r.ChallengeID, err)
	}
	return c, nil
}

// ChallengesOf are those about these approvals, in the order in which they were issued.
func (t Requests) ChallengesOf(ids []string) *tables.Rows[ChallengeRow] {
	return about(t, "challenges", ids, func(a, b ChallengeRow) int { return strings.Compare(a.ChallengeID, b.ChallengeID) })
}

// ViewsOf are the first views of these approvals.
func (t Requests) ViewsOf(ids []string) *tables.Rows[FirstViewRow] {
	return about[FirstViewRow](t, "first_views", ids, nil)
}

// ofPerson are the challenges about an approval that a person got, in the order in which they
// were issued.
func (t Requests) ofPerson(approval, person string) (all []ChallengeRow, err error) {
	rows, err := t.ChallengesOf([]string{approval}).Read(t.Tx)
	for _, r := range rows {
		if r.PersonID == person {
			all = append(all, r)
		}
	}
	return all, err
}

// Challenge returns one challenge about an approval.
func (t Requests) Challenge(approval, id string) (approvals.Challenge, error) {
	rows, err := t.ChallengesOf([]string{approval}).Read(t.Tx)
	i := slices.IndexFunc(rows, func(r ChallengeRow) bool { return r.ChallengeID == id })
	if errors.Is(err, drivers.ErrNoText) || err == nil && i < 0 { // nothing can have such a name
		err = fault.New(fault.Missing, "no such challenge")
	}
	if err != nil {
		return approvals.Challenge{}, err
	}
	return rows[i].Challenge()
}

// LatestChallenge returns the newest challenge of this operator for this approval.
func (t Requests) LatestChallenge(approval, person string) (approvals.Challenge, error) {
	rows, err := t.ofPerson(approval, person)
	if err == nil && len(rows) == 0 {
		err = fault.New(fault.Missing, "no such challenge")
	}
	if err != nil {
		return approvals.Challenge{}, err
	}
	return rows[len(rows)-1].Challenge()
}

// LatestChallenges is LatestChallenge of each of these approvals of which there is one.
func (t Requests) LatestChallenges(ids []string, person string) (map[string]approvals.Challenge, error) {
	latest := map[string]approvals.Challenge{}
	for some := range slices.Chunk(ids, readAtOnce) {
		var rows []ChallengeRow
		if err := t.Of("challenges").Where("approval_id IN ? AND person_id = ?", some, person).Order("challenge_id").Find(&rows).Error; err != nil {
			return nil, err
		}
		for _, r := range rows {
			c, err := r.Challenge()
			if err != nil {
				return nil, err
			}
			latest[r.ApprovalID] = c
		}
	}
	return latest, nil
}

// AboutRequest is what a page about a request asks first.
func (t Requests) AboutRequest(id string) []tables.Wanted {
	row, of := t.whole(id)
	return append(of.parts, row, t.ChallengesOf([]string{id}), t.ViewsOf([]string{id}), t.looksAt(id))
}

// challengesRead bounds how many challenges are read at once.
const challengesRead = 500

// sameCore chooses the challenges about what a would run. Those that are older than their
// core have the digest in its place. A challenge has the core of what an operator made of its
// request; so it is about a, too, where what the agent sent there would run the same.
func (t Requests) sameCore(a approvals.Approval) (*gorm.DB, error) {
	cores, err := a.Cores()
	if err != nil {
		return nil, err
	}
	edited, err := t.editedFrom(a, cores)
	return t.Of("challenges").Where("challenges.core IN ? OR challenges.approval_id IN ?", append(cores, a.ShownDigest), edited), err
}

// editedFrom are the edited approvals that people were asked about, in which what the agent sent
// has one of these cores: the newest, read from the edits, of which there are few. An edit changes no function.
func (t Requests) editedFrom(a approvals.Approval, cores []string) (ids []string, err error) {
	rows, err := t.edited(a.Function).Read(t.Tx)
	for _, r := range rows {
		sent, reading := approvals.Approval{Action: []byte(r.Action)}.Core()
		if reading != nil {
			return nil, reading
		}
		if slices.Contains(cores, sent) {
			ids = append(ids, r.ApprovalID)
		}
	}
	return ids, err
}

type editedRow struct{ ApprovalID, Action string }

// edited are the edited approvals of a function that people were asked about, as they were sent: the newest.
func (t Requests) edited(function string) *tables.Rows[editedRow] {
	return tables.Chosen("edits asked about "+function, []string{"edits", "approvals", "challenges"}, func(a, b editedRow) int { return strings.Compare(b.ApprovalID, a.ApprovalID) },
		t.Of("edits").Select("approvals.approval_id, approvals.action").
			Joins("JOIN approvals ON approvals.tenant_id = edits.tenant_id AND approvals.approval_id = edits.approval_id").
			Where("approvals.function = ? AND EXISTS (SELECT 1 FROM challenges WHERE challenges.tenant_id = edits.tenant_id AND challenges.approval_id = edits.approval_id)", function).
			Order("edits.approval_id DESC").Limit(challengesRead))
}

// Asked lists the challenges about what a would run: the newest, oldest first.
func (t Requests) Asked(a approvals.Approval) ([]approvals.Challenge, error) {
	about, err := t.sameCore(a)
	if err != nil {
		return nil, err
	}
	return challengesOf(about.Order("challenge_id DESC").Limit(challengesRead))
}

// challengesOf reads challenges that come newest first, oldest first.
func challengesOf(newest *gorm.DB) ([]approvals.Challenge, error) {
	var rows []ChallengeRow
	err := newest.Find(&rows).Error
	all := make([]approvals.Challenge, 0, len(rows))
	for _, r := range slices.Backward(rows) {
		c, decoding := r.Challenge()
		if decoding != nil {
			return nil, decoding
		}
		all = append(all, c)
	}
	return all, err
}

// FailedAttempts counts this operator's failed quizzes about what a would run. When one failed
// is not stored; it ran out no earlier. The digest of the request covers what is masked too,
// and stays when other things are masked.
func (t Requests) FailedAttempts(a approvals.Approval, person string, after time.Time) (int, error) {
	all, err := tables.Once(t.Tx, fmt.Sprintf("failed attempts %s %s %s %d", a.ID, a.Digest, a.ShownDigest, after.UnixMicro()), []string{"challenges", "approvals", "edits", "memberships"}, func() (map[string]int, error) {
		return t.failedAttempts(a, after)
	})
	return all[person], err
}

// failedAttempts are those of everybody: a page asks of all who may decide.
func (t Requests) failedAttempts(a approvals.Approval, after time.Time) (map[string]int, error) {
	cores, err := a.Cores()
	if err != nil {
		return nil, err
	}
	edited, err := t.editedFrom(a, cores)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		PersonID string
		N        int
	}
	err = t.Of("challenges").Joins("JOIN approvals ON approvals.tenant_id = challenges.tenant_id AND approvals.approval_id = challenges.approval_id").
		Where("challenges.person_id IN (?) AND challenges.state = ? AND challenges.expires_at > ?", t.Of("memberships").Select("person_id"), string(approvals.ChallengeFailed), tables.Stamp(after)).
		Where("challenges.approval_id IN ? OR challenges.core IN ? OR approvals.digest IN ?", append(edited, a.ID), append(cores, a.ShownDigest), []string{a.Digest, a.Proposal().Digest}).
		Select("challenges.person_id, count(*) AS n").Group("challenges.person_id").Find(&rows).Error
	all := make(map[string]int, len(rows))
	for _, r := range rows {
		all[r.PersonID] = r.N
	}
	return all, err
}

// Graded lists this operator's graded challenges on this approval, oldest first.
func (t Requests) Graded(approval, person string, limit int) ([]approvals.Challenge, error) {
	rows, err := t.ofPerson(approval, person)
	rows = slices.DeleteFunc(rows, func(r ChallengeRow) bool {
		return !slices.Contains([]approvals.ChallengeState{approvals.ChallengeFailed, approvals.ChallengePassed, approvals.ChallengeSpent}, approvals.ChallengeState(r.State))
	})
	all := make([]approvals.Challenge, 0, len(rows))
	for _, r := range rows[max(0, len(rows)-max(0, limit)):] {
		c, decoding := r.Challenge()
		if decoding != nil {
			return nil, decoding
		}
		all = append(all, c)
	}
	return all, err
}

// Issue stores a new challenge.
func (t Requests) Issue(c approvals.Challenge) error {
	questions, err := tables.JSON(c.Questions)
	if err != nil {
		return err
	}
	return t.DB.Create(&ChallengeRow{
		TenantID: t.Tenant, ChallengeID: c.ID, ApprovalID: c.Approval, PersonID: c.Person, Version: c.Version,
		ShownDigest: c.Digest, Core: c.Core, Kind: string(c.Kind), State: string(c.State), Attempt: int64(c.Attempt), Questions: questions, Salt: c.Salt,
		IssuedAt: tables.Stamp(c.IssuedAt), ExpiresAt: tables.Stamp(c.ExpiresAt),
	}).Error
}

// Progress writes the state and the answers of a challenge that is still in state was.
func (t Requests) Progress(c approvals.Challenge, was approvals.ChallengeState) error {
	questions, err := tables.JSON(c.Questions)
	if err != nil {
		return err
	}
	r := t.Of("challenges").Where("challenge_id = ? AND state = ?", c.ID, string(was)).
		Updates(map[string]any{"state": string(c.State), "questions": questions, "expires_at": tables.Stamp(c.ExpiresAt)})
	if r.Error != nil || r.RowsAffected > 0 {
		return r.Error
	}
	if _, err := t.Challenge(c.Approval, c.ID); err != nil {
		return err
	}
	return fault.New(fault.Changed, "the questions were answered elsewhere")
}

// FirstView is when this operator first saw this version.
func (t Requests) FirstView(approval, person string, version int64) (time.Time, bool, error) {
	views := t.ViewsOf([]string{approval})
	err := t.Fetch(views, t.ChallengesOf([]string{approval})) // what they were asked is asked for next
	for _, r := range views.Found {
		if r.PersonID == person && r.Version == version {
			return tables.Stamp(r.ViewedAt), true, nil
		}
	}
	return time.Time{}, false, err
}

// Viewed remembers the first view, unless there is one.
func (t Requests) Viewed(approval, person string, version int64) (time.Time, bool, error) {
	row := FirstViewRow{TenantID: t.Tenant, ApprovalID: approval, PersonID: person, Version: version, ViewedAt: t.At}
	// The conflict is named: only a view that is there already counts as one.
	r := t.DB.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}, {Name: "approval_id"}, {Name: "person_id"}, {Name: "version"}},
		DoNothing: true,
	}).Create(&row)
	if r.Error != nil {
		return time.Time{}, false, r.Error
	}
	at, _, err := t.FirstView(approval, person, version)
	return at, r.RowsAffected > 0, err
}
