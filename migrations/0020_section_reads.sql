-- +goose Up
-- Which sections of a large act an operator acknowledged, for each version of the
-- request.
CREATE TABLE section_reads (
    tenant_id       TEXT      NOT NULL,
    approval_id     TEXT      NOT NULL,
    person_id       TEXT      NOT NULL,
    version         BIGINT    NOT NULL CHECK (version > 0),
    section         BIGINT    NOT NULL CHECK (section > 0),
    acknowledged_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, approval_id, person_id, version, section),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- +goose Down
DROP TABLE section_reads;
