package reconcile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// approvalsBatch is how many approvals are held against their events at once, so
// that a large tenant needs no more memory than a small one.
const approvalsBatch = 200

// loggedApproval is what the events say about one approval.
type loggedApproval struct {
	submitted, last, spent         int64 // indexes of events; −1: none
	action, digest, shown          string
	assessment, treatment          string // sums; empty in events of before they had them
	reviewed                       bool   // the event of the decision says how it came about
	evidence                       string // the sum of that, as above
	named                          bool   // the event says who the agent was
	agentName, agentOwner          string
	agent, function, level, reason string
	counted                        bool // the event says in which session it was, and the number of the call
	session, revises, number       string
	came, version, policy          string // when it came in; its version, and that of the policy that judged it
	kept, key, voidReason          string // sums of what repeats it and its spending; "" in events of before
	lines                          []string
	status                         approvals.Status
	by, at                         string // who ended it, and when
	grant                          string // id and expiry
	consumed, voided, reported     bool
	consumedAt, voidedAt, outcome  string // when; when and what the agent said
	signed, edited, extended       []string
	expires                        string // when it expires, as the last event says that names it
}

// stored is what the tables say about it.
type stored struct {
	ApprovalID, Action, Digest, ShownDigest, AgentID, Function, Status   string
	AgentName, AgentOwner, Assessment, Treatment, SessionID, Revises     string
	BodyHash, Carried                                                    string
	LevelRank, CallNumber, Version, PolicyVersion, Extended              int64
	Verdict, Reason, DecidedBy, Evidence, GrantID, Outcome, Detail       *string
	IdempotencyKey, ConsumeKey, VoidReason                               *string
	CreatedAt                                                            time.Time
	ExpiresAt, DecidedAt, GrantExpires, ConsumedAt, VoidedAt, ReportedAt *time.Time
}

// cameSlack is how far a request's time may be from that of its event.
const cameSlack = time.Minute

// verifyApprovals holds every approval against its events, which were verified before:
// the log says what is in the tables. It returns the index of the event that a
// table contradicts, and a sentence; "" when all agree. size is the log's, for
// what contradicts no single event.
func (t Checks) verifyApprovals(size int64) (at int64, problem string, err error) {
	last := ""
	for {
		rows, err := t.stored("approvals.approval_id > ?", last)
		if err != nil {
			return 0, "", err
		}
		if at, problem, err := t.verifyRows(rows, size); problem != "" || err != nil {
			return at, problem, err
		}
		if len(rows) < approvalsBatch {
			return t.orphan()
		}
		last = rows[len(rows)-1].ApprovalID
	}
}

// verifyRows is verifyApprovals for these approvals.
func (t Checks) verifyRows(rows []stored, size int64) (at int64, problem string, err error) {
	logged, err := t.loggedAbout(idsOf(rows))
	if err != nil {
		return 0, "", err
	}
	return t.rowsMismatch(rows, logged, size)
}

