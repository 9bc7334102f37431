-- +goose Up
-- What is deleted stays as a row that no view shows: a request that waits for its run still learns what became of it.

ALTER TABLE profiles ADD COLUMN deleted BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE runs ADD COLUMN deleted BOOLEAN NOT NULL DEFAULT FALSE;

DROP INDEX runs_by_project;
DROP INDEX runs_by_status;
DROP INDEX runs_by_outdated;
DROP INDEX runs_by_profile;
DROP INDEX runs_by_version;
CREATE INDEX runs_by_project ON runs (project_id, deleted, seq);
CREATE INDEX runs_by_status ON runs (project_id, deleted, status, seq);
CREATE INDEX runs_by_outdated ON runs (project_id, deleted, outdated, seq);
CREATE INDEX runs_by_profile ON runs (profile_id, deleted, status, evicted, ended_seq);
CREATE INDEX runs_by_version ON runs (profile_id, deleted, profile_version, seq);

CREATE TABLE objectives (
    scenario_id TEXT   NOT NULL,
    version     BIGINT NOT NULL,
    blob        TEXT   NOT NULL,
    saved_at    BIGINT NOT NULL,
    saved_by    TEXT   NOT NULL,
    PRIMARY KEY (scenario_id, version)
);

-- +goose Down
DROP TABLE objectives;
DROP INDEX runs_by_version;
DROP INDEX runs_by_profile;
DROP INDEX runs_by_outdated;
DROP INDEX runs_by_status;
DROP INDEX runs_by_project;
CREATE INDEX runs_by_project ON runs (project_id, seq);
CREATE INDEX runs_by_status ON runs (project_id, status, seq);
CREATE INDEX runs_by_outdated ON runs (project_id, outdated, seq);
CREATE INDEX runs_by_profile ON runs (profile_id, status, evicted, ended_seq);
CREATE INDEX runs_by_version ON runs (profile_id, profile_version, seq);
ALTER TABLE runs DROP COLUMN deleted;
ALTER TABLE profiles DROP COLUMN deleted;
