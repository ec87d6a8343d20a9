-- What it was worth: items, voices, reference prices and everything published beside them.
-- Derived: the grain of every table below includes vintage. Logs have 12 decimals; USD and index values are
-- rounded half-even, once, to the dictionary's decimals when an edition is written.

CREATE TABLE items (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    leg VARCHAR NOT NULL,
    item_key VARCHAR NOT NULL,
    owner_group VARCHAR NOT NULL,
    operator_id VARCHAR NOT NULL,
    host_operator_id VARCHAR NOT NULL,
    chip VARCHAR NOT NULL,
    form_memory VARCHAR NOT NULL,
    lot VARCHAR NOT NULL,
    fabric VARCHAR NOT NULL,
    scope VARCHAR NOT NULL,
    term VARCHAR NOT NULL,
    place VARCHAR NOT NULL,
    route VARCHAR NOT NULL,
    offer_class VARCHAR NOT NULL,
    offer_id VARCHAR,
    usd_per_gpu_hour DECIMAL(18, 9),
    observed_usd_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    native_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    currency VARCHAR NOT NULL,
    is_converted BOOLEAN NOT NULL,
    state VARCHAR NOT NULL,
    reason_code VARCHAR,
    weight DECIMAL(18, 15),
    verified_at TIMESTAMPTZ NOT NULL,
    verified_age_days INTEGER NOT NULL,
    snapshot_day DATE NOT NULL,
    capture_count INTEGER NOT NULL,
    first_captured_at TIMESTAMPTZ NOT NULL,
    first_native_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    last_captured_at TIMESTAMPTZ NOT NULL,
    last_native_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    lowest_captured_at TIMESTAMPTZ NOT NULL,
    lowest_native_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    highest_captured_at TIMESTAMPTZ NOT NULL,
    highest_native_per_gpu_hour DECIMAL(18, 9) NOT NULL,
    is_marketplace BOOLEAN NOT NULL,
    host_count INTEGER,
    offer_count INTEGER,
    relabelled_from VARCHAR,
    previous_usd_per_gpu_hour DECIMAL(18, 9),
    previous_day DATE,
    gpu_hours DECIMAL(18, 6),
    buyer_count INTEGER,
    trade_count INTEGER,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE voices (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    leg VARCHAR NOT NULL,
    owner_group VARCHAR NOT NULL,
    usd_per_gpu_hour DECIMAL(18, 9),
    state VARCHAR NOT NULL,
    reason_code VARCHAR,
    weight DECIMAL(18, 15),
    weight_before_caps DECIMAL(18, 15),
    verified_age_days INTEGER NOT NULL,
    item_count INTEGER NOT NULL,
    is_firm BOOLEAN NOT NULL,
    routes VARCHAR NOT NULL,
    previous_usd_per_gpu_hour DECIMAL(18, 9),
    previous_day DATE,
    matched_weight DECIMAL(18, 15),
    matched_usd_per_gpu_hour DECIMAL(18, 9),
    gpu_hours DECIMAL(18, 6),
    is_public BOOLEAN NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE reference_prices (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    construction VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    reason_code VARCHAR,
    level INTEGER NOT NULL,
    reached_level INTEGER NOT NULL,
    label VARCHAR NOT NULL,
    letter VARCHAR,
    basis VARCHAR NOT NULL,
    flags VARCHAR NOT NULL,
    not_computed VARCHAR NOT NULL,
    settlement_eligible BOOLEAN NOT NULL,
    reference_usd_per_gpu_hour DECIMAL(18, 4),
    reference_log DECIMAL(18, 12),
    cross_section_usd_per_gpu_hour DECIMAL(18, 4),
    cross_section_log DECIMAL(18, 12),
    index_value DECIMAL(18, 4),
    index_log DECIMAL(18, 12),
    matched_change_log DECIMAL(18, 12),
    advertised_usd_per_gpu_hour DECIMAL(18, 4),
    advertised_log DECIMAL(18, 12),
    traded_usd_per_gpu_hour DECIMAL(18, 4),
    traded_log DECIMAL(18, 12),
    trade_weight DECIMAL(18, 12),
    discount_log DECIMAL(18, 12),
    discount_se DECIMAL(18, 12),
    catch_up_log DECIMAL(18, 12),
    seller_quote_usd_per_gpu_hour DECIMAL(18, 4),
    owner_group_count INTEGER,
    fresh_group_count INTEGER,
    firm_count INTEGER,
    offer_count INTEGER,
    trade_count INTEGER,
    gpu_hours DECIMAL(18, 6),
    trade_window_days INTEGER,
    level_ci_low DECIMAL(18, 4),
    level_ci_high DECIMAL(18, 4),
    change_20d_log DECIMAL(18, 12),
    change_20d_half_width DECIMAL(18, 12),
    max_leave_one_out DECIMAL(18, 12),
    p25 DECIMAL(18, 4),
    p75 DECIMAL(18, 4),
    effective_n DECIMAL(18, 6),
    top_share DECIMAL(18, 12),
    top5_share DECIMAL(18, 12),
    route_effective_n DECIMAL(18, 6),
    top_route_share DECIMAL(18, 12),
    owner_cap DECIMAL(18, 12),
    buyer_cap DECIMAL(18, 12),
    share_excluded DECIMAL(18, 12),
    share_excluded_json VARCHAR,
    prices_changed_20d INTEGER,
    matched_groups INTEGER,
    repeat_capture_noise DECIMAL(18, 12),
    cost_of_one_percent_usd DECIMAL(18, 4),
    groups_to_move_one_percent INTEGER,
    last_published_day DATE,
    series_started_on DATE,
    methodology_version VARCHAR NOT NULL,
    register_version VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL,
    published_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE contributions (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    leg VARCHAR NOT NULL,
    owner_group VARCHAR NOT NULL,
    weight DECIMAL(18, 15) NOT NULL,
    price_contribution_log DECIMAL(18, 12),
    leave_one_out DECIMAL(18, 12),
    is_public BOOLEAN NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE attributions (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    price DECIMAL(18, 12),
    fx DECIMAL(18, 12),
    entry DECIMAL(18, 12),
    exit DECIMAL(18, 12),
    mix DECIMAL(18, 12),
    regrade DECIMAL(18, 12),
    traded DECIMAL(18, 12),
    method DECIMAL(18, 12),
    carry_over DECIMAL(18, 12),
    total DECIMAL(18, 12),
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE exclusions (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    record_id VARCHAR NOT NULL,
    owner_group VARCHAR NOT NULL,
    leg VARCHAR NOT NULL,
    rule_id VARCHAR NOT NULL,
    reason_code VARCHAR NOT NULL,
    detail VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE discounts (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    estimate_log DECIMAL(18, 12),
    standard_error DECIMAL(18, 12),
    pair_count INTEGER NOT NULL,
    seller_count INTEGER NOT NULL,
    pool VARCHAR,
    reason_code VARCHAR,
    valid_from DATE NOT NULL,
    valid_to DATE,
    known_at TIMESTAMPTZ NOT NULL
);

-- What the ordered step must remember to run the next day: one canonical JSON text a grade and day. Private.
CREATE TABLE series_states (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    state_json VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE composites (
    day DATE NOT NULL,
    composite_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    index_value DECIMAL(18, 4),
    grade_count INTEGER NOT NULL,
    weights_json VARCHAR NOT NULL,
    methodology_version VARCHAR NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE term_curves (
    day DATE NOT NULL,
    chip VARCHAR NOT NULL,
    term VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    usd_per_gpu_hour DECIMAL(18, 4),
    owner_group_count INTEGER NOT NULL,
    reason_code VARCHAR,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE availability (
    day DATE NOT NULL,
    grade_id VARCHAR NOT NULL,
    vintage VARCHAR NOT NULL,
    stated_offers INTEGER NOT NULL,
    bookable_offers INTEGER NOT NULL,
    known_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE settlements (
    settlement_id VARCHAR PRIMARY KEY,
    grade_id VARCHAR NOT NULL,
    delivery_month DATE NOT NULL,
    convention VARCHAR NOT NULL,
    usd_per_gpu_hour DECIMAL(18, 4),
    eligible_days INTEGER NOT NULL,
    calendar_days INTEGER NOT NULL,
    is_eligible BOOLEAN NOT NULL,
    fallback_text VARCHAR,
    known_at TIMESTAMPTZ NOT NULL
);
