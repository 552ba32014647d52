-- +goose Up
-- One for each filter of the audit page. All end with idx, so that a page is
-- read in the order in which it is shown, from where the last one ended.
-- (kind and approval have theirs since 0002.)
CREATE INDEX audit_events_actor ON audit_events (tenant_id, actor_kind, actor_id, idx);
CREATE INDEX audit_events_actor_kind ON audit_events (tenant_id, actor_kind, idx);
CREATE INDEX audit_events_agent ON audit_events (tenant_id, agent_id, idx);
CREATE INDEX audit_events_level ON audit_events (tenant_id, level, idx);
CREATE INDEX audit_events_function ON audit_events (tenant_id, function, idx);
CREATE INDEX audit_events_at ON audit_events (tenant_id, at, idx);
-- The history's filter by session.
CREATE INDEX approvals_of_session ON approvals (tenant_id, session_id, approval_id);

-- +goose Down
DROP INDEX approvals_of_session;
DROP INDEX audit_events_at;
DROP INDEX audit_events_function;
DROP INDEX audit_events_level;
DROP INDEX audit_events_agent;
DROP INDEX audit_events_actor_kind;
DROP INDEX audit_events_actor;
