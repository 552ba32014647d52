-- +goose Up
-- Two people who may decide or manage have signed in: then there were two all along.
INSERT INTO single_person_ends (tenant_id, person_id, ended_at)
SELECT tenant_id, '', max(last_sign_in_at) FROM memberships
WHERE last_sign_in_at IS NOT NULL AND (roles LIKE '%operator%' OR roles LIKE '%admin%')
GROUP BY tenant_id HAVING count(*) > 1;

-- What is told of people is added, and never changed.
-- +goose StatementBegin
CREATE TRIGGER kinships_no_update BEFORE UPDATE ON kinships
BEGIN SELECT RAISE(ABORT, 'who invited whom does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER kinships_no_delete BEFORE DELETE ON kinships
BEGIN SELECT RAISE(ABORT, 'who invited whom does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER kinships_once BEFORE INSERT ON kinships
WHEN EXISTS (SELECT 1 FROM kinships WHERE tenant_id = NEW.tenant_id AND person_id = NEW.person_id AND by_id = NEW.by_id AND tied_at = NEW.tied_at)
BEGIN SELECT RAISE(ABORT, 'exists already: kinships'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER role_losses_no_update BEFORE UPDATE ON role_losses
BEGIN SELECT RAISE(ABORT, 'what was lost does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER role_losses_no_delete BEFORE DELETE ON role_losses
BEGIN SELECT RAISE(ABORT, 'what was lost does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER role_losses_once BEFORE INSERT ON role_losses
WHEN EXISTS (SELECT 1 FROM role_losses WHERE tenant_id = NEW.tenant_id AND person_id = NEW.person_id AND roles = NEW.roles AND lost_at = NEW.lost_at)
BEGIN SELECT RAISE(ABORT, 'exists already: role_losses'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER single_person_ends_no_update BEFORE UPDATE ON single_person_ends
BEGIN SELECT RAISE(ABORT, 'single-person mode ends once'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER single_person_ends_no_delete BEFORE DELETE ON single_person_ends
BEGIN SELECT RAISE(ABORT, 'single-person mode ends once'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER single_person_ends_once BEFORE INSERT ON single_person_ends
WHEN EXISTS (SELECT 1 FROM single_person_ends WHERE tenant_id = NEW.tenant_id)
BEGIN SELECT RAISE(ABORT, 'exists already: single_person_ends'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER openings_no_update BEFORE UPDATE ON openings
BEGIN SELECT RAISE(ABORT, 'a first look does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER openings_no_delete BEFORE DELETE ON openings
BEGIN SELECT RAISE(ABORT, 'a first look does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER openings_once BEFORE INSERT ON openings
WHEN EXISTS (SELECT 1 FROM openings WHERE tenant_id = NEW.tenant_id AND subject = NEW.subject AND person_id = NEW.person_id)
BEGIN SELECT RAISE(ABORT, 'exists already: openings'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER people_proposals_final BEFORE UPDATE ON people_proposals
WHEN OLD.state <> 'open'
BEGIN SELECT RAISE(ABORT, 'a proposal ends once'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER people_proposals_payload BEFORE UPDATE ON people_proposals
WHEN NEW.tenant_id IS NOT OLD.tenant_id
  OR NEW.proposal_id IS NOT OLD.proposal_id
  OR NEW.act IS NOT OLD.act
  OR NEW.person_id IS NOT OLD.person_id
  OR NEW.ticket_id IS NOT OLD.ticket_id
  OR NEW.roles IS NOT OLD.roles
  OR NEW.roles_from IS NOT OLD.roles_from
  OR NEW.author_id IS NOT OLD.author_id
  OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'a proposal does not change'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER people_proposals_no_delete BEFORE DELETE ON people_proposals
BEGIN SELECT RAISE(ABORT, 'proposals are not deleted'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER people_proposals_once BEFORE INSERT ON people_proposals
WHEN EXISTS (SELECT 1 FROM people_proposals WHERE tenant_id = NEW.tenant_id AND proposal_id = NEW.proposal_id)
BEGIN SELECT RAISE(ABORT, 'exists already: people_proposals'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER people_proposals_once;
DROP TRIGGER people_proposals_no_delete;
DROP TRIGGER people_proposals_payload;
DROP TRIGGER people_proposals_final;
DROP TRIGGER openings_once;
DROP TRIGGER openings_no_delete;
DROP TRIGGER openings_no_update;
DROP TRIGGER single_person_ends_once;
DROP TRIGGER single_person_ends_no_delete;
DROP TRIGGER single_person_ends_no_update;
DROP TRIGGER role_losses_once;
DROP TRIGGER role_losses_no_delete;
DROP TRIGGER role_losses_no_update;
DROP TRIGGER kinships_once;
DROP TRIGGER kinships_no_delete;
DROP TRIGGER kinships_no_update;
