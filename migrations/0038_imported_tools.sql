-- +goose Up
-- What an admin imported of a server's list of tools for an agent, as it was described the
-- last time. What was accepted of them stands in the policy.
CREATE TABLE imported_tools (
    tenant_id   TEXT      NOT NULL,
    agent_id    TEXT      NOT NULL,
    name        TEXT      NOT NULL, -- by which the agent calls it
    server      TEXT      NOT NULL,
    own_name    TEXT      NOT NULL, -- its server's
    sha256      TEXT      NOT NULL, -- of name, schema, description and annotations
    description TEXT      NOT NULL, -- its beginning
    annotations TEXT      NOT NULL, -- JSON
    raises      TEXT      NOT NULL, -- the effect that the description adds; ''
    news        TEXT      NOT NULL CHECK (news IN ('', 'added', 'changed', 'gone')), -- of the last import
    imported_at TIMESTAMP NOT NULL,
    imported_by TEXT      NOT NULL, -- person_id; '' on the command line
    PRIMARY KEY (tenant_id, agent_id, name),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);

-- +goose Down
DROP TABLE imported_tools;
