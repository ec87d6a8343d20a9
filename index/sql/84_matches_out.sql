-- Grain: one item in one grade.
-- Unit: none.
-- Inputs: temporary axes_matches (grades room).
-- Clause: specification 1.
SELECT
    m.axes_key,
    m.grade_id
FROM axes_matches AS m
ORDER BY m.axes_key, m.grade_id
