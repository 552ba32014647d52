-- +goose Up
-- What is known of an agent's calls of one function, by the day (UTC) and the person
-- who decided. It is counted in the transaction of the decision or the report that it
-- comes from, and can be counted again from them.
CREATE TABLE trust_evidence (
    tenant_id TEXT   NOT NULL,
    agent_id  TEXT   NOT NULL,
    function  TEXT   NOT NULL,
    day       TEXT   NOT NULL, -- 2026-01-31
    person_id TEXT   NOT NULL, -- '' where no person decided
    succeeded BIGINT NOT NULL CHECK (succeeded >= 0),
    failed    BIGINT NOT NULL CHECK (failed >= 0),
    denied    BIGINT NOT NULL CHECK (denied >= 0),
    PRIMARY KEY (tenant_id, agent_id, function, day, person_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);

-- When and why an agent lost the trust that it had, the last time. What was decided
-- before counts no more.
CREATE TABLE trust_losses (
    tenant_id   TEXT      NOT NULL,
    agent_id    TEXT      NOT NULL,
    lost_at     TIMESTAMP NOT NULL,
    cause       TEXT      NOT NULL,
    approval_id TEXT      NOT NULL, -- '' where it is about none
    reason      TEXT      NOT NULL,
    person_id   TEXT      NOT NULL,
    PRIMARY KEY (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);

-- +goose Down
DROP TABLE trust_losses;
DROP TABLE trust_evidence;
