-- +goose Up
-- What a person chose for the console itself. It decides nothing and is shown to nobody
-- else, so it is no part of the trail.
CREATE TABLE display_settings (
    tenant_id TEXT    NOT NULL,
    person_id TEXT    NOT NULL,
    advance   BOOLEAN NOT NULL, -- go on to the next request after a decision
    sound     TEXT    NOT NULL CHECK (sound IN ('off', 'critical', 'high', 'all')), -- from which level on
    PRIMARY KEY (tenant_id, person_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE display_settings;
