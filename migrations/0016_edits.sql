-- +goose Up
-- What an operator made of the arguments before somebody approved them. What the
-- agent proposed stays in approvals.
CREATE TABLE edits (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    version     BIGINT    NOT NULL CHECK (version > 1), -- of the approval, which the edit made
    action      TEXT      NOT NULL,                     -- canonical JSON; nothing in it is masked
    digest      TEXT      NOT NULL,
    person_id   TEXT      NOT NULL,
    person_name TEXT      NOT NULL,                     -- as it was then
    edited_at   TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, approval_id, version),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- What answers a request for changes: few approvals answer any.
CREATE INDEX approvals_revises ON approvals (tenant_id, revises, approval_id) WHERE revises <> '';

-- +goose Down
DROP INDEX approvals_revises;
DROP TABLE edits;
