-- +goose Up
-- HMAC-SHA-256 in hex over organisation, index and leaf, with the key trail-key of the data
-- directory: what only a server with that key can have written.
ALTER TABLE audit_events ADD COLUMN seal TEXT NOT NULL DEFAULT '';

-- Of events that were there before their server had the key that it has now.
CREATE TABLE audit_seals (
    tenant_id TEXT   NOT NULL,
    idx       BIGINT NOT NULL,
    seal      TEXT   NOT NULL,
    PRIMARY KEY (tenant_id, idx, seal),
    FOREIGN KEY (tenant_id, idx) REFERENCES audit_events (tenant_id, idx)
);
CREATE TRIGGER audit_seals_no_update BEFORE UPDATE ON audit_seals FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('seals are insert-only');
CREATE TRIGGER audit_seals_no_delete BEFORE DELETE ON audit_seals FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('seals are insert-only');
CREATE TRIGGER audit_seals_no_truncate BEFORE TRUNCATE ON audit_seals FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('seals are not emptied');

-- +goose Down
DROP TABLE audit_seals;
ALTER TABLE audit_events DROP COLUMN seal;
