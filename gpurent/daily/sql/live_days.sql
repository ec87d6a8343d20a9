-- Grain: one row: the first and the last day with a live edition.
-- Unit: UTC days.
-- Inputs: editions.
-- Clause: specification 3 (every calendar day).
SELECT
    min(e.day) AS first_day,
    max(e.day) AS last_day
FROM editions AS e
WHERE e.construction = 'live'
