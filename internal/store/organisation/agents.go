package organisation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/store/tables"
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

// AgentKeyRow is a row of agent_keys.
type AgentKeyRow struct {
	TenantID, KeyHash, KeyID, AgentID, Scopes string
	CreatedAt                                 time.Time
	ExpiresAt, RevokedAt                      *time.Time
	Hint, CreatedBy                           string
	LastUsedAt                                *time.Time
}

func (agentRow) TableName() string    { return "agents" }
func (AgentKeyRow) TableName() string { return "agent_keys" }

func (r agentRow) agent(tenant string) tenants.Agent {
	a := tenants.Agent{
		Agent:     auth.Agent{Tenant: tenant, ID: r.AgentID, Name: r.Name, Owner: r.OwnerID},
		CreatedAt: tables.Stamp(r.CreatedAt), CreatedBy: r.CreatedBy, LastUsedAt: tables.StampPointer(r.LastUsedAt),
		StoppedAt: tables.StampPointer(r.StoppedAt), StoppedBy: r.StoppedBy, StopReason: r.StopReason,
		Bound: r.Bound(), Description: tenants.Description{Contact: r.Contact, TicketLink: r.TicketLink},
		Client: r.Client, SilentAt: tables.StampPointer(r.SilentAt),
	}
	if r.AskedAt != nil {
		a.Asked = &tenants.Binding{Bound: r.AskedFor(), By: r.AskedBy, Reason: r.AskedReason, At: tables.Stamp(*r.AskedAt)}
	}
	if r.CanaryAt != nil {
		a.Canary = &tenants.Canary{Nonce: r.CanaryNonce, At: tables.Stamp(*r.CanaryAt), Failed: r.CanaryFailed}
	}
	return a
}

// Bound is what the agent is bound to, and AskedFor what somebody asked for.
func (r agentRow) Bound() tenants.Bound {
	return tenants.Bound{Environment: r.Environment, Workspace: workspace.Binding{Folder: r.Workspace, Sandboxed: r.Sandboxed}}
}

// AskedFor is what somebody asked for.
func (r agentRow) AskedFor() tenants.Bound {
	return tenants.Bound{Environment: r.AskedEnvironment, Workspace: workspace.Binding{Folder: r.AskedWorkspace, Sandboxed: r.AskedSandboxed}}
}

func (r AgentKeyRow) key() tenants.Key {
	return tenants.Key{
		ID: r.KeyID, Agent: r.AgentID, Hint: r.Hint, By: r.CreatedBy, Scopes: auth.SplitScopes(r.Scopes), CreatedAt: tables.Stamp(r.CreatedAt),
		ExpiresAt: tables.StampPointer(r.ExpiresAt), RevokedAt: tables.StampPointer(r.RevokedAt), LastUsedAt: tables.StampPointer(r.LastUsedAt),
	}
}

// CreateAgent stores an agent; its name must be new.
func (t Organisation) CreateAgent(a tenants.Agent) error {
	row := agentRow{TenantID: t.Tenant, AgentID: a.ID, Name: a.Name, OwnerID: a.Owner, CreatedAt: t.At, CreatedBy: a.CreatedBy}
	err := tables.Classify(t.DB.Create(&row).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.Member(fault.AlreadyExists, "name", "there's already an agent %s; choose another name", a.Name)
	}
	return err
}

// AddKey stores a key of an agent; its id must be new.
func (t Organisation) AddKey(k tenants.Key, hash string) error {
	row := AgentKeyRow{
		TenantID: t.Tenant, KeyHash: hash, KeyID: k.ID, AgentID: k.Agent, Scopes: auth.JoinScopes(k.Scopes), Hint: k.Hint, CreatedBy: k.By,
		CreatedAt: t.At, ExpiresAt: tables.StampPointer(k.ExpiresAt),
	}
	return tables.Classify(t.DB.Create(&row).Error)
}

// SetKey writes when a key ends. One that was revoked stays so.
func (t Organisation) SetKey(k tenants.Key) error {
	r := t.Of("agent_keys").Where("key_id = ? AND revoked_at IS NULL", k.ID).
		Updates(map[string]any{"expires_at": tables.StampPointer(k.ExpiresAt), "revoked_at": tables.StampPointer(k.RevokedAt)})
	return tables.Changed(r, fault.New(fault.Missing, "no such key"))
}

// liveKey is the condition of a key that opens something now.
func liveKey(q *gorm.DB, now time.Time) *gorm.DB {
	return q.Where("agent_keys.revoked_at IS NULL AND (agent_keys.expires_at IS NULL OR agent_keys.expires_at > ?)", now)
}

