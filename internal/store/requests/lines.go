package requests

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/store/tables"
)

// Lists read lines and not approvals: an action can be a quarter of a megabyte, and
// SQLite would walk through all of it to reach the columns behind it. Which approvals
// wait, and in which order, an index of approvals alone says.

// LineRow is a row of approval_lines.
type LineRow struct {
	TenantID, ApprovalID string
	Version              int64
	AgentID, AgentName   string
	Function, SessionID  string
	Digest, ShownDigest  string
	Effect               string
	Words                string // JSON
	AsksQuiz             bool
	Edited               bool
	Required             int64
	CreatedAt            time.Time
}

func (LineRow) TableName() string { return "approval_lines" }

// Logged is the line as its sum has it.
func (r LineRow) Logged() []string {
	return []string{
		strconv.FormatInt(r.Version, 10), r.AgentID, r.AgentName, r.Function, r.SessionID, r.Digest, r.ShownDigest, r.Effect, r.Words,
		strconv.FormatBool(r.AsksQuiz), strconv.FormatBool(r.Edited), strconv.FormatInt(r.Required, 10), tables.Instant(&r.CreatedAt),
	}
}

// keepLine writes what lists say of an approval that waits.
func (t Requests) keepLine(a approvals.Approval, about approvals.Subject) error {
	l := a.LineAbout(about)
	words, err := tables.JSON(l.Words)
	if err != nil {
		return err
	}
	row := LineRow{
		TenantID: t.Tenant, ApprovalID: l.ID, Version: l.Version, AgentID: l.Agent.ID, AgentName: l.Agent.Name,
		Function: l.Function, SessionID: l.Session, Digest: l.Digest, ShownDigest: l.ShownDigest, Effect: string(l.Effect), Words: words,
		AsksQuiz: l.Quiz, Edited: l.Edited, Required: int64(l.Required), CreatedAt: tables.Stamp(l.CreatedAt),
	}
	t.Sums.Set(a.ID, "line_sha256", row.Logged()...)
	return t.DB.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "tenant_id"}, {Name: "approval_id"}}, UpdateAll: true}).Create(&row).Error
}

// listed is a line beside what approvals says itself.
type listed struct {
	LineRow
	ID        string
	LevelRank int64
	Status    string
	ExpiresAt time.Time
	Current   int64     // version of the approval
	Born      time.Time // when it came in
}

// listing begins a query on approvals with their lines. Columns of approvals that it
// does not name are not read.
func (t Requests) listing(columns string) *gorm.DB {
	return t.Of("approvals").
		Select("approvals.approval_id AS id, approvals.level_rank, approvals.expires_at, approvals.version AS current, " + columns + "approval_lines.*").
		Joins("LEFT JOIN approval_lines ON approval_lines.tenant_id = approvals.tenant_id AND approval_lines.approval_id = approvals.approval_id AND approval_lines.version = approvals.version")
}

// IsPending is written out, so that both databases see that the indexes of what is
// pending answer.
const IsPending = "approvals.status = 'pending'"

