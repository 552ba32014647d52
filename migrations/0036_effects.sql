-- +goose Up
-- What a call does, as the kind of the effect that decides (docs/effects.md): read from the
-- bytes of the event beside it, as every column is, and empty where the event is older than
-- effects or about no call.
ALTER TABLE audit_events ADD COLUMN effect TEXT NOT NULL DEFAULT '';
CREATE INDEX audit_events_effect ON audit_events (tenant_id, effect, idx);
ALTER TABLE approval_lines ADD COLUMN effect TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE approval_lines DROP COLUMN effect;
DROP INDEX audit_events_effect;
ALTER TABLE audit_events DROP COLUMN effect;
