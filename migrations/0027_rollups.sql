-- +goose Up
-- How far the audit log of each tenant is counted in the rollups: the index of the
-- first event that is not. It moves in the transaction that counts.
CREATE TABLE rollup_cursors (
    tenant_id TEXT   NOT NULL PRIMARY KEY REFERENCES tenants (tenant_id),
    next_idx  BIGINT NOT NULL CHECK (next_idx >= 0)
);

-- What happened on one day (UTC), by one dimension. Everything here can be counted
-- again from the trail and the approvals. Columns b00 to b23 are the histogram of
-- the seconds until a person decided; approvals.WaitBounds has its bounds.
CREATE TABLE rollups (
    tenant_id         TEXT   NOT NULL REFERENCES tenants (tenant_id),
    dimension         TEXT   NOT NULL,
    day               TEXT   NOT NULL, -- 2026-01-31
    value             TEXT   NOT NULL,
    submitted         BIGINT NOT NULL,
    allowed           BIGINT NOT NULL,
    blocked           BIGINT NOT NULL,
    approved          BIGINT NOT NULL,
    denied            BIGINT NOT NULL,
    changes_requested BIGINT NOT NULL,
    expired           BIGINT NOT NULL,
    cancelled         BIGINT NOT NULL,
    fast              BIGINT NOT NULL,
    succeeded         BIGINT NOT NULL,
    failed            BIGINT NOT NULL,
    waited            BIGINT NOT NULL, -- how many the histogram has
    wait_micros       BIGINT NOT NULL, -- their sum
    scored            BIGINT NOT NULL,
    score_micros      BIGINT NOT NULL, -- sum of the scores, in millionths
    score_squares     BIGINT NOT NULL, -- sum of their squares, in millionths
    b00 BIGINT NOT NULL, b01 BIGINT NOT NULL, b02 BIGINT NOT NULL, b03 BIGINT NOT NULL, b04 BIGINT NOT NULL, b05 BIGINT NOT NULL,
    b06 BIGINT NOT NULL, b07 BIGINT NOT NULL, b08 BIGINT NOT NULL, b09 BIGINT NOT NULL, b10 BIGINT NOT NULL, b11 BIGINT NOT NULL,
    b12 BIGINT NOT NULL, b13 BIGINT NOT NULL, b14 BIGINT NOT NULL, b15 BIGINT NOT NULL, b16 BIGINT NOT NULL, b17 BIGINT NOT NULL,
    b18 BIGINT NOT NULL, b19 BIGINT NOT NULL, b20 BIGINT NOT NULL, b21 BIGINT NOT NULL, b22 BIGINT NOT NULL, b23 BIGINT NOT NULL,
    PRIMARY KEY (tenant_id, dimension, day, value)
);

-- The scores of each session's actions.
CREATE TABLE session_rollups (
    tenant_id    TEXT      NOT NULL REFERENCES tenants (tenant_id),
    agent_id     TEXT      NOT NULL,
    session_id   TEXT      NOT NULL,
    last_at      TIMESTAMP NOT NULL,
    scored       BIGINT    NOT NULL,
    score_micros BIGINT    NOT NULL,
    peak_micros  BIGINT    NOT NULL,
    PRIMARY KEY (tenant_id, agent_id, session_id)
);
CREATE INDEX session_rollups_last ON session_rollups (tenant_id, last_at);

-- +goose Down
DROP TABLE session_rollups;
DROP TABLE rollups;
DROP TABLE rollup_cursors;