// rowsMismatch names the first thing that these approvals have otherwise.
func (t Checks) rowsMismatch(rows []stored, logged map[string]*loggedApproval, size int64) (at int64, problem string, err error) {
	ids := idsOf(rows)
	signatures, edits, extensions := t.requests.SignaturesOf(ids), t.requests.EditsOf(ids), t.requests.ExtensionsOf(ids)
	if err := t.Fetch(signatures, edits, extensions); err != nil {
		return 0, "", err
	}
	signed, edited, extended := map[string][]requests.SignatureRow{}, map[string][]string{}, map[string][]string{}
	for _, r := range signatures.Found {
		signed[r.ApprovalID] = append(signed[r.ApprovalID], r)
	}
	for _, r := range edits.Found {
		edited[r.ApprovalID] = append(edited[r.ApprovalID],
			edit(strconv.FormatInt(r.Version, 10), r.PersonID, audit.FormatTime(r.EditedAt), r.Digest, tables.SHA256(r.Action)))
	}
	for _, r := range extensions.Found {
		e := r.Extension()
		extended[r.ApprovalID] = append(extended[r.ApprovalID], extension(e.Person, audit.FormatTime(e.At), audit.FormatTime(e.Was), audit.FormatTime(e.Until), e.Reason))
	}
	var lines map[string]string
	if size > 0 { // the whole is verified: nobody decides by these
		if problem, err := t.misnamed(rows); problem != "" || err != nil {
			return size, problem, err
		}
		if lines, err = t.storedLines(ids); err != nil {
			return 0, "", err
		}
	}
	for _, row := range rows {
		e := logged[row.ApprovalID]
		if e == nil {
			return size, fmt.Sprintf("%s is in the database, but no event says that it was submitted", row.ApprovalID), nil
		}
		if at, problem := e.mismatch(row); problem != "" {
			return at, row.ApprovalID + ": " + problem, nil
		}
		if problem := differ("signatures", e.signatures(signed[row.ApprovalID]), e.signed); problem != "" {
			return e.last, row.ApprovalID + ": " + problem, nil
		}
		if problem := differ("edits", edited[row.ApprovalID], e.edited); problem != "" {
			return e.last, row.ApprovalID + ": " + problem, nil
		}
		if problem := differ("extensions", extended[row.ApprovalID], e.extended); problem != "" {
			return e.last, row.ApprovalID + ": " + problem, nil
		}
		if row.Extended != int64(len(e.extended)) {
			return e.last, row.ApprovalID + ": the stored number of extensions isn't that of its events", nil
		}
		if line, ok := lines[row.ApprovalID]; ok && len(e.lines) > 0 && !slices.Contains(e.lines, line) {
			return e.last, row.ApprovalID + ": what lists say of it isn't what its events say", nil
		}
	}
	return 0, "", nil
}

// stored reads the first of the approvals that a condition names.
func (t Checks) stored(where string, value any) (rows []stored, err error) {
	const join = "LEFT JOIN %[1]s ON %[1]s.tenant_id = approvals.tenant_id AND %[1]s.approval_id = approvals.approval_id"
	q := t.Of("approvals").Where(where, value).Order("approvals.approval_id").Limit(approvalsBatch)
	for _, table := range []string{"decisions", "grants", "executions"} {
		q = q.Joins(fmt.Sprintf(join, table))
	}
	err = q.Select("approvals.approval_id, approvals.action, approvals.digest, approvals.shown_digest, approvals.agent_id, approvals.function, " +
		"approvals.agent_name, approvals.agent_owner, approvals.assessment, approvals.treatment, approvals.status, approvals.level_rank, approvals.expires_at, approvals.session_id, approvals.revises, approvals.idempotency_key, approvals.body_hash, approvals.carried, approvals.call_number, approvals.version, approvals.policy_version, approvals.extended, approvals.created_at, decisions.verdict, decisions.reason, decisions.decided_by, decisions.decided_at, decisions.evidence, " +
		"grants.grant_id, grants.expires_at AS grant_expires, grants.consumed_at, grants.consume_key, grants.voided_at, grants.void_reason, " +
		"executions.status AS outcome, executions.detail, executions.reported_at").Find(&rows).Error
	return rows, err
}

func idsOf(rows []stored) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ApprovalID
	}
	return ids
}

// signatures says rows as events do: with the sum of their evidence, unless the event
// is of before they had it.
func (e *loggedApproval) signatures(rows []requests.SignatureRow) (all []string) {
	for _, r := range rows {
		s := signature(strconv.FormatInt(r.Version, 10), r.PersonID, audit.FormatTime(r.SignedAt), "")
		if !slices.Contains(e.signed, s) {
			s = signature(strconv.FormatInt(r.Version, 10), r.PersonID, audit.FormatTime(r.SignedAt), tables.SHA256(r.Evidence))
		}
		all = append(all, s)
	}
	return all
}

// differ says what of one kind is in the table and not in the events, or the other
// way round; "" when they agree.
func differ(what string, table, events []string) string {
	slices.Sort(table)
	slices.Sort(events)
	if slices.Equal(table, events) {
		return ""
	}
	return fmt.Sprintf("its stored %s are %.300q, but its events say %.300q", what, table, events)
}

