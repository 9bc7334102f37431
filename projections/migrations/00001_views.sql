-- +goose Up
-- Times are Unix microseconds, seq is the stream position of the commit that made the row.

CREATE TABLE checkpoints (
    projection     TEXT PRIMARY KEY,
    schema_version BIGINT NOT NULL,
    stream_name    TEXT   NOT NULL,
    stream_created BIGINT NOT NULL,
    seq            BIGINT NOT NULL,
    skipped        BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);

CREATE TABLE members (
    id            TEXT PRIMARY KEY,
    name          TEXT    NOT NULL,
    administrator BOOLEAN NOT NULL
);

CREATE TABLE workspaces (
    id   TEXT PRIMARY KEY,
    name TEXT   NOT NULL,
    seq  BIGINT NOT NULL
);

CREATE TABLE projects (
    id           TEXT PRIMARY KEY,
    workspace_id TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    seq          BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    created_by   TEXT   NOT NULL
);
CREATE INDEX projects_by_workspace ON projects (workspace_id, seq);

CREATE TABLE branches (
    id         TEXT PRIMARY KEY,
    project_id TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    name       TEXT   NOT NULL,
    seq        BIGINT NOT NULL,
    version    BIGINT NOT NULL,
    blob       TEXT   NOT NULL,
    saved_at   BIGINT NOT NULL,
    saved_by   TEXT   NOT NULL
);
CREATE INDEX branches_by_project ON branches (project_id, seq);

CREATE TABLE model_versions (
    branch_id TEXT   NOT NULL,
    version   BIGINT NOT NULL,
    blob      TEXT   NOT NULL,
    saved_at  BIGINT NOT NULL,
    saved_by  TEXT   NOT NULL,
    PRIMARY KEY (branch_id, version)
);

CREATE TABLE scenarios (
    id         TEXT PRIMARY KEY,
    project_id TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    seq        BIGINT  NOT NULL,
    version    BIGINT  NOT NULL,
    blob       TEXT    NOT NULL,
    saved_at   BIGINT  NOT NULL,
    saved_by   TEXT    NOT NULL,
    deleted    BOOLEAN NOT NULL
);
CREATE INDEX scenarios_by_project ON scenarios (project_id, seq);

CREATE TABLE scenario_versions (
    scenario_id TEXT   NOT NULL,
    version     BIGINT NOT NULL,
    name        TEXT   NOT NULL,
    blob        TEXT   NOT NULL,
    saved_at    BIGINT NOT NULL,
    saved_by    TEXT   NOT NULL,
    PRIMARY KEY (scenario_id, version)
);

CREATE TABLE profiles (
    id          TEXT PRIMARY KEY,
    project_id  TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    scenario_id TEXT    NOT NULL,
    seq         BIGINT  NOT NULL,
    version     BIGINT  NOT NULL,
    blob        TEXT    NOT NULL,
    saved_at    BIGINT  NOT NULL,
    saved_by    TEXT    NOT NULL,
    admitted    BOOLEAN NOT NULL
);
CREATE INDEX profiles_by_project ON profiles (project_id, seq);

CREATE TABLE profile_versions (
    profile_id  TEXT   NOT NULL,
    version     BIGINT NOT NULL,
    name        TEXT   NOT NULL,
    scenario_id TEXT   NOT NULL,
    blob        TEXT   NOT NULL,
    saved_at    BIGINT NOT NULL,
    saved_by    TEXT   NOT NULL,
    PRIMARY KEY (profile_id, version)
);

CREATE TABLE runs (
    id                TEXT PRIMARY KEY,
    workspace_id      TEXT    NOT NULL,
    project_id        TEXT    NOT NULL,
    profile_id        TEXT    NOT NULL,
    profile_version   BIGINT  NOT NULL,
    profile_blob      TEXT    NOT NULL,
    branch_id         TEXT    NOT NULL,
    model_version     BIGINT  NOT NULL,
    model_blob        TEXT    NOT NULL,
    scenario_id       TEXT    NOT NULL,
    scenario_version  BIGINT,
    scenario_blob     TEXT    NOT NULL,
    seed              TEXT    NOT NULL,
    engine_version    BIGINT  NOT NULL,
    doubts            TEXT    NOT NULL,
    seq               BIGINT  NOT NULL,
    requested_at      BIGINT  NOT NULL,
    requested_by      TEXT    NOT NULL,
    status            TEXT    NOT NULL,
    started_at        BIGINT,
    ended_at          BIGINT,
    ended_seq         BIGINT,
    result_blob       TEXT    NOT NULL,
    result_hash       TEXT    NOT NULL,
    key_figures       TEXT    NOT NULL,
    problem_type      TEXT    NOT NULL,
    problem_title     TEXT    NOT NULL,
    issues            TEXT    NOT NULL,
    outdated_model    BOOLEAN NOT NULL,
    outdated_scenario BOOLEAN NOT NULL,
    outdated          BOOLEAN NOT NULL, -- completed, and by the model or the scenario
    evicted           BOOLEAN NOT NULL
);
CREATE INDEX runs_by_project ON runs (project_id, seq);
CREATE INDEX runs_by_status ON runs (project_id, status, seq);
CREATE INDEX runs_by_outdated ON runs (project_id, outdated, seq);
CREATE INDEX runs_by_profile ON runs (profile_id, status, evicted, ended_seq);
CREATE INDEX runs_by_version ON runs (profile_id, profile_version, seq);
CREATE INDEX runs_by_branch ON runs (branch_id, outdated_model, model_version);
CREATE INDEX runs_by_scenario ON runs (scenario_id, outdated_scenario, scenario_version);

-- +goose Down
DROP TABLE runs;
DROP TABLE profile_versions;
DROP TABLE profiles;
DROP TABLE scenario_versions;
DROP TABLE scenarios;
DROP TABLE model_versions;
DROP TABLE branches;
DROP TABLE projects;
DROP TABLE workspaces;
DROP TABLE members;
DROP TABLE checkpoints;
