-- +goose Up
-- Requests can wait for up to 30 days: columns b24 to b26 are the buckets beyond a day
-- (approvals.WaitBounds).
ALTER TABLE rollups ADD COLUMN b24 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN b25 BIGINT NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN b26 BIGINT NOT NULL DEFAULT 0;

-- What is not routed yet, by when it is due: a reminder is for later.
DROP INDEX notices_new;
CREATE INDEX notices_due ON notices (tenant_id, at, notice_id) WHERE routed_at IS NULL;

-- +goose Down
DROP INDEX notices_due;
CREATE INDEX notices_new ON notices (tenant_id, notice_id) WHERE routed_at IS NULL;
ALTER TABLE rollups DROP COLUMN b26;
ALTER TABLE rollups DROP COLUMN b25;
ALTER TABLE rollups DROP COLUMN b24;
