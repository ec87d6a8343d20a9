-- The stored responses an edition was computed from: behind its items, and behind the exchange rates used.
-- A capture that holds confidential trades is marked: its hash is not published.
-- Grain: capture
-- Unit: none
-- Inputs: items, voices, reference_prices, offers, graded_trades, trades, fx_rates, captures
-- Clause: price.md 2 and 12
WITH version AS (
    SELECT max(register_version) AS register_version
    FROM reference_prices
    WHERE day = $day AND vintage = $vintage
),

cell AS (
    SELECT
        grade_id,
        max(known_at) AS known_at
    FROM voices
    WHERE day = $day AND vintage = $vintage AND leg = 'traded'
    GROUP BY grade_id
),

item AS (
    SELECT DISTINCT
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
    WHERE day = $day AND vintage = $vintage AND leg = 'advertised'
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
    WHERE offers.offer_class <> 'indication'
),

used_trades AS (
    SELECT
        trades.capture_id,
        trades.fx_day,
        trades.currency
    FROM cell
    INNER JOIN graded_trades AS graded
        ON
            cell.grade_id = graded.grade_id
            AND graded.day > CAST($day AS DATE) - 20
            AND graded.day <= $day
    INNER JOIN version
        ON graded.register_version = version.register_version
    INNER JOIN trades
        ON
            graded.trade_id = trades.trade_id
            AND graded.register_version = trades.register_version
            AND cell.known_at >= trades.known_at
            AND NOT trades.is_confidential
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

confidential AS (
    SELECT DISTINCT capture_id
    FROM trades
    WHERE is_confidential
),

used AS (
    SELECT capture_id
    FROM used_offers
    UNION DISTINCT
    SELECT capture_id
    FROM used_trades
    UNION DISTINCT
    SELECT fx_rates.capture_id
    FROM fx_rates
    INNER JOIN rates
        ON fx_rates.day = rates.fx_day AND fx_rates.currency = rates.currency
)

SELECT
    captures.capture_id,
    captures.source_id,
    captures.sha256,
    confidential.capture_id IS NOT NULL AS is_confidential
FROM used
INNER JOIN captures
    ON used.capture_id = captures.capture_id
LEFT JOIN confidential
    ON used.capture_id = confidential.capture_id
ORDER BY captures.source_id, captures.capture_id;
