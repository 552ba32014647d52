-- +goose Up
ALTER TABLE agents ADD COLUMN created_by TEXT NOT NULL DEFAULT ''; -- person_id; empty: the command line
ALTER TABLE agents ADD COLUMN stopped_at TIMESTAMP;
ALTER TABLE agents ADD COLUMN stopped_by TEXT NOT NULL DEFAULT ''; -- person_id
ALTER TABLE agents ADD COLUMN stop_reason TEXT NOT NULL DEFAULT '';

ALTER TABLE agent_keys ADD COLUMN hint TEXT NOT NULL DEFAULT ''; -- how the secret begins; empty: not known
ALTER TABLE agent_keys ADD COLUMN last_used_at TIMESTAMP;
CREATE UNIQUE INDEX agent_keys_id ON agent_keys (tenant_id, key_id);
CREATE INDEX agent_keys_agent ON agent_keys (tenant_id, agent_id, key_id);

-- While a tenant has a row here none of its agents may act.
CREATE TABLE agent_halts (
    tenant_id TEXT      NOT NULL PRIMARY KEY REFERENCES tenants (tenant_id),
    halted_at TIMESTAMP NOT NULL,
    halted_by TEXT      NOT NULL, -- person_id; empty: the command line
    reason    TEXT      NOT NULL
);

ALTER TABLE grants ADD COLUMN void_reason TEXT NOT NULL DEFAULT ''; -- empty: a stricter policy
CREATE INDEX grants_expiry ON grants (tenant_id, expires_at);

-- With the level in it, what an agent did lately is counted without reading rows.
DROP INDEX approvals_agent;
CREATE INDEX approvals_agent ON approvals (tenant_id, agent_id, approval_id, level_rank);

-- +goose Down
DROP INDEX approvals_agent;
CREATE INDEX approvals_agent ON approvals (tenant_id, agent_id, approval_id);
DROP INDEX grants_expiry;
ALTER TABLE grants DROP COLUMN void_reason;
DROP TABLE agent_halts;
DROP INDEX agent_keys_agent;
DROP INDEX agent_keys_id;
ALTER TABLE agent_keys DROP COLUMN last_used_at;
ALTER TABLE agent_keys DROP COLUMN hint;
ALTER TABLE agents DROP COLUMN stop_reason;
ALTER TABLE agents DROP COLUMN stopped_by;
ALTER TABLE agents DROP COLUMN stopped_at;
ALTER TABLE agents DROP COLUMN created_by;
