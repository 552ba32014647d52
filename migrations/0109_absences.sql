-- +goose Up
-- Who is away, and who is called in their place. It gives nobody a right.
CREATE TABLE absences (
    tenant_id TEXT      NOT NULL,
    person_id TEXT      NOT NULL,
    deputy_id TEXT      NOT NULL, -- may have left since
    by_id     TEXT      NOT NULL, -- who set it
    from_at   TIMESTAMP NOT NULL,
    until_at  TIMESTAMP,          -- NULL: until they say that they are back
    PRIMARY KEY (tenant_id, person_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE
);

-- Who was called to a request in whose place, because they were away.
CREATE TABLE stand_ins (
    tenant_id   TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    person_id   TEXT NOT NULL,
    deputy_id   TEXT NOT NULL,
    PRIMARY KEY (tenant_id, approval_id, person_id, deputy_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- +goose Down
DROP TABLE stand_ins;
DROP TABLE absences;