// loggedAbout reads the events of these approvals in order.
func (t Checks) loggedAbout(ids []string) (map[string]*loggedApproval, error) {
	var events []tables.EventRow
	err := t.Of("audit_events").Where("approval_id IN ? AND kind IN ?", ids, logstate.ApprovalKinds).Order("approval_id, idx").Find(&events).Error
	if err != nil {
		return nil, err
	}
	all, err := t.Verified(events)
	logged := make(map[string]*loggedApproval, len(ids))
	for _, e := range all {
		apply(logged, e)
	}
	return logged, err
}

// apply adds one event to what is said about its approval.
func apply(logged map[string]*loggedApproval, e audit.Event) {
	if e.Kind == audit.Submitted && logged[e.Approval] == nil {
		logged[e.Approval] = &loggedApproval{
			submitted: e.Index, last: e.Index, spent: -1, status: approvals.Pending,
			action: e.Data.Get("action_sha256").Text(), digest: e.Data.Get("digest").Text(), shown: e.Data.Get("shown_digest").Text(),
			agent: e.Agent, function: e.Function, level: e.Level, expires: e.Data.Get("expires_at").Text(),
			named:     !e.Data.Get("agent_name").IsAbsent(),
			agentName: e.Data.Get("agent_name").Text(), agentOwner: e.Data.Get("agent_owner").Text(),
			counted: !e.Data.Get("call_number").IsAbsent(), session: e.Data.Get("session").Text(), revises: e.Data.Get("revises").Text(), number: e.Data.Get("call_number").Number(),
			came: audit.FormatTime(e.At), version: "1",
		}
		logged[e.Approval].applySums(e)
		return
	}
	a := logged[e.Approval]
	if a == nil {
		return
	}
	a.applySums(e)
	s, final := logstate.Finals[e.Kind]
	switch {
	case final:
		a.status, a.reason, a.level, a.last = s, e.Data.Get("reason").Text(), e.Level, e.Index
		a.by, a.at, a.policy = deciders(e), audit.FormatTime(e.At), e.Data.Get("policy_version").Number()
		a.reviewed, a.evidence = !e.Data.Get("evidence").IsAbsent(), e.Data.Get("evidence_sha256").Text()
		if g := e.Data.Get("grant"); !g.IsAbsent() {
			a.grant = g.Get("jti").Text() + " until " + g.Get("expires_at").Text()
		}
	case e.Kind == audit.Restated:
		a.level, a.last = e.Level, e.Index
	case e.Kind == audit.Edited:
		a.level, a.last = e.Level, e.Index
		a.edited = append(a.edited, edit(e.Data.Get("version").Number(), e.Actor.ID, audit.FormatTime(e.At), e.Data.Get("digest").Text(), e.Data.Get("action_sha256").Text()))
	case e.Kind == audit.Extended:
		a.last, a.expires = e.Index, e.Data.Get("expires_at").Text()
		a.extended = append(a.extended, extension(e.Actor.ID, audit.FormatTime(e.At), e.Data.Get("was").Text(), a.expires, e.Data.Get("reason").Text()))
	case e.Kind == audit.Signed:
		a.signed = append(a.signed, signature(e.Data.Get("version").Number(), e.Actor.ID, audit.FormatTime(e.At), e.Data.Get("evidence_sha256").Text()))
	case e.Kind == audit.GrantConsumed:
		a.consumed, a.spent, a.consumedAt = true, e.Index, audit.FormatTime(e.At)
	case e.Kind == audit.GrantVoided:
		a.voided, a.spent, a.voidedAt, a.voidReason = true, e.Index, audit.FormatTime(e.At), e.Data.Get("reason").Text()
	case e.Kind == audit.Reported:
		a.reported, a.spent = true, e.Index
		a.outcome = strings.Join([]string{audit.FormatTime(e.At), e.Data.Get("status").Text(), e.Data.Get("detail").Text()}, "\x00")
	}
}

// deciders is who ended it: one actor, or the people whose signatures it took.
func deciders(e audit.Event) string {
	by := e.Data.Get("decided_by")
	if by.IsAbsent() {
		return e.Actor.Kind + " " + e.Actor.ID
	}
	var all []string
	for _, id := range by.Elements() {
		all = append(all, e.Actor.Kind+" "+id.Text())
	}
	return strings.Join(all, ", ")
}

