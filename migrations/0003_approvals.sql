-- +goose Up
CREATE TABLE approvals (
    tenant_id       TEXT      NOT NULL REFERENCES tenants (tenant_id),
    approval_id     TEXT      NOT NULL,
    agent_id        TEXT      NOT NULL,
    agent_name      TEXT      NOT NULL, -- as it was then
    agent_owner     TEXT      NOT NULL,
    revises         TEXT      NOT NULL,
    idempotency_key TEXT,               -- null: none
    body_hash       TEXT      NOT NULL,
    action          TEXT      NOT NULL, -- canonical JSON, masked
    digest          TEXT      NOT NULL,
    shown_digest    TEXT      NOT NULL,
    carried         TEXT      NOT NULL, -- JSON: matches of masked spans
    call_number     BIGINT    NOT NULL CHECK (call_number > 0),
    function        TEXT      NOT NULL,
    session_id      TEXT      NOT NULL,
    created_at      TIMESTAMP NOT NULL,
    expires_at      TIMESTAMP NOT NULL,
    status          TEXT      NOT NULL CHECK (status IN ('pending', 'approved', 'blocked', 'denied', 'changes_requested', 'expired', 'cancelled')),
    version         BIGINT    NOT NULL CHECK (version > 0),
    level_rank      BIGINT    NOT NULL CHECK (level_rank BETWEEN 1 AND 4),
    assessment      TEXT      NOT NULL, -- JSON
    treatment       TEXT      NOT NULL, -- JSON
    policy_version  BIGINT    NOT NULL,
    PRIMARY KEY (tenant_id, approval_id),
    UNIQUE (tenant_id, agent_id, idempotency_key),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, policy_version) REFERENCES policies (tenant_id, version)
);
CREATE INDEX approvals_queue ON approvals (tenant_id, status, level_rank DESC, expires_at, approval_id);
CREATE INDEX approvals_due ON approvals (tenant_id, status, expires_at);
CREATE INDEX approvals_agent ON approvals (tenant_id, agent_id, approval_id);
CREATE INDEX approvals_session ON approvals (tenant_id, agent_id, session_id, approval_id);
CREATE INDEX approvals_function ON approvals (tenant_id, agent_id, function, status, approval_id);

-- One terminal decision an approval, whoever races.
CREATE TABLE decisions (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    verdict     TEXT      NOT NULL CHECK (verdict IN ('approve', 'deny', 'request_changes', 'block', 'expire', 'cancel')),
    reason      TEXT      NOT NULL,
    decided_at  TIMESTAMP NOT NULL,
    decided_by  TEXT      NOT NULL, -- JSON
    evidence    TEXT,               -- JSON; null unless a person decided
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

CREATE TABLE grants (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    grant_id    TEXT      NOT NULL, -- jti
    token       TEXT      NOT NULL,
    expires_at  TIMESTAMP NOT NULL,
    consumed_at TIMESTAMP,
    consume_key TEXT      NOT NULL,
    voided_at   TIMESTAMP,
    PRIMARY KEY (tenant_id, approval_id),
    UNIQUE (tenant_id, grant_id),
    CHECK (consumed_at IS NULL OR voided_at IS NULL),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

CREATE TABLE executions (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    status      TEXT      NOT NULL CHECK (status IN ('succeeded', 'failed')),
    detail      TEXT      NOT NULL,
    reported_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES grants (tenant_id, approval_id)
);

CREATE TABLE challenges (
    tenant_id    TEXT      NOT NULL,
    challenge_id TEXT      NOT NULL,
    approval_id  TEXT      NOT NULL,
    person_id    TEXT      NOT NULL,
    version      BIGINT    NOT NULL,
    shown_digest TEXT      NOT NULL,
    kind         TEXT      NOT NULL,
    state        TEXT      NOT NULL CHECK (state IN ('open', 'passed', 'failed', 'spent', 'left')),
    attempt      BIGINT    NOT NULL CHECK (attempt > 0),
    questions    TEXT      NOT NULL, -- JSON, with the right answers
    issued_at    TIMESTAMP NOT NULL,
    expires_at   TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, challenge_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);
CREATE INDEX challenges_operator ON challenges (tenant_id, approval_id, person_id, challenge_id);

CREATE TABLE first_views (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    person_id   TEXT      NOT NULL,
    version     BIGINT    NOT NULL,
    viewed_at   TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, approval_id, person_id, version),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

CREATE TABLE call_counts (
    tenant_id  TEXT   NOT NULL,
    agent_id   TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    function   TEXT   NOT NULL,
    calls      BIGINT NOT NULL CHECK (calls > 0),
    PRIMARY KEY (tenant_id, agent_id, session_id, function),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);

-- +goose Down
DROP TABLE call_counts;
DROP TABLE first_views;
DROP TABLE challenges;
DROP TABLE executions;
DROP TABLE grants;
DROP TABLE decisions;
DROP TABLE approvals;
