-- +goose Up
-- Who acknowledged that the score of a session is above what the policy accepts, when, and how
-- many points it had then: with more it is told of again.
ALTER TABLE session_scores ADD COLUMN seen_name TEXT NOT NULL DEFAULT '';
ALTER TABLE session_scores ADD COLUMN seen_at TIMESTAMP;
ALTER TABLE session_scores ADD COLUMN seen_points BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE session_scores DROP COLUMN seen_points;
ALTER TABLE session_scores DROP COLUMN seen_at;
ALTER TABLE session_scores DROP COLUMN seen_name;
