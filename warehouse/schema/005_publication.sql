-- Registers of people, publications and files.

CREATE TABLE contributors (
    contributor_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    public_key_pem VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    valid_from DATE NOT NULL,
    valid_to DATE,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE editions (
    edition_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    vintage VARCHAR NOT NULL,
    construction VARCHAR NOT NULL,
    vintage_reason VARCHAR,
    path VARCHAR NOT NULL,
    manifest_sha256 VARCHAR NOT NULL,
    content_sha256 VARCHAR NOT NULL,
    signature VARCHAR,
    key_name VARCHAR,
    previous_sha256 VARCHAR,
    sequence_number INTEGER NOT NULL,
    inputs_sha256 VARCHAR NOT NULL,
    methodology_version VARCHAR NOT NULL,
    published_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE lake_files (
    table_name VARCHAR NOT NULL,
    day DATE NOT NULL,
    path VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    content_sha256 VARCHAR NOT NULL,
    row_count BIGINT NOT NULL,
    size_bytes BIGINT NOT NULL,
    superseded_by VARCHAR,
    known_at TIMESTAMPTZ NOT NULL
);
