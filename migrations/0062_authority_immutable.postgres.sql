-- +goose Up
-- The same rules as in 0062_authority_immutable.sqlite.sql.
CREATE TRIGGER kinships_no_update BEFORE UPDATE ON kinships FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('who invited whom does not change');
CREATE TRIGGER kinships_no_delete BEFORE DELETE ON kinships FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('who invited whom does not change');
CREATE TRIGGER kinships_no_truncate BEFORE TRUNCATE ON kinships FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('who invited whom does not change');
CREATE TRIGGER role_losses_no_update BEFORE UPDATE ON role_losses FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('what was lost does not change');
CREATE TRIGGER role_losses_no_delete BEFORE DELETE ON role_losses FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('what was lost does not change');
CREATE TRIGGER role_losses_no_truncate BEFORE TRUNCATE ON role_losses FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('what was lost does not change');
CREATE TRIGGER single_person_ends_no_update BEFORE UPDATE ON single_person_ends FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('single-person mode ends once');
CREATE TRIGGER single_person_ends_no_delete BEFORE DELETE ON single_person_ends FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('single-person mode ends once');
CREATE TRIGGER single_person_ends_no_truncate BEFORE TRUNCATE ON single_person_ends FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('single-person mode ends once');
CREATE TRIGGER openings_no_update BEFORE UPDATE ON openings FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('a first look does not change');
CREATE TRIGGER openings_no_delete BEFORE DELETE ON openings FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('a first look does not change');
CREATE TRIGGER openings_no_truncate BEFORE TRUNCATE ON openings FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('a first look does not change');
CREATE TRIGGER people_proposals_final BEFORE UPDATE ON people_proposals FOR EACH ROW
WHEN (OLD.state <> 'open')
EXECUTE FUNCTION countersign_refuse('a proposal ends once');
CREATE TRIGGER people_proposals_payload BEFORE UPDATE ON people_proposals FOR EACH ROW
WHEN (NEW.tenant_id IS DISTINCT FROM OLD.tenant_id
  OR NEW.proposal_id IS DISTINCT FROM OLD.proposal_id
  OR NEW.act IS DISTINCT FROM OLD.act
  OR NEW.person_id IS DISTINCT FROM OLD.person_id
  OR NEW.ticket_id IS DISTINCT FROM OLD.ticket_id
  OR NEW.roles IS DISTINCT FROM OLD.roles
  OR NEW.roles_from IS DISTINCT FROM OLD.roles_from
  OR NEW.author_id IS DISTINCT FROM OLD.author_id
  OR NEW.created_at IS DISTINCT FROM OLD.created_at)
EXECUTE FUNCTION countersign_refuse('a proposal does not change');
CREATE TRIGGER people_proposals_no_delete BEFORE DELETE ON people_proposals FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('proposals are not deleted');
CREATE TRIGGER people_proposals_no_truncate BEFORE TRUNCATE ON people_proposals FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('proposals are not emptied');

-- Two people who may decide or manage have signed in: then there were two all along.
-- Row-level security shows whoever migrates one tenant at a time.
-- +goose StatementBegin
DO $$
DECLARE
    one TEXT;
BEGIN
    FOR one IN SELECT tenant_id FROM tenants LOOP
        PERFORM set_config('app.tenant', one, true);
        INSERT INTO single_person_ends (tenant_id, person_id, ended_at)
        SELECT tenant_id, '', max(last_sign_in_at) FROM memberships
        WHERE tenant_id = one AND last_sign_in_at IS NOT NULL AND (roles LIKE '%operator%' OR roles LIKE '%admin%')
        GROUP BY tenant_id HAVING count(*) > 1;
    END LOOP;
    PERFORM set_config('app.tenant', '', true);
END $$;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER people_proposals_no_truncate ON people_proposals;
DROP TRIGGER people_proposals_no_delete ON people_proposals;
DROP TRIGGER people_proposals_payload ON people_proposals;
DROP TRIGGER people_proposals_final ON people_proposals;
DROP TRIGGER openings_no_truncate ON openings;
DROP TRIGGER openings_no_delete ON openings;
DROP TRIGGER openings_no_update ON openings;
DROP TRIGGER single_person_ends_no_truncate ON single_person_ends;
DROP TRIGGER single_person_ends_no_delete ON single_person_ends;
DROP TRIGGER single_person_ends_no_update ON single_person_ends;
DROP TRIGGER role_losses_no_truncate ON role_losses;
DROP TRIGGER role_losses_no_delete ON role_losses;
DROP TRIGGER role_losses_no_update ON role_losses;
DROP TRIGGER kinships_no_truncate ON kinships;
DROP TRIGGER kinships_no_delete ON kinships;
DROP TRIGGER kinships_no_update ON kinships;
