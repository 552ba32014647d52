-- +goose Up
-- What may never change, refused by the database itself: the same rules as in
-- 0004_immutable.sqlite.sql. REPLACE does not exist here, so its guards do not
-- either; TRUNCATE does.

-- Every refusal has this one voice; the store knows its code.
-- +goose StatementBegin
CREATE FUNCTION countersign_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = '23001', MESSAGE = TG_ARGV[0];
END
$$;
-- +goose StatementEnd

-- The body is bound to the table now: no search path can lead it to another one.
-- +goose StatementBegin
CREATE FUNCTION countersign_log_size(tenant TEXT) RETURNS BIGINT LANGUAGE sql
BEGIN ATOMIC
    SELECT size FROM audit_logs WHERE tenant_id = tenant;
END;
-- +goose StatementEnd

CREATE TRIGGER audit_events_no_update BEFORE UPDATE ON audit_events FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('audit events are insert-only');
CREATE TRIGGER audit_events_no_delete BEFORE DELETE ON audit_events FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('audit events are insert-only');
CREATE TRIGGER audit_events_at_the_end BEFORE INSERT ON audit_events FOR EACH ROW
WHEN (NEW.idx IS DISTINCT FROM countersign_log_size(NEW.tenant_id))
EXECUTE FUNCTION countersign_refuse('audit events are appended at the end');
CREATE TRIGGER audit_logs_grow BEFORE UPDATE ON audit_logs FOR EACH ROW
WHEN (NEW.size <= OLD.size OR NEW.tenant_id <> OLD.tenant_id)
EXECUTE FUNCTION countersign_refuse('an audit log only grows');
CREATE TRIGGER audit_logs_empty BEFORE INSERT ON audit_logs FOR EACH ROW
WHEN (NEW.size <> 0)
EXECUTE FUNCTION countersign_refuse('an audit log begins empty');
CREATE TRIGGER audit_logs_no_delete BEFORE DELETE ON audit_logs FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('an audit log only grows');

CREATE TRIGGER approvals_final BEFORE UPDATE ON approvals FOR EACH ROW
WHEN (OLD.status <> 'pending')
EXECUTE FUNCTION countersign_refuse('a decided approval does not change');
CREATE TRIGGER approvals_payload BEFORE UPDATE ON approvals FOR EACH ROW
WHEN (NEW.tenant_id IS DISTINCT FROM OLD.tenant_id OR NEW.approval_id IS DISTINCT FROM OLD.approval_id OR NEW.agent_id IS DISTINCT FROM OLD.agent_id
  OR NEW.agent_name IS DISTINCT FROM OLD.agent_name OR NEW.agent_owner IS DISTINCT FROM OLD.agent_owner
  OR NEW.revises IS DISTINCT FROM OLD.revises OR NEW.idempotency_key IS DISTINCT FROM OLD.idempotency_key
  OR NEW.body_hash IS DISTINCT FROM OLD.body_hash OR NEW.action IS DISTINCT FROM OLD.action
  OR NEW.digest IS DISTINCT FROM OLD.digest OR NEW.shown_digest IS DISTINCT FROM OLD.shown_digest
  OR NEW.carried IS DISTINCT FROM OLD.carried OR NEW.call_number IS DISTINCT FROM OLD.call_number
  OR NEW.function IS DISTINCT FROM OLD.function OR NEW.session_id IS DISTINCT FROM OLD.session_id
  OR NEW.created_at IS DISTINCT FROM OLD.created_at OR NEW.expires_at IS DISTINCT FROM OLD.expires_at)
EXECUTE FUNCTION countersign_refuse('an action does not change');
CREATE TRIGGER approvals_no_delete BEFORE DELETE ON approvals FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('approvals are not deleted');
CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('decisions are insert-only');
CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('decisions are insert-only');
CREATE TRIGGER executions_no_update BEFORE UPDATE ON executions FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('reports are insert-only');
CREATE TRIGGER executions_no_delete BEFORE DELETE ON executions FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('reports are insert-only');
CREATE TRIGGER policies_no_update BEFORE UPDATE ON policies FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('policy versions are insert-only');
CREATE TRIGGER policies_no_delete BEFORE DELETE ON policies FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('policy versions are insert-only');
CREATE TRIGGER grants_once BEFORE UPDATE ON grants FOR EACH ROW
WHEN (OLD.consumed_at IS NOT NULL OR OLD.voided_at IS NOT NULL
  OR NEW.tenant_id IS DISTINCT FROM OLD.tenant_id OR NEW.approval_id IS DISTINCT FROM OLD.approval_id
  OR NEW.grant_id IS DISTINCT FROM OLD.grant_id OR NEW.token IS DISTINCT FROM OLD.token
  OR NEW.expires_at IS DISTINCT FROM OLD.expires_at)
EXECUTE FUNCTION countersign_refuse('a grant is spent or void once');
CREATE TRIGGER grants_no_delete BEFORE DELETE ON grants FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('grants are not deleted');

-- TRUNCATE asks no trigger of a row.
CREATE TRIGGER audit_events_no_truncate BEFORE TRUNCATE ON audit_events FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('audit events are not emptied');
CREATE TRIGGER audit_logs_no_truncate BEFORE TRUNCATE ON audit_logs FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('audit logs are not emptied');
CREATE TRIGGER approvals_no_truncate BEFORE TRUNCATE ON approvals FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('approvals are not emptied');
CREATE TRIGGER decisions_no_truncate BEFORE TRUNCATE ON decisions FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('decisions are not emptied');
CREATE TRIGGER executions_no_truncate BEFORE TRUNCATE ON executions FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('executions are not emptied');
CREATE TRIGGER policies_no_truncate BEFORE TRUNCATE ON policies FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('policies are not emptied');
CREATE TRIGGER grants_no_truncate BEFORE TRUNCATE ON grants FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('grants are not emptied');

-- +goose Down
DROP TRIGGER grants_no_truncate ON grants;
DROP TRIGGER policies_no_truncate ON policies;
DROP TRIGGER executions_no_truncate ON executions;
DROP TRIGGER decisions_no_truncate ON decisions;
DROP TRIGGER approvals_no_truncate ON approvals;
DROP TRIGGER audit_logs_no_truncate ON audit_logs;
DROP TRIGGER audit_events_no_truncate ON audit_events;
DROP TRIGGER grants_no_delete ON grants;
DROP TRIGGER grants_once ON grants;
DROP TRIGGER policies_no_delete ON policies;
DROP TRIGGER policies_no_update ON policies;
DROP TRIGGER executions_no_delete ON executions;
DROP TRIGGER executions_no_update ON executions;
DROP TRIGGER decisions_no_delete ON decisions;
DROP TRIGGER decisions_no_update ON decisions;
DROP TRIGGER approvals_no_delete ON approvals;
DROP TRIGGER approvals_payload ON approvals;
DROP TRIGGER approvals_final ON approvals;
DROP TRIGGER audit_logs_no_delete ON audit_logs;
DROP TRIGGER audit_logs_empty ON audit_logs;
DROP TRIGGER audit_logs_grow ON audit_logs;
DROP TRIGGER audit_events_at_the_end ON audit_events;
DROP TRIGGER audit_events_no_delete ON audit_events;
DROP TRIGGER audit_events_no_update ON audit_events;
DROP FUNCTION countersign_log_size;
DROP FUNCTION countersign_refuse;
