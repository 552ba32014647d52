-- +goose Up
-- Why a version of a policy is there, and who saw to it. People are ids; '' is the
-- system or the command line.
ALTER TABLE policies ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE policies ADD COLUMN author_id TEXT NOT NULL DEFAULT '';
ALTER TABLE policies ADD COLUMN accepted_by TEXT NOT NULL DEFAULT ''; -- '' where nobody had to
ALTER TABLE policies ADD COLUMN single_person BOOLEAN NOT NULL DEFAULT FALSE;

-- A change of the policy that waits for somebody who may accept it.
CREATE TABLE policy_proposals (
    tenant_id   TEXT      NOT NULL,
    proposal_id TEXT      NOT NULL,
    base        BIGINT    NOT NULL, -- the version that it changes
    policy      TEXT      NOT NULL, -- JSON
    reason      TEXT      NOT NULL,
    author_id   TEXT      NOT NULL,
    weakens     TEXT      NOT NULL, -- JSON: the members that become weaker
    created_at  TIMESTAMP NOT NULL,
    state       TEXT      NOT NULL CHECK (state IN ('open', 'accepted', 'rejected', 'withdrawn')),
    closed_at   TIMESTAMP,
    closed_by   TEXT      NOT NULL, -- '' while open
    answer      TEXT      NOT NULL, -- why it was rejected
    PRIMARY KEY (tenant_id, proposal_id),
    CHECK ((state = 'open') = (closed_at IS NULL)),
    FOREIGN KEY (tenant_id, base) REFERENCES policies (tenant_id, version)
);
CREATE INDEX policy_proposals_open ON policy_proposals (tenant_id, state, proposal_id);

-- +goose Down
DROP TABLE policy_proposals;
ALTER TABLE policies DROP COLUMN single_person;
ALTER TABLE policies DROP COLUMN accepted_by;
ALTER TABLE policies DROP COLUMN author_id;
ALTER TABLE policies DROP COLUMN reason;
