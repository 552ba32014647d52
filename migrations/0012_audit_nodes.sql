-- +goose Up
-- Roots of perfect subtrees, one for each 256, 65,536, … events, so that the proof
-- of one event reads a few hundred hashes and never the whole log. They follow
-- from the leaves: verify compares them, and one that is missing is computed.
CREATE TABLE audit_nodes (
    tenant_id TEXT   NOT NULL REFERENCES audit_logs (tenant_id),
    height    BIGINT NOT NULL CHECK (height > 0), -- 8: over 256 leaves
    pos       BIGINT NOT NULL CHECK (pos >= 0),   -- 0-based among those of its height
    hash      TEXT   NOT NULL,                    -- hex
    PRIMARY KEY (tenant_id, height, pos)
);

-- +goose Down
DROP TABLE audit_nodes;
