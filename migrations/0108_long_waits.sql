-- +goose Up
-- Requests can wait for up to 30 days: columns b24 to b26 are the buckets beyond a day
-- (approvals.WaitBounds).
ALTER TABLE rollups ADD COLUMN b24 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN b25 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN b26 BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE rollups DROP COLUMN b26;
ALTER TABLE rollups DROP COLUMN b25;
ALTER TABLE rollups DROP COLUMN b24;
