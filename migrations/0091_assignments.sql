-- +goose Up
-- Who asked the person of a claim to decide; '' where they took it themselves.
ALTER TABLE claims ADD COLUMN assigned_by TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE claims DROP COLUMN assigned_by;
