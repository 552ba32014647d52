-- +goose Up
-- What somebody accepts is what was proposed, and a proposal ends once.
-- +goose StatementBegin
CREATE TRIGGER policy_proposals_final BEFORE UPDATE ON policy_proposals
WHEN OLD.state <> 'open'
BEGIN SELECT RAISE(ABORT, 'a proposal ends once'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policy_proposals_payload BEFORE UPDATE ON policy_proposals
WHEN NEW.tenant_id IS NOT OLD.tenant_id OR NEW.proposal_id IS NOT OLD.proposal_id OR NEW.base IS NOT OLD.base
  OR NEW.policy IS NOT OLD.policy OR NEW.reason IS NOT OLD.reason OR NEW.author_id IS NOT OLD.author_id
  OR NEW.weakens IS NOT OLD.weakens OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'a proposal does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policy_proposals_no_delete BEFORE DELETE ON policy_proposals
BEGIN SELECT RAISE(ABORT, 'proposals are not deleted'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER policy_proposals_once BEFORE INSERT ON policy_proposals
WHEN EXISTS (SELECT 1 FROM policy_proposals WHERE tenant_id = NEW.tenant_id AND proposal_id = NEW.proposal_id)
BEGIN SELECT RAISE(ABORT, 'exists already: policy_proposals'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER policy_proposals_once;
DROP TRIGGER policy_proposals_no_delete;
DROP TRIGGER policy_proposals_payload;
DROP TRIGGER policy_proposals_final;
