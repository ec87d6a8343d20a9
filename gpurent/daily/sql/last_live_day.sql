-- Grain: one row: the newest day before a given one that was published live.
-- Unit: UTC days.
-- Inputs: series_states.
-- Clause: specification 8 (R continues from the last published day).
SELECT max(s.day) AS day
FROM series_states AS s
WHERE
    s.day < $before
    AND s.grade_id = '*'
    AND s.vintage NOT LIKE 'research-%'
    AND s.vintage NOT LIKE 'backfill-%'
