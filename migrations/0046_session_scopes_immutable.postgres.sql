-- +goose Up
-- The same rule as in 0046_session_scopes_immutable.sqlite.sql.
DROP TRIGGER standing_grants_terms ON standing_grants;
CREATE TRIGGER standing_grants_terms BEFORE UPDATE ON standing_grants FOR EACH ROW
WHEN (NEW.tenant_id IS DISTINCT FROM OLD.tenant_id OR NEW.standing_id IS DISTINCT FROM OLD.standing_id
  OR NEW.agent_id IS DISTINCT FROM OLD.agent_id OR NEW.agent_name IS DISTINCT FROM OLD.agent_name
  OR NEW.agent_owner IS DISTINCT FROM OLD.agent_owner OR NEW.function IS DISTINCT FROM OLD.function
  OR NEW.pattern IS DISTINCT FROM OLD.pattern OR NEW.uses IS DISTINCT FROM OLD.uses OR NEW.reason IS DISTINCT FROM OLD.reason
  OR NEW.made_from IS DISTINCT FROM OLD.made_from OR NEW.made_by IS DISTINCT FROM OLD.made_by
  OR NEW.made_by_name IS DISTINCT FROM OLD.made_by_name OR NEW.single_person IS DISTINCT FROM OLD.single_person
  OR NEW.created_at IS DISTINCT FROM OLD.created_at OR NEW.ends_at IS DISTINCT FROM OLD.ends_at
  OR NEW.session_id IS DISTINCT FROM OLD.session_id OR NEW.effects IS DISTINCT FROM OLD.effects
  OR NEW.scope IS DISTINCT FROM OLD.scope)
EXECUTE FUNCTION countersign_refuse('what was allowed ahead does not change');

-- +goose Down
DROP TRIGGER standing_grants_terms ON standing_grants;
CREATE TRIGGER standing_grants_terms BEFORE UPDATE ON standing_grants FOR EACH ROW
WHEN (NEW.tenant_id IS DISTINCT FROM OLD.tenant_id OR NEW.standing_id IS DISTINCT FROM OLD.standing_id
  OR NEW.agent_id IS DISTINCT FROM OLD.agent_id OR NEW.agent_name IS DISTINCT FROM OLD.agent_name
  OR NEW.agent_owner IS DISTINCT FROM OLD.agent_owner OR NEW.function IS DISTINCT FROM OLD.function
  OR NEW.pattern IS DISTINCT FROM OLD.pattern OR NEW.uses IS DISTINCT FROM OLD.uses OR NEW.reason IS DISTINCT FROM OLD.reason
  OR NEW.made_from IS DISTINCT FROM OLD.made_from OR NEW.made_by IS DISTINCT FROM OLD.made_by
  OR NEW.made_by_name IS DISTINCT FROM OLD.made_by_name OR NEW.single_person IS DISTINCT FROM OLD.single_person
  OR NEW.created_at IS DISTINCT FROM OLD.created_at OR NEW.ends_at IS DISTINCT FROM OLD.ends_at
  OR NEW.session_id IS DISTINCT FROM OLD.session_id OR NEW.effects IS DISTINCT FROM OLD.effects)
EXECUTE FUNCTION countersign_refuse('what was allowed ahead does not change');