// signature is one signature as both the table and the events can say it.
func signature(version, person, at, evidence string) string {
	s := person + " signed version " + version + " at " + at
	if evidence != "" {
		s += " with evidence of the sum " + evidence
	}
	return s
}

// applySums takes what an event says about the assessment and the treatment.
func (e *loggedApproval) applySums(event audit.Event) {
	d := event.Data
	for name, into := range map[string]*string{"assessment_sha256": &e.assessment, "treatment_sha256": &e.treatment, "kept_sha256": &e.kept, "key_sha256": &e.key} {
		if s := d.Get(name).Text(); s != "" {
			*into = s
		}
	}
	if s := d.Get("line_sha256").Text(); s != "" {
		e.lines = append(e.lines, s)
	}
	if p := d.Get("treatment").Get("policy_version").Number(); p != "" {
		e.policy = p
	}
	if event.Kind == audit.Restated || event.Kind == audit.Edited {
		e.version = d.Get("version").Number()
	}
}

// covered holds what an event covers since a later version: where it says nothing,
// what is stored stands.
func (e *loggedApproval) covered(row stored) stored {
	if !e.named {
		row.AgentName, row.AgentOwner = e.agentName, e.agentOwner
	}
	if !e.counted {
		row.SessionID, row.Revises, e.number = e.session, e.revises, strconv.FormatInt(row.CallNumber, 10)
	}
	if came, err := time.Parse(time.RFC3339Nano, e.came); err == nil && came.Sub(row.CreatedAt).Abs() < cameSlack {
		row.CreatedAt = came // the clock is read again behind a lock
	}
	if e.policy == "" {
		e.policy = strconv.FormatInt(row.PolicyVersion, 10)
	}
	if e.kept == "" {
		e.kept = row.kept()
	}
	if e.key == "" {
		if !e.consumed { // a key of nothing
			e.key = tables.SumOf("")
		} else {
			e.key = tables.SumOf(tables.Text(row.ConsumeKey))
		}
	}
	row.Assessment, row.Treatment = tables.SHA256(row.Assessment), tables.SHA256(row.Treatment)
	if e.assessment == "" {
		row.Assessment = ""
	}
	if e.expires == "" {
		row.ExpiresAt = nil
	}
	if e.treatment == "" {
		row.Treatment = ""
	}
	switch {
	case e.reviewed && e.evidence == "":
		row.Evidence = nil
	case row.Evidence != nil:
		sum := tables.SHA256(*row.Evidence)
		row.Evidence = &sum
	}
	return row
}

// verdicts says which verdict goes with a final status.
var verdicts = map[approvals.Status]approvals.Verdict{
	approvals.Approved: approvals.VerdictApprove, approvals.Blocked: approvals.VerdictBlock, approvals.Denied: approvals.VerdictDeny,
	approvals.ChangesRequested: approvals.VerdictRequestChanges, approvals.Expired: approvals.VerdictExpire, approvals.Cancelled: approvals.VerdictCancel,
}

