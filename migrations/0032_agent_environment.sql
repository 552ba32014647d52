-- +goose Up
-- The environment that an admin bound an agent to, and the one that somebody asked for and
-- another admin has to accept; '' for none.
ALTER TABLE agents ADD COLUMN environment TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN asked_environment TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN asked_by TEXT NOT NULL DEFAULT ''; -- person_id
ALTER TABLE agents ADD COLUMN asked_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN asked_at TIMESTAMP;

-- +goose Down
ALTER TABLE agents DROP COLUMN asked_at;
ALTER TABLE agents DROP COLUMN asked_reason;
ALTER TABLE agents DROP COLUMN asked_by;
ALTER TABLE agents DROP COLUMN asked_environment;
ALTER TABLE agents DROP COLUMN environment;
