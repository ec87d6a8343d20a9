-- The stored responses an edition was computed from: behind its items, and behind the exchange rates used.
-- A capture that holds confidential trades is marked: its hash is not published.
-- Grain: capture
-- Unit: none
-- Inputs: items, reference_prices, offers, graded_trades, trades, fx_rates, captures
-- Clause: price.md 2 and 12
WITH version AS (
    SELECT max(register_version) AS register_version
    FROM reference_prices
    WHERE day = $day AND vintage = $vintage
),

item AS (
    SELECT DISTINCT
        leg,
        grade_id,
        operator_id,
        host_operator_id,
        chip,
        form_memory,
        lot,
        fabric,
        scope,
        term,
        place,
        route,
        currency,
        snapshot_day,
        known_at
    FROM items
    WHERE day = $day AND vintage = $vintage
),

used_offers AS (
    SELECT
        offers.capture_id,
        offers.fx_day,
        offers.currency
    FROM item
    INNER JOIN offers
        ON
            item.snapshot_day = offers.snapshot_day
            AND item.route = offers.route
            AND item.operator_id = offers.operator_id
            AND item.host_operator_id = replace(offers.host_operator_id, '|', '/')
            AND item.chip = offers.chip
            AND item.form_memory = offers.form_memory
            AND item.lot = offers.lot
            AND item.fabric = offers.fabric
            AND item.scope = offers.scope
            AND item.term = offers.term
            AND item.place = offers.place
            AND item.currency = offers.currency
            AND item.known_at >= offers.known_at
    INNER JOIN version
        ON offers.register_version = version.register_version
    WHERE item.leg = 'advertised' AND offers.offer_class <> 'indication'
),

used_trades AS (
    SELECT
        trades.capture_id,
        trades.fx_day,
        trades.currency,
        trades.is_confidential
    FROM item
    INNER JOIN graded_trades
        ON
            item.grade_id = graded_trades.grade_id
            AND item.snapshot_day = graded_trades.day
    INNER JOIN version
        ON graded_trades.register_version = version.register_version
    INNER JOIN trades
        ON
            graded_trades.trade_id = trades.trade_id
            AND graded_trades.register_version = trades.register_version
            AND item.operator_id = trades.operator_id
            AND item.host_operator_id = replace(trades.host_operator_id, '|', '/')
            AND item.chip = trades.chip
            AND item.form_memory = trades.form_memory
            AND item.lot = trades.lot
            AND item.fabric = trades.fabric
            AND item.scope = trades.scope
            AND item.term = trades.term
            AND item.place = trades.place
    WHERE item.leg = 'traded'
),

rates AS (
    SELECT DISTINCT
        fx_day,
        currency
    FROM (
        SELECT
            fx_day,
            currency
        FROM used_offers
        UNION ALL
        SELECT
            fx_day,
            currency
        FROM used_trades
    ) AS converted
    WHERE fx_day IS NOT NULL
),

used AS (
    SELECT
        capture_id,
        FALSE AS is_confidential
    FROM used_offers
    UNION ALL
    SELECT
        capture_id,
        is_confidential
    FROM used_trades
    UNION ALL
    SELECT
        fx_rates.capture_id,
        FALSE AS is_confidential
    FROM fx_rates
    INNER JOIN rates
        ON fx_rates.day = rates.fx_day AND fx_rates.currency = rates.currency
)

SELECT
    captures.capture_id,
    captures.source_id,
    captures.sha256,
    bool_or(used.is_confidential) AS is_confidential
FROM used
INNER JOIN captures
    ON used.capture_id = captures.capture_id
GROUP BY captures.capture_id, captures.source_id, captures.sha256
ORDER BY captures.source_id, captures.capture_id;
