-- +goose Up
-- Who has the page of a request open, by the clock of the database; worth nothing
-- after some seconds, and no part of the trail.
CREATE TABLE presences (
    tenant_id   TEXT      NOT NULL,
    person_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    since_at    TIMESTAMP NOT NULL,
    seen_at     TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id, approval_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);
CREATE INDEX presences_seen ON presences (tenant_id, seen_at);

-- Who said that they are on a request; at most one a request. The trail has each.
CREATE TABLE claims (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    person_id   TEXT      NOT NULL,
    claimed_at  TIMESTAMP NOT NULL,
    until_at    TIMESTAMP NOT NULL CHECK (until_at > claimed_at),
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);
CREATE INDEX claims_until ON claims (tenant_id, until_at);

-- +goose Down
DROP TABLE claims;
DROP TABLE presences;
