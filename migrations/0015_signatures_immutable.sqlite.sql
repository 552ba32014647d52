-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER signatures_no_update BEFORE UPDATE ON signatures
BEGIN SELECT RAISE(ABORT, 'signatures are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER signatures_no_delete BEFORE DELETE ON signatures
BEGIN SELECT RAISE(ABORT, 'signatures are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER signatures_once BEFORE INSERT ON signatures
WHEN EXISTS (SELECT 1 FROM signatures WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id AND version = NEW.version AND person_id = NEW.person_id)
BEGIN SELECT RAISE(ABORT, 'exists already: signatures'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER signatures_while_pending BEFORE INSERT ON signatures
WHEN NOT EXISTS (SELECT 1 FROM approvals WHERE tenant_id = NEW.tenant_id AND approval_id = NEW.approval_id AND status = 'pending' AND version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'only what is pending is signed'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER signatures_while_pending;
DROP TRIGGER signatures_once;
DROP TRIGGER signatures_no_delete;
DROP TRIGGER signatures_no_update;
