-- +goose Up
CREATE TRIGGER edits_no_update BEFORE UPDATE ON edits FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('edits are insert-only');
CREATE TRIGGER edits_no_delete BEFORE DELETE ON edits FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('edits are insert-only');
CREATE TRIGGER edits_no_truncate BEFORE TRUNCATE ON edits FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('edits are not emptied');
-- The approval has the edit's version already: what is decided is not edited.
CREATE TRIGGER edits_while_pending BEFORE INSERT ON edits FOR EACH ROW
WHEN (NOT countersign_signable(NEW.tenant_id, NEW.approval_id, NEW.version))
EXECUTE FUNCTION countersign_refuse('only what is pending is edited');

-- +goose Down
DROP TRIGGER edits_while_pending ON edits;
DROP TRIGGER edits_no_truncate ON edits;
DROP TRIGGER edits_no_delete ON edits;
DROP TRIGGER edits_no_update ON edits;
