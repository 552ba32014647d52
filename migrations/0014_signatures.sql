-- +goose Up
-- One operator's yes to one version of an approval that needs several.
CREATE TABLE signatures (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    version     BIGINT    NOT NULL CHECK (version > 0),
    person_id   TEXT      NOT NULL,
    person_name TEXT      NOT NULL, -- as it was then
    signed_at   TIMESTAMP NOT NULL,
    evidence    TEXT      NOT NULL, -- JSON
    PRIMARY KEY (tenant_id, approval_id, version, person_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- +goose Down
DROP TABLE signatures;
