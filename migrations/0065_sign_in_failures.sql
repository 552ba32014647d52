-- +goose Up
-- Wrong passwords, counted where a flood cannot empty it: accounts and addresses share a
-- fixed number of names (auth.Doors), and only who signed in once has a name of a device.
CREATE TABLE sign_in_failures (
    name     TEXT      NOT NULL PRIMARY KEY,
    failures BIGINT    NOT NULL CHECK (failures >= 0),
    ends_at  TIMESTAMP NOT NULL -- from then on they count no more
);
CREATE INDEX sign_in_failures_end ON sign_in_failures (ends_at);

-- +goose Down
DROP TABLE sign_in_failures;
