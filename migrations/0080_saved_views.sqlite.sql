-- +goose Up
-- A saved filter belongs to one list: the queue, the history or the audit trail. What was
-- saved before is of the queue.
CREATE TABLE saved_views (
    tenant_id TEXT      NOT NULL,
    person_id TEXT      NOT NULL,
    list      TEXT      NOT NULL CHECK (list IN ('queue', 'history', 'audit')),
    name      TEXT      NOT NULL,
    query     TEXT      NOT NULL, -- of the list's address
    saved_at  TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id, list, name),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE
);
INSERT INTO saved_views (tenant_id, person_id, list, name, query, saved_at)
SELECT tenant_id, person_id, 'queue', name, query, saved_at FROM saved_filters;
DROP TABLE saved_filters;

-- +goose Down
CREATE TABLE saved_filters (
    tenant_id TEXT      NOT NULL,
    person_id TEXT      NOT NULL,
    name      TEXT      NOT NULL,
    query     TEXT      NOT NULL,
    saved_at  TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id, name),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE
);
DROP TABLE saved_views;
