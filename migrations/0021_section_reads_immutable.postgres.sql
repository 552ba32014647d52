-- +goose Up
CREATE TRIGGER section_reads_no_update BEFORE UPDATE ON section_reads FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('acknowledgements are insert-only');
CREATE TRIGGER section_reads_no_delete BEFORE DELETE ON section_reads FOR EACH ROW
EXECUTE FUNCTION countersign_refuse('acknowledgements are insert-only');
CREATE TRIGGER section_reads_no_truncate BEFORE TRUNCATE ON section_reads FOR EACH STATEMENT
EXECUTE FUNCTION countersign_refuse('acknowledgements are not emptied');

-- +goose Down
DROP TRIGGER section_reads_no_truncate ON section_reads;
DROP TRIGGER section_reads_no_delete ON section_reads;
DROP TRIGGER section_reads_no_update ON section_reads;
