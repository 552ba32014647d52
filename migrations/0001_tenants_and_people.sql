-- +goose Up
CREATE TABLE tenants (
    tenant_id  TEXT      NOT NULL PRIMARY KEY,
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE people (
    person_id     TEXT      NOT NULL PRIMARY KEY,
    email         TEXT      NOT NULL UNIQUE CHECK (email = lower(email)),
    name          TEXT      NOT NULL,
    password_hash TEXT      NOT NULL, -- PHC string; empty: only links sign this person in
    created_at    TIMESTAMP NOT NULL
);

CREATE TABLE sessions (
    token_hash TEXT      NOT NULL PRIMARY KEY, -- never the token itself
    data       TEXT      NOT NULL,             -- base64
    expires_at TIMESTAMP NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE sign_in_links (
    token_hash TEXT      NOT NULL PRIMARY KEY,
    kind       TEXT      NOT NULL CHECK (kind IN ('first-run', 'sign-in', 'demo')),
    person_id  TEXT      REFERENCES people (person_id), -- null for first-run
    expires_at TIMESTAMP NOT NULL,
    used_at    TIMESTAMP
);

CREATE TABLE memberships (
    tenant_id  TEXT      NOT NULL REFERENCES tenants (tenant_id),
    person_id  TEXT      NOT NULL REFERENCES people (person_id),
    roles      TEXT      NOT NULL, -- comma-separated
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id)
);

CREATE TABLE policies (
    tenant_id  TEXT      NOT NULL REFERENCES tenants (tenant_id),
    version    BIGINT    NOT NULL CHECK (version > 0),
    policy     TEXT      NOT NULL, -- JSON
    created_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, version)
);

CREATE TABLE agents (
    tenant_id    TEXT      NOT NULL REFERENCES tenants (tenant_id),
    agent_id     TEXT      NOT NULL,
    name         TEXT      NOT NULL,
    owner_id     TEXT      NOT NULL, -- person_id; empty: nobody
    created_at   TIMESTAMP NOT NULL,
    last_used_at TIMESTAMP,
    PRIMARY KEY (tenant_id, agent_id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE agent_keys (
    tenant_id  TEXT      NOT NULL,
    key_hash   TEXT      NOT NULL,
    key_id     TEXT      NOT NULL,
    agent_id   TEXT      NOT NULL,
    created_at TIMESTAMP NOT NULL,
    expires_at TIMESTAMP,
    revoked_at TIMESTAMP,
    PRIMARY KEY (tenant_id, key_hash),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);

-- +goose Down
DROP TABLE agent_keys;
DROP TABLE agents;
DROP TABLE policies;
DROP TABLE memberships;
DROP TABLE sign_in_links;
DROP TABLE sessions;
DROP TABLE people;
DROP TABLE tenants;
