-- Grain: one row: the first and the last day on which a price source was seen.
-- Unit: UTC days.
-- Inputs: offers, trades.
-- Clause: specification 3 (window).
WITH seen AS (
    SELECT snapshot_day AS day
    FROM offers
    UNION ALL
    SELECT CAST(traded_at AS DATE) AS day
    FROM trades
)

SELECT
    min(day) AS first_day,
    max(day) AS last_day
FROM seen;
