-- +goose Up
-- What was evaluated does not change; it is deleted when it is old.
-- +goose StatementBegin
CREATE TRIGGER evaluations_no_update BEFORE UPDATE ON evaluations
BEGIN SELECT RAISE(ABORT, 'evaluations do not change'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER evaluations_no_update;
