-- +goose Up
-- The reasons that forms offer in place of the built-in ones, in their order. They only fill
-- a text that people change as they like.
CREATE TABLE offered_reasons (
    tenant_id TEXT    NOT NULL REFERENCES tenants (tenant_id),
    act       TEXT    NOT NULL CHECK (act IN ('deny', 'request_changes', 'extend')),
    place     INTEGER NOT NULL,
    reason    TEXT    NOT NULL,
    PRIMARY KEY (tenant_id, act, place)
);

-- +goose Down
DROP TABLE offered_reasons;
