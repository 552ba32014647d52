-- +goose Up
-- Who was mentioned in a comment and hasn't opened its request since. The comments themselves are in
-- the trail.
CREATE TABLE mentions (
    tenant_id    TEXT      NOT NULL,
    person_id    TEXT      NOT NULL,
    approval_id  TEXT      NOT NULL,
    by_id        TEXT      NOT NULL,
    mentioned_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, person_id, approval_id),
    FOREIGN KEY (tenant_id, person_id) REFERENCES memberships (tenant_id, person_id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
);

-- +goose Down
DROP TABLE mentions;
