-- +goose Up
CREATE TABLE roles (
    workspace_id TEXT   NOT NULL,
    member_id    TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    seq          BIGINT NOT NULL, -- of the first grant
    PRIMARY KEY (workspace_id, member_id)
);
CREATE INDEX roles_by_member ON roles (member_id, workspace_id);

-- Neither the text of a token nor its hash: a request is let in by the stream, not by this table.
CREATE TABLE tokens (
    id         TEXT PRIMARY KEY,
    member_id  TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    issued_at  BIGINT NOT NULL,
    issued_by  TEXT   NOT NULL,
    expires_at BIGINT
);
CREATE INDEX tokens_by_member ON tokens (member_id, seq);

ALTER TABLE projects ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE projects DROP COLUMN archived;
ALTER TABLE projects DROP COLUMN version;
DROP TABLE tokens;
DROP TABLE roles;
