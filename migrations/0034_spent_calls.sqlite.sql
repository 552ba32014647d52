-- +goose Up
-- A call counts once its grant was spent, until it is reported failed. What was only
-- asked for counted before: who asked often enough was let through. So every count is
-- made again, from the grants that were spent.
DROP TABLE call_counts;
CREATE TABLE call_counts (
    tenant_id  TEXT   NOT NULL,
    agent_id   TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    function   TEXT   NOT NULL,
    calls      BIGINT NOT NULL CHECK (calls >= 0),
    PRIMARY KEY (tenant_id, agent_id, session_id, function),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);
INSERT INTO call_counts
SELECT a.tenant_id, a.agent_id, a.session_id, a.function, count(*)
FROM approvals a
JOIN grants g ON g.tenant_id = a.tenant_id AND g.approval_id = a.approval_id
LEFT JOIN executions e ON e.tenant_id = a.tenant_id AND e.approval_id = a.approval_id
WHERE a.session_id <> '' AND g.consumed_at IS NOT NULL AND coalesce(e.status, '') <> 'failed'
GROUP BY a.tenant_id, a.agent_id, a.session_id, a.function;

-- +goose Down
SELECT 1;
