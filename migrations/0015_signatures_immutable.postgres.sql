-- +goose Up
CREATE TRIGGER signatures_no_update BEFORE UPDATE ON signatures FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('signatures are insert-only');
CREATE TRIGGER signatures_no_delete BEFORE DELETE ON signatures FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('signatures are insert-only');
CREATE TRIGGER signatures_no_truncate BEFORE TRUNCATE ON signatures FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('signatures are not emptied');

-- The body is bound to the table now: no search path can lead it to another one.
-- +goose StatementBegin
CREATE FUNCTION countersign_signable(tenant TEXT, approval TEXT, signed BIGINT) RETURNS BOOLEAN LANGUAGE sql
BEGIN ATOMIC
    SELECT EXISTS (SELECT 1 FROM approvals WHERE tenant_id = tenant AND approval_id = approval AND status = 'pending' AND version = signed);
END;
-- +goose StatementEnd
CREATE TRIGGER signatures_while_pending BEFORE INSERT ON signatures FOR EACH ROW
WHEN (NOT countersign_signable(NEW.tenant_id, NEW.approval_id, NEW.version))
EXECUTE FUNCTION countersign_refuse('only what is pending is signed');

-- +goose Down
DROP TRIGGER signatures_while_pending ON signatures;
DROP FUNCTION countersign_signable;
DROP TRIGGER signatures_no_truncate ON signatures;
DROP TRIGGER signatures_no_delete ON signatures;
DROP TRIGGER signatures_no_update ON signatures;
