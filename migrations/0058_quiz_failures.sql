-- +goose Up
-- The sets of questions that a person answered wrong lately: they count for the act, in
-- whatever approval it came.
CREATE INDEX challenges_failed ON challenges (tenant_id, person_id, expires_at, approval_id, shown_digest) WHERE state = 'failed';

-- No quiz asks for the agent or the operation any more, so no line hides them.
ALTER TABLE approval_lines DROP COLUMN few_facts;

-- +goose Down
ALTER TABLE approval_lines ADD COLUMN few_facts BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX challenges_failed;
