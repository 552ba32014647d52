-- +goose Up
ALTER TABLE agent_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT 'submit'; -- comma-separated

-- +goose Down
ALTER TABLE agent_keys DROP COLUMN scopes;
