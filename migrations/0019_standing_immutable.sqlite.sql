-- +goose Up
-- What was allowed ahead never changes: uses go down one by one until it is revoked,
-- once.
-- +goose StatementBegin
CREATE TRIGGER standing_grants_terms BEFORE UPDATE ON standing_grants
WHEN NEW.tenant_id IS NOT OLD.tenant_id OR NEW.standing_id IS NOT OLD.standing_id OR NEW.agent_id IS NOT OLD.agent_id
  OR NEW.agent_name IS NOT OLD.agent_name OR NEW.agent_owner IS NOT OLD.agent_owner OR NEW.function IS NOT OLD.function
  OR NEW.pattern IS NOT OLD.pattern OR NEW.uses IS NOT OLD.uses OR NEW.reason IS NOT OLD.reason
  OR NEW.made_from IS NOT OLD.made_from OR NEW.made_by IS NOT OLD.made_by OR NEW.made_by_name IS NOT OLD.made_by_name
  OR NEW.single_person IS NOT OLD.single_person OR NEW.created_at IS NOT OLD.created_at OR NEW.ends_at IS NOT OLD.ends_at
BEGIN SELECT RAISE(ABORT, 'what was allowed ahead does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER standing_grants_uses BEFORE UPDATE ON standing_grants
WHEN OLD.revoked_at IS NOT NULL OR NEW.uses_left NOT IN (OLD.uses_left, OLD.uses_left - 1)
  OR (NEW.revoked_at IS NOT NULL AND NEW.uses_left <> OLD.uses_left)
BEGIN SELECT RAISE(ABORT, 'uses go down one by one until it is revoked'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER standing_grants_no_delete BEFORE DELETE ON standing_grants
BEGIN SELECT RAISE(ABORT, 'standing grants are not deleted'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER standing_grants_once BEFORE INSERT ON standing_grants
WHEN EXISTS (SELECT 1 FROM standing_grants WHERE tenant_id = NEW.tenant_id AND standing_id = NEW.standing_id)
BEGIN SELECT RAISE(ABORT, 'exists already: standing_grants'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER standing_grants_once;
DROP TRIGGER standing_grants_no_delete;
DROP TRIGGER standing_grants_uses;
DROP TRIGGER standing_grants_terms;
