-- Grain: a day on which no look at a price source was recorded by its cut-off.
-- Unit: UTC days.
-- Inputs: snapshots.
-- Clause: specification 3 (no captures for a day: every grade withheld).
WITH calendar AS (
    SELECT CAST(r.day AS DATE) AS day
    FROM generate_series(CAST($first AS TIMESTAMP), CAST($until AS TIMESTAMP), INTERVAL 1 DAY) AS r (day)
),

looks AS (
    SELECT DISTINCT s.snapshot_day AS day
    FROM snapshots AS s
    WHERE
        s.status <> 'failed'
        AND s.source_id <> 'ecb'
        AND s.known_at <= CAST(s.snapshot_day AS TIMESTAMPTZ) + to_hours(CAST($cut_off_hour AS INTEGER))
)

SELECT c.day
FROM calendar AS c
LEFT JOIN looks AS l ON c.day = l.day
WHERE l.day IS NULL
ORDER BY c.day
