package store

import (
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

type agentRow struct {
	TenantID, AgentID, Name, OwnerID string
	CreatedAt                        time.Time
	LastUsedAt                       *time.Time
	CreatedBy                        string
	StoppedAt                        *time.Time
	StoppedBy, StopReason            string
	Environment                      string
	AskedEnvironment, AskedBy        string
	AskedReason                      string
	Workspace, AskedWorkspace        string
	Sandboxed, AskedSandboxed        bool
	AskedAt                          *time.Time
	Contact, TicketLink              string
	CanaryAt                         *time.Time
	CanaryNonce, CanaryFailed        string
	Client                           string
	SilentAt                         *time.Time
}

type agentKeyRow struct {
	TenantID, KeyHash, KeyID, AgentID, Scopes string
	CreatedAt                                 time.Time
	ExpiresAt, RevokedAt                      *time.Time
	Hint, CreatedBy                           string
	LastUsedAt                                *time.Time
}

func (agentRow) TableName() string    { return "agents" }
func (agentKeyRow) TableName() string { return "agent_keys" }

func (r agentRow) agent(tenant string) tenants.Agent {
	a := tenants.Agent{
		Agent:     auth.Agent{Tenant: tenant, ID: r.AgentID, Name: r.Name, Owner: r.OwnerID},
		CreatedAt: stamp(r.CreatedAt), CreatedBy: r.CreatedBy, LastUsedAt: stampPointer(r.LastUsedAt),
		StoppedAt: stampPointer(r.StoppedAt), StoppedBy: r.StoppedBy, StopReason: r.StopReason,
		Bound: r.bound(), Description: tenants.Description{Contact: r.Contact, TicketLink: r.TicketLink},
		Client: r.Client, SilentAt: stampPointer(r.SilentAt),
	}
	if r.AskedAt != nil {
		a.Asked = &tenants.Binding{Bound: r.askedFor(), By: r.AskedBy, Reason: r.AskedReason, At: stamp(*r.AskedAt)}
	}
	if r.CanaryAt != nil {
		a.Canary = &tenants.Canary{Nonce: r.CanaryNonce, At: stamp(*r.CanaryAt), Failed: r.CanaryFailed}
	}
	return a
}

// bound is what the agent is bound to, and askedFor what somebody asked for.
func (r agentRow) bound() tenants.Bound {
	return tenants.Bound{Environment: r.Environment, Workspace: workspace.Binding{Folder: r.Workspace, Sandboxed: r.Sandboxed}}
}

func (r agentRow) askedFor() tenants.Bound {
	return tenants.Bound{Environment: r.AskedEnvironment, Workspace: workspace.Binding{Folder: r.AskedWorkspace, Sandboxed: r.AskedSandboxed}}
}

func (r agentKeyRow) key() tenants.Key {
	return tenants.Key{
		ID: r.KeyID, Agent: r.AgentID, Hint: r.Hint, By: r.CreatedBy, Scopes: auth.SplitScopes(r.Scopes), CreatedAt: stamp(r.CreatedAt),
		ExpiresAt: stampPointer(r.ExpiresAt), RevokedAt: stampPointer(r.RevokedAt), LastUsedAt: stampPointer(r.LastUsedAt),
	}
}

// CreateAgent stores an agent; its name must be new.
func (t *tx) CreateAgent(a tenants.Agent) error {
	row := agentRow{TenantID: t.tenant, AgentID: a.ID, Name: a.Name, OwnerID: a.Owner, CreatedAt: t.now, CreatedBy: a.CreatedBy}
	err := classify(t.db.Create(&row).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.Member(fault.AlreadyExists, "name", "there's already an agent %s; choose another name", a.Name)
	}
	return err
}

// AddKey stores a key of an agent; its id must be new.
func (t *tx) AddKey(k tenants.Key, hash string) error {
	row := agentKeyRow{
		TenantID: t.tenant, KeyHash: hash, KeyID: k.ID, AgentID: k.Agent, Scopes: auth.JoinScopes(k.Scopes), Hint: k.Hint, CreatedBy: k.By,
		CreatedAt: t.now, ExpiresAt: stampPointer(k.ExpiresAt),
	}
	return classify(t.db.Create(&row).Error)
}

// SetKey writes when a key ends. One that was revoked stays so.
func (t *tx) SetKey(k tenants.Key) error {
	r := t.of("agent_keys").Where("key_id = ? AND revoked_at IS NULL", k.ID).
		Updates(map[string]any{"expires_at": stampPointer(k.ExpiresAt), "revoked_at": stampPointer(k.RevokedAt)})
	return changed(r, fault.New(fault.Missing, "no such key"))
}

// liveKey is the condition of a key that opens something now.
func liveKey(q *gorm.DB, now time.Time) *gorm.DB {
	return q.Where("agent_keys.revoked_at IS NULL AND (agent_keys.expires_at IS NULL OR agent_keys.expires_at > ?)", now)
}

// AgentByKeyHash returns the agent of a key that works.
func (t *tx) AgentByKeyHash(hash string) (auth.Agent, error) {
	type found struct {
		AgentID, Name, OwnerID, KeyID, Scopes string
		HaltedAt                              *time.Time
		Reason                                string
	}
	row, err := one[found](liveKey(t.of("agent_keys"), t.now).
		Select("agents.agent_id, agents.name, agents.owner_id, agent_keys.key_id, agent_keys.scopes, agent_halts.halted_at, coalesce(agent_halts.reason, '') AS reason").
		Joins("JOIN agents ON agents.tenant_id = agent_keys.tenant_id AND agents.agent_id = agent_keys.agent_id").
		Joins("LEFT JOIN agent_halts ON agent_halts.tenant_id = agent_keys.tenant_id").
		Where("agent_keys.key_hash = ?", hash), "no such key")
	a := auth.Agent{Tenant: t.tenant, ID: row.AgentID, Name: row.Name, Owner: row.OwnerID, KeyID: row.KeyID, Scopes: auth.SplitScopes(row.Scopes)}
	if row.HaltedAt != nil {
		a.Halted = halted(t.tenant, *row.HaltedAt, row.Reason)
	}
	return a, err
}

// WorkingKeys are those of these keys that open something now.
func (t *tx) WorkingKeys(ids ...string) ([]string, error) {
	return t.among(ids, func(some []string) *gorm.DB {
		return liveKey(t.of("agent_keys"), t.now).Where("agent_keys.key_id IN ?", some)
	}, "agent_keys.key_id")
}

// StillPending are those of these approvals that wait for a decision.
func (t *tx) StillPending(ids ...string) ([]string, error) {
	return t.among(ids, func(some []string) *gorm.DB {
		return t.of("approvals").Where("approval_id IN ? AND status = ?", some, approvals.Pending)
	}, "approval_id")
}

// among plucks a column for many values, as many at once as a statement takes.
func (t *tx) among(values []string, rows func(some []string) *gorm.DB, column string) (all []string, err error) {
	for some := range slices.Chunk(values, verifyBatch) {
		var found []string
		if err := rows(some).Pluck(column, &found).Error; err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Agents lists the tenant's agents by name.
func (t *tx) Agents() ([]tenants.Agent, error) {
	var rows []agentRow
	err := t.of("agents").Order("name").Find(&rows).Error
	all := make([]tenants.Agent, len(rows))
	for i, r := range rows {
		all[i] = r.agent(t.tenant)
	}
	return all, err
}

// Agent returns one of them. Who writes holds it until the commit, before they touch
// its keys: the other way round they would wait for somebody who waits for them.
func (t *tx) Agent(id string) (tenants.Agent, error) {
	q := t.of("agents").Where("agent_id = ?", id)
	if t.writes {
		q = q.Clauses(clause.Locking{Strength: "NO KEY UPDATE"})
	}
	row, err := one[agentRow](q, "no such agent")
	return row.agent(t.tenant), err
}

// Keys lists an agent's keys, newest first.
func (t *tx) Keys(agent string) ([]tenants.Key, error) {
	return keys(t.of("agent_keys").Where("agent_id = ?", agent))
}

// AllKeys lists the keys of every agent, newest first.
func (t *tx) AllKeys() ([]tenants.Key, error) { return keys(t.of("agent_keys")) }

func keys(q *gorm.DB) ([]tenants.Key, error) {
	var rows []agentKeyRow
	err := q.Order("created_at DESC, key_id DESC").Find(&rows).Error
	all := make([]tenants.Key, len(rows))
	for i, r := range rows {
		all[i] = r.key()
	}
	return all, err
}

// Activity counts what an agent submitted since then, up to limit. Ids sort by
// time, so the index alone answers.
func (t *tx) Activity(agent string, since time.Time, limit int) (tenants.Activity, error) {
	recent := t.of("approvals").Select("approvals.level_rank").
		Where("agent_id = ? AND approval_id >= ?", agent, auth.FirstID("apr", since)).Order("approval_id DESC").Limit(limit + 1)
	var found struct {
		Actions int
		Highest int
	}
	err := t.db.Table("(?) AS recent", recent).Select("count(*) AS actions, coalesce(max(level_rank), 0) AS highest").Scan(&found).Error
	return tenants.Activity{Count: min(found.Actions, limit), More: found.Actions > limit, Highest: level.Level(found.Highest)}, err
}

// StopAgent stops an agent that may act, and revokes its keys.
func (t *tx) StopAgent(id, by, reason string) error {
	stopped := t.of("agents").Where("agent_id = ? AND stopped_at IS NULL", id).
		Updates(map[string]any{"stopped_at": t.now, "stopped_by": by, "stop_reason": reason})
	if err := changed(stopped, fault.New(fault.Changed, "the agent is already stopped")); err != nil {
		return err
	}
	return t.of("agent_keys").Where("agent_id = ? AND revoked_at IS NULL", id).Update("revoked_at", t.now).Error
}

// StartAgent ends StopAgent; the keys stay revoked.
func (t *tx) StartAgent(id string) error {
	started := t.of("agents").Where("agent_id = ? AND stopped_at IS NOT NULL", id).
		Updates(map[string]any{"stopped_at": nil, "stopped_by": "", "stop_reason": ""})
	return changed(started, fault.New(fault.Changed, "the agent isn't stopped"))
}

// BindAgent binds an agent, and ends what was asked.
func (t *tx) BindAgent(id string, to tenants.Bound) error {
	bound := t.of("agents").Where("agent_id = ?", id).Updates(map[string]any{
		"environment": to.Environment, "workspace": to.Workspace.Folder, "sandboxed": to.Workspace.Sandboxed,
		"asked_environment": "", "asked_workspace": "", "asked_sandboxed": false, "asked_by": "", "asked_reason": "", "asked_at": nil,
	})
	return changed(bound, fault.New(fault.Missing, "no such agent"))
}

// DescribeAgent writes what an admin says of an agent.
func (t *tx) DescribeAgent(id string, d tenants.Description) error {
	r := t.of("agents").Where("agent_id = ?", id).Updates(map[string]any{"contact": d.Contact, "ticket_link": d.TicketLink})
	return changed(r, fault.New(fault.Missing, "no such agent"))
}

// SetCanary writes how the gate of an agent was tried last.
func (t *tx) SetCanary(id string, c tenants.Canary) error {
	r := t.of("agents").Where("agent_id = ?", id).Updates(map[string]any{"canary_at": stamp(c.At), "canary_nonce": c.Nonce, "canary_failed": c.Failed})
	return changed(r, fault.New(fault.Missing, "no such agent"))
}

// SetSilent writes that people were told.
func (t *tx) SetSilent(id string) error {
	r := t.of("agents").Where("agent_id = ? AND (silent_at IS NULL OR silent_at < last_used_at)", id).Update("silent_at", t.now)
	return changed(r, fault.New(fault.Changed, "people were told already"))
}

// NoteClient writes which program submits for an agent, where it is another one.
func (t *tx) NoteClient(agent, client string) error {
	return t.of("agents").Where("agent_id = ? AND client <> ?", agent, client).Update("client", client).Error
}

// AskBinding keeps what is asked for an agent.
func (t *tx) AskBinding(id string, b tenants.Binding) error {
	at := &t.now
	if b == (tenants.Binding{}) {
		at = nil
	}
	asked := t.of("agents").Where("agent_id = ?", id).Updates(map[string]any{
		"asked_environment": b.Environment, "asked_workspace": b.Workspace.Folder, "asked_sandboxed": b.Workspace.Sandboxed,
		"asked_by": b.By, "asked_reason": b.Reason, "asked_at": at,
	})
	return changed(asked, fault.New(fault.Missing, "no such agent"))
}

// AgentBound is what an agent is bound to.
func (t *tx) AgentBound(id string) (tenants.Bound, error) {
	rows, err := t.agentRows(id)
	if err == nil && (len(rows) == 0 || id == "") {
		err = fault.New(fault.Missing, "no such agent")
	}
	if err != nil {
		return tenants.Bound{}, err
	}
	return rows[0].bound(), nil
}

// Used writes when an agent and its key were last used, where what stands there is
// older by a step. The agent comes first, as in Agent.
func (t *tx) Used(agent, key string, at time.Time) error {
	const stale = "(last_used_at IS NULL OR last_used_at <= ?)"
	at = stamp(at)
	before := at.Add(-tenants.UsageStep)
	if err := t.of("agents").Where("agent_id = ? AND "+stale, agent, before).Update("last_used_at", at).Error; err != nil {
		return err
	}
	return t.of("agent_keys").Where("key_id = ? AND "+stale, key, before).Update("last_used_at", at).Error
}

type haltRow struct {
	TenantID         string
	HaltedAt         time.Time
	HaltedBy, Reason string
}

func (haltRow) TableName() string { return "agent_halts" }

// HaltAgents stops all agents of the tenant.
func (t *tx) HaltAgents(by, reason string) error {
	err := classify(t.db.Create(&haltRow{TenantID: t.tenant, HaltedAt: t.now, HaltedBy: by, Reason: reason}).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.New(fault.Changed, "the agents are already stopped")
	}
	return err
}

// Resume ends HaltAgents.
func (t *tx) Resume() error {
	return changed(t.of("agent_halts").Delete(&haltRow{}), fault.New(fault.Changed, "the agents aren't stopped"))
}

// Halt says whether all agents are stopped.
func (t *tx) Halt() (*tenants.Halt, error) {
	row, err := one[haltRow](t.of("agent_halts"), "no such halt")
	if fault.Is(err, fault.Missing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	people, err := t.people([]string{row.HaltedBy})
	return &tenants.Halt{At: stamp(row.HaltedAt), By: people[row.HaltedBy], Reason: row.Reason}, err
}

// halted tells an agent why nothing but reading works.
func halted(tenant string, at time.Time, reason string) string {
	s := fmt.Sprintf("an admin of %s stopped all agents at %s", tenant, stamp(at).Format(time.RFC3339))
	if reason != "" {
		s += " (" + reason + ")"
	}
	return s + "; until they resume, an agent can only read its own approvals"
}

// mayAct refuses what an agent does while it, or every agent of the tenant, is
// stopped, or once the key that it came with opens nothing any more. The log asks it
// under its lock, so that nothing of an agent is recorded after the event that
// stopped it or revoked its key.
func (t *tx) mayAct(agent string) error {
	rows, err := t.agentRows(agent)
	if err != nil {
		return err
	}
	halts, err := t.haltRows()
	switch {
	case err != nil:
		return err
	case len(rows) == 0:
		return fault.New(fault.Missing, "no such agent")
	case len(halts) > 0:
		return fault.New(fault.AgentsStopped, "%s", halted(t.tenant, halts[0].HaltedAt, halts[0].Reason))
	case rows[0].StoppedAt != nil:
		return fault.New(fault.AgentsStopped, "an admin of %s stopped this agent at %s", t.tenant, stamp(*rows[0].StoppedAt).Format(time.RFC3339))
	}
	if t.acting == nil {
		return nil
	}
	keys, err := t.keyRows(agent)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(keys, func(k agentKeyRow) bool { return k.KeyID == t.acting.KeyID })
	if i < 0 || !keys[i].key().Works(t.now) {
		return fault.New(fault.Unauthorized, "the API key was revoked or has expired while this request waited")
	}
	return nil
}
