-- +goose Up
-- The same rules as in 0076_extensions_immutable.sqlite.sql.
DROP TRIGGER approvals_payload ON approvals;
CREATE TRIGGER approvals_payload BEFORE UPDATE ON approvals FOR EACH ROW
WHEN (NEW.tenant_id IS DISTINCT FROM OLD.tenant_id OR NEW.approval_id IS DISTINCT FROM OLD.approval_id OR NEW.agent_id IS DISTINCT FROM OLD.agent_id
  OR NEW.agent_name IS DISTINCT FROM OLD.agent_name OR NEW.agent_owner IS DISTINCT FROM OLD.agent_owner
  OR NEW.revises IS DISTINCT FROM OLD.revises OR NEW.idempotency_key IS DISTINCT FROM OLD.idempotency_key
  OR NEW.body_hash IS DISTINCT FROM OLD.body_hash OR NEW.action IS DISTINCT FROM OLD.action
  OR NEW.digest IS DISTINCT FROM OLD.digest OR NEW.shown_digest IS DISTINCT FROM OLD.shown_digest
  OR NEW.carried IS DISTINCT FROM OLD.carried OR NEW.call_number IS DISTINCT FROM OLD.call_number
  OR NEW.function IS DISTINCT FROM OLD.function OR NEW.session_id IS DISTINCT FROM OLD.session_id
  OR NEW.created_at IS DISTINCT FROM OLD.created_at)
EXECUTE FUNCTION countersign_refuse('an action does not change');
CREATE TRIGGER approvals_expiry BEFORE UPDATE ON approvals FOR EACH ROW
WHEN ((NEW.expires_at IS DISTINCT FROM OLD.expires_at OR NEW.extended IS DISTINCT FROM OLD.extended)
  AND NOT (OLD.extended = 0 AND NEW.extended = 1 AND NEW.expires_at > OLD.expires_at))
EXECUTE FUNCTION countersign_refuse('the time of a request is extended once');
CREATE TRIGGER extensions_no_update BEFORE UPDATE ON extensions FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('extensions are insert-only');
CREATE TRIGGER extensions_no_delete BEFORE DELETE ON extensions FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('extensions are insert-only');
CREATE TRIGGER extensions_no_truncate BEFORE TRUNCATE ON extensions FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('extensions are not emptied');

-- +goose Down
DROP TRIGGER extensions_no_truncate ON extensions;
DROP TRIGGER extensions_no_delete ON extensions;
DROP TRIGGER extensions_no_update ON extensions;
DROP TRIGGER approvals_expiry ON approvals;
DROP TRIGGER approvals_payload ON approvals;
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
