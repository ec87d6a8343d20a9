-- Grain: a day between two days that has no live edition.
-- Unit: UTC days.
-- Inputs: editions.
-- Clause: specification 3 (every calendar day).
WITH calendar AS (
    SELECT CAST(r.day AS DATE) AS day
    FROM generate_series(CAST($first AS TIMESTAMP), CAST($until AS TIMESTAMP), INTERVAL 1 DAY) AS r (day)
)

SELECT c.day
FROM calendar AS c
LEFT JOIN editions AS e ON c.day = e.day AND e.construction = 'live'
WHERE e.day IS NULL
ORDER BY c.day
