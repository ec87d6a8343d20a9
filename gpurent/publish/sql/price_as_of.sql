-- A grade's row of the day asked for, or of its newest day, as recorded by an instant.
-- Grain: one row; none where nothing had been recorded
-- Unit: as reference_prices
-- Inputs: reference_prices_as_of
-- Clause: design 4 (point in time)
SELECT * -- noqa: AM04
FROM reference_prices_as_of($as_of)
WHERE grade_id = $grade_id AND (CAST($day AS DATE) IS NULL OR day = $day)
ORDER BY day DESC
LIMIT 1;
