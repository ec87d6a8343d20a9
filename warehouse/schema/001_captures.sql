-- What was said, since when: sources, stored responses, and what they state in their own words.
-- Everything is append-only; a correction is a new row with a later known_at.

CREATE TABLE schema_migrations (
    number INTEGER PRIMARY KEY,
    name VARCHAR NOT NULL,
    sha256 VARCHAR NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE warehouse_facts (
    name VARCHAR PRIMARY KEY,
    value VARCHAR NOT NULL
);

CREATE TABLE runs (
    run_id VARCHAR NOT NULL,
    command VARCHAR NOT NULL,
    event VARCHAR NOT NULL,
    occurred_at TIMESTAMPTZ NOT NULL,
    recorded_at TIMESTAMPTZ NOT NULL,
    exit_code INTEGER,
    report_json VARCHAR
);

CREATE TABLE sources (
    source_id VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    kind VARCHAR NOT NULL,
    url VARCHAR NOT NULL,
    unit VARCHAR NOT NULL,
    currency VARCHAR NOT NULL,
    terms_checked_on DATE,
    robots_checked_on DATE,
    redistribution VARCHAR NOT NULL,
    licence VARCHAR,
    attribution VARCHAR,
    cadence_hours INTEGER NOT NULL,
    time_meaning VARCHAR NOT NULL,
    fixture_origin VARCHAR NOT NULL,
    first_live_success DATE,
    retired_on DATE,
    is_file_only BOOLEAN NOT NULL,
    record_sha256 VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE captures (
    capture_id VARCHAR PRIMARY KEY,
    source_id VARCHAR NOT NULL,
    run_id VARCHAR NOT NULL,
    url VARCHAR NOT NULL,
    request_json VARCHAR,
    fetched_at TIMESTAMPTZ NOT NULL,
    http_status INTEGER,
    media_type VARCHAR,
    sha256 VARCHAR NOT NULL,
    size_bytes BIGINT NOT NULL,
    archive_file VARCHAR NOT NULL,
    archive_offset BIGINT NOT NULL,
    record_file VARCHAR NOT NULL,
    record_offset BIGINT NOT NULL,
    record_length BIGINT NOT NULL,
    revisit_of VARCHAR,
    snapshot_id VARCHAR NOT NULL,
    outcome VARCHAR NOT NULL,
    accepted_rows BIGINT NOT NULL,
    rejected_rows BIGINT NOT NULL,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

-- One row a complete or failed look at a source: all pages of one run, or one dated list inside a file.
-- A source's items of a day come from its newest complete snapshot; absence from a partial one proves
-- nothing. list_key: a source with several lists that come and go on their own (a model searched for, a
-- region) has a look at each; empty elsewhere. Pages of one look are several rows of one snapshot_id: the
-- best status stands.
CREATE TABLE snapshots (
    snapshot_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    list_key VARCHAR NOT NULL,
    snapshot_at TIMESTAMPTZ NOT NULL,
    snapshot_day DATE NOT NULL,
    status VARCHAR NOT NULL,
    stated_rows BIGINT NOT NULL,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE stated_offers (
    stated_id VARCHAR PRIMARY KEY,
    capture_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    snapshot_id VARCHAR NOT NULL,
    row_number BIGINT NOT NULL,
    operator_text VARCHAR NOT NULL,
    host_text VARCHAR,
    sku VARCHAR NOT NULL,
    chip_text VARCHAR,
    form_text VARCHAR,
    memory_text VARCHAR,
    memory_gb DECIMAL(10, 3),
    gpu_count DECIMAL(12, 6),
    lot_min_gpus INTEGER,
    lot_max_gpus INTEGER,
    fabric_text VARCHAR,
    scope_text VARCHAR,
    term_text VARCHAR,
    place_text VARCHAR,
    class_text VARCHAR,
    offer_class VARCHAR NOT NULL,
    price_text VARCHAR NOT NULL,
    price_amount DECIMAL(28, 12) NOT NULL,
    price_basis VARCHAR NOT NULL,
    block_hours DECIMAL(18, 6),
    currency VARCHAR NOT NULL,
    is_converted BOOLEAN NOT NULL,
    available_gpus INTEGER,
    host_count INTEGER,
    offer_count INTEGER,
    snapshot_at TIMESTAMPTZ NOT NULL,
    observed_at TIMESTAMPTZ NOT NULL,
    observed_at_from VARCHAR NOT NULL,
    effective_date DATE,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL,
    extra_json VARCHAR
);

CREATE TABLE stated_trades (
    stated_id VARCHAR PRIMARY KEY,
    capture_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    row_number BIGINT NOT NULL,
    reporter_id VARCHAR NOT NULL,
    reporter_side VARCHAR NOT NULL,
    trade_kind VARCHAR NOT NULL,
    operator_text VARCHAR NOT NULL,
    buyer_text VARCHAR NOT NULL,
    agreement_text VARCHAR NOT NULL,
    sku VARCHAR NOT NULL,
    chip_text VARCHAR,
    form_text VARCHAR,
    memory_text VARCHAR,
    memory_gb DECIMAL(10, 3),
    gpu_count DECIMAL(12, 6),
    lot_gpus INTEGER,
    fabric_text VARCHAR,
    scope_text VARCHAR,
    term_text VARCHAR,
    place_text VARCHAR,
    price_column VARCHAR NOT NULL,
    price_text VARCHAR NOT NULL,
    cost_amount DECIMAL(28, 12) NOT NULL,
    quantity DECIMAL(28, 12) NOT NULL,
    price_basis VARCHAR NOT NULL,
    currency VARCHAR NOT NULL,
    traded_at TIMESTAMPTZ,
    delivery_start TIMESTAMPTZ NOT NULL,
    delivery_end TIMESTAMPTZ NOT NULL,
    is_arms_length BOOLEAN,
    is_administered BOOLEAN NOT NULL,
    is_confidential BOOLEAN NOT NULL,
    is_synthetic BOOLEAN NOT NULL,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL,
    extra_json VARCHAR
);

-- stage: read (a row of a source), normalise (to USD per GPU-hour and axes), match (to a grade).
-- One reason a record and stage; a whole document that cannot be read is one row with record_id = capture_id.
CREATE TABLE rejections (
    rejection_id VARCHAR NOT NULL,
    stage VARCHAR NOT NULL,
    record_id VARCHAR NOT NULL,
    capture_id VARCHAR NOT NULL,
    source_id VARCHAR NOT NULL,
    row_number BIGINT,
    reason_code VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    raw_text VARCHAR,
    observed_at TIMESTAMPTZ,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE fx_rates (
    day DATE NOT NULL,
    currency VARCHAR NOT NULL,
    usd_per_unit DECIMAL(28, 12) NOT NULL,
    eur_rate_text VARCHAR NOT NULL,
    capture_id VARCHAR NOT NULL,
    published_at TIMESTAMPTZ NOT NULL,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);
