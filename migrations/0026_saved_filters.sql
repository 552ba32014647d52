-- +goose Up
-- What somebody narrows the queue by again and again, under a name of theirs. It
-- decides nothing and is shown to nobody else, so it is no part of the trail.
CREATE TABLE saved_filters (
    tenant_id TEXT      NOT NULL,
    person_id TEXT      NOT NULL,
    name      TEXT      NOT NULL,
    query     TEXT      NOT NULL, -- of the queue's address
    saved_at  TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id, name),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE
);

-- The whole order of the queue in one index of what waits, so that its first page is
-- one range; the index of every status is written no longer.
CREATE INDEX approvals_ranked ON approvals (tenant_id, level_rank DESC, expires_at, approval_id, version) WHERE status = 'pending';
DROP INDEX approvals_waiting;
DROP INDEX approvals_queue;

-- +goose Down
CREATE INDEX approvals_queue ON approvals (tenant_id, status, level_rank DESC, expires_at, approval_id);
CREATE INDEX approvals_waiting ON approvals (tenant_id, level_rank, expires_at, approval_id, version) WHERE status = 'pending';
DROP INDEX approvals_ranked;
DROP TABLE saved_filters;
