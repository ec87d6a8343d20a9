-- The newest value of a grade before a day, as recorded by an instant: what a change is a change from.
-- Grain: one row; none where there was no value before
-- Unit: natural log; date
-- Inputs: reference_prices_as_of
-- Clause: price.md 8
SELECT
    day,
    reference_log
FROM reference_prices_as_of($as_of)
WHERE grade_id = $grade_id AND day < $day AND reference_log IS NOT NULL
ORDER BY day DESC
LIMIT 1;
