-- +goose Up
-- What may never change, refused by the database itself.

-- +goose StatementBegin
CREATE TRIGGER audit_events_no_update BEFORE UPDATE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit events are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_events_no_delete BEFORE DELETE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit events are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_events_at_the_end BEFORE INSERT ON audit_events
WHEN NEW.idx <> (SELECT size FROM audit_logs WHERE tenant_id = NEW.tenant_id)
BEGIN SELECT RAISE(ABORT, 'audit events are appended at the end'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_logs_grow BEFORE UPDATE ON audit_logs
WHEN NEW.size <= OLD.size OR NEW.tenant_id <> OLD.tenant_id
BEGIN SELECT RAISE(ABORT, 'an audit log only grows'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_logs_no_delete BEFORE DELETE ON audit_logs
BEGIN SELECT RAISE(ABORT, 'an audit log only grows'); END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER approvals_final BEFORE UPDATE ON approvals
WHEN OLD.status <> 'pending'
BEGIN SELECT RAISE(ABORT, 'a decided approval does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER approvals_payload BEFORE UPDATE ON approvals
WHEN NEW.tenant_id IS NOT OLD.tenant_id OR NEW.approval_id IS NOT OLD.approval_id OR NEW.agent_id IS NOT OLD.agent_id
  OR NEW.agent_name IS NOT OLD.agent_name OR NEW.agent_owner IS NOT OLD.agent_owner OR NEW.revises IS NOT OLD.revises
  OR NEW.idempotency_key IS NOT OLD.idempotency_key OR NEW.body_hash IS NOT OLD.body_hash OR NEW.action IS NOT OLD.action
  OR NEW.digest IS NOT OLD.digest OR NEW.shown_digest IS NOT OLD.shown_digest OR NEW.carried IS NOT OLD.carried
  OR NEW.call_number IS NOT OLD.call_number OR NEW.function IS NOT OLD.function OR NEW.session_id IS NOT OLD.session_id
  OR NEW.created_at IS NOT OLD.created_at OR NEW.expires_at IS NOT OLD.expires_at
BEGIN SELECT RAISE(ABORT, 'an action does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER approvals_no_delete BEFORE DELETE ON approvals
BEGIN SELECT RAISE(ABORT, 'approvals are not deleted'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions
BEGIN SELECT RAISE(ABORT, 'decisions are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions
BEGIN SELECT RAISE(ABORT, 'decisions are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER executions_no_update BEFORE UPDATE ON executions
BEGIN SELECT RAISE(ABORT, 'reports are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER executions_no_delete BEFORE DELETE ON executions
BEGIN SELECT RAISE(ABORT, 'reports are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policies_no_update BEFORE UPDATE ON policies
BEGIN SELECT RAISE(ABORT, 'policy versions are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policies_no_delete BEFORE DELETE ON policies
BEGIN SELECT RAISE(ABORT, 'policy versions are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER grants_once BEFORE UPDATE ON grants
WHEN OLD.consumed_at IS NOT NULL OR OLD.voided_at IS NOT NULL
  OR NEW.tenant_id IS NOT OLD.tenant_id OR NEW.approval_id IS NOT OLD.approval_id OR NEW.grant_id IS NOT OLD.grant_id
  OR NEW.token IS NOT OLD.token OR NEW.expires_at IS NOT OLD.expires_at
BEGIN SELECT RAISE(ABORT, 'a grant is spent or void once'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER grants_no_delete BEFORE DELETE ON grants
BEGIN SELECT RAISE(ABORT, 'grants are not deleted'); END;
-- +goose StatementEnd

-- INSERT OR REPLACE deletes without firing a delete trigger. So a key that is
-- taken is refused before SQLite resolves the conflict; the message begins with
-- "exists already", which the store reads as a duplicate key. (audit_events needs
-- no such trigger: it takes only the next index.)
-- +goose StatementBegin
CREATE TRIGGER audit_logs_once BEFORE INSERT ON audit_logs
WHEN NEW.size <> 0 OR EXISTS (SELECT 1 FROM audit_logs WHERE tenant_id = NEW.tenant_id)
BEGIN SELECT RAISE(ABORT, 'exists already: audit_logs'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER approvals_once BEFORE INSERT ON approvals
WHEN EXISTS (SELECT 1 FROM approvals WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id)
  OR EXISTS (SELECT 1 FROM approvals WHERE tenant_id = NEW.tenant_id AND agent_id = NEW.agent_id AND idempotency_key = NEW.idempotency_key)
BEGIN SELECT RAISE(ABORT, 'exists already: approvals'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_once BEFORE INSERT ON decisions
WHEN EXISTS (SELECT 1 FROM decisions WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id)
BEGIN SELECT RAISE(ABORT, 'exists already: decisions'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER executions_once BEFORE INSERT ON executions
WHEN EXISTS (SELECT 1 FROM executions WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id)
BEGIN SELECT RAISE(ABORT, 'exists already: executions'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policies_once BEFORE INSERT ON policies
WHEN EXISTS (SELECT 1 FROM policies WHERE tenant_id = NEW.tenant_id AND version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'exists already: policies'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER grants_insert_once BEFORE INSERT ON grants
WHEN EXISTS (SELECT 1 FROM grants WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id)
  OR EXISTS (SELECT 1 FROM grants WHERE tenant_id = NEW.tenant_id AND grant_id = NEW.grant_id)
BEGIN SELECT RAISE(ABORT, 'exists already: grants'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER grants_insert_once;
DROP TRIGGER policies_once;
DROP TRIGGER executions_once;
DROP TRIGGER decisions_once;
DROP TRIGGER approvals_once;
DROP TRIGGER audit_logs_once;
DROP TRIGGER grants_no_delete;
DROP TRIGGER grants_once;
DROP TRIGGER policies_no_delete;
DROP TRIGGER policies_no_update;
DROP TRIGGER executions_no_delete;
DROP TRIGGER executions_no_update;
DROP TRIGGER decisions_no_delete;
DROP TRIGGER decisions_no_update;
DROP TRIGGER approvals_no_delete;
DROP TRIGGER approvals_payload;
DROP TRIGGER approvals_final;
DROP TRIGGER audit_logs_no_delete;
DROP TRIGGER audit_logs_grow;
DROP TRIGGER audit_events_at_the_end;
DROP TRIGGER audit_events_no_delete;
DROP TRIGGER audit_events_no_update;