// AgentByKeyHash returns the agent of a key that works.
func (t Organisation) AgentByKeyHash(hash string) (auth.Agent, error) {
	type found struct {
		AgentID, Name, OwnerID, KeyID, Scopes string
		HaltedAt                              *time.Time
		Reason                                string
	}
	row, err := tables.One[found](liveKey(t.Of("agent_keys"), t.At).
		Select("agents.agent_id, agents.name, agents.owner_id, agent_keys.key_id, agent_keys.scopes, agent_halts.halted_at, coalesce(agent_halts.reason, '') AS reason").
		Joins("JOIN agents ON agents.tenant_id = agent_keys.tenant_id AND agents.agent_id = agent_keys.agent_id").
		Joins("LEFT JOIN agent_halts ON agent_halts.tenant_id = agent_keys.tenant_id").
		Where("agent_keys.key_hash = ?", hash), "no such key")
	a := auth.Agent{Tenant: t.Tenant, ID: row.AgentID, Name: row.Name, Owner: row.OwnerID, KeyID: row.KeyID, Scopes: auth.SplitScopes(row.Scopes)}
	if row.HaltedAt != nil {
		a.Halted = halted(t.Tenant, *row.HaltedAt, row.Reason)
	}
	return a, err
}

// WorkingKeys are those of these keys that open something now.
func (t Organisation) WorkingKeys(ids ...string) ([]string, error) {
	return t.among(ids, func(some []string) *gorm.DB {
		return liveKey(t.Of("agent_keys"), t.At).Where("agent_keys.key_id IN ?", some)
	}, "agent_keys.key_id")
}

// StillPending are those of these approvals that wait for a decision.
func (t Organisation) StillPending(ids ...string) ([]string, error) {
	return t.among(ids, func(some []string) *gorm.DB {
		return t.Of("approvals").Where("approval_id IN ? AND status = ?", some, approvals.Pending)
	}, "approval_id")
}

