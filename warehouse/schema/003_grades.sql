-- What kind of hour it was: operators, specifications, grades, evidence, tiers, and the records in them.

CREATE TABLE operators (
    operator_id VARCHAR NOT NULL,
    name VARCHAR NOT NULL,
    operator_class VARCHAR NOT NULL,
    owner_group VARCHAR NOT NULL,
    country VARCHAR,
    is_cited BOOLEAN NOT NULL,
    url VARCHAR,
    observed_on DATE,
    valid_from DATE NOT NULL,
    valid_to DATE,
    record_sha256 VARCHAR NOT NULL,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE grade_specs (
    spec_id VARCHAR NOT NULL,
    code VARCHAR NOT NULL,
    spec_version VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    chip VARCHAR NOT NULL,
    form_memory VARCHAR NOT NULL,
    lot VARCHAR NOT NULL,
    fabric VARCHAR NOT NULL,
    scope VARCHAR NOT NULL,
    term VARCHAR NOT NULL,
    place VARCHAR NOT NULL,
    parent_code VARCHAR,
    status VARCHAR NOT NULL,
    is_composite BOOLEAN NOT NULL,
    valid_from DATE NOT NULL,
    valid_to DATE,
    record_sha256 VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

-- What enters a specification: one accepted value of one axis, * for every value. Z values are listed where they enter.
CREATE TABLE spec_accepts (
    spec_id VARCHAR NOT NULL,
    axis VARCHAR NOT NULL,
    value VARCHAR NOT NULL,
    record_sha256 VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE grades (
    grade_id VARCHAR NOT NULL,
    spec_id VARCHAR NOT NULL,
    code VARCHAR NOT NULL,
    bucket VARCHAR NOT NULL,
    title VARCHAR NOT NULL,
    parent_grade_id VARCHAR,
    is_composite BOOLEAN NOT NULL,
    valid_from DATE NOT NULL,
    valid_to DATE,
    record_sha256 VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE operator_evidence (
    evidence_id VARCHAR NOT NULL,
    operator_id VARCHAR NOT NULL,
    scope VARCHAR NOT NULL,
    category VARCHAR NOT NULL,
    criterion VARCHAR NOT NULL,
    result VARCHAR NOT NULL,
    value VARCHAR,
    unit VARCHAR,
    source_class VARCHAR NOT NULL,
    origin VARCHAR NOT NULL,
    confidence INTEGER NOT NULL,
    is_cited BOOLEAN NOT NULL,
    is_synthetic BOOLEAN NOT NULL,
    observed_at DATE,
    available_at TIMESTAMPTZ,
    known_at TIMESTAMPTZ NOT NULL,
    expires_at DATE,
    url VARCHAR,
    record_sha256 VARCHAR NOT NULL
);

CREATE TABLE operator_tiers (
    operator_id VARCHAR NOT NULL,
    scope VARCHAR NOT NULL,
    tier VARCHAR NOT NULL,
    is_provisional BOOLEAN NOT NULL,
    is_synthetic BOOLEAN NOT NULL,
    score DOUBLE,
    score_low DOUBLE,
    score_high DOUBLE,
    coverage DOUBLE,
    reason VARCHAR NOT NULL,
    valid_from DATE NOT NULL,
    valid_to DATE,
    available_at TIMESTAMPTZ NOT NULL,
    known_at TIMESTAMPTZ NOT NULL,
    superseded_at TIMESTAMPTZ,
    scheme_version VARCHAR NOT NULL,
    record_sha256 VARCHAR NOT NULL
);

CREATE TABLE graded_offers (
    offer_id VARCHAR NOT NULL,
    grade_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    rule_id VARCHAR NOT NULL,
    register_version VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE graded_trades (
    trade_id VARCHAR NOT NULL,
    grade_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    rule_id VARCHAR NOT NULL,
    register_version VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE differentials (
    differential_id VARCHAR NOT NULL,
    axis VARCHAR NOT NULL,
    from_value VARCHAR NOT NULL,
    to_value VARCHAR NOT NULL,
    chip VARCHAR,
    estimate_log DECIMAL(18, 12),
    standard_error DECIMAL(18, 12),
    pair_count INTEGER NOT NULL,
    seller_count INTEGER NOT NULL,
    is_ratified BOOLEAN NOT NULL,
    reason_code VARCHAR,
    valid_from DATE NOT NULL,
    valid_to DATE,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE differential_pairs (
    differential_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    owner_group VARCHAR NOT NULL,
    from_usd_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    to_usd_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);
