-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER edits_no_update BEFORE UPDATE ON edits
BEGIN SELECT RAISE(ABORT, 'edits are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER edits_no_delete BEFORE DELETE ON edits
BEGIN SELECT RAISE(ABORT, 'edits are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER edits_once BEFORE INSERT ON edits
WHEN EXISTS (SELECT 1 FROM edits WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id AND version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'exists already: edits'); END;
-- +goose StatementEnd
-- The approval has the edit's version already: what is decided is not edited.
-- +goose StatementBegin
CREATE TRIGGER edits_while_pending BEFORE INSERT ON edits
WHEN NOT EXISTS (SELECT 1 FROM approvals WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id AND status = 'pending' AND version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'only what is pending is edited'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER edits_while_pending;
DROP TRIGGER edits_once;
DROP TRIGGER edits_no_delete;
DROP TRIGGER edits_no_update;
