-- +goose Up
-- Until when an agent waits for the answer to a request, or waited, by the clock of the
-- database. It is told to the people who decide, and no part of the trail.
CREATE TABLE agent_waits (
    tenant_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    until_at    TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- When the gate of an agent was tried with a call that must not run: the newest nonce, and
-- why the call was not refused; '' where it was. An agent that was never tried has no time.
ALTER TABLE agents ADD COLUMN canary_at TIMESTAMP;
ALTER TABLE agents ADD COLUMN canary_nonce TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN canary_failed TEXT NOT NULL DEFAULT '';

-- The program that submitted last, in its own words; and when people were told that no call
-- comes any more, which the next call makes void.
ALTER TABLE agents ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN silent_at TIMESTAMP;

-- +goose Down
ALTER TABLE agents DROP COLUMN silent_at;
ALTER TABLE agents DROP COLUMN client;
ALTER TABLE agents DROP COLUMN canary_failed;
ALTER TABLE agents DROP COLUMN canary_nonce;
ALTER TABLE agents DROP COLUMN canary_at;
DROP TABLE agent_waits;
