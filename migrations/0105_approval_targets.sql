-- +goose Up
-- What a request acts on, as a sum of its function, its target and its environment: where the
-- agent asks again with other arguments, people are told. Only where to look is read here.
CREATE TABLE approval_targets (
    tenant_id   TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    agent_id    TEXT NOT NULL,
    target      TEXT NOT NULL,
    digest      TEXT NOT NULL, -- of what was submitted
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);
CREATE INDEX approval_targets_newest ON approval_targets (tenant_id, agent_id, target, approval_id);

-- +goose Down
DROP TABLE approval_targets;
