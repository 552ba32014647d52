-- +goose Up
-- Where an organisation, or one person, is told of something outside of the console.
CREATE TABLE notice_channels (
    tenant_id  TEXT      NOT NULL,
    channel_id TEXT      NOT NULL,
    kind       TEXT      NOT NULL, -- webhook, slack, teams, chat, email …
    name       TEXT      NOT NULL,
    person_id  TEXT      NOT NULL, -- whose it is; '' for the organisation's
    fields     TEXT      NOT NULL, -- JSON: what is shown
    sealed     TEXT      NOT NULL, -- what is secret, encrypted; '' for nothing
    tells      TEXT      NOT NULL, -- comma-separated kinds of notices
    state      TEXT      NOT NULL CHECK (state IN ('active', 'paused', 'disabled', 'deleted')),
    why        TEXT      NOT NULL, -- why it is disabled
    version    BIGINT    NOT NULL, -- +1 with every change
    created_at TIMESTAMP NOT NULL,
    changed_at TIMESTAMP NOT NULL,
    PRIMARY KEY (tenant_id, channel_id)
);

-- The outbox: what is to be told. Written with the change that it tells of.
CREATE TABLE notices (
    tenant_id   TEXT      NOT NULL,
    notice_id   TEXT      NOT NULL,
    kind        TEXT      NOT NULL,
    approval_id TEXT      NOT NULL, -- '' where it is about no request
    subject     TEXT      NOT NULL, -- the id of what else it is about, or ''
    only_to     TEXT      NOT NULL, -- the one channel that it is for; '' for those that tell of its kind
    at          TIMESTAMP NOT NULL,
    routed_at   TIMESTAMP,          -- since when its deliveries are there
    PRIMARY KEY (tenant_id, notice_id)
);
CREATE INDEX notices_new ON notices (tenant_id, notice_id) WHERE routed_at IS NULL;
CREATE INDEX notices_approval ON notices (tenant_id, approval_id);
CREATE INDEX notices_at ON notices (tenant_id, at);

-- One notice on its way to one channel.
CREATE TABLE notice_deliveries (
    tenant_id    TEXT      NOT NULL,
    notice_id    TEXT      NOT NULL,
    channel_id   TEXT      NOT NULL,
    approval_id  TEXT      NOT NULL, -- the notice's
    state        TEXT      NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed', 'skipped')),
    attempts     BIGINT    NOT NULL CHECK (attempts >= 0), -- that began
    failures     BIGINT    NOT NULL CHECK (failures >= 0), -- that are known to have failed
    next_at      TIMESTAMP NOT NULL, -- of a waiting one: when it may be tried
    last_at      TIMESTAMP,          -- when it was tried last
    last_error   TEXT      NOT NULL,
    delivered_at TIMESTAMP,
    ref          TEXT      NOT NULL, -- what the receiver calls it, or ''
    PRIMARY KEY (tenant_id, notice_id, channel_id),
    FOREIGN KEY (tenant_id, notice_id) REFERENCES notices (tenant_id, notice_id),
    FOREIGN KEY (tenant_id, channel_id) REFERENCES notice_channels (tenant_id, channel_id)
);
CREATE INDEX notice_deliveries_due ON notice_deliveries (tenant_id, next_at) WHERE state = 'waiting';
CREATE INDEX notice_deliveries_approval ON notice_deliveries (tenant_id, approval_id);
CREATE INDEX notice_deliveries_channel ON notice_deliveries (tenant_id, channel_id, notice_id);

-- What an organisation lets a notice say.
CREATE TABLE notice_settings (
    tenant_id TEXT    NOT NULL PRIMARY KEY,
    says_more BOOLEAN NOT NULL -- the sentence, the target and the reason, too
);

-- Who does a work of which one server at a time is in charge.
CREATE TABLE leases (
    name     TEXT      NOT NULL PRIMARY KEY,
    holder   TEXT      NOT NULL,
    until_at TIMESTAMP NOT NULL
);

-- +goose Down
DROP TABLE leases;
DROP TABLE notice_settings;
DROP TABLE notice_deliveries;
DROP TABLE notices;
DROP TABLE notice_channels;
