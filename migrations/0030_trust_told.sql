-- +goose Up
-- Events tell of what is learned of agents and lost from here on, so that the record
-- can be counted again from the trail. What was learned before has no event that says
-- so, and begins again: in new tables, because row-level security keeps whoever
-- migrates from the rows of the old ones.
DROP TABLE trust_losses;
DROP TABLE trust_evidence;

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
SELECT 1;
