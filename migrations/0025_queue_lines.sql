-- +goose Up
-- What the queue says of an approval, drawn from one version of it when that was
-- written, so that listing reads neither actions nor assessments. Which approvals
-- wait, and in which order, approvals alone says: one that has no line here, or that
-- of another version, as where an older program wrote it, is read as a whole.
CREATE TABLE approval_lines (
    tenant_id    TEXT      NOT NULL,
    approval_id  TEXT      NOT NULL,
    version      BIGINT    NOT NULL CHECK (version > 0), -- of the approval
    agent_id     TEXT      NOT NULL,
    agent_name   TEXT      NOT NULL, -- as it was then
    function     TEXT      NOT NULL,
    session_id   TEXT      NOT NULL,
    digest       TEXT      NOT NULL, -- of the action in force; so is the next
    shown_digest TEXT      NOT NULL,
    words        TEXT      NOT NULL, -- JSON, of bounded length
    few_facts    BOOLEAN   NOT NULL,
    asks_quiz    BOOLEAN   NOT NULL,
    edited       BOOLEAN   NOT NULL,
    required     BIGINT    NOT NULL, -- how many people must approve
    created_at   TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- The queue's order within a level, the identical ones, and the quizzes that somebody
-- is answering: few of all rows, and read without those.
CREATE INDEX approvals_waiting ON approvals (tenant_id, level_rank, expires_at, approval_id, version) WHERE status = 'pending';
CREATE INDEX approvals_alike ON approvals (tenant_id, agent_id, digest, approval_id, version) WHERE status = 'pending';
CREATE INDEX challenges_open ON challenges (tenant_id, person_id, expires_at, approval_id) WHERE state = 'open';

-- +goose Down
DROP INDEX challenges_open;
DROP INDEX approvals_alike;
DROP INDEX approvals_waiting;
DROP TABLE approval_lines;
