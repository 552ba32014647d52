-- +goose Up
-- What was denied or blocked last of acts that are alike, until a person approves one of
-- them: by the digest of an act, and by what it does to what. It begins empty: what was
-- decided before has no event that says what it is like, and policies from then remember
-- nothing. For how long it counts is the policy's to say, so nothing ends in here.
CREATE TABLE denials (
    tenant_id   TEXT   NOT NULL,
    agent_id    TEXT   NOT NULL,
    likeness    TEXT   NOT NULL,
    approval_id TEXT   NOT NULL,
    level_rank  BIGINT NOT NULL CHECK (level_rank BETWEEN 1 AND 4),
    asked       BIGINT NOT NULL CHECK (asked > 0), -- how often, the first time included
    PRIMARY KEY (tenant_id, agent_id, likeness),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES decisions (tenant_id, approval_id)
);
CREATE INDEX denials_approval ON denials (tenant_id, approval_id);

-- +goose Down
DROP TABLE denials;
