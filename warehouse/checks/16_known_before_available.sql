-- Grain: a row recorded before it could be known.
-- Unit: none.
-- Inputs: captures, offers, trades, fx_rates, operators, operator_tiers.
-- Clause: specification 3: known_at is when it was recorded, available_at when it could first be known. The
-- registers come with the program, so under a recorded clock facts of its future are recorded too; they are bad
-- rows only where they would hold before they were available.
WITH timed AS (
    SELECT
        'captures' AS table_name,
        capture_id AS row_id,
        available_at,
        known_at
    FROM captures
    UNION ALL
    SELECT
        'offers' AS table_name,
        offer_id AS row_id,
        available_at,
        known_at
    FROM offers
    UNION ALL
    SELECT
        'trades' AS table_name,
        trade_id AS row_id,
        available_at,
        known_at
    FROM trades
    UNION ALL
    SELECT
        'fx_rates' AS table_name,
        currency || ' ' || day AS row_id,
        available_at,
        known_at
    FROM fx_rates
    UNION ALL
    SELECT
        'operators' AS table_name,
        operator_id AS row_id,
        available_at,
        known_at
    FROM operators
    WHERE valid_from < CAST(available_at AT TIME ZONE 'UTC' AS DATE)
    UNION ALL
    SELECT
        'operator_tiers' AS table_name,
        operator_id AS row_id,
        available_at,
        known_at
    FROM operator_tiers
)

SELECT
    table_name,
    row_id,
    available_at,
    known_at
FROM timed
WHERE known_at < available_at
ORDER BY table_name, row_id;
