-- +goose Up
-- Sign-ins from before these times are over: everywhere, or in one organisation.
ALTER TABLE people ADD COLUMN sessions_from TIMESTAMP;
ALTER TABLE memberships ADD COLUMN sessions_from TIMESTAMP;
ALTER TABLE memberships ADD COLUMN last_sign_in_at TIMESTAMP;

-- Links that an admin hands to somebody: to join, or to choose a new password.
CREATE TABLE tickets (
    tenant_id    TEXT      NOT NULL REFERENCES tenants (tenant_id),
    ticket_id    TEXT      NOT NULL,
    token_hash   TEXT      NOT NULL, -- never the token itself
    kind         TEXT      NOT NULL CHECK (kind IN ('join', 'password')),
    email        TEXT      NOT NULL CHECK (email = lower(email)),
    person_id    TEXT      NOT NULL, -- whose password; empty for join
    roles        TEXT      NOT NULL, -- comma-separated; empty for password
    created_by   TEXT      NOT NULL, -- person_id
    created_at   TIMESTAMP NOT NULL,
    expires_at   TIMESTAMP NOT NULL,
    used_at      TIMESTAMP,
    withdrawn_at TIMESTAMP,
    PRIMARY KEY (tenant_id, ticket_id),
    UNIQUE (tenant_id, token_hash)
);
CREATE INDEX tickets_open ON tickets (tenant_id, kind, expires_at);

-- +goose Down
DROP TABLE tickets;
ALTER TABLE memberships DROP COLUMN last_sign_in_at;
ALTER TABLE memberships DROP COLUMN sessions_from;
ALTER TABLE people DROP COLUMN sessions_from;
