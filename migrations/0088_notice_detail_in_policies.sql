-- +goose Up
-- What a notice may say stands in the policy, where somebody else has to accept it. An
-- organisation that let notices say more says less until somebody accepts it there.
DROP TABLE notice_settings;

-- +goose Down
CREATE TABLE notice_settings (
    tenant_id TEXT    NOT NULL PRIMARY KEY,
    says_more BOOLEAN NOT NULL
);
