package store

import (
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

type agentRow struct {
	TenantID, AgentID, Name, OwnerID string
	CreatedAt                        time.Time
	LastUsedAt                       *time.Time
}

type agentKeyRow struct {
	TenantID, KeyHash, KeyID, AgentID, Scopes string
	CreatedAt                                 time.Time
	ExpiresAt, RevokedAt                      *time.Time
}

func (agentRow) TableName() string    { return "agents" }
func (agentKeyRow) TableName() string { return "agent_keys" }

// CreateAgent stores an agent with its first key, which has a.Scopes; the name
// must be new.
func (t *tx) CreateAgent(a auth.Agent, keyHash string) error {
	row := agentRow{TenantID: t.tenant, AgentID: a.ID, Name: a.Name, OwnerID: a.Owner, CreatedAt: t.now}
	if err := classify(t.db.Create(&row).Error); err != nil {
		if fault.Is(err, fault.AlreadyExists) {
			return fault.Member(fault.AlreadyExists, "name", "there is an agent %s already; choose another name", a.Name)
		}
		return err
	}
	key := agentKeyRow{TenantID: t.tenant, KeyHash: keyHash, KeyID: a.KeyID, AgentID: a.ID, Scopes: auth.JoinScopes(a.Scopes), CreatedAt: t.now}
	return t.db.Create(&key).Error
}

// AgentByKeyHash returns the agent of a key that works.
func (t *tx) AgentByKeyHash(hash string) (auth.Agent, error) {
	type found struct{ AgentID, Name, OwnerID, KeyID, Scopes string }
	row, err := one[found](t.of("agent_keys").
		Select("agents.agent_id, agents.name, agents.owner_id, agent_keys.key_id, agent_keys.scopes").
		Joins("JOIN agents ON agents.tenant_id = agent_keys.tenant_id AND agents.agent_id = agent_keys.agent_id").
		Where("agent_keys.key_hash = ? AND agent_keys.revoked_at IS NULL AND (agent_keys.expires_at IS NULL OR agent_keys.expires_at > ?)", hash, t.now), "key")
	return auth.Agent{Tenant: t.tenant, ID: row.AgentID, Name: row.Name, Owner: row.OwnerID, KeyID: row.KeyID, Scopes: auth.SplitScopes(row.Scopes)}, err
}

// Agents lists the tenant's agents by name.
func (t *tx) Agents() ([]tenants.Agent, error) {
	var rows []agentRow
	err := t.of("agents").Order("name").Find(&rows).Error
	all := make([]tenants.Agent, len(rows))
	for i, r := range rows {
		all[i] = tenants.Agent{
			Agent:     auth.Agent{Tenant: t.tenant, ID: r.AgentID, Name: r.Name, Owner: r.OwnerID},
			CreatedAt: stamp(r.CreatedAt), LastUsedAt: stampPointer(r.LastUsedAt),
		}
	}
	return all, err
}