// among plucks a column for many values, as many at once as a statement takes.
func (t Organisation) among(values []string, rows func(some []string) *gorm.DB, column string) (all []string, err error) {
	for some := range slices.Chunk(values, tables.Batch) {
		var found []string
		if err := rows(some).Pluck(column, &found).Error; err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Agents lists the tenant's agents by name.
func (t Organisation) Agents() ([]tenants.Agent, error) {
	return tables.All(t.Of("agents").Order("name"), func(r agentRow) tenants.Agent { return r.agent(t.Tenant) })
}

// Agent returns one of them. Who writes holds it until the commit, before they touch
// its keys: the other way round they would wait for somebody who waits for them.
func (t Organisation) Agent(id string) (tenants.Agent, error) {
	q := t.Of("agents").Where("agent_id = ?", id)
	if t.Writes {
		q = q.Clauses(clause.Locking{Strength: "NO KEY UPDATE"})
	}
	row, err := tables.One[agentRow](q, "no such agent")
	return row.agent(t.Tenant), err
}

// Keys lists an agent's keys, newest first.
func (t Organisation) Keys(agent string) ([]tenants.Key, error) {
	return keys(t.Of("agent_keys").Where("agent_id = ?", agent))
}

// AllKeys lists the keys of every agent, newest first.
func (t Organisation) AllKeys() ([]tenants.Key, error) { return keys(t.Of("agent_keys")) }

func keys(q *gorm.DB) ([]tenants.Key, error) {
	return tables.All(q.Order("created_at DESC, key_id DESC"), AgentKeyRow.key)
}

// Activity counts what an agent submitted since then, up to limit. Ids sort by
// time, so the index alone answers.
func (t Organisation) Activity(agent string, since time.Time, limit int) (tenants.Activity, error) {
	recent := t.Of("approvals").Select("approvals.level_rank").
		Where("agent_id = ? AND approval_id >= ?", agent, auth.FirstID("apr", since)).Order("approval_id DESC").Limit(limit + 1)
	var found struct {
		Actions int
		Highest int
	}
	err := t.DB.Table("(?) AS recent", recent).Select("count(*) AS actions, coalesce(max(level_rank), 0) AS highest").Scan(&found).Error
	return tenants.Activity{Count: min(found.Actions, limit), More: found.Actions > limit, Highest: level.Level(found.Highest)}, err
}

// StopAgent stops an agent that may act, and revokes its keys.
func (t Organisation) StopAgent(id, by, reason string) error {
	stopped := t.Of("agents").Where("agent_id = ? AND stopped_at IS NULL", id).
		Updates(map[string]any{"stopped_at": t.At, "stopped_by": by, "stop_reason": reason})
	if err := tables.Changed(stopped, fault.New(fault.Changed, "the agent is already stopped")); err != nil {
		return err
	}
	return t.Of("agent_keys").Where("agent_id = ? AND revoked_at IS NULL", id).Update("revoked_at", t.At).Error
}

// StartAgent ends StopAgent; the keys stay revoked.
func (t Organisation) StartAgent(id string) error {
	started := t.Of("agents").Where("agent_id = ? AND stopped_at IS NOT NULL", id).
		Updates(map[string]any{"stopped_at": nil, "stopped_by": "", "stop_reason": ""})
	return tables.Changed(started, fault.New(fault.Changed, "the agent isn't stopped"))
}

// BindAgent binds an agent, and ends what was asked.
func (t Organisation) BindAgent(id string, to tenants.Bound) error {
	bound := t.Of("agents").Where("agent_id = ?", id).Updates(map[string]any{
		"environment": to.Environment, "workspace": to.Workspace.Folder, "sandboxed": to.Workspace.Sandboxed,
		"asked_environment": "", "asked_workspace": "", "asked_sandboxed": false, "asked_by": "", "asked_reason": "", "asked_at": nil,
	})
	return tables.Changed(bound, fault.New(fault.Missing, "no such agent"))
}

// DescribeAgent writes what an admin says of an agent.
func (t Organisation) DescribeAgent(id string, d tenants.Description) error {
	r := t.Of("agents").Where("agent_id = ?", id).Updates(map[string]any{"contact": d.Contact, "ticket_link": d.TicketLink})
	return tables.Changed(r, fault.New(fault.Missing, "no such agent"))
}

// SetCanary writes how the gate of an agent was tried last.
func (t Organisation) SetCanary(id string, c tenants.Canary) error {
	r := t.Of("agents").Where("agent_id = ?", id).Updates(map[string]any{"canary_at": tables.Stamp(c.At), "canary_nonce": c.Nonce, "canary_failed": c.Failed})
	return tables.Changed(r, fault.New(fault.Missing, "no such agent"))
}

// SetSilent writes that people were told.
func (t Organisation) SetSilent(id string) error {
	r := t.Of("agents").Where("agent_id = ? AND (silent_at IS NULL OR silent_at < last_used_at)", id).Update("silent_at", t.At)
	return tables.Changed(r, fault.New(fault.Changed, "people were told already"))
}

// NoteClient writes which program submits for an agent, where it is another one.
func (t Organisation) NoteClient(agent, client string) error {
	if rows, err := t.AgentRows(agent); err != nil || len(rows) > 0 && rows[0].Client == client {
		return err
	}
	return t.Of("agents").Where("agent_id = ? AND client <> ?", agent, client).Update("client", client).Error
}

// AskBinding keeps what is asked for an agent.
func (t Organisation) AskBinding(id string, b tenants.Binding) error {
	at := &t.At
	if b == (tenants.Binding{}) {
		at = nil
	}
	asked := t.Of("agents").Where("agent_id = ?", id).Updates(map[string]any{
		"asked_environment": b.Environment, "asked_workspace": b.Workspace.Folder, "asked_sandboxed": b.Workspace.Sandboxed,
		"asked_by": b.By, "asked_reason": b.Reason, "asked_at": at,
	})
	return tables.Changed(asked, fault.New(fault.Missing, "no such agent"))
}

// AgentBound is what an agent is bound to.
func (t Organisation) AgentBound(id string) (tenants.Bound, error) {
	rows := t.agents(id)
	err := t.Fetch(rows, t.NewestPolicy()) // which whoever asks goes by, too
	if err == nil && (len(rows.Found) == 0 || id == "") {
		err = fault.New(fault.Missing, "no such agent")
	}
	if err != nil {
		return tenants.Bound{}, err
	}
	return rows.Found[0].Bound(), nil
}

// Used writes when an agent and its key were last used, where what stands there is
// older by a step. The agent comes first, as in Agent.
func (t Organisation) Used(agent, key string, at time.Time) error {
	const stale = "(last_used_at IS NULL OR last_used_at <= ?)"
	at = tables.Stamp(at)
	before := at.Add(-tenants.UsageStep)
	if err := t.Of("agents").Where("agent_id = ? AND "+stale, agent, before).Update("last_used_at", at).Error; err != nil {
		return err
	}
	return t.Of("agent_keys").Where("key_id = ? AND "+stale, key, before).Update("last_used_at", at).Error
}

type haltRow struct {
	TenantID         string
	HaltedAt         time.Time
	HaltedBy, Reason string
}

func (haltRow) TableName() string { return "agent_halts" }

// HaltAgents stops all agents of the tenant.
func (t Organisation) HaltAgents(by, reason string) error {
	err := tables.Classify(t.DB.Create(&haltRow{TenantID: t.Tenant, HaltedAt: t.At, HaltedBy: by, Reason: reason}).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.New(fault.Changed, "the agents are already stopped")
	}
	return err
}

// Resume ends HaltAgents.
func (t Organisation) Resume() error {
	return tables.Changed(t.Of("agent_halts").Delete(&haltRow{}), fault.New(fault.Changed, "the agents aren't stopped"))
}

// Halt says whether all agents are stopped.
func (t Organisation) Halt() (*tenants.Halt, error) {
	rows, err := t.HaltRows()
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	row := rows[0]
	people, err := t.people([]string{row.HaltedBy})
	return &tenants.Halt{At: tables.Stamp(row.HaltedAt), By: people[row.HaltedBy], Reason: row.Reason}, err
}

// halted tells an agent why nothing but reading works.
func halted(tenant string, at time.Time, reason string) string {
	s := fmt.Sprintf("an admin of %s stopped all agents at %s", tenant, tables.Stamp(at).Format(time.RFC3339))
	if reason != "" {
		s += " (" + reason + ")"
	}
	return s + "; until they resume, an agent can only read its own approvals"
}

// MayAct refuses what an agent does while it, or every agent of the tenant, is
// stopped, or once the key that it came with opens nothing any more. The log asks it
// under its lock, so that nothing of an agent is recorded after the event that
// stopped it or revoked its key.
func (t Organisation) MayAct(agent string) error {
	rows, err := t.AgentRows(agent)
	if err != nil {
		return err
	}
	halts, err := t.HaltRows()
	switch {
	case err != nil:
		return err
	case len(rows) == 0:
		return fault.New(fault.Missing, "no such agent")
	case len(halts) > 0:
		return fault.New(fault.AgentsStopped, "%s", halted(t.Tenant, halts[0].HaltedAt, halts[0].Reason))
	case rows[0].StoppedAt != nil:
		return fault.New(fault.AgentsStopped, "an admin of %s stopped this agent at %s", t.Tenant, tables.Stamp(*rows[0].StoppedAt).Format(time.RFC3339))
	}
	if t.Acting == nil {
		return nil
	}
	keys, err := t.KeyRows(agent)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(keys, func(k AgentKeyRow) bool { return k.KeyID == t.Acting.KeyID })
	if i < 0 || !keys[i].key().Works(t.At) {
		return fault.New(fault.Unauthorized, "the API key was revoked or has expired while this request waited")
	}
	return nil
}

func (t Organisation) halts() *tables.Rows[haltRow] {
	return tables.Want[haltRow](t.Tx, "agent_halts", nil, "agent_halts", "")
}

// HaltRows is the stop of all agents: one row or none.
func (t Organisation) HaltRows() ([]haltRow, error) { return t.halts().Read(t.Tx) }

// ofAgent are the rows of an agent; "" are those of all.
func ofAgent[R any](t Organisation, table, agent string, order func(a, b R) int) *tables.Rows[R] {
	if agent == "" {
		return tables.Want(t.Tx, table+" ", order, table, "")
	}
	return tables.Want(t.Tx, table+" "+agent, order, table, " AND agent_id = ?", agent)
}

func (t Organisation) agents(agent string) *tables.Rows[agentRow] {
	return ofAgent(t, "agents", agent, func(a, b agentRow) int { return strings.Compare(a.AgentID, b.AgentID) })
}

func (t Organisation) keys(agent string) *tables.Rows[AgentKeyRow] {
	return ofAgent(t, "agent_keys", agent, func(a, b AgentKeyRow) int { return strings.Compare(a.KeyID, b.KeyID) })
}

// AgentRows are those of an agent; "" are those of all.
func (t Organisation) AgentRows(agent string) ([]agentRow, error) { return t.agents(agent).Read(t.Tx) }

// KeyRows are those of an agent; "" are those of all.
func (t Organisation) KeyRows(agent string) ([]AgentKeyRow, error) { return t.keys(agent).Read(t.Tx) }

// AboutAgent is all that an act goes by of the agent that it is of, and the policy.
func (t Organisation) AboutAgent(agent string) []tables.Wanted {
	return []tables.Wanted{t.agents(agent), t.keys(agent), t.halts(), t.tools(agent), t.NewestPolicy(), t.channels()}
}
