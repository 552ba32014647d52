-- +goose Up
-- +goose StatementBegin
CREATE TRIGGER section_reads_no_update BEFORE UPDATE ON section_reads
BEGIN SELECT RAISE(ABORT, 'acknowledgements are insert-only'); END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER section_reads_no_delete BEFORE DELETE ON section_reads
BEGIN SELECT RAISE(ABORT, 'acknowledgements are insert-only'); END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER section_reads_no_delete;
DROP TRIGGER section_reads_no_update;