// Waiting lists lines of what is pending. The beginning of everything is one range of
// an index, in its order; otherwise each level is a range of its own.
func (t Requests) Waiting(q approvals.LineQuery) ([]approvals.Line, error) {
	var found []listed
	limit := min(max(q.Limit, 1), MaxLimit)
	if len(q.Levels) == 0 && q.After == nil {
		found, err := t.waiting(limit).Read(t.Tx)
		if err != nil {
			return nil, err
		}
		return t.lines(slices.Clone(found))
	}
	for l := level.Critical; l >= level.Low && len(found) < limit; l-- {
		if len(q.Levels) > 0 && !slices.Contains(q.Levels, l) || q.After != nil && l > q.After.Level {
			continue
		}
		statement := t.listing(waitingColumns).Where(IsPending+" AND approvals.level_rank = ?", int64(l))
		if q.After != nil && l == q.After.Level {
			statement = statement.Where("(approvals.expires_at, approvals.approval_id) > (?, ?)", tables.Stamp(q.After.ExpiresAt), q.After.ID)
		}
		var some []listed
		if err := statement.Order("approvals.expires_at, approvals.approval_id").Limit(limit - len(found)).Find(&some).Error; err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	return t.lines(found)
}

// waitingColumns are what Lines reads of approvals, of what is pending.
const waitingColumns = "'pending' AS status, approval_lines.created_at AS born, "

// waiting are the first lines of everything that is pending.
func (t Requests) waiting(limit int) *tables.Rows[listed] {
	return tables.Chosen(fmt.Sprint("approvals waiting ", limit), []string{"approvals", "approval_lines"}, func(a, b listed) int {
		return cmp.Or(cmp.Compare(b.LevelRank, a.LevelRank), a.ExpiresAt.Compare(b.ExpiresAt), strings.Compare(a.ID, b.ID))
	}, t.listing(waitingColumns).Where(IsPending).Order("approvals.level_rank DESC, approvals.expires_at, approvals.approval_id").Limit(limit))
}

// Lines are those of these approvals, but for what ended as it came in: that never
// was in a list.
func (t Requests) Lines(ids []string) ([]approvals.Line, error) {
	var found []listed
	if err := t.listing("approvals.status, approvals.created_at AS born, ").Where("approvals.approval_id IN ?", ids).Limit(CompleteBatch).Find(&found).Error; err != nil {
		return nil, err
	}
	ended, err := t.ends(found)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(r listed) bool {
		d := ended[r.ID]
		return r.Words == "" && d != nil && d.DecidedAt.Equal(tables.Stamp(r.Born))
	})
	lines, err := t.lines(found)
	for i := range lines {
		if lines[i].Decision == nil {
			lines[i].Decision = ended[lines[i].ID]
		}
	}
	return lines, err
}

// ends reads the decisions of those that are final, without their evidence.
func (t Requests) ends(found []listed) (map[string]*approvals.Decision, error) {
	ended := map[string]*approvals.Decision{}
	var which []string
	for _, r := range found {
		if approvals.Status(r.Status).Final() {
			which = append(which, r.ID)
		}
	}
	if len(which) == 0 {
		return ended, nil
	}
	var decisions []decisionRow
	if err := t.Of("decisions").Omit("evidence").Where("approval_id IN ?", which).Find(&decisions).Error; err != nil {
		return nil, err
	}
	for _, r := range decisions {
		d, err := r.decision()
		if err != nil {
			return nil, err
		}
		ended[r.ApprovalID] = d
	}
	return ended, nil
}

// lines completes what a listing found. What has no line of its version is read as a
// whole, one after the other.
func (t Requests) lines(found []listed) ([]approvals.Line, error) {
	lines := make([]approvals.Line, len(found))
	for i := range found { // of a line from before headlines had parts nothing is taken
		if !strings.HasPrefix(found[i].Words, `{"parts":`) {
			found[i].Words = ""
		}
	}
	signed := map[string]*approvals.Line{}
	var which []string
	for i, r := range found {
		if r.Words == "" {
			a, err := t.Approval(r.ID)
			if err != nil {
				return nil, err
			}
			lines[i] = a.Line()
			continue
		}
		l, err := r.line()
		if err != nil {
			return nil, err
		}
		lines[i] = l
		if l.Required > 1 {
			signed[l.ID] = &lines[i]
			which = append(which, l.ID)
		}
	}
	return lines, t.Signers(which, func(s SignatureRow) {
		if l := signed[s.ApprovalID]; s.Version == l.Version {
			l.Signed++
		}
	})
}

func (r listed) line() (approvals.Line, error) {
	k := r.LineRow
	l := approvals.Line{
		Tenant: k.TenantID, ID: r.ID, Agent: approvals.Agent{ID: k.AgentID, Name: k.AgentName}, Function: k.Function, Session: k.SessionID,
		Digest: k.Digest, ShownDigest: k.ShownDigest, Effect: effects.Kind(k.Effect), Level: level.Level(r.LevelRank), Status: approvals.Status(r.Status), Version: r.Current,
		Quiz: k.AsksQuiz, Edited: k.Edited, Required: int(k.Required),
		CreatedAt: tables.Stamp(k.CreatedAt), ExpiresAt: tables.Stamp(r.ExpiresAt),
	}
	if err := json.Unmarshal([]byte(k.Words), &l.Words); err != nil {
		return l, fmt.Errorf("stored line of %s: %w", r.ID, err)
	}
	return l, nil
}

