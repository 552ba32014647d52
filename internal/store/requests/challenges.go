package requests

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
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

// Challenge returns one challenge.
func (t Requests) Challenge(id string) (approvals.Challenge, error) {
	row, err := tables.One[ChallengeRow](t.Of("challenges").Where("challenge_id = ?", id), "no such challenge")
	if err != nil {
		return approvals.Challenge{}, err
	}
	return row.Challenge()
}

// LatestChallenge returns the newest challenge of this operator for this approval.
func (t Requests) LatestChallenge(approval, person string) (approvals.Challenge, error) {
	row, err := tables.One[ChallengeRow](t.Of("challenges").Where("approval_id = ? AND person_id = ?", approval, person).Order("challenge_id DESC"), "no such challenge")
	if err != nil {
		return approvals.Challenge{}, err
	}
	return row.Challenge()
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
	var rows []ApprovalRow
	err = t.Of("edits").Select("approvals.approval_id, approvals.action").
		Joins("JOIN approvals ON approvals.tenant_id = edits.tenant_id AND approvals.approval_id = edits.approval_id").
		Where("approvals.function = ? AND EXISTS (SELECT 1 FROM challenges WHERE challenges.tenant_id = edits.tenant_id AND challenges.approval_id = edits.approval_id)", a.Function).
		Order("edits.approval_id DESC").Limit(challengesRead).Find(&rows).Error
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
	cores, err := a.Cores()
	if err != nil {
		return 0, err
	}
	edited, err := t.editedFrom(a, cores)
	if err != nil {
		return 0, err
	}
	var n int64
	err = t.Of("challenges").Joins("JOIN approvals ON approvals.tenant_id = challenges.tenant_id AND approvals.approval_id = challenges.approval_id").
		Where("challenges.person_id = ? AND challenges.state = ? AND challenges.expires_at > ?", person, string(approvals.ChallengeFailed), tables.Stamp(after)).
		Where("challenges.approval_id IN ? OR challenges.core IN ? OR approvals.digest IN ?", append(edited, a.ID), append(cores, a.ShownDigest), []string{a.Digest, a.Proposal().Digest}).
		Count(&n).Error
	return int(n), err
}

// Graded lists this operator's graded challenges on this approval, oldest first.
func (t Requests) Graded(approval, person string, limit int) ([]approvals.Challenge, error) {
	graded := []string{string(approvals.ChallengeFailed), string(approvals.ChallengePassed), string(approvals.ChallengeSpent)}
	return challengesOf(t.Of("challenges").Where("approval_id = ? AND person_id = ? AND state IN ?", approval, person, graded).
		Order("challenge_id DESC").Limit(max(0, limit)))
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
	if _, err := t.Challenge(c.ID); err != nil {
		return err
	}
	return fault.New(fault.Changed, "the questions were answered elsewhere")
}

// FirstView is when this operator first saw this version.
func (t Requests) FirstView(approval, person string, version int64) (time.Time, bool, error) {
	row, err := tables.One[FirstViewRow](t.Of("first_views").Where("approval_id = ? AND person_id = ? AND version = ?", approval, person, version), "no such view")
	if fault.Is(err, fault.Missing) {
		return time.Time{}, false, nil
	}
	return tables.Stamp(row.ViewedAt), err == nil, err
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
