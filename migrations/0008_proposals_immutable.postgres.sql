-- +goose Up
-- The same rules as in 0008_proposals_immutable.sqlite.sql.
CREATE TRIGGER policy_proposals_final BEFORE UPDATE ON policy_proposals FOR EACH ROW
WHEN (OLD.state <> 'open')
EXECUTE FUNCTION countersign_refuse('a proposal ends once');
CREATE TRIGGER policy_proposals_payload BEFORE UPDATE ON policy_proposals FOR EACH ROW
WHEN (NEW.tenant_id IS DISTINCT FROM OLD.tenant_id OR NEW.proposal_id IS DISTINCT FROM OLD.proposal_id
  OR NEW.base IS DISTINCT FROM OLD.base OR NEW.policy IS DISTINCT FROM OLD.policy OR NEW.reason IS DISTINCT FROM OLD.reason
  OR NEW.author_id IS DISTINCT FROM OLD.author_id OR NEW.weakens IS DISTINCT FROM OLD.weakens
  OR NEW.created_at IS DISTINCT FROM OLD.created_at)
EXECUTE FUNCTION countersign_refuse('a proposal does not change');
CREATE TRIGGER policy_proposals_no_delete BEFORE DELETE ON policy_proposals FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('proposals are not deleted');
CREATE TRIGGER policy_proposals_no_truncate BEFORE TRUNCATE ON policy_proposals FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('proposals are not emptied');

-- +goose Down
DROP TRIGGER policy_proposals_no_truncate ON policy_proposals;
DROP TRIGGER policy_proposals_no_delete ON policy_proposals;
DROP TRIGGER policy_proposals_payload ON policy_proposals;
DROP TRIGGER policy_proposals_final ON policy_proposals;