// mismatch names the first thing that the tables have otherwise, and the
// event that says so.
func (e *loggedApproval) mismatch(row stored) (at int64, problem string) {
	row = e.covered(row)
	for _, c := range []struct {
		what, stored, logged string
		at                   int64
	}{
		{"action", tables.SHA256(row.Action), e.action, e.submitted},
		{"digest", row.Digest, e.digest, e.submitted},
		{"shown digest", row.ShownDigest, e.shown, e.submitted},
		{"agent", row.AgentID, e.agent, e.submitted},
		{"time", tables.Instant(&row.CreatedAt), e.came, e.submitted},
		{"session", row.SessionID, e.session, e.submitted},
		{"number of the call", strconv.FormatInt(row.CallNumber, 10), e.number, e.submitted},
		{"request that it answers", row.Revises, e.revises, e.submitted},
		{"sum of the idempotency key and of what was masked", row.kept(), e.kept, e.submitted},
		{"version", strconv.FormatInt(row.Version, 10), e.version, e.last},
		{"version of the policy", strconv.FormatInt(row.PolicyVersion, 10), e.policy, e.last},
		{"function", row.Function, e.function, e.submitted},
		{"name of the agent", row.AgentName, e.agentName, e.submitted},
		{"owner of the agent", row.AgentOwner, e.agentOwner, e.submitted},
		{"status", row.Status, string(e.status), e.last},
		{"level", level.Level(row.LevelRank).String(), e.level, e.last},
		{"assessment", row.Assessment, e.assessment, e.last},
		{"treatment", row.Treatment, e.treatment, e.last},
		{"verdict", tables.Text(row.Verdict), string(verdicts[e.status]), e.last},
		{"reason", tables.Text(row.Reason), e.reason, e.last},
		{"decider", row.decider(), e.by, e.last},
		{"evidence", tables.Text(row.Evidence), e.evidence, e.last},
		{"time of the decision", tables.Instant(row.DecidedAt), e.at, e.last},
		{"grant", row.grant(), e.grant, e.last},
		{"expiry", tables.Instant(row.ExpiresAt), e.expires, e.last},
	} {
		if c.stored != c.logged {
			return c.at, fmt.Sprintf("the stored %s is %.80q, but its events say %.80q", c.what, c.stored, c.logged)
		}
	}
	for _, c := range []struct {
		what           string
		stored, logged bool
	}{
		{"spent grant", row.ConsumedAt != nil, e.consumed},
		{"void grant", row.VoidedAt != nil, e.voided},
		{"report", row.ReportedAt != nil, e.reported},
	} {
		switch {
		case c.stored && !c.logged:
			return e.last, fmt.Sprintf("the database has a %s that no event mentions", c.what)
		case c.logged && !c.stored:
			return e.spent, fmt.Sprintf("its events mention a %s that is missing from the database", c.what)
		}
	}
	for _, c := range []struct{ what, stored, logged string }{
		{"time at which the grant was spent", tables.Instant(row.ConsumedAt), e.consumedAt},
		{"sum of the key with which the grant was spent", tables.SumOf(tables.Text(row.ConsumeKey)), e.key},
		{"time at which the grant became void", tables.Instant(row.VoidedAt), e.voidedAt},
		{"reason for which the grant became void", tables.Text(row.VoidReason), e.voidReason},
		{"report", row.outcome(), e.outcome},
	} {
		if c.stored != c.logged {
			return e.spent, fmt.Sprintf("the stored %s is %.80q, but its events say %.80q", c.what, c.stored, c.logged)
		}
	}
	return 0, ""
}

// kept is the sum of what no other event tells.
func (r stored) kept() string {
	return tables.SumOf(requests.ApprovalRow{IdempotencyKey: r.IdempotencyKey, BodyHash: r.BodyHash, Carried: r.Carried}.Kept()...)
}

// decider is who ended it, as the event's actor says it; what cannot be read is
// equal to no event.
func (r stored) decider() string {
	if r.DecidedBy == nil {
		return ""
	}
	var by []approvals.Decider
	if err := json.Unmarshal([]byte(*r.DecidedBy), &by); err != nil {
		return *r.DecidedBy
	}
	all := make([]string, len(by))
	for i, d := range by {
		all[i] = string(d.Kind) + " " + d.ID
	}
	return strings.Join(all, ", ")
}

func (r stored) grant() string {
	if r.GrantID == nil {
		return ""
	}
	return *r.GrantID + " until " + tables.Instant(r.GrantExpires)
}

func (r stored) outcome() string {
	if r.Outcome == nil {
		return ""
	}
	return strings.Join([]string{tables.Instant(r.ReportedAt), *r.Outcome, tables.Text(r.Detail)}, "\x00")
}

// orphan finds the first event of a submission that is missing from the database.
func (t Checks) orphan() (at int64, problem string, err error) {
	var rows []struct {
		Idx        int64
		ApprovalID string
	}
	err = t.Of("audit_events").Select("idx, approval_id").Where("kind = ?", string(audit.Submitted)).
		Where("NOT EXISTS (SELECT 1 FROM approvals WHERE approvals.tenant_id = audit_events.tenant_id AND approvals.approval_id = audit_events.approval_id)").
		Order("idx").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return 0, "", err
	}
	return rows[0].Idx, fmt.Sprintf("%s was submitted but is missing from the database", rows[0].ApprovalID), nil
}
