-- Grain: one row: the first and the last day on which a price source was seen.
-- Unit: UTC days.
-- Inputs: offers, trades.
-- Clause: specification 3 (window).
SELECT
    least(min(o.first_day), min(t.first_day)) AS first_day,
    greatest(max(o.last_day), max(t.last_day)) AS last_day
FROM (SELECT min(snapshot_day) AS first_day, max(snapshot_day) AS last_day FROM offers) AS o
CROSS JOIN (
    SELECT
        min(CAST(traded_at AS DATE)) AS first_day,
        max(CAST(traded_at AS DATE)) AS last_day
    FROM trades
) AS t
