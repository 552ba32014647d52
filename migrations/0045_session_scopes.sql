-- +goose Up
-- A session grant in a workspace covers what its scope names, whatever the call looks like.
ALTER TABLE standing_grants ADD COLUMN scope TEXT NOT NULL DEFAULT ''; -- JSON; '' for none

-- +goose Down
ALTER TABLE standing_grants DROP COLUMN scope;
