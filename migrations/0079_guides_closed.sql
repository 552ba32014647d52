-- +goose Up
-- Who does not want to be guided any more. It decides nothing and is shown to nobody
-- else, so it is no part of the trail.
CREATE TABLE guides_closed (
    tenant_id TEXT      NOT NULL,
    person_id TEXT      NOT NULL,
    closed_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE guides_closed;
