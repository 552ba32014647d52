-- +goose Up
-- Permission given ahead: one agent, one function, one pattern of arguments, so many
-- times until then. Every use is an approval with a grant of its own.
CREATE TABLE standing_grants (
    tenant_id       TEXT      NOT NULL,
    standing_id     TEXT      NOT NULL,
    agent_id        TEXT      NOT NULL,
    agent_name      TEXT      NOT NULL, -- as it was then
    agent_owner     TEXT      NOT NULL, -- as it was then
    function        TEXT      NOT NULL,
    pattern         TEXT      NOT NULL, -- canonical JSON
    uses            BIGINT    NOT NULL CHECK (uses BETWEEN 1 AND 1000),
    uses_left       BIGINT    NOT NULL CHECK (uses_left BETWEEN 0 AND uses),
    reason          TEXT      NOT NULL,
    made_from       TEXT      NOT NULL, -- approval_id
    made_by         TEXT      NOT NULL, -- person_id
    made_by_name    TEXT      NOT NULL, -- as it was then
    single_person   BOOLEAN   NOT NULL,
    created_at      TIMESTAMP NOT NULL,
    ends_at         TIMESTAMP NOT NULL,
    last_used_at    TIMESTAMP,
    revoked_at      TIMESTAMP,
    revoked_by      TEXT      NOT NULL, -- person_id; '' until then
    revoked_by_name TEXT      NOT NULL,
    revoke_reason   TEXT      NOT NULL,
    PRIMARY KEY (tenant_id, standing_id),
    CHECK (ends_at > created_at),
    CHECK ((revoked_at IS NULL) = (revoked_by = '')),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, made_from) REFERENCES approvals (tenant_id, approval_id)
);
CREATE INDEX standing_grants_agent ON standing_grants (tenant_id, agent_id, function, standing_id);

-- +goose Down
DROP TABLE standing_grants;
