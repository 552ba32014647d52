-- +goose Up
-- Goes into the sum of the questions that the trail keeps, so that nobody who reads
-- the trail can try out which of a few options is the right one. Never shown.
ALTER TABLE challenges ADD COLUMN salt TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE challenges DROP COLUMN salt;
