-- +goose Up
-- The signed head: a note over this size and root, in the transaction that moves it.
ALTER TABLE audit_logs ADD COLUMN note TEXT NOT NULL DEFAULT '';
-- So a program that doesn't sign can't append.
CREATE TRIGGER audit_logs_signed BEFORE UPDATE ON audit_logs FOR EACH ROW
WHEN (NEW.note = OLD.note)
EXECUTE FUNCTION countersign_refuse('an audit log is signed when it grows');
-- Events of one transaction are written before the head that counts them.
-- +goose StatementBegin
CREATE FUNCTION countersign_next_event(tenant TEXT) RETURNS BIGINT LANGUAGE sql
BEGIN ATOMIC
    SELECT COALESCE(max(idx) + 1, 0) FROM audit_events WHERE tenant_id = tenant;
END;
-- +goose StatementEnd
DROP TRIGGER audit_events_at_the_end ON audit_events;
CREATE TRIGGER audit_events_at_the_end BEFORE INSERT ON audit_events FOR EACH ROW
WHEN (NEW.idx IS DISTINCT FROM countersign_next_event(NEW.tenant_id))
EXECUTE FUNCTION countersign_refuse('audit events are appended at the end');
DROP FUNCTION countersign_log_size;

-- The state that follows from the first so many events of a log. The signed head has its sum.
CREATE TABLE audit_snapshots (
    tenant_id TEXT   NOT NULL REFERENCES audit_logs (tenant_id),
    size      BIGINT NOT NULL,
    bytes     BYTEA  NOT NULL,
    PRIMARY KEY (tenant_id, size)
);

-- +goose Down
DROP TABLE audit_snapshots;
-- +goose StatementBegin
CREATE FUNCTION countersign_log_size(tenant TEXT) RETURNS BIGINT LANGUAGE sql
BEGIN ATOMIC
    SELECT size FROM audit_logs WHERE tenant_id = tenant;
END;
-- +goose StatementEnd
DROP TRIGGER audit_events_at_the_end ON audit_events;
CREATE TRIGGER audit_events_at_the_end BEFORE INSERT ON audit_events FOR EACH ROW
WHEN (NEW.idx IS DISTINCT FROM countersign_log_size(NEW.tenant_id))
EXECUTE FUNCTION countersign_refuse('audit events are appended at the end');
DROP FUNCTION countersign_next_event;
DROP TRIGGER audit_logs_signed ON audit_logs;
ALTER TABLE audit_logs DROP COLUMN note;
