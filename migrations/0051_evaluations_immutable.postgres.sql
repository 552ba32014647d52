-- +goose Up
-- The same rule as in 0051_evaluations_immutable.sqlite.sql.
CREATE TRIGGER evaluations_no_update BEFORE UPDATE ON evaluations FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('evaluations do not change');

-- +goose Down
DROP TRIGGER evaluations_no_update ON evaluations;
