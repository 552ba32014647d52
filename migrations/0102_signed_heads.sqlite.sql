-- +goose Up
-- The signed head: a note over this size and root, in the transaction that moves it.
ALTER TABLE audit_logs ADD COLUMN note TEXT NOT NULL DEFAULT '';
-- So a program that doesn't sign can't append.
-- +goose StatementBegin
CREATE TRIGGER audit_logs_signed BEFORE UPDATE ON audit_logs
WHEN NEW.note = OLD.note
BEGIN SELECT RAISE(ABORT, 'an audit log is signed when it grows'); END;
-- +goose StatementEnd
-- Events of one transaction are written before the head that counts them.
DROP TRIGGER audit_events_at_the_end;
-- +goose StatementBegin
CREATE TRIGGER audit_events_at_the_end BEFORE INSERT ON audit_events
WHEN NEW.idx <> COALESCE((SELECT max(idx) + 1 FROM audit_events WHERE tenant_id = NEW.tenant_id), 0)
BEGIN SELECT RAISE(ABORT, 'audit events are appended at the end'); END;
-- +goose StatementEnd

-- The state that follows from the first so many events of a log. The signed head has its sum.
CREATE TABLE audit_snapshots (
    tenant_id TEXT   NOT NULL REFERENCES audit_logs (tenant_id),
    size      BIGINT NOT NULL,
    bytes     BLOB   NOT NULL,
    PRIMARY KEY (tenant_id, size)
);

-- +goose Down
DROP TABLE audit_snapshots;
DROP TRIGGER audit_events_at_the_end;
-- +goose StatementBegin
CREATE TRIGGER audit_events_at_the_end BEFORE INSERT ON audit_events
WHEN NEW.idx <> (SELECT size FROM audit_logs WHERE tenant_id = NEW.tenant_id)
BEGIN SELECT RAISE(ABORT, 'audit events are appended at the end'); END;
-- +goose StatementEnd
DROP TRIGGER audit_logs_signed;
ALTER TABLE audit_logs DROP COLUMN note;
