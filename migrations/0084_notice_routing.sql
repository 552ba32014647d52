-- +goose Up
-- Whom an organisation calls: rules and teams.
CREATE TABLE notice_plans (
    tenant_id  TEXT      NOT NULL PRIMARY KEY,
    plan       TEXT      NOT NULL, -- JSON
    version    BIGINT    NOT NULL, -- +1 with every change
    changed_at TIMESTAMP NOT NULL
);

-- When people are called themselves.
CREATE TABLE notice_owns (
    tenant_id  TEXT      NOT NULL,
    person_id  TEXT      NOT NULL,
    own        TEXT      NOT NULL, -- JSON
    version    BIGINT    NOT NULL, -- +1 with every change
    changed_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id)
);

-- How far a rule is with one request.
CREATE TABLE notice_calls (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    rule        TEXT      NOT NULL, -- its name then
    steps       TEXT      NOT NULL, -- JSON: as they were then
    step        BIGINT    NOT NULL CHECK (step >= 0), -- called last, from 0
    state       TEXT      NOT NULL CHECK (state IN ('calling', 'over', 'nobody')),
    next_at     TIMESTAMP NOT NULL, -- while calling: when the next step is due
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);
CREATE INDEX notice_calls_due ON notice_calls (tenant_id, next_at) WHERE state = 'calling';

-- +goose Down
DROP TABLE notice_calls;
DROP TABLE notice_owns;
DROP TABLE notice_plans;
