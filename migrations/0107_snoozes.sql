-- +goose Up
-- Who put a request aside in their own queue, and until when. It comes back when something
-- happened to it since: an event about it after heard, or a newer request for its target after newest.
CREATE TABLE snoozes (
    tenant_id   TEXT      NOT NULL,
    person_id   TEXT      NOT NULL,
    approval_id TEXT      NOT NULL,
    since_at    TIMESTAMP NOT NULL,
    until_at    TIMESTAMP NOT NULL CHECK (until_at > since_at),
    heard       BIGINT    NOT NULL,
    newest      TEXT      NOT NULL,
    PRIMARY KEY (tenant_id, person_id, approval_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);
CREATE INDEX snoozes_until ON snoozes (tenant_id, until_at);

-- +goose Down
DROP TABLE snoozes;
