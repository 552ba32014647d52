-- +goose Up
-- The same rules as in 0019_standing_immutable.sqlite.sql.
CREATE TRIGGER standing_grants_terms BEFORE UPDATE ON standing_grants FOR EACH ROW
WHEN (NEW.tenant_id IS DISTINCT FROM OLD.tenant_id OR NEW.standing_id IS DISTINCT FROM OLD.standing_id
  OR NEW.agent_id IS DISTINCT FROM OLD.agent_id OR NEW.agent_name IS DISTINCT FROM OLD.agent_name
  OR NEW.agent_owner IS DISTINCT FROM OLD.agent_owner OR NEW.function IS DISTINCT FROM OLD.function
  OR NEW.pattern IS DISTINCT FROM OLD.pattern OR NEW.uses IS DISTINCT FROM OLD.uses OR NEW.reason IS DISTINCT FROM OLD.reason
  OR NEW.made_from IS DISTINCT FROM OLD.made_from OR NEW.made_by IS DISTINCT FROM OLD.made_by
  OR NEW.made_by_name IS DISTINCT FROM OLD.made_by_name OR NEW.single_person IS DISTINCT FROM OLD.single_person
  OR NEW.created_at IS DISTINCT FROM OLD.created_at OR NEW.ends_at IS DISTINCT FROM OLD.ends_at)
EXECUTE FUNCTION countersign_refuse('what was allowed ahead does not change');
CREATE TRIGGER standing_grants_uses BEFORE UPDATE ON standing_grants FOR EACH ROW
WHEN (OLD.revoked_at IS NOT NULL OR NEW.uses_left NOT IN (OLD.uses_left, OLD.uses_left - 1)
  OR (NEW.revoked_at IS NOT NULL AND NEW.uses_left <> OLD.uses_left))
EXECUTE FUNCTION countersign_refuse('uses go down one by one until it is revoked');
CREATE TRIGGER standing_grants_no_delete BEFORE DELETE ON standing_grants FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('standing grants are not deleted');
CREATE TRIGGER standing_grants_no_truncate BEFORE TRUNCATE ON standing_grants FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('standing grants are not emptied');

-- +goose Down
DROP TRIGGER standing_grants_no_truncate ON standing_grants;
DROP TRIGGER standing_grants_no_delete ON standing_grants;
DROP TRIGGER standing_grants_uses ON standing_grants;
DROP TRIGGER standing_grants_terms ON standing_grants;
