-- +goose Up
-- The folder that an admin bound an agent to, and whether it is a sandbox, beside those
-- that somebody asked for; '' for none.
ALTER TABLE agents ADD COLUMN workspace TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN sandboxed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE agents ADD COLUMN asked_workspace TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN asked_sandboxed BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE agents DROP COLUMN asked_sandboxed;
ALTER TABLE agents DROP COLUMN asked_workspace;
ALTER TABLE agents DROP COLUMN sandboxed;
ALTER TABLE agents DROP COLUMN workspace;
