-- +goose Up
-- The head of each tenant's log: locked last by every transaction that writes.
CREATE TABLE audit_logs (
    tenant_id TEXT   NOT NULL PRIMARY KEY REFERENCES tenants (tenant_id),
    size      BIGINT NOT NULL CHECK (size >= 0),
    root      TEXT   NOT NULL, -- RFC 6962, hex
    frontier  TEXT   NOT NULL  -- roots of the perfect subtrees, hex, comma-separated
);

CREATE TABLE audit_events (
    tenant_id   TEXT      NOT NULL REFERENCES audit_logs (tenant_id),
    idx         BIGINT    NOT NULL CHECK (idx >= 0),
    bytes       TEXT      NOT NULL, -- canonical JSON: the truth; all else is derived
    leaf        TEXT      NOT NULL, -- RFC 6962 leaf hash, hex
    at          TIMESTAMP NOT NULL,
    kind        TEXT      NOT NULL,
    actor_kind  TEXT      NOT NULL,
    actor_id    TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    agent_id    TEXT      NOT NULL,
    level       TEXT      NOT NULL,
    function    TEXT      NOT NULL,
    PRIMARY KEY (tenant_id, idx)
);
CREATE INDEX audit_events_approval ON audit_events (tenant_id, approval_id, idx);
CREATE INDEX audit_events_kind ON audit_events (tenant_id, kind, idx);

-- +goose Down
DROP TABLE audit_events;
DROP TABLE audit_logs;