type countRow struct{ N int }

func (t Requests) countWaiting(most int) *tables.Rows[countRow] {
	some := t.Of("approvals").Select("approvals.approval_id").Where(IsPending).Limit(max(most, 0))
	return tables.Chosen[countRow](fmt.Sprint("approvals counted ", most), []string{"approvals"}, nil, t.DB.Table("(?) AS counted", some).Select("count(*) AS n"))
}

// CountWaiting is how many are pending, at most most.
func (t Requests) CountWaiting(most int) (n int, err error) {
	rows, err := t.countWaiting(most).Read(t.Tx)
	for _, r := range rows {
		n = r.N
	}
	return n, err
}

// PendingByLevel counts what is pending, from the index of the queue. Ids begin with
// the time of their making, so the smallest one is the oldest.
func (t Requests) PendingByLevel() ([]approvals.PendingCount, error) {
	var counted []struct {
		LevelRank, N int64
		Oldest       string
	}
	err := t.Of("approvals").Where(IsPending).Select("level_rank, count(*) AS n, min(approval_id) AS oldest").Group("level_rank").Order("level_rank").Find(&counted).Error
	if err != nil || len(counted) == 0 {
		return nil, err
	}
	ids := make([]string, len(counted))
	for i, c := range counted {
		ids[i] = c.Oldest
	}
	var made []ApprovalRow
	if err := t.Of("approvals").Where("approval_id IN ?", ids).Select("approval_id", "created_at").Find(&made).Error; err != nil {
		return nil, err
	}
	since := map[string]time.Time{}
	for _, r := range made {
		since[r.ApprovalID] = tables.Stamp(r.CreatedAt)
	}
	all := make([]approvals.PendingCount, len(counted))
	for i, c := range counted {
		all[i] = approvals.PendingCount{Level: level.Level(c.LevelRank), Count: int(c.N), Oldest: since[c.Oldest]}
	}
	return all, nil
}

type idRow struct{ ApprovalID string }

// idsOf are the ids of rows that were read.
func idsOf(rows []idRow, err error) ([]string, error) {
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.ApprovalID)
	}
	slices.Sort(ids)
	return ids, err
}

func (t Requests) answering(person string) *tables.Rows[idRow] {
	return tables.Chosen[idRow](fmt.Sprint("challenges open ", person, " ", t.At.UnixMicro()), []string{"challenges"}, nil,
		t.Of("challenges").Distinct("approval_id").Where("state = 'open' AND person_id = ? AND expires_at > ? AND kind = ?", person, t.At, string(scoring.ChallengeQuiz)))
}

// Answering lists the approvals about which a quiz of this person is open.
func (t Requests) Answering(person string) ([]string, error) {
	return idsOf(t.answering(person).Read(t.Tx))
}

// AnsweringPeople are the ids of those who have questions or a target open.
func (t Requests) AnsweringPeople() (ids []string, err error) {
	err = t.Of("challenges").Distinct("person_id").Where("state = 'open' AND expires_at > ?", t.At).Order("person_id").Pluck("person_id", &ids).Error
	return ids, err
}

// AboutQueue is what a page of the queue asks first.
func (t Requests) AboutQueue(person string, q approvals.LineQuery, since time.Time) []tables.Wanted {
	all := []tables.Wanted{t.looks(), t.claims(), t.snoozes(), t.waits(nil), t.sessionsAbove(since, approvals.MaxAlerts), t.answering(person)}
	if len(q.Levels) == 0 && q.After == nil {
		all = append(all, t.waiting(q.Limit))
	}
	return append(all, t.countWaiting(approvals.MaxCounted+1))
}

// AboutLines are how many are like these acts, and what is newer than these requests.
func (t Requests) AboutLines(acts []approvals.Act, ids []string) (all []tables.Wanted) {
	for _, r := range t.counts(acts) {
		all = append(all, r)
	}
	for _, r := range t.newest(ids) {
		all = append(all, r)
	}
	return all
}
