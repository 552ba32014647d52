-- +goose Up
-- What the trail tells of one agent is read at each of its calls: its keys, its binding, its
-- tools. The events of a busy agent are many, and those few.
CREATE INDEX audit_events_agent_kind ON audit_events (tenant_id, agent_id, kind, idx);

-- +goose Down
DROP INDEX audit_events_agent_kind;
