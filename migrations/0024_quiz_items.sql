-- +goose Up
-- The graded quizzes of a time, newest first: what the report of their questions
-- walks. The state stands at the end, so that sets which nobody finished are passed
-- over without being read.
CREATE INDEX challenges_graded ON challenges (tenant_id, kind, issued_at, challenge_id, state);

-- +goose Down
DROP INDEX challenges_graded;
