-- +goose Up
-- An action still does not change, but its time may be extended, once and forward.
DROP TRIGGER approvals_payload;
-- +goose StatementBegin
CREATE TRIGGER approvals_payload BEFORE UPDATE ON approvals
WHEN NEW.tenant_id IS NOT OLD.tenant_id OR NEW.approval_id IS NOT OLD.approval_id OR NEW.agent_id IS NOT OLD.agent_id
  OR NEW.agent_name IS NOT OLD.agent_name OR NEW.agent_owner IS NOT OLD.agent_owner OR NEW.revises IS NOT OLD.revises
  OR NEW.idempotency_key IS NOT OLD.idempotency_key OR NEW.body_hash IS NOT OLD.body_hash OR NEW.action IS NOT OLD.action
  OR NEW.digest IS NOT OLD.digest OR NEW.shown_digest IS NOT OLD.shown_digest OR NEW.carried IS NOT OLD.carried
  OR NEW.call_number IS NOT OLD.call_number OR NEW.function IS NOT OLD.function OR NEW.session_id IS NOT OLD.session_id
  OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'an action does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER approvals_expiry BEFORE UPDATE ON approvals
WHEN (NEW.expires_at IS NOT OLD.expires_at OR NEW.extended IS NOT OLD.extended)
  AND NOT (OLD.extended = 0 AND NEW.extended = 1 AND NEW.expires_at > OLD.expires_at)
BEGIN SELECT RAISE(ABORT, 'the time of a request is extended once'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER extensions_no_update BEFORE UPDATE ON extensions
BEGIN SELECT RAISE(ABORT, 'extensions are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER extensions_no_delete BEFORE DELETE ON extensions
BEGIN SELECT RAISE(ABORT, 'extensions are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER extensions_once BEFORE INSERT ON extensions
WHEN EXISTS (SELECT 1 FROM extensions WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id)
BEGIN SELECT RAISE(ABORT, 'exists already: extensions'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER extensions_once;
DROP TRIGGER extensions_no_delete;
DROP TRIGGER extensions_no_update;
DROP TRIGGER approvals_expiry;
DROP TRIGGER approvals_payload;
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
