-- +goose Up
-- What is remembered of the files that an agent wrote in its workspace: what their texts
-- showed, never the texts. Each of the three is JSON, '' for nothing: what the file holds as
-- far as grants were spent for it, what somebody asked to write and did not spend yet, and
-- what it held before the grant was spent that wrote it last.
CREATE TABLE workspace_files (
    tenant_id  TEXT    NOT NULL,
    agent_id   TEXT    NOT NULL,
    path       TEXT    COLLATE "C" NOT NULL, -- folders are ranges of bytes
    held       TEXT    NOT NULL,
    added      TEXT    NOT NULL,
    added_by   TEXT    NOT NULL, -- approval_id; ''
    was        TEXT    NOT NULL,
    was_by     TEXT    NOT NULL, -- approval_id; ''
    unreviewed BOOLEAN NOT NULL, -- a build or a test counts it
    manifest   BOOLEAN NOT NULL, -- an install counts it
    gone       BOOLEAN NOT NULL, -- nothing of it is left but what was
    PRIMARY KEY (tenant_id, agent_id, path),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, agent_id)
);
CREATE INDEX workspace_files_counted ON workspace_files (tenant_id, agent_id) WHERE unreviewed OR manifest;
-- That the agent wrote more files than are kept. Nothing takes it back.
ALTER TABLE agents ADD COLUMN memory_full BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE agents DROP COLUMN memory_full;
DROP TABLE workspace_files;
