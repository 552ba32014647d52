-- +goose Up
-- A standing grant can be of one session: then it covers calls of that session with the
-- same effects.
ALTER TABLE standing_grants ADD COLUMN session_id TEXT NOT NULL DEFAULT '';
ALTER TABLE standing_grants ADD COLUMN effects TEXT NOT NULL DEFAULT ''; -- JSON; '' for none
-- Every call that is held looks for open ones, and most session grants are over.
CREATE INDEX standing_grants_open ON standing_grants (tenant_id, agent_id, function, ends_at) WHERE uses_left > 0 AND revoked_at IS NULL;

-- +goose Down
DROP INDEX standing_grants_open;
ALTER TABLE standing_grants DROP COLUMN effects;
ALTER TABLE standing_grants DROP COLUMN session_id;
