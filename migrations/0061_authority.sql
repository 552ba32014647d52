-- +goose Up
-- Who has been made what they are by whom, for a time that the policy sets: invited, or
-- given a link with which a password was chosen.
CREATE TABLE kinships (
    tenant_id TEXT      NOT NULL,
    person_id TEXT      NOT NULL,
    by_id     TEXT      NOT NULL, -- person_id
    how       TEXT      NOT NULL CHECK (how IN ('invited', 'password')),
    tied_at   TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id, by_id, tied_at)
);

-- Who was an operator or an admin, until when: lately counts as being one where that
-- keeps others from deciding alone.
CREATE TABLE role_losses (
    tenant_id TEXT      NOT NULL,
    person_id TEXT      NOT NULL,
    roles     TEXT      NOT NULL, -- comma-separated: those that were lost
    lost_at   TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id, roles, lost_at)
);

-- Since when an organisation is not in single-person mode any more. There is no way back.
CREATE TABLE single_person_ends (
    tenant_id TEXT      NOT NULL PRIMARY KEY,
    person_id TEXT      NOT NULL, -- the second one; '' by an upgrade
    ended_at  TIMESTAMP NOT NULL
);

-- What one person asked for and another has to accept: rights, links, removals.
CREATE TABLE people_proposals (
    tenant_id   TEXT      NOT NULL,
    proposal_id TEXT      NOT NULL,
    act         TEXT      NOT NULL CHECK (act IN ('roles', 'remove', 'reinstate', 'invite', 'password')),
    person_id   TEXT      NOT NULL, -- whom it is about; '' for invite
    ticket_id   TEXT      NOT NULL, -- of invite and password, else ''
    roles       TEXT      NOT NULL, -- comma-separated: to have
    roles_from  TEXT      NOT NULL, -- what they had when it was asked
    author_id   TEXT      NOT NULL,
    created_at  TIMESTAMP NOT NULL,
    state       TEXT      NOT NULL CHECK (state IN ('open', 'accepted', 'rejected', 'withdrawn')),
    closed_at   TIMESTAMP,
    closed_by   TEXT      NOT NULL, -- '' while open
    answer      TEXT      NOT NULL, -- why somebody objected
    waited      BOOLEAN   NOT NULL, -- nobody accepted it: the waiting time passed
    PRIMARY KEY (tenant_id, proposal_id),
    CHECK ((state = 'open') = (closed_at IS NULL))
);
CREATE INDEX people_proposals_open ON people_proposals (tenant_id, state, proposal_id);

-- When who first opened a page that showed something which waits for them.
CREATE TABLE openings (
    tenant_id TEXT      NOT NULL,
    subject   TEXT      NOT NULL, -- the id of a proposal; of a binding the agent's with when it was asked
    person_id TEXT      NOT NULL,
    opened_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, subject, person_id)
);

ALTER TABLE memberships ADD COLUMN suspended_at TIMESTAMP;
ALTER TABLE memberships ADD COLUMN suspended_by TEXT NOT NULL DEFAULT '';
ALTER TABLE memberships ADD COLUMN suspend_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE memberships ADD COLUMN rights_from TIMESTAMP; -- since when they have their present roles; null: since they joined

-- A link that waits until somebody accepted it opens nothing.
ALTER TABLE tickets ADD COLUMN waits BOOLEAN NOT NULL DEFAULT FALSE;
-- Who made a key can ask with it; '' is the command line, or from before it was kept.
ALTER TABLE agent_keys ADD COLUMN created_by TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE agent_keys DROP COLUMN created_by;
ALTER TABLE tickets DROP COLUMN waits;
ALTER TABLE memberships DROP COLUMN rights_from;
ALTER TABLE memberships DROP COLUMN suspend_reason;
ALTER TABLE memberships DROP COLUMN suspended_by;
ALTER TABLE memberships DROP COLUMN suspended_at;
DROP TABLE openings;
DROP TABLE people_proposals;
DROP TABLE single_person_ends;
DROP TABLE role_losses;
DROP TABLE kinships;
