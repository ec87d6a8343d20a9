-- Grain: one grade's memory at the end of a day.
-- Unit: none.
-- Inputs: series_states.
-- Clause: specification 8 (state is kept unrounded).
SELECT
    s.grade_id,
    s.state_json
FROM series_states AS s
WHERE s.day = $day AND s.vintage = $vintage
ORDER BY s.grade_id
