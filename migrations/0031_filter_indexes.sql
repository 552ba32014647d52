-- +goose Up
-- What an agent lists by status, and the same act of it, whatever became of that: ranges
-- of an index, however much it asked for before.
CREATE INDEX approvals_status ON approvals (tenant_id, agent_id, status, approval_id);
CREATE INDEX approvals_digest ON approvals (tenant_id, agent_id, digest, approval_id);

-- Only what waits becomes due, so what ended need not be in this one.
DROP INDEX approvals_due;
CREATE INDEX approvals_due ON approvals (tenant_id, expires_at) WHERE status = 'pending';

-- +goose Down
DROP INDEX approvals_due;
CREATE INDEX approvals_due ON approvals (tenant_id, status, expires_at);
DROP INDEX approvals_digest;
DROP INDEX approvals_status;
