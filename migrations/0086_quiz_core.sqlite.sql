-- +goose Up
-- What a set of questions is about, whatever else the request says: the digest of function,
-- arguments, code and content. Sets that are older have the digest of the whole act instead.
ALTER TABLE challenges ADD COLUMN core TEXT NOT NULL DEFAULT '';
UPDATE challenges SET core = shown_digest;
CREATE INDEX challenges_core ON challenges (tenant_id, core, challenge_id);
DROP INDEX challenges_failed;
CREATE INDEX challenges_failed ON challenges (tenant_id, person_id, expires_at, approval_id, core) WHERE state = 'failed';

-- +goose Down
DROP INDEX challenges_failed;
CREATE INDEX challenges_failed ON challenges (tenant_id, person_id, expires_at, approval_id, shown_digest) WHERE state = 'failed';
DROP INDEX challenges_core;
ALTER TABLE challenges DROP COLUMN core;
