-- +goose Up
-- What a request is searched by: its sentence, target, function and the values of its
-- arguments, in small letters and of bounded length, without what is masked. It is drawn
-- from the request and narrow, so that a search reads nothing else; it proves nothing.
CREATE TABLE request_texts (
    tenant_id   TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    text        TEXT NOT NULL,
    PRIMARY KEY (tenant_id, approval_id),
    FOREIGN KEY (tenant_id, approval_id) REFERENCES approvals (tenant_id, approval_id)
) WITHOUT ROWID; -- a search reads them in the order of the key, the texts with them

-- +goose Down
DROP TABLE request_texts;
