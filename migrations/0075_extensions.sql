-- +goose Up
-- Somebody gave a request more time, once, and said why.
ALTER TABLE approvals ADD COLUMN extended BIGINT NOT NULL DEFAULT 0; -- 1: it has a row in extensions
CREATE TABLE extensions (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    was_until   TIMESTAMP NOT NULL,                             -- when it would have expired
    until_at    TIMESTAMP NOT NULL CHECK (until_at > was_until),
    reason      TEXT      NOT NULL,
    person_id   TEXT      NOT NULL,
    person_name TEXT      NOT NULL,                             -- as it was then
    extended_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- +goose Down
DROP TABLE extensions;
ALTER TABLE approvals DROP COLUMN extended;
