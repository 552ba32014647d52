-- +goose Up
-- The scope of a grant does not change either.
DROP TRIGGER standing_grants_terms;
-- +goose StatementBegin
CREATE TRIGGER standing_grants_terms BEFORE UPDATE ON standing_grants
WHEN NEW.tenant_id IS NOT OLD.tenant_id OR NEW.standing_id IS NOT OLD.standing_id OR NEW.agent_id IS NOT OLD.agent_id
  OR NEW.agent_name IS NOT OLD.agent_name OR NEW.agent_owner IS NOT OLD.agent_owner OR NEW.function IS NOT OLD.function
  OR NEW.pattern IS NOT OLD.pattern OR NEW.uses IS NOT OLD.uses OR NEW.reason IS NOT OLD.reason
  OR NEW.made_from IS NOT OLD.made_from OR NEW.made_by IS NOT OLD.made_by OR NEW.made_by_name IS NOT OLD.made_by_name
  OR NEW.single_person IS NOT OLD.single_person OR NEW.created_at IS NOT OLD.created_at OR NEW.ends_at IS NOT OLD.ends_at
  OR NEW.session_id IS NOT OLD.session_id OR NEW.effects IS NOT OLD.effects OR NEW.scope IS NOT OLD.scope
BEGIN SELECT RAISE(ABORT, 'what was allowed ahead does not change'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER standing_grants_terms;
-- +goose StatementBegin
CREATE TRIGGER standing_grants_terms BEFORE UPDATE ON standing_grants
WHEN NEW.tenant_id IS NOT OLD.tenant_id OR NEW.standing_id IS NOT OLD.standing_id OR NEW.agent_id IS NOT OLD.agent_id
  OR NEW.agent_name IS NOT OLD.agent_name OR NEW.agent_owner IS NOT OLD.agent_owner OR NEW.function IS NOT OLD.function
  OR NEW.pattern IS NOT OLD.pattern OR NEW.uses IS NOT OLD.uses OR NEW.reason IS NOT OLD.reason
  OR NEW.made_from IS NOT OLD.made_from OR NEW.made_by IS NOT OLD.made_by OR NEW.made_by_name IS NOT OLD.made_by_name
  OR NEW.single_person IS NOT OLD.single_person OR NEW.created_at IS NOT OLD.created_at OR NEW.ends_at IS NOT OLD.ends_at
  OR NEW.session_id IS NOT OLD.session_id OR NEW.effects IS NOT OLD.effects
BEGIN SELECT RAISE(ABORT, 'what was allowed ahead does not change'); END;
-- +goose StatementEnd
