-- +goose Up
-- One row for each scan of what an agent handed in, dry runs and clean passes included.
-- Rows do not change, and are deleted after the days that the organisation's policy says.
CREATE TABLE evaluations (
    tenant_id       TEXT             NOT NULL,
    evaluation_id   TEXT             NOT NULL, -- UUIDv7: sorts by time
    at              TIMESTAMP        NOT NULL,
    day             TEXT             NOT NULL, -- 2026-01-31, UTC
    approval_id     TEXT             NOT NULL, -- '' for a dry run
    dry_run         BOOLEAN          NOT NULL,
    agent_id        TEXT             NOT NULL,
    session_id      TEXT             NOT NULL, -- '' for none
    tool_call_id    TEXT             NOT NULL, -- '' for none
    lifecycle_point TEXT             NOT NULL,
    function        TEXT             NOT NULL,
    policy_version  BIGINT           NOT NULL,
    library_version TEXT             NOT NULL,
    scan_micros     BIGINT           NOT NULL,
    raw_score       DOUBLE PRECISION NOT NULL, -- uncapped
    numeric_score   BIGINT           NOT NULL CHECK (numeric_score BETWEEN 0 AND 100),
    critical        BIGINT           NOT NULL, -- distinct patterns, by severity
    high            BIGINT           NOT NULL,
    medium          BIGINT           NOT NULL,
    low             BIGINT           NOT NULL,
    severity        TEXT             NOT NULL, -- '' without a match
    base_action     TEXT             NOT NULL,
    action          TEXT             NOT NULL,
    action_reason   TEXT             NOT NULL,
    threshold       BIGINT           NOT NULL,
    exceeded        BOOLEAN          NOT NULL,
    matches         TEXT             NOT NULL, -- JSON; '' for a clean pass
    PRIMARY KEY (tenant_id, evaluation_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);
CREATE INDEX evaluations_at ON evaluations (tenant_id, at);
CREATE INDEX evaluations_approval ON evaluations (tenant_id, approval_id);
CREATE INDEX evaluations_session ON evaluations (tenant_id, agent_id, session_id, evaluation_id);
CREATE INDEX evaluations_dry_run ON evaluations (tenant_id, evaluation_id) WHERE dry_run;

-- What the evaluations of a session come to, dry runs apart. The published score depends
-- on the counts alone, so a row is enough however long the session is.
CREATE TABLE session_scores (
    tenant_id   TEXT      NOT NULL,
    agent_id    TEXT      NOT NULL,
    session_id  TEXT      NOT NULL,
    evaluations BIGINT    NOT NULL CHECK (evaluations > 0),
    points      BIGINT    NOT NULL, -- sum of the numeric scores
    peak        BIGINT    NOT NULL,
    critical    BIGINT    NOT NULL,
    high        BIGINT    NOT NULL,
    medium      BIGINT    NOT NULL,
    low         BIGINT    NOT NULL,
    last_at     TIMESTAMP NOT NULL,
    is_above    BOOLEAN   NOT NULL, -- the score was above what the policy accepts, at the last evaluation
    above_at    TIMESTAMP,          -- when it rose above that last
    PRIMARY KEY (tenant_id, agent_id, session_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);
CREATE INDEX session_scores_last ON session_scores (tenant_id, last_at);
CREATE INDEX session_scores_above ON session_scores (tenant_id, last_at) WHERE is_above;

-- The pattern model's scores in the figures, from 0 to 100. What was counted before has none.
ALTER TABLE rollups ADD COLUMN evaluated BIGINT NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN points BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_rollups ADD COLUMN evaluated BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_rollups ADD COLUMN points BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_rollups ADD COLUMN peak_points BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_rollups ADD COLUMN critical BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_rollups ADD COLUMN high BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_rollups ADD COLUMN medium BIGINT NOT NULL DEFAULT 0;
ALTER TABLE session_rollups ADD COLUMN low BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE session_rollups DROP COLUMN low;
ALTER TABLE session_rollups DROP COLUMN medium;
ALTER TABLE session_rollups DROP COLUMN high;
ALTER TABLE session_rollups DROP COLUMN critical;
ALTER TABLE session_rollups DROP COLUMN peak_points;
ALTER TABLE session_rollups DROP COLUMN points;
ALTER TABLE session_rollups DROP COLUMN evaluated;
ALTER TABLE rollups DROP COLUMN points;
ALTER TABLE rollups DROP COLUMN evaluated;
DROP TABLE session_scores;
DROP TABLE evaluations;
