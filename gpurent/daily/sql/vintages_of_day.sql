-- Grain: one stored vintage of a day.
-- Unit: UTC instants.
-- Inputs: reference_prices.
-- Clause: specification 11 (finality is derived).
SELECT
    r.vintage,
    min(r.published_at) AS published_at,
    min(r.known_at) AS known_at
FROM reference_prices AS r
WHERE r.day = $day
GROUP BY r.vintage
ORDER BY min(r.published_at), r.vintage
