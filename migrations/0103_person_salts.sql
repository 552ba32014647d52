-- +goose Up
-- What stands in the sums of the trail beside a name and an address, so that nobody guesses
-- those. It goes with the person.
ALTER TABLE people ADD COLUMN salt TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE people DROP COLUMN salt;
